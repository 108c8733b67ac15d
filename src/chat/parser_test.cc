#include "chat/parser.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/utf8.h"
#include "tests/support/chat_output.h"
#include "tests/support/small_vocabulary.h"

namespace gem {
namespace {

using testing::CollectedOutput;
using testing::marked_ids;
using testing::small_tokenizer;
using Calls = std::vector<std::pair<std::string, std::string>>;

const std::string kGenerate = "<|turn>model\n";
const std::string kNoThinking = "<|turn>model\n<|channel>thought\n<channel|>";
const std::string kAfterResult = "<|tool_response>response:f{value:<|\"|>r<|\"|>}<tool_response|>";

const ToolSet& tools() {
  static const ToolSet set([] {
    Tool read{.name = "read", .description = {}, .parameters = {}};
    read.parameters = *parse_json(
        R"({"type":"object","properties":{"path":{"type":"string"},"limit":{"type":"integer"}}})");
    return std::vector<Tool>{read, {.name = "f", .description = {}, .parameters = {}}};
  }());
  return set;
}

struct Outcome {
  OutputParser parser;
  CollectedOutput output;
};

struct Given {
  std::string prompt = kGenerate;
  bool reads_calls = true;
  bool one_call = false;
};

Outcome run(const std::vector<TokenId>& ids, const Given& given = {}) {
  const Tokenizer& tokenizer = small_tokenizer();
  const std::vector<TokenId> prompt = marked_ids(tokenizer, given.prompt);
  Outcome outcome{
      OutputParser(tokenizer, prompt,
                   {.tools = given.reads_calls ? &tools() : nullptr, .one_call = given.one_call}),
      {}};
  for (const TokenId id : ids) outcome.output.add(outcome.parser.push(id));
  return outcome;
}

// The output of `text` and the end of the turn. Fed as tokens of bytes it must be the same.
CollectedOutput read(const std::string& text, const Given& given = {}) {
  const std::vector<TokenId> ids = marked_ids(small_tokenizer(), text + "<turn|>");
  CollectedOutput whole = run(ids, given).output;
  CollectedOutput bytes = run(testing::in_byte_tokens(small_tokenizer(), ids), given).output;
  EXPECT_EQ(whole.ends, 1);
  // The tokens of a call are those that were fed.
  for (CollectedOutput* output : {&whole, &bytes}) output->call_ids.clear();
  EXPECT_EQ(whole, bytes) << text;
  return whole;
}

CollectedOutput read_cut(const std::string& text) {
  Outcome cut = run(marked_ids(small_tokenizer(), text));
  cut.output.add(cut.parser.finish());
  return cut.output;
}

TEST(OutputParser, SplitsThoughtAndText) {
  const CollectedOutput output = read("<|channel>thought\nLet me see.\n<channel|>Hello.\n");
  EXPECT_EQ(output.thought, "Let me see.");
  EXPECT_EQ(output.text, "Hello.\n");
  EXPECT_TRUE(output.calls.empty());
}

TEST(OutputParser, EmitsTextAsItComes) {
  OutputParser parser(small_tokenizer(), marked_ids(small_tokenizer(), kNoThinking));
  for (const char* word : {"H", "i", " <|tool_cal"}) {
    std::string text;
    for (const TokenId id : small_tokenizer().encode(word, false)) {
      for (const OutputEvent& event : parser.push(id)) text += event.text;
    }
    EXPECT_EQ(text, word);
  }
}

TEST(OutputParser, IgnoresMarkersSpelledByOrdinaryTokens) {
  const std::string spelled =
      "<|tool_call>call:f{}<tool_call|><|channel>thought\nx<channel|><turn|>";
  Outcome outcome = run(small_tokenizer().encode(spelled, false));
  EXPECT_EQ(outcome.output.text, spelled);
  EXPECT_FALSE(outcome.parser.has_ended());
}

TEST(OutputParser, DropsExactlyOneNewlineBeforeTheThoughtsCloser) {
  EXPECT_EQ(read("<|channel>thought\na\n\n<channel|>x").thought, "a\n");
  EXPECT_EQ(read("<|channel>thought\na\nb<channel|>x").thought, "a\nb");
  EXPECT_EQ(read("<|channel>thought\n \n a<channel|>x").thought, "a");
}

TEST(OutputParser, KeepsAnUnclosedThoughtAsThought) {
  Outcome open = run(marked_ids(small_tokenizer(), "<|channel>thought\nstill<turn|>"));
  EXPECT_EQ(open.output.thought, "still");
  EXPECT_EQ(open.output.text, "");
  EXPECT_TRUE(open.parser.is_in_thought());
  EXPECT_EQ(open.parser.end(), OutputEnd::kStop);
}

TEST(OutputParser, TakesAThoughtWithoutOpenerWhereOneMayBegin) {
  for (const std::string& prompt : {kGenerate, kAfterResult}) {
    const CollectedOutput output = read("thought\nplan\n<channel|>Done.", {.prompt = prompt});
    EXPECT_EQ(output.thought, "plan");
    EXPECT_EQ(output.text, "Done.");
  }
  EXPECT_EQ(read("thought\nplan", {.prompt = kNoThinking}).text, "thought\nplan");
  EXPECT_EQ(read("thoughts").text, "thoughts");
  EXPECT_EQ(read("though").text, "though");
}

TEST(OutputParser, ContinuesAThoughtThatThePromptBegan) {
  const CollectedOutput output =
      read(" so far\n<channel|>Yes", {.prompt = "<|turn>model\n<|channel>thought\nI think"});
  EXPECT_EQ(output.thought, " so far");
  EXPECT_EQ(output.text, "Yes");
  EXPECT_EQ(read(" x<channel|>", {.prompt = "<|turn>model\n<|channel>thought\n"}).thought, "x");
}

TEST(OutputParser, ContinuesTextThatThePromptBegan) {
  EXPECT_EQ(read("thought\n", {.prompt = kNoThinking + "It is a "}).text, "thought\n");
}

TEST(OutputParser, DropsTheNameOfAnUnknownChannelAndNothingMore) {
  EXPECT_EQ(read("<|channel>final\nHi<channel|>x").text, "Hix");
  EXPECT_EQ(read("<|channel>final").text, "");
  EXPECT_EQ(read("<|channel>Good day to you").text, "Good day to you");
  EXPECT_EQ(read("<|channel>Good day\nto you").text, "Good day\nto you");
  const std::string word(100, 'w');
  EXPECT_EQ(read("<|channel>" + word).text, word);
}

TEST(OutputParser, JoinsThoughtsOpenedTwice) {
  EXPECT_EQ(read("<|channel><|channel>thought\nx<channel|>y").thought, "x");
  EXPECT_EQ(read("<|channel>thought\nA<|channel>thought\nB<channel|>C").thought, "AB");
  EXPECT_EQ(read("<|channel>thought\nA<|channel>B<channel|>C").thought, "AB");
}

TEST(OutputParser, EndsALoopOfEmptyThoughts) {
  std::string loop;
  for (int i = 0; i < 7; ++i) loop += "<|channel>thought\n<channel|>";
  EXPECT_EQ(read(loop + "Hi").text, "Hi");
  Outcome stuck = run(marked_ids(small_tokenizer(), loop + "<|channel>thought\n<channel|>more"));
  EXPECT_EQ(stuck.parser.end(), OutputEnd::kThoughtLoop);
  EXPECT_EQ(stuck.output.ends, 1);
  EXPECT_EQ(stuck.output.text, "");
  // Text or a thought with content in between is no loop.
  EXPECT_EQ(read(loop + "a" + loop + "b").text, "ab");
  EXPECT_EQ(read(loop + "<|channel>thought\nt<channel|>" + loop + "b").text, "b");
}

TEST(OutputParser, IgnoresStrayClosers) {
  EXPECT_EQ(read("Hi<channel|>there<tool_call|>!").text, "Hithere!");
  EXPECT_EQ(read("<channel|>x").text, "x");
}

TEST(OutputParser, SkipsTheModelsOwnTurnOpeningAndStopsAtAnother) {
  EXPECT_EQ(read("<|turn>model\nHi").text, "Hi");
  Outcome other = run(marked_ids(small_tokenizer(), "<|turn>user\nHi"));
  EXPECT_EQ(other.parser.end(), OutputEnd::kStop);
  EXPECT_EQ(other.output.text, "");
  Outcome later = run(marked_ids(small_tokenizer(), "Hi<|turn>model\nmore"));
  EXPECT_EQ(later.parser.end(), OutputEnd::kStop);
  EXPECT_EQ(later.output.text, "Hi");
}

TEST(OutputParser, StopsAtEveryStopToken) {
  for (const char* stop : {"<turn|>", "<eos>", "<|tool_response>"}) {
    Outcome stopped = run(marked_ids(small_tokenizer(), std::string("Hi") + stop + "more"));
    EXPECT_EQ(stopped.output.text, "Hi") << stop;
    EXPECT_EQ(stopped.output.ends, 1);
    EXPECT_TRUE(stopped.parser.finish().empty());
  }
}

TEST(OutputParser, HidesControlTokensInOddPlaces) {
  EXPECT_EQ(read("a<pad><bos><|think|><|tool>b<tool|>c").text, "abc");
  EXPECT_EQ(read("<|channel>thought\na<mask>b<channel|>").thought, "ab");
  EXPECT_EQ(read("<|tool_call>call:f{a:<pad>1}<tool_call|>").calls, (Calls{{"f", R"({"a":1})"}}));
}

TEST(OutputParser, ReadsACallWithItsTokens) {
  const std::string text = "<|tool_call>call:read{path:<|\"|>a.c<|\"|>,limit:3}<tool_call|>";
  const std::vector<TokenId> ids = marked_ids(small_tokenizer(), text);
  Outcome call = run(ids);
  EXPECT_EQ(call.output.calls, (Calls{{"read", R"({"path":"a.c","limit":3})"}}));
  EXPECT_EQ(call.output.call_ids, std::vector<std::vector<TokenId>>{ids});
  EXPECT_EQ(call.parser.calls(), 1);
}

TEST(OutputParser, AnnouncesACallOnceItsNameIsKnown) {
  const std::vector<TokenId> ids =
      marked_ids(small_tokenizer(), "<|tool_call>call:read{path:<|\"|>");
  Outcome call = run(ids);
  EXPECT_EQ(call.output.opened, std::vector<std::string>{"read"});
  EXPECT_EQ(read("<|tool_call>call:f<tool_call|>").opened, std::vector<std::string>{"f"});
  EXPECT_TRUE(read("<|tool_call>call:").opened.empty());
}

TEST(OutputParser, KeepsTextBetweenCallsButNotTheSpace) {
  const CollectedOutput output = read(
      "a <|tool_call>call:f{}<tool_call|>\n<|tool_call>call:f{}<tool_call|> b "
      "<|tool_call>call:f{}<tool_call|>\n");
  EXPECT_EQ(output.text, "a  b ");
  EXPECT_EQ(output.calls.size(), 3u);
}

TEST(OutputParser, EndsAfterTheOneCallThatWasAskedFor) {
  Outcome one =
      run(marked_ids(small_tokenizer(),
                     "<|tool_call>call:f{a:1}<tool_call|><|tool_call>call:f{a:2}<tool_call|>"),
          {.one_call = true});
  EXPECT_EQ(one.output.calls, (Calls{{"f", R"({"a":1})"}}));
  EXPECT_EQ(one.parser.end(), OutputEnd::kCallLimit);
}

TEST(OutputParser, ClosesAThoughtAtACall) {
  const CollectedOutput output = read("<|channel>thought\nneed\n<|tool_call>call:f{}<tool_call|>x");
  EXPECT_EQ(output.thought, "need");
  EXPECT_EQ(output.calls.size(), 1u);
  EXPECT_EQ(output.text, "x");
}

TEST(OutputParser, LeavesCallMarkersAsTextWithoutTools) {
  const std::string text = "x<|tool_call>call:f{a:<|\"|>b<|\"|>}<tool_call|>";
  EXPECT_EQ(read(text, {.reads_calls = false}).text, text);
  EXPECT_EQ(read("<|channel>thought\n" + text, {.reads_calls = false}).thought, text);
}

TEST(OutputParser, KeepsMarkersInsideAStringAsText) {
  const std::string inner =
      "<tool_call|><|tool_call>call:f{}<|channel>thought<channel|><tool_response|>";
  EXPECT_EQ(read("<|tool_call>call:f{a:<|\"|>" + inner + "<|\"|>}<tool_call|>").calls,
            (Calls{{"f", "{\"a\":\"" + inner + "\"}"}}));
}

TEST(OutputParser, GivesUnreadableCallsBackAsText) {
  for (const char* call :
       {"<|tool_call>call:f{{}}<tool_call|>", "<|tool_call>{\"name\":\"f\"}<tool_call|>",
        "<|tool_call><tool_call|>", "<|tool_call>call:f{a:<|\"|>x}<tool_call|>",
        "<|tool_call>BEGIN_ARG: path END_ARG<tool_call|>"}) {
    const CollectedOutput output = read(std::string("a") + call);
    EXPECT_EQ(output.text, std::string("a") + call);
    EXPECT_TRUE(output.calls.empty());
  }
}

TEST(OutputParser, ReportsNoCallThatWasNotFinished) {
  // At the end of a turn the text is kept, at a limit the call is cut.
  EXPECT_EQ(read("<|tool_call>call:read{path:<|\"|>src").text,
            "<|tool_call>call:read{path:<|\"|>src");
  Outcome cut = run(marked_ids(small_tokenizer(), "x<|tool_call>call:read{path:<|\"|>src"));
  cut.output.add(cut.parser.finish());
  EXPECT_EQ(cut.output.text, "x");
  EXPECT_TRUE(cut.output.calls.empty());
  EXPECT_TRUE(cut.parser.dropped_call());
  EXPECT_EQ(cut.parser.end(), OutputEnd::kCut);
}

TEST(OutputParser, TakesACallWithClosedBracesWithoutItsCloser) {
  EXPECT_EQ(read("<|tool_call>call:f{a:1}").calls, (Calls{{"f", R"({"a":1})"}}));
  EXPECT_EQ(read_cut("<|tool_call>call:f{a:1}").calls, (Calls{{"f", R"({"a":1})"}}));
  const CollectedOutput two = read("<|tool_call>call:f{a:1}<|tool_call>call:f{a:2}<tool_call|>");
  EXPECT_EQ(two.calls, (Calls{{"f", R"({"a":1})"}, {"f", R"({"a":2})"}}));
  const CollectedOutput torn = read("<|tool_call>call:f{a:<|tool_call>call:f{a:2}<tool_call|>");
  EXPECT_EQ(torn.text, "<|tool_call>call:f{a:");
  EXPECT_EQ(torn.calls, (Calls{{"f", R"({"a":2})"}}));
}

TEST(OutputParser, RepairsBytesThatAreNoUtf8) {
  const Tokenizer& tokenizer = small_tokenizer();
  const TokenId stray = tokenizer.find("<0xFF>");
  const TokenId lead = tokenizer.find("<0xE3>");
  const TokenId h = tokenizer.find("H");
  EXPECT_EQ(run({h, stray, h}).output.text, "H\xEF\xBF\xBDH");
  // A character that the end of the turn cuts.
  EXPECT_EQ(run({h, lead, tokenizer.special().turn_close}).output.text, "H\xEF\xBF\xBD");
  std::vector<TokenId> call = marked_ids(tokenizer, "<|tool_call>call:f{a:<|\"|>");
  call.push_back(stray);
  for (const TokenId id : marked_ids(tokenizer, "<|\"|>}<tool_call|>")) call.push_back(id);
  EXPECT_EQ(run(call).output.calls, (Calls{{"f", "{\"a\":\"\xEF\xBF\xBD\"}"}}));
}

TEST(OutputParser, JoinsACharacterFromByteTokens) {
  const Tokenizer& tokenizer = small_tokenizer();
  Outcome split =
      run({tokenizer.find("<0xF0>"), tokenizer.find("<0x9F>"), tokenizer.find("<0x99>")});
  EXPECT_EQ(split.output.text, "");
  split.output.add(split.parser.push(tokenizer.find("<0x82>")));
  EXPECT_EQ(split.output.text, "\xF0\x9F\x99\x82");
}

TEST(OutputParser, CountsTheTokensOfThoughts) {
  const std::string thought = "<|channel>thought\nabc<channel|>";
  const auto size = static_cast<int64_t>(marked_ids(small_tokenizer(), thought).size());
  EXPECT_EQ(run(marked_ids(small_tokenizer(), thought + "xyz" + thought)).parser.thought_tokens(),
            2 * size);
  EXPECT_EQ(run(marked_ids(small_tokenizer(), "xyz")).parser.thought_tokens(), 0);
}

TEST(OutputParser, KeepsWhatCameBeforeTheFirstCall) {
  const std::string call = "<|tool_call>call:f{}<tool_call|>";
  const std::string thought = "<|channel>thought\nplan\n<channel|>";
  Outcome before = run(marked_ids(small_tokenizer(), thought + "Now. " + call));
  ASSERT_NE(before.parser.preamble(), nullptr);
  EXPECT_EQ(before.parser.preamble()->thought, "plan");
  EXPECT_EQ(before.parser.preamble()->text, "Now. ");
  EXPECT_EQ(before.parser.preamble()->thought_ids, marked_ids(small_tokenizer(), thought));
  EXPECT_EQ(before.parser.preamble()->text_ids, marked_ids(small_tokenizer(), "Now. "));
  // What history cannot repeat in this order is not kept.
  for (const std::string& odd :
       {"text" + thought + call, thought + thought + call, "thought\nplan<channel|>" + call,
        "<|tool_call>(<tool_call|>" + call}) {
    EXPECT_EQ(run(marked_ids(small_tokenizer(), odd)).parser.preamble(), nullptr) << odd;
  }
}

TEST(OutputParser, SurvivesIdsOutOfRange) {
  EXPECT_EQ(run({-1, 1 << 30, small_tokenizer().find("H")}).output.text, "H");
}

}  // namespace
}  // namespace gem
