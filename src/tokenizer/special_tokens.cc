#include "tokenizer/special_tokens.h"

#include <array>

namespace gem {
namespace {

constexpr TokenClass kVisible = TokenClass::kVisible;
constexpr TokenClass kControl = TokenClass::kControl;
constexpr TokenType kStoredUser = TokenType::kUserDefined;
constexpr TokenType kStoredControl = TokenType::kControl;

// <|tool_response> is user-defined in the files, like the other visible ones, but it ends
// generation and is never part of the text.
constexpr std::array kSpecialTokens = std::to_array<SpecialToken>({
    {"<pad>", 0, kStoredControl, kControl, &SpecialIds::pad},
    {"<eos>", 1, kStoredControl, kControl, &SpecialIds::eos},
    {"<bos>", 2, kStoredControl, kControl, &SpecialIds::bos},
    {"<unk>", 3, kStoredControl, kControl, &SpecialIds::unk},
    {"<mask>", 4, kStoredControl, kControl, &SpecialIds::mask},
    {"<|tool>", 46, kStoredControl, kControl, &SpecialIds::tool_open},
    {"<tool|>", 47, kStoredControl, kControl, &SpecialIds::tool_close},
    {"<|tool_call>", 48, kStoredUser, kVisible, &SpecialIds::tool_call_open},
    {"<tool_call|>", 49, kStoredUser, kVisible, &SpecialIds::tool_call_close},
    {"<|tool_response>", 50, kStoredUser, kControl, &SpecialIds::tool_response_open},
    {"<tool_response|>", 51, kStoredUser, kVisible, &SpecialIds::tool_response_close},
    {"<|\"|>", 52, kStoredUser, kVisible, &SpecialIds::quote},
    {"<|think|>", 98, kStoredControl, kControl, &SpecialIds::think},
    {"<|channel>", 100, kStoredUser, kVisible, &SpecialIds::channel_open},
    {"<channel|>", 101, kStoredUser, kVisible, &SpecialIds::channel_close},
    {"<|turn>", 105, kStoredControl, kControl, &SpecialIds::turn_open},
    {"<turn|>", 106, kStoredControl, kControl, &SpecialIds::turn_close},
    {"<|image>", 255999, kStoredControl, kControl, nullptr},
    {"<|audio>", 256000, kStoredControl, kControl, nullptr},
    {"<|image|>", 258880, kStoredControl, kControl, nullptr},
    {"<|audio|>", 258881, kStoredControl, kControl, nullptr},
    {"<image|>", 258882, kStoredControl, kControl, nullptr},
    {"<audio|>", 258883, kStoredControl, kControl, nullptr},
    {"<|video|>", 258884, kStoredControl, kControl, nullptr},
});

}  // namespace

std::span<const SpecialToken> special_tokens() { return kSpecialTokens; }

const SpecialToken* find_special_token(std::string_view spelling) {
  for (const SpecialToken& token : kSpecialTokens)
    if (token.spelling == spelling) return &token;
  return nullptr;
}

Status check_published_ids(const Tokenizer& tokenizer) {
  if (tokenizer.vocabulary_size() != kPublishedVocabularySize) {
    return fail(
        Code::kCorrupt,
        "the vocabulary has {} tokens, Gemma 4 has {}: get the model file again from its publisher",
        tokenizer.vocabulary_size(), kPublishedVocabularySize);
  }
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
