#include "chat/render.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "chat/request.h"
#include "tests/support/chat_output.h"
#include "tests/support/goldens.h"
#include "tests/support/small_vocabulary.h"
#include "tests/support/vocabulary.h"

namespace gem {
namespace {

using nlohmann::ordered_json;
using testing::read_json;

constexpr const char* kGoldenFiles[] = {"basic", "thinking", "tools-call", "tools-decl",
                                        "parts", "prefill",  "injection"};

struct GoldenRequest {
  Conversation conversation;
  RenderOptions options;
};

GoldenRequest golden_request(const ordered_json& request) {
  GoldenRequest out;
  const auto messages = to_value(request.at("messages"));
  const auto tools = to_value(request.value("tools", ordered_json()));
  EXPECT_TRUE(messages && tools);
  auto conversation = parse_conversation(*messages, *tools);
  EXPECT_TRUE(conversation) << conversation.error().text();
  if (conversation) out.conversation = *std::move(conversation);
  out.options.mode = RenderMode::kOfficial;
  out.options.thinking = request.at("enable_thinking");
  out.options.end =
      request.at("add_generation_prompt") ? PromptEnd::kGenerate : PromptEnd::kHistory;
  if (request.contains("continue_final_message")) {
    const ordered_json& mode = request.at("continue_final_message");
    out.options.end = mode == "reasoning_content" ? PromptEnd::kContinueThought
                      : mode == "content"         ? PromptEnd::kContinueContent
                                                  : PromptEnd::kContinue;
  }
  return out;
}

class RenderGolden : public ::testing::TestWithParam<const char*> {};

TEST_P(RenderGolden, OfficialModePrintsTheTemplatesText) {
  GEM_SHARED_OR_SKIP(path, std::string("golden/chat/") + GetParam() + ".json");
  int cases = 0;
  const ordered_json golden = read_json(path);
  for (const ordered_json& item : golden.at("cases")) {
    SCOPED_TRACE(item.at("id").get<std::string>());
    const GoldenRequest request = golden_request(item.at("request"));
    const auto prompt = render(request.conversation, request.options);
    ASSERT_TRUE(prompt) << prompt.error().text();
    EXPECT_EQ(prompt->text(), item.at("prompt").get<std::string>());
    ++cases;
  }
  EXPECT_GT(cases, 0);
}

TEST_P(RenderGolden, TokensOfUsersTextAreNeverSpecial) {
  GEM_SHARED_OR_SKIP(path, std::string("golden/chat/") + GetParam() + ".json");
  GEM_SHARED_OR_SKIP(vocabulary, testing::kAuthenticVocabulary);
  const Tokenizer& tokenizer = testing::tokenizer_of_file(vocabulary);
  const ordered_json golden = read_json(path);
  for (const ordered_json& item : golden.at("cases")) {
    SCOPED_TRACE(item.at("id").get<std::string>());
    const GoldenRequest request = golden_request(item.at("request"));
    const auto prompt = render(request.conversation, request.options);
    ASSERT_TRUE(prompt) << prompt.error().text();
    const std::vector<TokenId> reference = item.at("token_ids");
    constexpr bool kParseSpecial = true;
    EXPECT_EQ(tokenizer.encode(prompt->text(), kParseSpecial), reference);
    const std::vector<TokenId> safe = item.value("safe_token_ids", reference);
    EXPECT_EQ(prompt->encode(tokenizer).ids, safe);
  }
}

std::string test_name(const ::testing::TestParamInfo<const char*>& file) {
  std::string name = file.param;
  std::ranges::replace(name, '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Files, RenderGolden, ::testing::ValuesIn(kGoldenFiles), test_name);

// Turns open and close in turn, and no turn opens inside another.
bool is_well_formed(const std::vector<TokenId>& ids, const SpecialIds& special) {
  bool is_open = false;
  for (size_t i = 1; i < ids.size(); ++i) {
    const bool opens = ids[i] == special.turn_open;
    const bool closes = ids[i] == special.turn_close;
    if ((opens && is_open) || (closes && !is_open)) return false;
    // Between turns there is one newline.
    if (!opens && !closes && !is_open && ids[i - 1] != special.turn_close) return false;
    if (opens || closes) is_open = opens;
  }
  return true;
}

// What gem's mode changes, and why, of all recorded conversations.
TEST(RenderGoldens, GemsModeDiffersWhereItIsMeantToOnly) {
  const std::map<std::string, std::string> expected = {
      {"basic-018", "the second of two answers opens its own turn"},
      {"call-001", "refused: no results"},
      {"call-006", "refused: no results"},
      {"call-007", "refused: no results"},
      {"call-008", "refused: no results"},
      {"call-009", "refused: no results"},
      {"call-010", "refused: no results"},
      {"call-011", "refused: no results"},
      {"call-016", "refused: result of an unknown call"},
      {"call-017", "refused: result of an unknown call"},
      {"call-019", "refused: result without a call"},
      {"call-020", "text before its calls"},
      {"call-021", "text before its calls"},
      {"call-022", "refused: no results"},
      {"call-023", "text before its calls"},
      {"call-027", "an open turn is closed"},
      {"call-029", "refused: no results"},
      {"call-030", "refused: no results"},
      {"call-031", "refused: no results"},
      {"call-035", "an open turn is closed"},
      {"call-036", "text before its calls"},
      {"decl-007", "parameters without type"},
      {"decl-009", "type of an enum"},
      {"decl-014", "alternatives and references"},
      {"decl-019", "properties named like keywords"},
  };
  GEM_SHARED_OR_SKIP(vocabulary, testing::kAuthenticVocabulary);
  const Tokenizer& tokenizer = testing::tokenizer_of_file(vocabulary);
  std::set<std::string> differing;
  for (const char* file : kGoldenFiles) {
    const ordered_json golden =
        read_json(testing::shared_path(std::string("golden/chat/") + file + ".json"));
    for (const ordered_json& item : golden.at("cases")) {
      const std::string id = item.at("id");
      GoldenRequest request = golden_request(item.at("request"));
      request.options.mode = RenderMode::kGem;
      const auto prompt = render(request.conversation, request.options);
      if (!prompt || prompt->text() != item.at("prompt").get<std::string>()) differing.insert(id);
      const auto reason = expected.find(id);
      const bool is_refused = reason != expected.end() && reason->second.starts_with("refused");
      EXPECT_EQ(prompt.has_value(), !is_refused) << id;
      if (prompt) {
        EXPECT_TRUE(is_well_formed(prompt->encode(tokenizer).ids, tokenizer.special())) << id;
      }
    }
  }
  std::set<std::string> named;
  for (const auto& [id, reason] : expected) named.insert(id);
  EXPECT_EQ(differing, named);
}

// Requests that a real agent sent.
TEST(RenderRecorded, TakesEveryRequestOfTheAgentButImages) {
  GEM_SHARED_OR_SKIP(folder, "hax");
  GEM_SHARED_OR_SKIP(vocabulary, testing::kAuthenticVocabulary);
  const Tokenizer& tokenizer = testing::tokenizer_of_file(vocabulary);
  int requests = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename();
    if (!name.starts_with("request-") || name == "request-headers.json") continue;
    SCOPED_TRACE(name);
    ++requests;
    const auto request = parse_chat_request(*parse_json(testing::read_bytes(entry.path())));
    if (name == "request-4-image-tool-result.json") {
      ASSERT_FALSE(request);
      EXPECT_EQ(request.error().text(),
                "messages[4]: content[1]: type 'image_url' is not supported: only text parts are");
      continue;
    }
    ASSERT_TRUE(request) << request.error().text();
    const auto prompt = render(request->conversation, {.end = request->end});
    ASSERT_TRUE(prompt) << prompt.error().text();
    EXPECT_TRUE(is_well_formed(prompt->encode(tokenizer).ids, tokenizer.special()));
  }
  EXPECT_EQ(requests, 12);
}

// The rest runs on requests in our own words.

Conversation conversation_of(const std::string& messages, const std::string& tools = "null") {
  auto conversation = parse_conversation(*parse_json(messages), *parse_json(tools));
  EXPECT_TRUE(conversation) << messages << ": " << conversation.error().text();
  return conversation.value_or(Conversation());
}

// The prompt's text with string markers as ", in gem's mode without thinking.
std::string rendered(const std::string& messages, RenderOptions options = {.thinking = false}) {
  const auto prompt = render(conversation_of(messages), options);
  EXPECT_TRUE(prompt) << prompt.error().text();
  return prompt ? testing::with_plain_quotes(prompt->text()) : "";
}

std::string refusal(const std::string& messages, RenderOptions options = {}) {
  const auto prompt = render(conversation_of(messages), options);
  EXPECT_FALSE(prompt) << messages;
  if (prompt) return "";
  EXPECT_EQ(prompt.error().code(), Code::kInvalid);
  return prompt.error().text();
}

const std::string kUser = R"({"role":"user","content":"go"})";
const std::string kCall =
    R"({"role":"assistant","content":"Let me look.","tool_calls":[{"id":"c1","type":"function",
        "function":{"name":"ls","arguments":"{\"dir\":\"src\"}"}}]})";
