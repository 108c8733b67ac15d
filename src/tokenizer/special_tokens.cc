#include "tokenizer/special_tokens.h"

#include <array>

namespace gem {
namespace {

constexpr TokenClass kVisible = TokenClass::kVisible;
constexpr TokenClass kControl = TokenClass::kControl;

// <|tool_response> is user-defined in the files, like the other visible ones, but it ends
// generation and is never part of the text.
constexpr std::array kSpecialTokens = std::to_array<SpecialToken>({
    {"<pad>", 0, kControl, &SpecialIds::pad},
    {"<eos>", 1, kControl, &SpecialIds::eos},
    {"<bos>", 2, kControl, &SpecialIds::bos},
    {"<unk>", 3, kControl, &SpecialIds::unk},
    {"<mask>", 4, kControl, &SpecialIds::mask},
    {"<|tool>", 46, kControl, &SpecialIds::tool_open},
    {"<tool|>", 47, kControl, &SpecialIds::tool_close},
    {"<|tool_call>", 48, kVisible, &SpecialIds::tool_call_open},
    {"<tool_call|>", 49, kVisible, &SpecialIds::tool_call_close},
    {"<|tool_response>", 50, kControl, &SpecialIds::tool_response_open},
    {"<tool_response|>", 51, kVisible, &SpecialIds::tool_response_close},
    {"<|\"|>", 52, kVisible, &SpecialIds::quote},
    {"<|think|>", 98, kControl, &SpecialIds::think},
    {"<|channel>", 100, kVisible, &SpecialIds::channel_open},
    {"<channel|>", 101, kVisible, &SpecialIds::channel_close},
    {"<|turn>", 105, kControl, &SpecialIds::turn_open},
    {"<turn|>", 106, kControl, &SpecialIds::turn_close},
    {"<|image>", 255999, kControl, nullptr},
    {"<|audio>", 256000, kControl, nullptr},
    {"<|image|>", 258880, kControl, nullptr},
    {"<|audio|>", 258881, kControl, nullptr},
    {"<image|>", 258882, kControl, nullptr},
    {"<audio|>", 258883, kControl, nullptr},
    {"<|video|>", 258884, kControl, nullptr},
});

}  // namespace

std::span<const SpecialToken> special_tokens() { return kSpecialTokens; }

const SpecialToken* find_special_token(std::string_view spelling) {
  for (const SpecialToken& token : kSpecialTokens)
    if (token.spelling == spelling) return &token;
  return nullptr;
}

Status check_published_ids(const Tokenizer& tokenizer) {
  if (tokenizer.vocabulary_size() != kPublishedVocabularySize ||
      tokenizer.merge_count() != kPublishedMerges)
    return fail(
        Code::kCorrupt,
        "the vocabulary has {} tokens and {} merges, Gemma 4 has {} and {}: get the model file "
        "again from its publisher",
        tokenizer.vocabulary_size(), tokenizer.merge_count(), kPublishedVocabularySize,
        kPublishedMerges);
  for (const SpecialToken& token : kSpecialTokens) {
    const TokenId found = tokenizer.find(token.spelling);
    if (found != token.published_id)
      return fail(
          Code::kCorrupt,
          "the vocabulary has {} as id {}, Gemma 4 has it as {}: get the model file again from "
          "its publisher",
          token.spelling, found, token.published_id);
  }
  return {};
}

}  // namespace gem
