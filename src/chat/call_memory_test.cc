#include "chat/call_memory.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace gem {
namespace {

ToolCall call_of(const std::string& id, const std::string& arguments,
                 const std::string& name = "f") {
  ToolCall call{.id = id, .name = name, .arguments = arguments, .decoded = {}};
  if (auto decoded = parse_json(arguments)) call.decoded = *decoded;
  return call;
}

std::vector<TokenId> found(const CallMemory& memory, const ToolCall& call) {
  const auto ids = memory.find(call);
  return {ids.begin(), ids.end()};
}

TEST(CallMemory, FindsACallByIdHoweverItsJsonIsSpelled) {
  CallMemory memory;
  const std::vector<TokenId> ids = {1, 2, 3};
  memory.remember("c1", "f", R"({"b":1.0,"a":"x"})", ids);
  EXPECT_EQ(found(memory, call_of("c1", R"({ "a": "x", "b": 1e0 })")), ids);
  EXPECT_TRUE(found(memory, call_of("c2", R"({"b":1.0,"a":"x"})")).empty());
}

TEST(CallMemory, ForgetsWhatTheClientChanged) {
  CallMemory memory;
  memory.remember("c1", "f", R"({"a":1})", std::vector<TokenId>{1});
  EXPECT_TRUE(found(memory, call_of("c1", R"({"a":2})")).empty());
  EXPECT_TRUE(found(memory, call_of("c1", R"({"a":1})", "g")).empty());
  EXPECT_TRUE(found(memory, call_of("c1", R"({"a":)")).empty());
}

TEST(CallMemory, KeepsNoCallWithoutTokensOrId) {
  CallMemory memory;
  memory.remember("", "f", "{}", std::vector<TokenId>{1});
  memory.remember("c1", "f", "{}", {});
  memory.remember("c2", "f", "{broken", std::vector<TokenId>{1});
  EXPECT_TRUE(found(memory, call_of("", "{}")).empty());
  EXPECT_TRUE(found(memory, call_of("c1", "{}")).empty());
  EXPECT_TRUE(found(memory, call_of("c2", "{broken")).empty());
}

TEST(CallMemory, DropsTheOldestBeyondItsLimit) {
  CallMemory memory(5);
  memory.remember("a", "f", "{}", std::vector<TokenId>{1, 1});
  memory.remember("b", "f", "{}", std::vector<TokenId>{2, 2});
  memory.remember("c", "f", "{}", std::vector<TokenId>{3, 3});
  EXPECT_TRUE(found(memory, call_of("a", "{}")).empty());
  EXPECT_FALSE(found(memory, call_of("b", "{}")).empty());
  // A preamble counts as well.
  memory.remember_preamble("c",
                           {.thought = "t", .text = "", .thought_ids = {7, 7}, .text_ids = {}});
  EXPECT_TRUE(found(memory, call_of("b", "{}")).empty());
  EXPECT_FALSE(found(memory, call_of("c", "{}")).empty());
  memory.remember("d", "f", "{}", std::vector<TokenId>(6, 4));
  EXPECT_TRUE(found(memory, call_of("d", "{}")).empty());
}

TEST(CallMemory, KeepsPreamblesOfKnownCallsOnly) {
  CallMemory memory;
  memory.remember("a", "f", "{}", std::vector<TokenId>{1});
  memory.remember_preamble("a", {.thought = "t", .text = "x", .thought_ids = {7}, .text_ids = {8}});
  memory.remember_preamble("z", {.thought = "t", .text = "x", .thought_ids = {7}, .text_ids = {8}});
  ASSERT_NE(memory.find_preamble(call_of("a", "{}")), nullptr);
  EXPECT_EQ(memory.find_preamble(call_of("a", "{}"))->thought, "t");
  EXPECT_EQ(memory.find_preamble(call_of("z", "{}")), nullptr);
}

}  // namespace
}  // namespace gem
