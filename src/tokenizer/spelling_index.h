// From exact bytes to the id of the vocabulary entry that is spelled so. Views only: the bytes stay
// where they are, in the model file's mapping.
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "tokenizer/tokenizer.h"

namespace gem {

class SpellingIndex {
 public:
  explicit SpellingIndex(size_t capacity);

  // Adds `spelling` as the next id: 0, 1, 2, ... Returns that id, or the id of an earlier entry of
  // the same spelling, in which case nothing is added.
  TokenId add(std::string_view spelling);
  TokenId find(std::string_view spelling) const;  // -1 if there is none

  // Asks the processor for what find(spelling) will look at first.
  void prefetch(std::string_view spelling) const;

  std::string_view operator[](TokenId id) const { return spellings_[static_cast<size_t>(id)]; }
  int32_t size() const { return static_cast<int32_t>(spellings_.size()); }

 private:
  // Open addressing with linear probing. Nine of ten lookups are for at most eight bytes, which the
  // key holds: each look at an entry's own text would be two cache misses more, and a load makes a
  // million.
  struct Slot {
    uint64_t key = 0;  // up to 8 bytes: the spelling, zeros behind it; longer ones: a hash of it
    uint32_t length = 0;
    TokenId id = -1;
  };

  size_t home_of(uint64_t key) const;
  size_t locate(std::string_view spelling, uint64_t key) const;

  std::vector<std::string_view> spellings_;  // by id
  std::vector<Slot> slots_;                  // a power of two, at least twice the entries
  int shift_;                                // 64 - log2(slots)
};

}  // namespace gem
