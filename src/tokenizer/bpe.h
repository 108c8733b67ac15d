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
  // Characters that are merged in one go: their list and queue fit the L1 and L2 caches. Any number
  // gives the same ids.
  static constexpr size_t kWindow = 1024;

  Bpe(const Vocabulary& vocabulary, const MergeTable& merges, size_t window = kWindow)
      : vocabulary_(vocabulary), merges_(merges), window_(window) {}

  // Appends the ids of `text`. Ill-formed bytes count as U+FFFD, one for each maximal subpart.
  void encode(std::string_view text, std::vector<TokenId>& ids);

 private:
  // In a unit, a character or what some of them merged to is an entry's id, or the complement of a
  // code point that has no entry and so never merges.
  using Id = int32_t;

  // Of a window in work: a doubly linked list in an array.
  struct Symbol {
    Id id;
    uint32_t previous;
    uint32_t next;
    uint32_t rank;  // of the merge with the next symbol; kNoRank without one or when gone
  };
  struct Token {
    Id id;
    size_t begin;  // index of its first character in the unit
  };

  void encode_newlines(size_t length, std::vector<TokenId>& ids);
  void encode_line(std::string_view line, std::vector<TokenId>& ids);
  void add(uint32_t character);
  void finish_unit(std::vector<TokenId>& ids);
  size_t tokens_before(size_t character) const;
  bool border_holds(size_t index, size_t end);
  void encode_window(size_t begin, size_t end);
  bool rank_pair(uint32_t left);
  void merge(uint32_t left);
  void append(Id id, std::vector<TokenId>& ids) const;

  const Vocabulary& vocabulary_;
  const MergeTable& merges_;
  const size_t window_;
  std::vector<Id> unit_;         // characters that nothing before or after can merge with
  std::vector<Token> tokens_;    // of the first part of the unit
  std::vector<Symbol> symbols_;  // of a window
  std::vector<uint64_t> queue_;  // min-heap of rank << 32 | index: leftmost first among equal ranks
};

}  // namespace gem
