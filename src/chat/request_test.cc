#include "chat/request.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "tests/support/goldens.h"

namespace gem {
namespace {

Result<ChatRequest> read(const std::string& members) {
  auto body = parse_json(R"({"messages":[{"role":"user","content":"x"}])" + members + "}");
  EXPECT_TRUE(body) << members;
  return parse_chat_request(*body);
}

std::string refusal(const std::string& members) {
  const auto request = read(members);
  EXPECT_FALSE(request) << members;
  if (request) return "";
  EXPECT_EQ(request.error().code(), Code::kInvalid);
  return request.error().text();
}

const std::string kTools = R"(,"tools":[{"type":"function","function":{"name":"f"}}])";

TEST(ChatRequest, LeavesDefaultsToTheServer) {
  const auto request = read("");
  ASSERT_TRUE(request);
  EXPECT_EQ(request->thinking, std::nullopt);
  EXPECT_EQ(request->tool_choice.kind, ToolChoice::Kind::kAuto);
  EXPECT_TRUE(request->parallel_tool_calls);
  EXPECT_EQ(request->end, PromptEnd::kGenerate);
  EXPECT_FALSE(request->reads_calls());
}

TEST(ChatRequest, TakesThinkingFromBothSwitches) {
  EXPECT_EQ(read(R"(,"chat_template_kwargs":{"enable_thinking":false})")->thinking, false);
  EXPECT_EQ(read(R"(,"chat_template_kwargs":{"enable_thinking":true})")->thinking, true);
  EXPECT_EQ(read(R"(,"chat_template_kwargs":{})")->thinking, std::nullopt);
  EXPECT_EQ(read(R"(,"reasoning_effort":"none")")->thinking, false);
  for (const char* effort : {"minimal", "low", "medium", "high", "xhigh"}) {
    EXPECT_EQ(read(R"(,"reasoning_effort":")" + std::string(effort) + "\"")->thinking, true);
  }
  EXPECT_EQ(read(R"(,"reasoning_effort":"high","chat_template_kwargs":{"enable_thinking":true})")
                ->thinking,
            true);
}

TEST(ChatRequest, RefusesContradictingSwitches) {
  const std::string contradiction =
      "chat_template_kwargs.enable_thinking and reasoning_effort contradict each other";
  EXPECT_EQ(
      refusal(R"(,"reasoning_effort":"none","chat_template_kwargs":{"enable_thinking":true})"),
      contradiction);
  EXPECT_EQ(
      refusal(R"(,"reasoning_effort":"low","chat_template_kwargs":{"enable_thinking":false})"),
      contradiction);
  EXPECT_EQ(refusal(R"(,"chat_template_kwargs":{"enable_thinking":"false"})"),
            "enable_thinking must be true or false, not a string");
  EXPECT_EQ(refusal(R"(,"reasoning_effort":"much")"),
            "reasoning_effort \"much\" is not none, minimal, low, medium, high or xhigh");
}

TEST(ChatRequest, ReadsToolChoice) {
  EXPECT_EQ(read(kTools + R"(,"tool_choice":"none")")->tool_choice.kind, ToolChoice::Kind::kNone);
  EXPECT_FALSE(read(kTools + R"(,"tool_choice":"none")")->reads_calls());
  EXPECT_EQ(read(kTools + R"(,"tool_choice":"required")")->tool_choice.kind,
            ToolChoice::Kind::kRequired);
  const auto named = read(kTools + R"(,"tool_choice":{"type":"function","function":{"name":"f"}})");
  ASSERT_TRUE(named);
  EXPECT_EQ(named->tool_choice.kind, ToolChoice::Kind::kNamed);
  EXPECT_EQ(named->tool_choice.name, "f");
  EXPECT_TRUE(named->reads_calls());
}

TEST(ChatRequest, RefusesToolChoicesThatCannotBeMet) {
  EXPECT_EQ(refusal(kTools + R"(,"tool_choice":"bogus")"),
            "tool_choice \"bogus\" is not auto, none, required or a named function");
  EXPECT_EQ(refusal(kTools + R"(,"tool_choice":{"type":"function","function":{"name":"g"}})"),
            "tool_choice names 'g', which is not among the tools");
  EXPECT_EQ(refusal(R"(,"tool_choice":"required")"),
            "tool_choice is required, but there are no tools");
}

PromptEnd end_of(const std::string& last_message, const std::string& members) {
  auto body = parse_json(R"({"messages":[{"role":"user","content":"x"},)" + last_message + "]" +
                         members + "}");
  EXPECT_TRUE(body);
  const auto request = parse_chat_request(*body);
  EXPECT_TRUE(request) << request.error().text();
  return request->end;
}

TEST(ChatRequest, ContinuesALastAssistantMessageUnlessToldOtherwise) {
  const std::string assistant = R"({"role":"assistant","content":"a"})";
  EXPECT_EQ(end_of(assistant, ""), PromptEnd::kContinue);
  EXPECT_EQ(end_of(assistant, R"(,"add_generation_prompt":true)"), PromptEnd::kGenerate);
  EXPECT_EQ(end_of(assistant, R"(,"add_generation_prompt":false)"), PromptEnd::kHistory);
  EXPECT_EQ(end_of(assistant, R"(,"add_generation_prompt":false,"continue_final_message":true)"),
            PromptEnd::kContinue);
  EXPECT_EQ(end_of(assistant, R"(,"continue_final_message":"content")"),
            PromptEnd::kContinueContent);
  EXPECT_EQ(end_of(assistant, R"(,"continue_final_message":"reasoning_content")"),
            PromptEnd::kContinueThought);
  EXPECT_EQ(end_of(assistant, R"(,"continue_final_message":false)"), PromptEnd::kContinue);
  EXPECT_EQ(end_of(R"({"role":"user","content":"a"})", ""), PromptEnd::kGenerate);
}

TEST(ChatRequest, RefusesOtherMembersOfTheWrongType) {
  EXPECT_EQ(refusal(R"(,"parallel_tool_calls":"no")"),
            "parallel_tool_calls must be true or false, not a string");
  EXPECT_EQ(refusal(R"(,"add_generation_prompt":true,"continue_final_message":true)"),
            "add_generation_prompt and continue_final_message cannot both be true");
  EXPECT_EQ(
      refusal(R"(,"continue_final_message":"x")"),
      "continue_final_message \"x\" is not true, false, \"content\" or \"reasoning_content\"");
  EXPECT_EQ(parse_chat_request(*parse_json("[]")).error().text(),
            "the request must be a JSON object, not an array");
  EXPECT_EQ(parse_chat_request(*parse_json("{}")).error().text(), "messages is missing");
}

// Of what the reference refuses, gem takes the cases that agents and common clients send.
TEST(ChatRequestGolden, RefusesWhatTheReferenceRefusesOrTakesItOnPurpose) {
  GEM_SHARED_OR_SKIP(path, "golden/chat/errors.json");
  const std::set<std::string> taken = {"error-011", "error-012", "error-017", "error-021"};
  const nlohmann::ordered_json golden = testing::read_json(path);
  int cases = 0;
  for (const auto& item : golden.at("cases")) {
    SCOPED_TRACE(item.at("id").get<std::string>());
    const auto request = parse_chat_request(*to_value(item.at("request")));
    Result<Prompt> prompt = request ? render(request->conversation, {.end = request->end})
                                    : Result<Prompt>(tl::unexpected(request.error()));
    EXPECT_EQ(prompt.has_value(), taken.contains(item.at("id")))
        << (prompt ? "" : prompt.error().text());
    if (!prompt) {
      EXPECT_EQ(prompt.error().code(), Code::kInvalid);
    }
    ++cases;
  }
  EXPECT_EQ(cases, 24);
}

}  // namespace
}  // namespace gem
