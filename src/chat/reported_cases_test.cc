// What users reported of other servers, one test a report (tests/cases.txt). Inputs are in our own
// words.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "chat/parser.h"
#include "chat/render.h"
#include "tests/support/chat_output.h"
#include "tests/support/small_vocabulary.h"

namespace gem {
namespace {

using testing::CollectedOutput;
using testing::marked_ids;
using testing::small_tokenizer;
using testing::with_plain_quotes;

const ToolSet& tools() {
  static const ToolSet set(
      std::vector<Tool>{{.name = "read_file", .description = {}, .parameters = {}}});
  return set;
}

// The output of ids behind a prompt, up to a stop token.
CollectedOutput read(const std::vector<TokenId>& ids,
                     const std::string& prompt = "<|turn>model\n") {
  const std::vector<TokenId> prompt_ids = marked_ids(small_tokenizer(), prompt);
  OutputParser parser(small_tokenizer(), prompt_ids, {.tools = &tools()});
  CollectedOutput output;
  for (const TokenId id : ids) output.add(parser.push(id));
  output.add(parser.push(small_tokenizer().special().turn_close));
  EXPECT_EQ(output.ends, 1);
  return output;
}

CollectedOutput read_text(const std::string& text) {
  return read(marked_ids(small_tokenizer(), text));
}

// The arguments of the one call whose inner text this is.
Value arguments_of(const std::string& inner) {
  const CollectedOutput output = read_text("<|tool_call>" + inner + "<tool_call|>");
  EXPECT_EQ(output.calls.size(), 1u) << inner;
  EXPECT_EQ(output.text, "");
  if (output.calls.empty()) return {};
  return parse_json(output.calls.front().second).value_or(Value());
}

std::string rendered(const std::string& messages, RenderOptions options) {
  const auto conversation = parse_conversation(*parse_json(messages), Value());
  EXPECT_TRUE(conversation) << conversation.error().text();
  const auto prompt = render(*conversation, options);
  EXPECT_TRUE(prompt) << prompt.error().text();
  return prompt ? with_plain_quotes(prompt->text()) : "";
}

constexpr RenderOptions kOfficial = {.mode = RenderMode::kOfficial, .thinking = false};

// G001
TEST(ReportedCases, CutOffCallIsNoErrorAndNoCall) {
  const std::string cut = "<|tool_call>call:read_file{path:<|\"|>src/ma";
  const CollectedOutput output = read_text(cut);
  EXPECT_TRUE(output.calls.empty());
  EXPECT_EQ(output.text, cut);
}

// G003
TEST(ReportedCases, BacktickedValueIsReadAndTheOutputEnds) {
  const Value arguments = arguments_of(
      "call:replace{file:<|\"|>site.css<|\"|>,new:`h1 { margin: 0; }\nh2 { color: #222; }`}");
  EXPECT_EQ(to_json(arguments),
            R"({"file":"site.css","new":"h1 { margin: 0; }\nh2 { color: #222; }"})");
}

// G004
TEST(ReportedCases, KeysThatAreNoIdentifiersAreRead) {
  const Value arguments = arguments_of(
      "call:query{body:{sort:{@time:<|\"|>asc<|\"|>},facets:{by.host-name:{/terms/"
      "0:{$field:<|\"|>ip<|\"|>,2nd:10}}}}}");
  EXPECT_EQ(
      to_json(arguments),
      R"({"body":{"sort":{"@time":"asc"},"facets":{"by.host-name":{"/terms/0":{"$field":"ip","2nd":10}}}}})");
}

// G006
TEST(ReportedCases, QuotesInsideAnArgumentStay) {
  const std::string command =
      R"(grep -rn "int main(" lib | sed 's/"\t"/\\/' | awk '{print $2"\n"$1}')";
  const Value arguments = arguments_of("call:bash{command:<|\"|>" + command + "<|\"|>}");
  ASSERT_NE(arguments.find("command"), nullptr);
  EXPECT_EQ(arguments.find("command")->text, command);
}

// G007
TEST(ReportedCases, EveryFeedGivesTheSameArguments) {
  std::string inner = "call:todo{items:[";
  for (const char* item : {"plan",
                           "\xC3\xA9"
                           "crire",
                           "v\xC3\xA9rifier <tool_call|>"}) {
    inner += std::string("{id:<|\"|>") + item +
             "<|\"|>,state:<|\"|>open<|\"|>,note:<|\"|>a, b: {c}<|\"|>},";
  }
  inner.back() = ']';
  const std::vector<TokenId> ids =
      marked_ids(small_tokenizer(), "<|tool_call>" + inner + "}<tool_call|>");
  CollectedOutput whole = read(ids);
  CollectedOutput bytes = read(testing::in_byte_tokens(small_tokenizer(), ids));
  ASSERT_EQ(whole.calls.size(), 1u);
  EXPECT_EQ(whole.calls, bytes.calls);
  EXPECT_EQ(whole.text + bytes.text, "");
  EXPECT_EQ(whole.calls.front().second.find("<|"), std::string::npos);
  EXPECT_EQ(parse_json(whole.calls.front().second)->find("items")->items.size(), 3u);
}

// G010
TEST(ReportedCases, ParenthesisedCallIsReadOrKeptAsText) {
  EXPECT_EQ(to_json(arguments_of(R"(call:board_move(card="B-12", column="review"))")),
            R"({"card":"B-12","column":"review"})");
  const std::string guess = "<|tool_call>call:board_move(card, 3)<tool_call|>";
  EXPECT_EQ(read_text(guess).text, guess);
}

// G016
TEST(ReportedCases, NullArgumentsSurviveAReplay) {
  const std::string messages = R"([{"role":"user","content":"x"},{"role":"assistant","tool_calls":[
      {"id":"a","type":"function","function":{"name":"f","arguments":"{\"top\":null,\"q\":\"z\"}"}},
      {"id":"b","type":"function","function":{"name":"f","arguments":"{}"}}]}])";
  EXPECT_NE(rendered(messages, kOfficial)
                .find("call:f{q:\"z\",top:None}<tool_call|><|tool_call>call:f{}"),
            std::string::npos);
  const std::string text = rendered(messages, {.end = PromptEnd::kHistory});
  EXPECT_NE(text.find("call:f{q:\"z\",top:null}<tool_call|><|tool_call>call:f{}"),
            std::string::npos);
  EXPECT_EQ(to_json(arguments_of("call:f{q:<|\"|>z<|\"|>,top:null}")), R"({"q":"z","top":null})");
  EXPECT_EQ(to_json(arguments_of("call:f{q:<|\"|>z<|\"|>,top:None}")), R"({"q":"z","top":null})");
}

// G018
TEST(ReportedCases, ResultsFindTheirCallById) {
  const std::string messages = R"([{"role":"user","content":"x"},{"role":"assistant","tool_calls":[
      {"id":"a","type":"function","function":{"name":"clock","arguments":"{}"}},
      {"id":"b","type":"function","function":{"name":"sky","arguments":"{}"}}]},
      {"role":"tool","tool_call_id":"b","content":[{"type":"text","text":"clear"}]},
      {"role":"tool","tool_call_id":"a","content":{"hour":9}}])";
  EXPECT_TRUE(
      rendered(messages, kOfficial)
          .ends_with("<tool_call|><|tool_response>response:sky{value:\"clear\"}<tool_response|>"
                     "<|tool_response>response:clock{value:\"{\"hour\":9}\"}<tool_response|>"));
}

