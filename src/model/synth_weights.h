// Weights of synthetic models, made in their stored form: blocks of random numbers and a scale, not
// rounded floats. Every block is a function of seed, tensor and position, so any part of a file can
// be made by any thread.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "gguf/block.h"
#include "model/manifest.h"
#include "model/profile.h"

namespace gem {

class SynthWeights {
 public:
  // `readable_tokens` has an entry for each row of the token table: rows of other tokens are small,
  // so that they are hardly ever sampled.
  SynthWeights(const Profile& profile, uint64_t seed, std::vector<bool> readable_tokens);

  // Rows `first_row` and on of the tensor, as many as `out` holds. `index` is its place in the
  // file.
  void fill(const TensorSpec& tensor, size_t index, uint64_t first_row,
            std::span<std::byte> out) const;

 private:
  void fill_floats(const TensorSpec& tensor, uint64_t key, std::span<std::byte> out) const;

  const Profile& profile_;
  uint64_t seed_;
  std::vector<bool> readable_tokens_;
};

}  // namespace gem
