// The special tokens of Gemma 4, in one table: spelling, what output shows of them, and their ids
// in the published vocabulary. A tokenizer finds them by spelling; only published models must have
// these ids.
#pragma once
#include <span>
#include <string_view>

#include "base/result.h"
#include "tokenizer/tokenizer.h"

namespace gem {

struct SpecialToken {
  std::string_view spelling;
  TokenId published_id;
  TokenType stored_type;         // in published files
  TokenClass token_class;        // kVisible or kControl
  TokenId SpecialIds::* member;  // null for media tokens, which gem only masks
};

std::span<const SpecialToken> special_tokens();

// The row of that spelling, or null.
const SpecialToken* find_special_token(std::string_view spelling);

inline constexpr int32_t kPublishedVocabularySize = 262144;

// Whether `tokenizer` has the published vocabulary's size and special ids. The weights of a
// published model mean nothing under another numbering. Returns kCorrupt, naming the first
// difference.
Status check_published_ids(const Tokenizer& tokenizer);

}  // namespace gem