// G030
TEST(ReportedCases, TextBesideACallIsRenderedAsGenerated) {
  const std::string messages = R"([{"role":"user","content":"x"},
      {"role":"assistant","content":"One moment.","tool_calls":[
      {"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]},
      {"role":"tool","tool_call_id":"a","content":"r"},{"role":"assistant","content":null,"tool_calls":[
      {"id":"b","type":"function","function":{"name":"g","arguments":"{}"}}]},
      {"role":"tool","tool_call_id":"b","content":"s"}])";
  const std::string first =
      "<|tool_call>call:f{}<tool_call|><|tool_response>response:f{value:\"r\"}<tool_response|>";
  const std::string second =
      "<|tool_call>call:g{}<tool_call|><|tool_response>response:g{value:\"s\"}<tool_response|>";
  const std::string head = "<bos><|turn>user\nx<turn|>\n<|turn>model\n";
  EXPECT_EQ(rendered(messages, kOfficial), head + first + "One moment.<turn|>\n" + second);
  EXPECT_EQ(rendered(messages, {.thinking = false}), head + "One moment." + first + second);
}

// G031
TEST(ReportedCases, ThoughtWithoutACloserStaysThought) {
  const CollectedOutput output =
      read(marked_ids(small_tokenizer(), "<|channel>thought Buon giorno a tutti"),
           "<|turn>model\n<|channel>thought\n<channel|>");
  EXPECT_EQ(output.thought, "Buon giorno a tutti");
  EXPECT_EQ(output.text, "");
}

// G041
TEST(ReportedCases, ThoughtsStayWithinTheRunningTurn) {
  const std::string turn = R"([{"role":"user","content":"x"},
      {"role":"assistant","content":null,"reasoning_content":"first","tool_calls":[
      {"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]},
      {"role":"tool","tool_call_id":"a","content":"r"},
      {"role":"assistant","content":null,"reasoning_content":"second","tool_calls":[
      {"id":"b","type":"function","function":{"name":"f","arguments":"{}"}}]},
      {"role":"tool","tool_call_id":"b","content":"r"})";
  for (const RenderMode mode : {RenderMode::kOfficial, RenderMode::kGem}) {
    const std::string running = rendered(turn + "]", {.mode = mode});
    EXPECT_NE(running.find("<|channel>thought\nfirst\n<channel|><|tool_call>"), std::string::npos);
    EXPECT_NE(running.find("<|channel>thought\nsecond\n<channel|><|tool_call>"), std::string::npos);
    const std::string over = rendered(turn + R"(,{"role":"user","content":"y"}])", {.mode = mode});
    EXPECT_EQ(over.find("<|channel>"), std::string::npos);
  }
}

// G052
TEST(ReportedCases, OpeningAfterAResultIsTheTemplates) {
  const std::string asked = R"([{"role":"user","content":"x"})";
  const std::string called = asked + R"(,{"role":"assistant","content":null,"tool_calls":[
      {"id":"a","type":"function","function":{"name":"f","arguments":"{}"}},
      {"id":"b","type":"function","function":{"name":"f","arguments":"{}"}}]},
      {"role":"tool","tool_call_id":"a","content":"r"})";
  const std::string answered = called + R"(,{"role":"tool","tool_call_id":"b","content":"r"})";
  for (const RenderMode mode : {RenderMode::kOfficial, RenderMode::kGem}) {
    EXPECT_TRUE(rendered(asked + "]", {.mode = mode, .thinking = true})
                    .ends_with("<turn|>\n<|turn>model\n"));
    EXPECT_TRUE(rendered(asked + "]", {.mode = mode, .thinking = false})
                    .ends_with("<turn|>\n<|turn>model\n<|channel>thought\n<channel|>"));
    for (const bool thinking : {false, true}) {
      EXPECT_TRUE(rendered(called + "]", {.mode = mode, .thinking = thinking})
                      .ends_with("<tool_response|>"));
      EXPECT_TRUE(rendered(answered + "]", {.mode = mode, .thinking = thinking})
                      .ends_with("<tool_response|>"));
    }
  }
}

}  // namespace
}  // namespace gem