const std::string kResult = R"({"role":"tool","tool_call_id":"c1","content":"a.c"})";
const std::string kCallText = "<|tool_call>call:ls{dir:\"src\"}<tool_call|>";
const std::string kResultText = "<|tool_response>response:ls{value:\"a.c\"}<tool_response|>";
const std::string kStub = "<|channel>thought\n<channel|>";

std::string list(std::initializer_list<std::string> messages) {
  std::string out = "[";
  for (const std::string& message : messages) {
    if (out.size() > 1) out += ',';
    out += message;
  }
  return out + "]";
}

TEST(Render, PutsTextBeforeItsCallsAndKeepsTheTurnOpen) {
  const std::string head = "<bos><|turn>user\ngo<turn|>\n<|turn>model\n";
  EXPECT_EQ(rendered(list({kUser, kCall, kResult})),
            head + "Let me look." + kCallText + kResultText);
  EXPECT_EQ(rendered(list(
                {kUser, kCall, kResult, R"({"role":"assistant","content":"One file."})", kUser})),
            head + "Let me look." + kCallText + kResultText +
                "One file.<turn|>\n<|turn>user\ngo<turn|>\n<|turn>model\n" + kStub);
}

TEST(Render, ClosesAnOpenTurnBeforeTheNextOne) {
  const std::string head = "<bos><|turn>user\ngo<turn|>\n<|turn>model\nLet me look." + kCallText;
  EXPECT_EQ(rendered(list({kUser, kCall, kResult, kUser})),
            head + kResultText + "<turn|>\n<|turn>user\ngo<turn|>\n<|turn>model\n" + kStub);
  // The call was interrupted.
  EXPECT_EQ(rendered(list({kUser, kCall, kUser})),
            head + "<turn|>\n<|turn>user\ngo<turn|>\n<|turn>model\n" + kStub);
  EXPECT_EQ(rendered(list({kUser, kCall, kResult, R"({"role":"system","content":"s"})"})),
            head + kResultText + "<turn|>\n<|turn>system\ns<turn|>\n<|turn>model\n" + kStub);
}

