// Philox 4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011): a
// counter-based generator, so a draw depends on seed, position and purpose alone and there is no
// state to rewind.
#pragma once
#include <array>
#include <cstdint>

namespace gem {

std::array<uint32_t, 4> philox4x32_10(std::array<uint32_t, 4> counter, std::array<uint32_t, 2> key);

// What a random number is for: two purposes at one position never share numbers.
enum class Draw : uint32_t {
  kToken = 0,
};

// Uniform in [0, 1), 53 bits.
double uniform(uint64_t seed, int64_t position, Draw purpose);

}  // namespace gem
