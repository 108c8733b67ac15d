#include "engine/philox.h"

namespace gem {
namespace {

// Multipliers and key increments of Philox 4x32: section 4.3 and table 2 of the paper.
constexpr uint32_t kMultiplier0 = 0xd2511f53;
constexpr uint32_t kMultiplier1 = 0xcd9e8d57;
constexpr uint32_t kKeyStep0 = 0x9e3779b9;  // golden ratio
constexpr uint32_t kKeyStep1 = 0xbb67ae85;  // sqrt(3) - 1
constexpr int kRounds = 10;

constexpr uint32_t low(uint64_t value) { return static_cast<uint32_t>(value); }
constexpr uint32_t high(uint64_t value) { return static_cast<uint32_t>(value >> 32); }

}  // namespace

std::array<uint32_t, 4> philox4x32_10(std::array<uint32_t, 4> counter,
                                      std::array<uint32_t, 2> key) {
  for (int round = 0; round < kRounds; ++round) {
    const uint64_t product0 = uint64_t{kMultiplier0} * counter[0];
    const uint64_t product1 = uint64_t{kMultiplier1} * counter[2];
    counter = {high(product1) ^ counter[1] ^ key[0], low(product1),
               high(product0) ^ counter[3] ^ key[1], low(product0)};
    key[0] += kKeyStep0;
    key[1] += kKeyStep1;
  }
  return counter;
}

double uniform(uint64_t seed, int64_t position, Draw purpose) {
  const auto place = static_cast<uint64_t>(position);
  const std::array<uint32_t, 4> words = philox4x32_10(
      {low(place), high(place), static_cast<uint32_t>(purpose), 0}, {low(seed), high(seed)});
  const uint64_t bits = uint64_t{words[0]} << 32 | words[1];
  return static_cast<double>(bits >> 11) * 0x1p-53;
}

}  // namespace gem
