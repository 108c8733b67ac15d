#include "tokenizer/bpe.h"

#include <algorithm>
#include <functional>
#include <string>

#include "base/utf8.h"

namespace gem {
namespace {

constexpr uint32_t kNone = UINT32_MAX;  // no neighbour

// The part of a window that the next one goes over again, because the cut at its end may have
// changed it.
constexpr size_t kOverlapOf = 16;

}  // namespace

void Bpe::encode(std::string_view text, std::vector<TokenId>& ids) {
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

// The reference's unit is the whole line. Cut where no merge can join the two sides, it gives the
// same ids, and most units are words.
void Bpe::encode_line(std::string_view line, std::vector<TokenId>& ids) {
  uint32_t previous = 0;
  while (!line.empty()) {
    const Utf8Step step = utf8_step(line);
    line.remove_prefix(step.bytes);
    const uint32_t character = step.code_point == ' ' ? kSpaceMark : step.code_point;
    if (!merges_.may_join(previous, character)) finish_unit(ids);
    add(character);
    previous = character;
  }
  finish_unit(ids);
}

void Bpe::add(uint32_t character) {
  const TokenId id = vocabulary_.character(character);
  unit_.push_back(id >= 0 ? id : ~static_cast<int32_t>(character));
}

// Encodes the unit window by window: a million letters without a space would else be one list and
// one queue, far larger than the caches. Why the result is that of the whole unit: take tokens of
// which every two neighbours, encoded by themselves, come out as those two. The first merge of the
// whole unit to cross a border between tokens would be the lowest of all at its time, so also the
// lowest within the two tokens that it touches; these have so far merged as they do by themselves,
// and so would cross there too. Hence none crosses. Neighbours out of one window pass the test by
// the same reasoning. A border between two windows is put to the test; if it fails, the next window
// starts further back and is twice as long, so that the whole costs O(n log n) for any text and,
// but for a logarithm, for any merges.
void Bpe::finish_unit(std::vector<TokenId>& ids) {
  size_t window = window_;
  size_t kept = 0;  // tokens that stay
  size_t begin = 0;
  while (begin < unit_.size()) {
    const size_t end = std::min(unit_.size(), begin + window);
    encode_window(begin, end);
    const bool holds = kept == 0 || border_holds(kept, end);
    if (holds && end == unit_.size()) break;
    if (!holds) window *= 2;
    const size_t last = holds ? end : begin;
    kept = tokens_before(last - std::min(last, window / kOverlapOf));
    begin = kept < tokens_.size() ? tokens_[kept].begin : end;
    tokens_.resize(kept);
  }
  for (const Token& token : tokens_) append(token.id, ids);
  tokens_.clear();
  unit_.clear();
}

// How many tokens begin before that character.
size_t Bpe::tokens_before(size_t character) const {
  const auto at = std::partition_point(tokens_.begin(), tokens_.end(),
                                       [=](const Token& token) { return token.begin < character; });
  return static_cast<size_t>(at - tokens_.begin());
}

// Whether the token at `index` and the one before it, encoded by themselves, come out as they are.
// `end` is where the last token ends.
bool Bpe::border_holds(size_t index, size_t end) {
  const size_t count = tokens_.size();
  const size_t border = tokens_[index].begin;
  encode_window(tokens_[index - 1].begin, index + 1 < count ? tokens_[index + 1].begin : end);
  const bool holds = tokens_.size() == count + 2 && tokens_.back().begin == border;
  tokens_.resize(count);
  return holds;
}

// Appends the tokens of a part of the unit: merges the pair of lowest rank, leftmost first among
// equals, until no pair has one. That order must be kept over the whole part: of the published
// merges, 91,884 come before one that makes their own left or right side, so that lower ranks
// appear as merging goes on.
void Bpe::encode_window(size_t begin, size_t end) {
  symbols_.clear();
  for (size_t i = begin; i < end; ++i) {
    const auto at = static_cast<uint32_t>(i - begin);
    symbols_.push_back({unit_[i], at - 1, at + 1, MergeTable::kNoRank});
  }
  symbols_.front().previous = kNone;
  symbols_.back().next = kNone;

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
  for (uint32_t at = 0; at != kNone; at = symbols_[at].next)
    tokens_.push_back({symbols_[at].id, begin + at});
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
