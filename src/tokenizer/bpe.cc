#include "tokenizer/bpe.h"

#include <algorithm>
#include <functional>
#include <string>

#include "base/check.h"
#include "base/utf8.h"

namespace gem {
namespace {

constexpr uint32_t kNone = UINT32_MAX;  // no neighbour

}  // namespace

void Bpe::encode(std::string_view text, std::vector<TokenId>& ids) {
  GEM_CHECK(text.size() < kNone);
  while (!text.empty()) {
    const size_t newlines = std::min(text.find_first_not_of('\n'), text.size());
    if (newlines > 0) encode_newlines(newlines, ids);
    text.remove_prefix(newlines);
    const std::string_view line = text.substr(0, text.find('\n'));
    encode_line(line, ids);
    text.remove_prefix(line.size());
  }
}

void Bpe::encode_newlines(size_t length, std::vector<TokenId>& ids) {
  if (length <= Vocabulary::kMaxNewlineRun && vocabulary_.newlines(length) >= 0) {
    ids.push_back(vocabulary_.newlines(length));
    return;
  }
  for (size_t i = 0; i < length; ++i) add('\n');
  finish_unit(ids);
}

// The reference takes a whole line as one unit. Cutting it where no merge can cross gives the same
// ids, and units of a word or so, which stay in the cache.
void Bpe::encode_line(std::string_view line, std::vector<TokenId>& ids) {
  uint32_t previous = 0;
  while (!line.empty()) {
    const Utf8Step step = utf8_step(line);
    line.remove_prefix(step.bytes);
    const uint32_t code_point = step.code_point == ' ' ? kSpaceMark : step.code_point;
    if (!merges_.may_join(previous, code_point)) finish_unit(ids);
    add(code_point);
    previous = code_point;
  }
  finish_unit(ids);
}

void Bpe::add(uint32_t code_point) {
  const TokenId id = vocabulary_.character(code_point);
  const auto at = static_cast<uint32_t>(symbols_.size());
  symbols_.push_back(
      {id >= 0 ? id : ~static_cast<int32_t>(code_point), at - 1, at + 1, MergeTable::kNoRank});
}

void Bpe::finish_unit(std::vector<TokenId>& ids) {
  if (symbols_.empty()) return;
  symbols_.front().previous = kNone;
  symbols_.back().next = kNone;
  if (symbols_.size() > 1) merge_all();
  for (uint32_t at = 0; at != kNone; at = symbols_[at].next) append(symbols_[at].id, ids);
  symbols_.clear();
}

// Merges the pair of lowest rank, leftmost first among equals, until no pair has one. The ranks of
// the published merges are not those of their parts plus something: a merge may outrank one that
// made its left part. So the order must be global, over the whole unit.
void Bpe::merge_all() {
  const auto entry = [this](uint32_t left) { return uint64_t{symbols_[left].rank} << 32 | left; };
  queue_.clear();
  for (uint32_t left = 0; left + 1 < symbols_.size(); ++left)
    if (rank_pair(left)) queue_.push_back(entry(left));
  std::make_heap(queue_.begin(), queue_.end(), std::greater<>());

  while (!queue_.empty()) {
    std::pop_heap(queue_.begin(), queue_.end(), std::greater<>());
    const auto left = static_cast<uint32_t>(queue_.back());
    const bool stale = queue_.back() != entry(left);
    queue_.pop_back();
    if (stale) continue;
    merge(left);
    for (const uint32_t changed : {symbols_[left].previous, left}) {
      if (changed == kNone || !rank_pair(changed)) continue;
      queue_.push_back(entry(changed));
      std::push_heap(queue_.begin(), queue_.end(), std::greater<>());
    }
  }
}

// Looks up the merge of `left` with its neighbour. An entry in the queue is stale once its symbol
// has another rank: ranks tell pairs apart, and symbols only grow, so that no pair comes back to
// its place.
bool Bpe::rank_pair(uint32_t left) {
  Symbol& symbol = symbols_[left];
  symbol.rank = symbol.next == kNone ? MergeTable::kNoRank
                                     : merges_.rank(symbol.id, symbols_[symbol.next].id);
  return symbol.rank != MergeTable::kNoRank;
}

void Bpe::merge(uint32_t left) {
  Symbol& symbol = symbols_[left];
  Symbol& gone = symbols_[symbol.next];
  symbol.id = merges_.result(symbol.rank);
  symbol.next = gone.next;
  gone.rank = MergeTable::kNoRank;
  if (symbol.next != kNone) symbols_[symbol.next].previous = left;
}

void Bpe::append(int32_t symbol, std::vector<TokenId>& ids) const {
  if (symbol >= 0) {
    ids.push_back(symbol);
    return;
  }
  std::string bytes;
  utf8_append(bytes, static_cast<uint32_t>(~symbol));
  for (const char byte : bytes) ids.push_back(vocabulary_.byte(static_cast<uint8_t>(byte)));
}

}  // namespace gem