TEST(Render, ReopensTheTurnForASecondAssistantMessage) {
  const std::string answer = R"({"role":"assistant","content":"a"})";
  EXPECT_EQ(rendered(list({kUser, answer, answer, kUser}),
                     {.end = PromptEnd::kHistory, .thinking = false}),
            "<bos><|turn>user\ngo<turn|>\n<|turn>model\na<turn|>\n<|turn>model\na<turn|>\n<|turn>"
            "user\ngo<turn|>\n");
}

TEST(Render, WritesNullAsTheParserReadsIt) {
  const std::string call = R"({"role":"assistant","tool_calls":[{"id":"c1","type":"function",
      "function":{"name":"ls","arguments":"{\"q\":\"a\",\"limit\":null}"}},{"id":"c2","type":"function",
      "function":{"name":"ls","arguments":"{}"}}]})";
  const RenderOptions history = {.end = PromptEnd::kHistory, .thinking = false};
  EXPECT_EQ(rendered(list({kUser, call}), history),
            "<bos><|turn>user\ngo<turn|>\n<|turn>model\n<|tool_call>call:ls{limit:null,q:\"a\"}<"
            "tool_call|>"
            "<|tool_call>call:ls{}<tool_call|>");
  EXPECT_EQ(
      rendered(list({kUser, call}),
               {.mode = RenderMode::kOfficial, .end = PromptEnd::kHistory, .thinking = false}),
      "<bos><|turn>user\ngo<turn|>\n<|turn>model\n<|tool_call>call:ls{limit:None,q:\"a\"}<tool_"
      "call|>"
      "<|tool_call>call:ls{}<tool_call|><|tool_response>");
}

TEST(Render, TakesBrokenArgumentsOfOldCalls) {
  const auto with_arguments = [](const std::string& arguments) {
    const std::string text = rendered(list(
        {kUser,
         R"({"role":"assistant","tool_calls":[{"id":"c1","type":"function","function":{"name":"ls","arguments":)" +
             arguments + "}}]}",
         kResult}));
    const size_t start = text.find("call:ls") + 7;
    return text.substr(start, text.find("<tool_call|>") - start);
  };
  EXPECT_EQ(with_arguments(R"("")"), "{}");
  EXPECT_EQ(with_arguments(R"("{\"command\": \"echo hi")"),
            "{arguments:\"{\"command\": \"echo hi\"}");
  EXPECT_EQ(with_arguments(R"("[1,2]")"), "{arguments:\"[1,2]\"}");
  EXPECT_EQ(with_arguments(R"("not json")"), "{arguments:\"not json\"}");
  EXPECT_EQ(with_arguments(R"({"b":1,"a":[true]})"), "{a:[true],b:1}");
}

TEST(Render, KeepsDigitsOfArguments) {
  const std::string call =
      R"({"role":"assistant","tool_calls":[{"id":"c1","type":"function","function":{"name":"ls",
      "arguments":"{\"big\":123456789012345678901234567890,\"small\":1e-7,\"whole\":2.0,\"id\":9007199254740993}"}}]})";
  EXPECT_NE(
      rendered(list({kUser, call, kResult}))
          .find("{big:123456789012345678901234567890,id:9007199254740993,small:1e-07,whole:2.0}"),
      std::string::npos);
}

