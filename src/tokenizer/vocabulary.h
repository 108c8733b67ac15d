// The entries of a vocabulary, checked: every id has a spelling of its own and a class, every byte
// has an entry, and single characters are found without a search.
#pragma once
#include <array>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "tokenizer/spelling_index.h"
#include "tokenizer/tokenizer.h"

namespace gem {

// U+2581, which stands for U+0020 in every entry.
inline constexpr uint32_t kSpaceMark = 0x2581;

class Vocabulary {
 public:
  // Checks and indexes all of `source` but its merges. Returns kUnsupported (another tokenizer
  // model) or kCorrupt.
  static Result<Vocabulary> create(const VocabularySource& source);

  int32_t size() const { return index_.size(); }
  bool contains(TokenId id) const { return id >= 0 && id < size(); }

  // `id` must be contained.
  std::string_view spelling(TokenId id) const { return index_[id]; }
  TokenClass token_class(TokenId id) const { return classes_[static_cast<size_t>(id)]; }

  TokenId find(std::string_view spelling) const { return index_.find(spelling); }
  void prefetch(std::string_view spelling) const { index_.prefetch(spelling); }
  const SpecialIds& special() const { return special_; }

  // The kText entry that is exactly this character, or -1. U+0020 is looked up as U+2581, the way
  // in which entries spell it.
  TokenId character(uint32_t code_point) const;
  TokenId byte(uint8_t value) const { return bytes_[value]; }

  // The entry that is exactly `length` newlines, or -1; 1 <= length <= kMaxNewlineRun.
  static constexpr size_t kMaxNewlineRun = 31;
  TokenId newlines(size_t length) const { return newlines_[length]; }

  // The byte that a kByte entry stands for.
  char byte_value(TokenId id) const;

 private:
  explicit Vocabulary(size_t capacity) : index_(capacity) {}

  Status add_entry(std::string_view spelling, int32_t type);
  Status check_complete() const;
  void index_characters();
  void index_newlines();

  SpellingIndex index_;
  std::vector<TokenClass> classes_;  // by id
  SpecialIds special_{};
  std::array<TokenId, 256> bytes_{};                            // by byte
  std::array<TokenId, kMaxNewlineRun + 1> newlines_{};          // by length; [0] is not used
  std::vector<TokenId> basic_characters_;                       // by code point, U+0000 to U+FFFF
  std::vector<std::pair<uint32_t, TokenId>> other_characters_;  // sorted by code point
};

}  // namespace gem
