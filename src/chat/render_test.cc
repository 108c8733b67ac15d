#include "chat/render.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/goldens.h"
#include "tests/support/vocabulary.h"

namespace gem {
namespace {

using nlohmann::ordered_json;
using testing::read_json;

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

INSTANTIATE_TEST_SUITE_P(Files, RenderGolden,
                         ::testing::Values("basic", "thinking", "tools-call", "tools-decl", "parts",
                                           "prefill", "injection"),
                         test_name);

}  // namespace
}  // namespace gem
