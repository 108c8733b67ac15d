#include "tokenizer/spelling_index.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/check.h"

namespace gem {
namespace {

constexpr size_t kWordBytes = sizeof(uint64_t);

uint64_t mix(uint64_t x) {
  x *= 0x9E3779B97F4A7C15u;  // 2^64 / golden ratio: odd, with no pattern in its bits
  return x ^ (x >> 32);
}

// At most eight bytes, zeros behind them.
uint64_t word_of(std::string_view bytes) {
  uint64_t word = 0;
  std::memcpy(&word, bytes.data(), bytes.size());
  return word;
}

uint64_t key_of(std::string_view spelling) {
  if (spelling.size() <= kWordBytes) return word_of(spelling);
  uint64_t hash = 0;
  for (; spelling.size() > kWordBytes; spelling.remove_prefix(kWordBytes))
    hash = mix(hash ^ word_of(spelling.substr(0, kWordBytes)));
  return mix(hash ^ word_of(spelling));
}

}  // namespace

SpellingIndex::SpellingIndex(size_t capacity)
    : slots_(std::bit_ceil(std::max<size_t>(2 * capacity, 2))),
      shift_(64 - std::countr_zero(slots_.size())) {
  spellings_.reserve(capacity);
}

size_t SpellingIndex::home_of(uint64_t key) const { return mix(key) >> shift_; }

// The slot that holds `spelling`, or the empty one where it belongs.
size_t SpellingIndex::locate(std::string_view spelling, uint64_t key) const {
  size_t at = home_of(key);
  for (;; at = (at + 1) & (slots_.size() - 1)) {
    const Slot& slot = slots_[at];
    if (slot.id < 0) return at;
    if (slot.key != key || slot.length != spelling.size()) continue;
    if (spelling.size() <= kWordBytes || (*this)[slot.id] == spelling) return at;
  }
}

TokenId SpellingIndex::add(std::string_view spelling) {
  const uint64_t key = key_of(spelling);
  Slot& slot = slots_[locate(spelling, key)];
  if (slot.id >= 0) return slot.id;
  GEM_CHECK(2 * (spellings_.size() + 1) <= slots_.size());
  slot = {key, static_cast<uint32_t>(spelling.size()), size()};
  spellings_.push_back(spelling);
  return slot.id;
}

void SpellingIndex::prefetch(std::string_view spelling) const {
  __builtin_prefetch(&slots_[home_of(key_of(spelling))]);
}

TokenId SpellingIndex::find(std::string_view spelling) const {
  return slots_[locate(spelling, key_of(spelling))].id;
}

}  // namespace gem
