#include "engine/sampler.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/check.h"
#include "engine/philox.h"

namespace gem {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// Logits are read in blocks of this many, so that one vectorized comparison dismisses most of a
// row.
constexpr size_t kBlock = 64;

// With top-k off, how many of the best are ranked before looking deeper, and how much deeper then.
// Nearly every nucleus of a language model ends within the first thousand.
constexpr size_t kFirstDepth = 1024;
constexpr size_t kDeeper = 16;

// The one order of tokens: by logit, ties to the lower id.
constexpr auto kBetter = [](const auto& a, const auto& b) {
  return a.logit > b.logit || (a.logit == b.logit && a.token < b.token);
};

// False if any logit is above `threshold`, and also if any is NaN. An OR of flags, unlike a
// maximum, vectorizes without reassociating floating-point operations.
bool all_at_most(std::span<const float> block, float threshold) {
  unsigned above = 0;
  for (const float logit : block) above |= static_cast<unsigned>(!(logit <= threshold));
  return above == 0;
}

double weight(float logit, float best, double temperature) {
  return std::exp((double{logit} - double{best}) / temperature);
}

// A NaN is in no range.
Status in_range(const char* option, float value, float low, float high) {
  if (value >= low && value <= high) return {};
  return fail(Code::kInvalid, "{} is {}; it must be from {} to {}", option, value, low, high);
}

}  // namespace

Status SamplingOptions::validate(int32_t vocabulary) const {
  GEM_TRY(in_range("temperature", temperature, 0, 2));
  GEM_TRY(in_range("top_p", top_p, 0, 1));
  GEM_TRY(in_range("min_p", min_p, 0, 1));
  GEM_TRY(in_range("repetition_penalty", repetition_penalty, 0.1f, 10));
  GEM_TRY(in_range("presence_penalty", presence_penalty, -2, 2));
  GEM_TRY(in_range("frequency_penalty", frequency_penalty, -2, 2));
  if (top_k < 0) {
    return fail(Code::kInvalid, "top_k is {}; it must be 0 (off) or more", top_k);
  }
  if (penalty_window < -1) {
    return fail(Code::kInvalid,
                "penalty_window is {}; it must be -1 (all tokens), 0 (none) or a number of tokens",
                penalty_window);
  }
  for (const auto& [token, bias] : logit_bias) {
    if (token < 0 || token >= vocabulary) {
      return fail(Code::kInvalid, "logit_bias names token {}; ids are from 0 to {}", token,
                  vocabulary - 1);
    }
    if (!(bias >= -100 && bias <= 100)) {
      return fail(Code::kInvalid, "logit_bias of token {} is {}; it must be from -100 to 100",
                  token, bias);
    }
  }
  return {};
}

Sampler::Sampler(SamplingOptions options, int32_t vocabulary, std::span<const int32_t> masked)
    : options_(std::move(options)) {
  GEM_CHECK(vocabulary > 0);
  GEM_CHECK(options_.validate(vocabulary).has_value());
  masked_.resize(static_cast<size_t>(vocabulary));
  edited_.resize(masked_.size());
  counts_.resize(masked_.size());
  for (const int32_t token : masked) {
    GEM_CHECK(token >= 0 && token < vocabulary);
    masked_[static_cast<size_t>(token)] = 1;
  }
}

// Every filter keeps a head of the tokens in kBetter's order, so ranking the head is all the
// sorting there is, and greedy is a head of one.
Result<int32_t> Sampler::sample(std::span<const float> logits, std::span<const int32_t> history,
                                int64_t position) {
  GEM_CHECK(logits.size() == masked_.size());
  const std::span<const float> row = edit(logits, history);
  const bool greedy = options_.temperature == 0;
  size_t limit = row.size();
  if (options_.top_k > 0) limit = std::min(limit, static_cast<size_t>(options_.top_k));
  if (greedy) limit = 1;

  for (size_t depth = limit < row.size() ? limit : std::min(kFirstDepth, limit);;
       depth = std::min(depth * kDeeper, limit)) {
    GEM_TRY(rank(row, depth));
    if (ranked_.empty()) {
      return fail(Code::kInvalid,
                  "no token is left to sample at position {}: all are masked; allow at least one",
                  position);
    }
    if (greedy) return ranked_.front().token;
    if (const std::optional<int32_t> token = draw(row, depth == limit, position)) return *token;
  }
}

// The logits with bias and penalties: `logits` itself if there are none, else a copy in edited_.
std::span<const float> Sampler::edit(std::span<const float> logits,
                                     std::span<const int32_t> history) {
  const bool penalties = options_.repetition_penalty != 1 || options_.presence_penalty != 0 ||
                         options_.frequency_penalty != 0;
  const size_t window =
      options_.penalty_window < 0
          ? history.size()
          : std::min(static_cast<size_t>(options_.penalty_window), history.size());
  if (options_.logit_bias.empty() && (!penalties || window == 0)) return logits;

  std::copy(logits.begin(), logits.end(), edited_.begin());
  for (const auto& [token, bias] : options_.logit_bias) edited_[static_cast<size_t>(token)] += bias;
  if (penalties) apply_penalties(history.last(window));
  return edited_;
}

