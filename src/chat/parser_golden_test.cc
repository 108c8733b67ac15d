// The recorded outputs of the shared folder, with the result that gem is meant to give.
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "chat/parser.h"
#include "tests/support/goldens.h"
#include "tests/support/vocabulary.h"

namespace gem {
namespace {

using nlohmann::ordered_json;
using testing::kAuthenticVocabulary;
using testing::read_json;
using testing::tokenizer_of_file;
using Kind = OutputEvent::Kind;

ordered_json joined(const std::vector<OutputEvent>& events) {
  ordered_json out = {
      {"reasoning_content", ""}, {"content", ""}, {"tool_calls", ordered_json::array()}};
  for (const OutputEvent& event : events) {
    if (event.kind == Kind::kThought)
      out["reasoning_content"].get_ref<std::string&>() += event.text;
    if (event.kind == Kind::kText) out["content"].get_ref<std::string&>() += event.text;
    if (event.kind == Kind::kCall) {
      out["tool_calls"].push_back({{"name", event.text}, {"arguments", event.arguments}});
    }
  }
  return out;
}

class ParserGolden : public ::testing::TestWithParam<const char*> {};

TEST_P(ParserGolden, ReadsEveryOutput) {
  GEM_SHARED_OR_SKIP(path, std::string("golden/chat-parse/") + GetParam() + ".json");
  GEM_SHARED_OR_SKIP(vocabulary, kAuthenticVocabulary);
  const Tokenizer& tokenizer = tokenizer_of_file(vocabulary);
  const ordered_json golden = read_json(path);
  std::vector<Tool> tools;
  for (const ordered_json& tool : golden.at("TOOLS")) {
    const ordered_json& function = tool.at("function");
    tools.push_back({function.at("name"), function.at("description"),
                     to_value(function.at("parameters")).value_or(Value())});
  }
  const ToolSet tool_set(tools);

  for (const ordered_json& item : golden.at("cases")) {
    if (!item.contains("recommended")) continue;
    SCOPED_TRACE(item.at("id").get<std::string>());
    const ordered_json& request = item.at("request");
    const bool reads_calls = request.at("tools") == "TOOLS" && request.at("tool_choice") != "none";
    const std::vector<TokenId> prompt =
        tokenizer.encode(item.at("generation_prompt").get<std::string>(), true);
    std::vector<TokenId> ids = item.at("input_ids");
    // Turn markers inside the text only make sense as ordinary tokens: as tokens of their own they
    // end the output.
    const std::string notes = item.value("recommended_notes", ordered_json::array()).dump();
    if (notes.find("spelled by ordinary tokens") != std::string::npos) {
      ids = tokenizer.encode(item.at("input").get<std::string>(), false);
    }

    OutputParser parser(tokenizer, prompt,
                        {.tools = reads_calls ? &tool_set : nullptr,
                         .one_call = !request.at("parallel_tool_calls").get<bool>()});
    std::vector<OutputEvent> events;
    const auto add = [&](std::vector<OutputEvent> more) {
      std::ranges::move(more, std::back_inserter(events));
    };
    for (const TokenId id : ids) add(parser.push(id));
    add(item.at("finish") == "length" ? parser.finish()
                                      : parser.push(tokenizer.special().turn_close));

    const ordered_json& recommended = item.at("recommended");
    EXPECT_EQ(joined(events), recommended.contains("same") ? item.at("reference") : recommended);
    EXPECT_TRUE(parser.has_ended());
    EXPECT_EQ(events.back().kind, Kind::kEnd);
  }
}

std::string test_name(const ::testing::TestParamInfo<const char*>& file) {
  std::string name = file.param;
  for (char& c : name) c = c == '-' ? '_' : c;
  return name;
}

INSTANTIATE_TEST_SUITE_P(Files, ParserGolden,
                         ::testing::Values("content", "thought", "calls", "malformed",
                                           "after-tool"),
                         test_name);

}  // namespace
}  // namespace gem
