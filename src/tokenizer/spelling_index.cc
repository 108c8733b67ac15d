#include "tokenizer/spelling_index.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/check.h"

namespace gem {
namespace {

uint64_t mix(uint64_t x) {
  x *= 0x9E3779B97F4A7C15u;  // 2^64 / golden ratio: odd, with no pattern in its bits
  return x ^ (x >> 32);
}

// Entries are 1 to 93 bytes, 6 on average: most take one or two rounds.
uint64_t hash_bytes(std::string_view bytes) {
  uint64_t hash = mix(bytes.size());
  while (bytes.size() > sizeof(uint64_t)) {
    uint64_t word;
    std::memcpy(&word, bytes.data(), sizeof word);
    hash = mix(hash ^ word);
    bytes.remove_prefix(sizeof word);
  }
  uint64_t tail = 0;
  std::memcpy(&tail, bytes.data(), bytes.size());
  return mix(hash ^ tail);
}

}  // namespace

SpellingIndex::SpellingIndex(size_t capacity)
    : slots_(std::bit_ceil(std::max<size_t>(2 * capacity, 2))),
      shift_(64 - std::countr_zero(slots_.size())) {
  spellings_.reserve(capacity);
}

size_t SpellingIndex::locate(std::string_view spelling, uint64_t hash) const {
  const auto fingerprint = static_cast<uint32_t>(hash);
  size_t at = hash >> shift_;
  while (slots_[at].id >= 0 &&
         (slots_[at].fingerprint != fingerprint || (*this)[slots_[at].id] != spelling))
    at = (at + 1) & (slots_.size() - 1);
  return at;
}

TokenId SpellingIndex::add(std::string_view spelling) {
  const uint64_t hash = hash_bytes(spelling);
  Slot& slot = slots_[locate(spelling, hash)];
  if (slot.id >= 0) return slot.id;
  GEM_CHECK(2 * (spellings_.size() + 1) <= slots_.size());
  slot = {size(), static_cast<uint32_t>(hash)};
  spellings_.push_back(spelling);
  return slot.id;
}

TokenId SpellingIndex::find(std::string_view spelling) const {
  return slots_[locate(spelling, hash_bytes(spelling))].id;
}

}  // namespace gem