void Sampler::apply_penalties(std::span<const int32_t> tokens) {
  for (const int32_t token : tokens) {
    GEM_CHECK(token >= 0 && static_cast<size_t>(token) < counts_.size());
    ++counts_[static_cast<size_t>(token)];
  }
  for (const int32_t token : tokens) {
    int32_t& count = counts_[static_cast<size_t>(token)];
    if (count == 0) continue;  // an earlier occurrence has settled it
    float& logit = edited_[static_cast<size_t>(token)];
    logit = logit > 0 ? logit / options_.repetition_penalty : logit * options_.repetition_penalty;
    logit -= options_.presence_penalty + options_.frequency_penalty * static_cast<float>(count);
    count = 0;
  }
}

// Leaves the best `depth` tokens of `row` in ranked_, best first; fewer if fewer are allowed. One
// pass: tokens come by ascending id, so one that only equals the depth-th best so far loses its
// tie.
Status Sampler::rank(std::span<const float> row, size_t depth) {
  ranked_.clear();
  float threshold = -kInfinity;
  const auto keep_best = [&] {
    const auto end = ranked_.begin() + static_cast<std::ptrdiff_t>(depth);
    std::nth_element(ranked_.begin(), end - 1, ranked_.end(), kBetter);
    ranked_.erase(end, ranked_.end());
    threshold = ranked_.back().logit;
  };
  for (size_t begin = 0; begin < row.size(); begin += kBlock) {
    const size_t end = std::min(begin + kBlock, row.size());
    if (all_at_most(row.subspan(begin, end - begin), threshold)) continue;
    for (size_t token = begin; token < end; ++token) {
      const float logit = row[token];
      if (logit <= threshold) continue;
      if (!(logit < kInfinity)) {
        return fail(Code::kDevice,
                    "the logit of token {} is {}, not a finite number: the device computed wrongly "
                    "or the model file is damaged",
                    token, logit);
      }
      if (masked_[token] != 0) continue;
      ranked_.push_back({static_cast<int32_t>(token), logit});
      if (ranked_.size() == 2 * depth) keep_best();
    }
  }
  if (ranked_.size() > depth) keep_best();
  std::sort(ranked_.begin(), ranked_.end(), kBetter);
  return {};
}

// The sum of weights of all allowed tokens whose logit is at least `least`.
double Sampler::total_weight(std::span<const float> row, double least, double temperature) const {
  double total = 0;
  for (size_t token = 0; token < row.size(); ++token) {
    if (masked_[token] == 0 && row[token] >= least) {
      total += weight(row[token], ranked_.front().logit, temperature);
    }
  }
  return total;
}

// Top-p, min-p, temperature and the draw itself, among ranked_. `whole`: ranked_ is all that top-k
// left, not just the head of it. Returns nothing if the answer lies beyond the head.
std::optional<int32_t> Sampler::draw(std::span<const float> row, bool whole,
                                     int64_t position) const {
  const float best = ranked_.front().logit;
  const double least = best + std::log(double{options_.min_p});  // -infinity with min-p off
  const double temperature = options_.temperature;
  const auto sum_ranked = [&](size_t count, double at_temperature) {
    double total = 0;
    for (size_t i = 0; i < count; ++i) total += weight(ranked_[i].logit, best, at_temperature);
    return total;
  };

  size_t kept = ranked_.size();
  bool cut = whole;  // whether `kept` is where the filters end, not where the ranking does
  if (options_.top_p < 1) {
    const double total = whole ? sum_ranked(kept, 1) : total_weight(row, -kInfinity, 1);
    const double wanted = double{options_.top_p} * total;
    double mass = 0;
    size_t count = 0;
    do {
      mass += weight(ranked_[count++].logit, best, 1);
    } while (count < kept && mass < wanted);
    if (mass < wanted && !whole) return std::nullopt;
    kept = count;
    cut = true;
  }
  while (ranked_[kept - 1].logit < least) {
    --kept;
    cut = true;
  }

  const double total = cut ? sum_ranked(kept, temperature) : total_weight(row, least, temperature);
  const double wanted = uniform(options_.seed, position, Draw::kToken) * total;
  double mass = 0;
  for (size_t i = 0; i < kept; ++i) {
    mass += weight(ranked_[i].logit, best, temperature);
    if (mass > wanted) return ranked_[i].token;
  }
  GEM_CHECK(!cut);  // the same sum in the same order reaches `total`, and `wanted` is below it
  return std::nullopt;
}

}  // namespace gem
