// The merges of BPE over ids: which two neighbours become which entry, and in what order.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "tokenizer/vocabulary.h"

namespace gem {

class MergeTable {
 public:
  static constexpr uint32_t kNoRank = UINT32_MAX;

  // `merges` are "left right" in order of rank. Both parts and the result must be entries, and the
  // result a text entry: so that BPE can never make a special or a byte token. Returns kCorrupt.
  static Result<MergeTable> create(std::span<const std::string_view> merges,
                                   const Vocabulary& vocabulary);

  // Rank of the merge of two neighbours (the lower goes first), or kNoRank.
  uint32_t rank(int32_t left, int32_t right) const;
  TokenId result(uint32_t rank) const { return results_[rank]; }
  int32_t size() const { return static_cast<int32_t>(results_.size()); }

  // False only if no merge whatever joins text that ends in character `left` with text that starts
  // with `right`. BPE of a line may then be done on the two sides of that border one after the
  // other, with the same result: of the published merges, none but "> " and runs of spaces go
  // across the start of a word.
  bool may_join(uint32_t left, uint32_t right) const {
    const uint32_t bit = border_bit(left, right);
    return (borders_[bit / 64] >> (bit % 64) & 1) != 0;
  }

 private:
  struct Slot {
    TokenId left;
    TokenId right;
    uint32_t rank = kNoRank;  // of an empty slot
  };

  explicit MergeTable(size_t count);
  Status add(std::span<const std::string_view> merges, const Vocabulary& vocabulary);
  TokenId find_result(std::string_view left, std::string_view right,
                      const Vocabulary& vocabulary) const;
  Slot& locate(TokenId left, TokenId right);

  // A character pair's bit in the filter. Pairs that share a bit only cost time.
  static constexpr int kBorderBits = 20;  // 128 KiB, which stays in L2; 3 % of the bits are set
  static uint32_t border_bit(uint32_t left, uint32_t right) {
    return (left * 0x9E3779B1u + right * 0x85EBCA6Bu) >> (32 - kBorderBits);
  }

  std::vector<Slot> slots_;       // open addressing: a power of two, at least twice the merges
  int shift_;                     // 64 - log2(slots)
  std::vector<TokenId> results_;  // by rank
  std::vector<uint64_t> borders_;
};

}  // namespace gem
