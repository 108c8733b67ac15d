// Fuzz target of generated output: any ids into the parser, whole and as bytes, beside a constraint
// that follows them. The first byte chooses options; the rest is text with special tokens spelled
// out, or ids of two bytes each.
//
// Covers: src/chat/parser.cc src/chat/call_reader.cc src/chat/call_words.cc
// Covers: src/chat/vocabulary_trie.cc
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "base/utf8.h"
#include "chat/call_constraint.h"
#include "chat/parser.h"
#include "tests/support/chat_output.h"
#include "tests/support/small_vocabulary.h"

namespace gem {
namespace {

using testing::CollectedOutput;
using testing::small_tokenizer;

// The bits of the first byte.
enum Choice : uint8_t {
  kIds = 1,    // two bytes an id, instead of text
  kTools = 2,  // calls are recognised
  kOneCall = 4,
  kIsCut = 8,    // the output ends without a stop token
  kPrompt = 16,  // and 32: one of kPrompts
};

constexpr std::string_view kPrompts[] = {
    "<|turn>model\n",
    "<|turn>model\n<|channel>thought\n<channel|>",
    "<|turn>model\n<|channel>thought\nI think",
    "<|tool_response>response:f{value:<|\"|>r<|\"|>}<tool_response|>",
};

const ToolSet& tools() {
  static const ToolSet set([] {
    Tool typed{.name = "typed", .description = {}, .parameters = {}};
    typed.parameters = *parse_json(R"({"type":"object","properties":{"s":{"type":"string"},
        "i":{"type":"integer"},"n":{"type":"number"},"b":{"type":"boolean"},
        "l":{"type":"array","items":{"type":"integer"}},"o":{"$ref":"#"},"m":{"enum":["a","ab",1]}}})");
    return std::vector<Tool>{typed, {.name = "f", .description = {}, .parameters = {}}};
  }());
  return set;
}

std::vector<TokenId> ids_of(uint8_t choice, std::string_view input) {
  if ((choice & kIds) == 0) return testing::marked_ids(small_tokenizer(), input);
  std::vector<TokenId> ids;
  for (size_t i = 0; i + 1 < input.size(); i += 2) {
    const auto low = static_cast<uint8_t>(input[i]);
    const auto high = static_cast<uint8_t>(input[i + 1]);
    // A few ids beyond both ends of the vocabulary.
    const TokenId range = small_tokenizer().vocabulary_size() + 4;
    ids.push_back((low | high << 8) % range - 2);
  }
  return ids;
}

CollectedOutput read(uint8_t choice, const std::vector<TokenId>& ids) {
  const std::vector<TokenId> prompt =
      testing::marked_ids(small_tokenizer(), kPrompts[choice / kPrompt % std::size(kPrompts)]);
  OutputParser parser(
      small_tokenizer(), prompt,
      {.tools = (choice & kTools) != 0 ? &tools() : nullptr, .one_call = (choice & kOneCall) != 0});
  CollectedOutput output;
  const auto take = [&](const std::vector<OutputEvent>& events) {
    GEM_CHECK(events.empty() || output.ends == 0);
    output.add(events);
  };
  for (const TokenId id : ids) take(parser.push(id));
  take(parser.finish((choice & kIsCut) != 0 ? OutputEnd::kCut : OutputEnd::kStop));
  GEM_CHECK(output.ends == 1 && parser.has_ended());
  GEM_CHECK(parser.calls() == static_cast<int>(output.calls.size()));
  GEM_CHECK(parser.thought_tokens() <= static_cast<int64_t>(ids.size()));
  return output;
}

void check(const CollectedOutput& output) {
  GEM_CHECK(utf8_valid(output.thought) && utf8_valid(output.text));
  for (const auto& [name, arguments] : output.calls) {
    GEM_CHECK(is_function_name(name));
    const auto value = parse_json(arguments);
    GEM_CHECK(value && value->is_object() && utf8_valid(arguments));
  }
}

void follow(const std::vector<TokenId>& ids) {
  static const ConstraintVocabulary vocabulary(small_tokenizer());
  CallConstraint constraint(vocabulary, tools(), {});
  for (const TokenId id : ids) {
    constraint.mask();
    constraint.accept(id);
  }
}

void run(uint8_t choice, std::string_view input) {
  const std::vector<TokenId> ids = ids_of(choice, input);
  CollectedOutput whole = read(choice, ids);
  check(whole);
  CollectedOutput bytes = read(choice, testing::in_byte_tokens(small_tokenizer(), ids));
  whole.call_ids.clear();
  bytes.call_ids.clear();
  GEM_CHECK(whole == bytes);
  if ((choice & kTools) != 0) follow(ids);
}

}  // namespace
}  // namespace gem

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  gem::run(data[0], {reinterpret_cast<const char*>(data + 1), size - 1});
  return 0;
}
