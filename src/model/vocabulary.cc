#include "model/vocabulary.h"

#include <string>
#include <vector>

#include "base/text.h"

namespace gem {
namespace {

constexpr SpecialToken kSpecialTokens[] = {
    {0, "<pad>", TokenType::kControl},
    {1, "<eos>", TokenType::kControl},
    {2, "<bos>", TokenType::kControl},
    {3, "<unk>", TokenType::kControl},
    {4, "<mask>", TokenType::kControl},
    {46, "<|tool>", TokenType::kControl},
    {47, "<tool|>", TokenType::kControl},
    {48, "<|tool_call>", TokenType::kUserDefined},
    {49, "<tool_call|>", TokenType::kUserDefined},
    {50, "<|tool_response>", TokenType::kUserDefined},
    {51, "<tool_response|>", TokenType::kUserDefined},
    {52, "<|\"|>", TokenType::kUserDefined},
    {98, "<|think|>", TokenType::kControl},
    {100, "<|channel>", TokenType::kUserDefined},
    {101, "<channel|>", TokenType::kUserDefined},
    {105, "<|turn>", TokenType::kControl},
    {106, "<turn|>", TokenType::kControl},
    {255999, "<|image>", TokenType::kControl},
    {256000, "<|audio>", TokenType::kControl},
    {258880, "<|image|>", TokenType::kControl},
    {258881, "<|audio|>", TokenType::kControl},
    {258882, "<image|>", TokenType::kControl},
    {258883, "<audio|>", TokenType::kControl},
    {258884, "<|video|>", TokenType::kControl},
};

Status check_text(const gguf::File& file, std::string_view key, std::string_view wanted) {
  const gguf::Value* value = file.find(key);
  const auto text = value == nullptr ? std::nullopt : value->as_string();
  if (text == wanted) return {};
  return fail(Code::kUnsupported, "{} is {}, wanted {}", key,
              value == nullptr ? "missing" : quote_for_message(text.value_or(value->describe())),
              wanted);
}

}  // namespace

std::span<const SpecialToken> special_tokens() { return kSpecialTokens; }

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
  for (const SpecialToken& special : kSpecialTokens) {
    const std::string_view found = (*tokens)[static_cast<size_t>(special.id)];
    if (found == special.text) continue;
    return fail(Code::kUnsupported, "{} has {} at id {}, wanted {}", kTokens,
                quote_for_message(found), special.id, special.text);
  }
  return {};
}

}  // namespace gem
