// From one row of logits to one token. The order is fixed (docs/sampling.md):
//   bias and masks, penalties, top-k, top-p, min-p, temperature, draw.
// Temperature 0 is greedy: the argmax after bias, masks and penalties. Argmax ties go to the lowest
// id.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/result.h"

namespace gem {

struct SamplingOptions {
  float temperature = 1.0f;  // 0 = greedy
  int32_t top_k = 64;        // 0 = off
  float top_p = 0.95f;       // 1 = off
  float min_p = 0.0f;        // 0 = off
  float repetition_penalty =
      1.0f;                       // 1 = off: positive logits are divided by it, negative multiplied
  float presence_penalty = 0.0f;  // subtracted once from ids that occurred
  float frequency_penalty = 0.0f;  // subtracted once per occurrence
  int32_t penalty_window = 64;     // last tokens (prompt and answer) that count; -1 = all, 0 = none
  uint64_t seed = 0;
  std::vector<std::pair<int32_t, float>> logit_bias;  // id, added to its logit

  // Returns kInvalid, naming the option and its range.
  Status validate(int32_t vocabulary) const;
};

class Sampler {
 public:
  // `options` must be valid for `vocabulary`. `masked`: ids that are never sampled, whatever their
  // bias.
  Sampler(SamplingOptions options, int32_t vocabulary, std::span<const int32_t> masked);

  // Draws the token at absolute position `position` from `logits` [vocabulary]. `history` is every
  // token before it, prompt included; the penalties look at its tail. The same arguments give the
  // same token. Returns kDevice if a logit is not finite (NaN, or +infinity; -infinity means
  // masked), kInvalid if nothing is left to sample.
  Result<int32_t> sample(std::span<const float> logits, std::span<const int32_t> history,
                         int64_t position);

  const SamplingOptions& options() const { return options_; }

 private:
  struct Entry {
    int32_t token;
    float logit;
  };

  std::span<const float> edit(std::span<const float> logits, std::span<const int32_t> history);
  void apply_penalties(std::span<const int32_t> tokens);
  Status rank(std::span<const float> row, size_t depth);
  double total_weight(std::span<const float> row, double least, double temperature) const;
  std::optional<int32_t> draw(std::span<const float> row, bool whole, int64_t position) const;

  SamplingOptions options_;
  std::vector<uint8_t> masked_;  // [vocabulary], 1 = never sampled

  // Scratch: nothing in it outlives a call.
  std::vector<float> edited_;    // [vocabulary], logits with bias and penalties
  std::vector<int32_t> counts_;  // [vocabulary], all 0 between calls
  std::vector<Entry> ranked_;    // best first
};

}  // namespace gem