TEST(Render, FindsTheCallOfAResultById) {
  const std::string calls = R"({"role":"assistant","tool_calls":[
      {"id":"a","type":"function","function":{"name":"get_time","arguments":"{}"}},
      {"id":"b","type":"function","function":{"name":"get_rain","arguments":"{}"}}]})";
  const std::string text = rendered(
      list({kUser, calls,
            R"({"role":"tool","tool_call_id":"b","content":[{"type":"text","text":"wet"}]})",
            R"({"role":"tool","tool_call_id":"a","content":{"h":10},"name":"other"})"}));
  EXPECT_NE(text.find("<|tool_response>response:get_rain{value:\"wet\"}<tool_response|>"
                      "<|tool_response>response:get_time{value:\"{\"h\":10}\"}<tool_response|>"),
            std::string::npos)
      << text;
}

TEST(Render, RefusesResultsWithoutTheirCall) {
  EXPECT_EQ(refusal(list({kUser, kCall, R"({"role":"tool","tool_call_id":"c9","content":"r"})"})),
            "messages[2]: tool_call_id 'c9' is no call of the assistant message before it");
  EXPECT_EQ(refusal(list({kUser, kResult})),
            "messages[1]: a tool result must follow the call it answers");
  EXPECT_EQ(refusal(list({kUser, kCall, kUser, kResult})),
            "messages[3]: a tool result must follow the call it answers");
  EXPECT_EQ(refusal(list({kUser, kCall, R"({"role":"tool","content":"r"})"})),
            "messages[2]: a tool result needs the tool_call_id of its call");
}

TEST(Render, RefusesToLetTheModelInventAResult) {
  EXPECT_EQ(refusal(list({kUser, kCall})),
            "messages[1]: its tool calls have no results yet: send them first");
}

TEST(Render, NeedsNoOpeningAfterAResult) {
  for (const bool thinking : {false, true}) {
    const std::string text = rendered(list({kUser, kCall, kResult}), {.thinking = thinking});
    EXPECT_TRUE(text.ends_with(kResultText)) << text;
    EXPECT_TRUE(rendered(list({kUser}), {.thinking = thinking})
                    .ends_with(thinking ? "<|turn>model\n" : "<|turn>model\n" + kStub));
  }
}

TEST(Render, KeepsThoughtsOfTheRunningTurnOnly) {
  const auto with_thought = [](const std::string& thought, const std::string& id) {
    return R"({"role":"assistant","content":null,"reasoning_content":")" + thought +
           R"(","tool_calls":[{"id":")" + id +
           R"(","type":"function","function":{"name":"ls","arguments":"{}"}}]})";
  };
  const auto result = [](const std::string& id) {
    return R"({"role":"tool","tool_call_id":")" + id + R"(","content":"r"})";
  };
  const std::string running = rendered(
      list({kUser, with_thought("one", "a"), result("a"), with_thought("two", "b"), result("b")}));
  EXPECT_NE(running.find("<|channel>thought\none\n<channel|><|tool_call>"), std::string::npos);
  EXPECT_NE(running.find("<|channel>thought\ntwo\n<channel|><|tool_call>"), std::string::npos);
  const std::string done =
      list({kUser, with_thought("one", "a"), result("a"),
            R"({"role":"assistant","content":"Done.","reasoning_content":"three"})", kUser});
  EXPECT_EQ(rendered(done, {.thinking = true}).find("<|channel>"), std::string::npos);
  const std::string all = rendered(done, {.thinking = true, .keeps_all_thoughts = true});
  EXPECT_NE(all.find("<|channel>thought\none\n<channel|><|tool_call>"), std::string::npos);
  EXPECT_NE(all.find("<|channel>thought\nthree\n<channel|>Done.<turn|>"), std::string::npos);
}

