#include "model/vocabulary.h"

#include <string>
#include <vector>

#include "base/text.h"
#include "tokenizer/special_tokens.h"

namespace gem {
namespace {

Status check_text(const gguf::File& file, std::string_view key, std::string_view wanted) {
  const gguf::Value* value = file.find(key);
  const auto text = value == nullptr ? std::nullopt : value->as_string();
  if (text == wanted) return {};
  return fail(Code::kUnsupported, "{} is {}, wanted {}", key,
              value == nullptr ? "missing" : quote_for_message(text.value_or(value->describe())),
              wanted);
}

}  // namespace

Status check_vocabulary(const gguf::File& file, const Profile& profile) {
  GEM_TRY(check_text(file, "tokenizer.ggml.model", "gemma4"));
  // Absent in most files, and then meant as gemma4.
  if (file.find("tokenizer.ggml.pre") != nullptr) {
    GEM_TRY(check_text(file, "tokenizer.ggml.pre", "gemma4"));
  }
  const gguf::Value* prefix = file.find("tokenizer.ggml.add_space_prefix");
  if (prefix != nullptr && prefix->as_bool() != false) {
    return fail(Code::kUnsupported, "tokenizer.ggml.add_space_prefix is on, wanted false");
  }
  constexpr std::string_view kTokens = "tokenizer.ggml.tokens";
  const gguf::Value* stored = file.find(kTokens);
  const auto tokens = stored == nullptr ? std::nullopt : stored->as_string_array();
  if (!tokens || tokens->size() != static_cast<size_t>(profile.vocabulary)) {
    return fail(Code::kUnsupported, "{} is {}, wanted arr[str, {}]", kTokens,
                stored == nullptr ? "missing" : stored->describe(), profile.vocabulary);
  }
  if (!profile.fixed_special_ids) return {};
  for (const SpecialToken& special : special_tokens()) {
    const std::string_view found = (*tokens)[static_cast<size_t>(special.published_id)];
    if (found == special.spelling) continue;
    return fail(Code::kUnsupported, "{} has {} at id {}, wanted {}", kTokens,
                quote_for_message(found), special.published_id, special.spelling);
  }
  return {};
}

}  // namespace gem
