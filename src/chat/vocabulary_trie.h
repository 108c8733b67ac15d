// The text tokens of a vocabulary as a trie of their bytes, for finding all tokens that a grammar
// allows next. Built once per vocabulary and shared.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "tokenizer/tokenizer.h"

namespace gem {

class VocabularyTrie {
 public:
  // In preorder, so that a walk is one pass: a node's first child is the next node, and `end` skips
  // what is below it.
  struct Node {
    TokenId token;   // whose text ends here, or -1
    uint32_t end;    // index of the first node that is not below this one
    uint16_t depth;  // bytes before this node's
    uint8_t byte;
  };

  // Leaves out special, unused and suppressed tokens, and byte tokens of characters that have a
  // token of their own.
  explicit VocabularyTrie(const Tokenizer& tokenizer);

  std::span<const Node> nodes() const { return nodes_; }
  // The longest token, bytes.
  size_t max_depth() const { return max_depth_; }

 private:
  std::vector<Node> nodes_;
  size_t max_depth_ = 0;
};

}  // namespace gem