TEST(Render, CutsThoughtsOutOfOldAnswers) {
  EXPECT_EQ(
      rendered(
          list(
              {kUser,
               R"({"role":"assistant","content":" a<|channel>thought\nx<channel|>b<channel|>c <|channel>d"})",
               kUser}),
          {.end = PromptEnd::kHistory, .thinking = false}),
      "<bos><|turn>user\ngo<turn|>\n<|turn>model\nabc<turn|>\n<|turn>user\ngo<turn|>\n");
}

TEST(Render, ContinuesTheLastAnswer) {
  const std::string answer = R"({"role":"assistant","content":" It is ","reasoning_content":"hm"})";
  const std::string head = "<bos><|turn>user\ngo<turn|>\n<|turn>model\n<|channel>thought\nhm";
  EXPECT_EQ(rendered(list({kUser, answer}), {.end = PromptEnd::kContinue, .thinking = false}),
            head + "<channel|> It is ");
  EXPECT_EQ(
      rendered(list({kUser, answer}), {.end = PromptEnd::kContinueThought, .thinking = false}),
      head);
  EXPECT_EQ(rendered(list({kUser, kCall, kResult, R"({"role":"assistant","content":"The "})"}),
                     {.end = PromptEnd::kContinue, .thinking = false}),
            "<bos><|turn>user\ngo<turn|>\n<|turn>model\nLet me look." + kCallText + kResultText +
                kStub + "The ");
}

TEST(Render, RefusesToContinueAnythingElse) {
  const RenderOptions options = {.end = PromptEnd::kContinue};
  EXPECT_EQ(refusal(list({kUser}), options),
            "messages[0]: only an assistant message can be continued");
  EXPECT_EQ(refusal(list({kUser, kCall}), options),
            "messages[1]: an assistant message with tool_calls cannot be continued");
  const std::string answer = R"({"role":"assistant","content":"a"})";
  EXPECT_EQ(refusal(list({kUser, answer, answer}), options),
            "messages[2]: two assistant messages at the end cannot be continued");
}

TEST(Render, TakesMessagesInEveryOrder) {
  const std::string system = R"({"role":"system","content":"s"})";
  const std::string answer = R"({"role":"assistant","content":"a"})";
  const std::string thought = R"({"role":"assistant","content":null,"reasoning_content":"t"})";
  const RenderOptions options = {.thinking = false};
  EXPECT_EQ(rendered(list({system, system, kUser, kUser}), options),
            "<bos><|turn>system\ns<turn|>\n<|turn>system\ns<turn|>\n<|turn>user\ngo<turn|>\n<|turn>"
            "user\ngo<turn|>\n"
            "<|turn>model\n" +
                kStub);
  EXPECT_EQ(rendered(list({system}), options),
            "<bos><|turn>system\ns<turn|>\n<|turn>model\n" + kStub);
  EXPECT_EQ(rendered(list({answer}), options),
            "<bos><|turn>model\na<turn|>\n<|turn>model\n" + kStub);
  EXPECT_EQ(
      rendered(list({kUser, thought, kUser}), options),
      "<bos><|turn>user\ngo<turn|>\n<|turn>model\n<turn|>\n<|turn>user\ngo<turn|>\n<|turn>model\n" +
          kStub);
}

TEST(Render, ReplaysACallInTheTokensItWasGeneratedIn) {
  const Tokenizer& tokenizer = testing::small_tokenizer();
  // Other order of keys, other spelling of a number, and "call" letter by letter.
  std::vector<TokenId> generated = {tokenizer.special().tool_call_open};
  for (const char* letter : {"c", "a", "l", "l"}) generated.push_back(tokenizer.find(letter));
  for (const TokenId id :
       testing::marked_ids(tokenizer, ":ls{n:1e1,dir:<|\"|>src<|\"|>}<tool_call|>")) {
    generated.push_back(id);
  }
  CallMemory memory;
  memory.remember("c1", "ls", R"({"n":1e1,"dir":"src"})", generated);
  const auto replay = [&](const std::string& arguments) {
    const Conversation conversation = conversation_of(list(
        {kUser,
         R"({"role":"assistant","tool_calls":[{"id":"c1","type":"function","function":{"name":"ls","arguments":)" +
             arguments + "}}]}"}));
    const auto prompt = render(conversation, {.end = PromptEnd::kHistory, .memory = &memory});
    EXPECT_TRUE(prompt);
    const std::vector<TokenId> ids = prompt->encode(tokenizer).ids;
    return std::ranges::search(ids, generated).size() == generated.size();
  };
  EXPECT_TRUE(replay(R"("{\"dir\": \"src\", \"n\": 10.0}")"));
  EXPECT_FALSE(replay(R"("{\"dir\": \"lib\", \"n\": 10.0}")"));
}

}  // namespace
}  // namespace gem
