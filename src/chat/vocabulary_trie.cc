#include "chat/vocabulary_trie.h"

#include <algorithm>
#include <string>
#include <utility>

namespace gem {

VocabularyTrie::VocabularyTrie(const Tokenizer& tokenizer) {
  const int32_t size = tokenizer.vocabulary_size();
  std::vector<bool> is_suppressed(static_cast<size_t>(size));
  for (const TokenId id : tokenizer.suppressed_ids()) is_suppressed[static_cast<size_t>(id)] = true;

  struct Entry {
    std::string text;
    bool is_byte;
    TokenId id;
  };
  std::vector<Entry> entries;
  entries.reserve(static_cast<size_t>(size));
  for (TokenId id = 0; id < size; ++id) {
    const TokenClass kind = tokenizer.token_class(id);
    if (kind != TokenClass::kText && kind != TokenClass::kByte) continue;
    if (is_suppressed[static_cast<size_t>(id)]) continue;
    entries.push_back({tokenizer.piece(id), kind == TokenClass::kByte, id});
  }
  // Text before the byte token that spells the same.
  std::ranges::sort(entries, [](const Entry& a, const Entry& b) {
    if (a.text != b.text) return a.text < b.text;
    return a.is_byte < b.is_byte;
  });

  std::vector<uint32_t> path;  // nodes of the text before, by depth
  const std::string* before = nullptr;
  const auto close_to = [&](size_t depth) {
    for (; path.size() > depth; path.pop_back()) {
      nodes_[path.back()].end = static_cast<uint32_t>(nodes_.size());
    }
  };
  for (const Entry& entry : entries) {
    if (entry.text.empty() || (before != nullptr && *before == entry.text)) continue;
    size_t shared = 0;
    while (before != nullptr && shared < before->size() && shared < entry.text.size() &&
           (*before)[shared] == entry.text[shared]) {
      ++shared;
    }
    close_to(shared);
    for (size_t depth = shared; depth < entry.text.size(); ++depth) {
      path.push_back(static_cast<uint32_t>(nodes_.size()));
      nodes_.push_back({.token = -1,
                        .end = 0,
                        .depth = static_cast<uint16_t>(depth),
                        .byte = static_cast<uint8_t>(entry.text[depth])});
    }
    nodes_.back().token = entry.id;
    max_depth_ = std::max(max_depth_, entry.text.size());
    before = &entry.text;
  }
  close_to(0);
  nodes_.shrink_to_fit();
}

}  // namespace gem
