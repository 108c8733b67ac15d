// Byte pair encoding of a stretch of text without special tokens.
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "tokenizer/merge_table.h"
#include "tokenizer/vocabulary.h"

namespace gem {

// Encodes texts one after the other; keeps its working memory between them.
class Bpe {
 public:
  Bpe(const Vocabulary& vocabulary, const MergeTable& merges)
      : vocabulary_(vocabulary), merges_(merges) {}

  // Appends the ids of `text`, which is at most 4 GiB. Ill-formed bytes count as U+FFFD, one for
  // each maximal subpart.
  void encode(std::string_view text, std::vector<TokenId>& ids);

 private:
  // A doubly linked list in an array. `id` is an entry, or the complement of a code point that has
  // none and so never merges.
  struct Symbol {
    int32_t id;
    uint32_t previous;
    uint32_t next;
    uint32_t
        rank;  // of the merge with the next symbol; kNoRank for none, and once the symbol is gone
  };

  void encode_newlines(size_t length, std::vector<TokenId>& ids);
  void encode_line(std::string_view line, std::vector<TokenId>& ids);
  void add(uint32_t code_point);
  void finish_unit(std::vector<TokenId>& ids);
  void merge_all();
  void merge(uint32_t left);
  bool rank_pair(uint32_t left);
  void append(int32_t symbol, std::vector<TokenId>& ids) const;

  const Vocabulary& vocabulary_;
  const MergeTable& merges_;
  std::vector<Symbol> symbols_;
  std::vector<uint64_t> queue_;  // min-heap of rank << 32 | index: leftmost first among equal ranks
};

}  // namespace gem
