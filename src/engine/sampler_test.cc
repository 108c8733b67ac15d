#include "engine/sampler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <set>
#include <string>

#include "engine/philox.h"

namespace gem {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

// Every filter off: draws follow the softmax.
SamplingOptions plain() {
  SamplingOptions options;
  options.top_k = 0;
  options.top_p = 1;
  return options;
}

SamplingOptions greedy() {
  SamplingOptions options;
  options.temperature = 0;
  return options;
}

std::vector<float> logits_of(const std::vector<double>& probabilities) {
  std::vector<float> logits;
  for (const double p : probabilities) logits.push_back(static_cast<float>(std::log(p)));
  return logits;
}

Sampler sampler_for(const SamplingOptions& options, const std::vector<float>& logits,
                    const std::vector<int32_t>& masked = {}) {
  return Sampler(options, static_cast<int32_t>(logits.size()), masked);
}

int32_t sample_one(const SamplingOptions& options, const std::vector<float>& logits,
                   const std::vector<int32_t>& history = {},
                   const std::vector<int32_t>& masked = {}) {
  const Result<int32_t> token = sampler_for(options, logits, masked).sample(logits, history, 0);
  EXPECT_TRUE(token.has_value()) << token.error().text();
  return token.value_or(-1);
}

Error sample_error(const SamplingOptions& options, const std::vector<float>& logits,
                   const std::vector<int32_t>& masked = {}) {
  const Result<int32_t> token = sampler_for(options, logits, masked).sample(logits, {}, 0);
  EXPECT_FALSE(token.has_value()) << "token " << *token;
  return token ? Error(Code::kBusy, "no error") : token.error();
}

// How often each id comes up at positions 0 to draws - 1.
std::vector<int> draw_counts(const SamplingOptions& options, const std::vector<float>& logits,
                             int draws, const std::vector<int32_t>& history = {}) {
  Sampler sampler = sampler_for(options, logits);
  std::vector<int> counts(logits.size());
  for (int position = 0; position < draws; ++position) {
    const Result<int32_t> token = sampler.sample(logits, history, position);
    EXPECT_TRUE(token.has_value()) << token.error().text();
    if (token) ++counts.at(static_cast<size_t>(*token));
  }
  return counts;
}

// The ids that can come up. 3,000 draws miss an id of probability 0.01 once in 10^13 times.
std::set<int32_t> support(const SamplingOptions& options, const std::vector<float>& logits) {
  const std::vector<int> counts = draw_counts(options, logits, 3000);
  std::set<int32_t> ids;
  for (size_t id = 0; id < counts.size(); ++id) {
    if (counts[id] > 0) ids.insert(static_cast<int32_t>(id));
  }
  return ids;
}

double chi_square(const std::vector<int>& counts, const std::vector<double>& probabilities) {
  double draws = 0;
  for (const int count : counts) draws += count;
  double sum = 0;
  for (size_t i = 0; i < counts.size(); ++i) {
    const double expected = draws * probabilities[i];
    if (expected == 0) {
      EXPECT_EQ(counts[i], 0) << "id " << i << " has no probability";
    } else {
      sum += (counts[i] - expected) * (counts[i] - expected) / expected;
    }
  }
  return sum;
}

using Ids = std::set<int32_t>;

// ---- greedy ----

TEST(SamplerGreedy, TakesTheLargestLogit) {
  EXPECT_EQ(sample_one(greedy(), {-3, 2, 7, 6.5f}), 2);
  EXPECT_EQ(sample_one(greedy(), {-3, -2, -7, -6.5f}), 1);
  EXPECT_EQ(sample_one(greedy(), {4}), 0);
}

TEST(SamplerGreedy, TieGoesToTheLowestId) {
  EXPECT_EQ(sample_one(greedy(), {1, 7, 7, 7}), 1);
  EXPECT_EQ(sample_one(greedy(), {0.0f, -0.0f}), 0);
  EXPECT_EQ(sample_one(greedy(), {-0.0f, 0.0f}), 0);
  std::vector<float> wide(1000, 3.0f);
  EXPECT_EQ(sample_one(greedy(), wide), 0);
  wide[998] = wide[999] = 4.0f;
  EXPECT_EQ(sample_one(greedy(), wide), 998);
}

TEST(SamplerGreedy, FindsTheBestWhereverItStands) {
  for (size_t place = 0; place < 200; ++place) {
    std::vector<float> logits(200, -1.0f);
    logits[place] = 1.0f;
    EXPECT_EQ(sample_one(greedy(), logits), static_cast<int32_t>(place));
  }
}

TEST(SamplerGreedy, LooksAfterBiasMasksAndPenalties) {
  SamplingOptions options = greedy();
  options.logit_bias = {{0, 2.0f}};
  EXPECT_EQ(sample_one(options, {1, 2, 2.5f}), 0);
  EXPECT_EQ(sample_one(options, {1, 2, 2.5f}, {}, {0}), 2);
  options.presence_penalty = 1;
  EXPECT_EQ(sample_one(options, {1, 2, 2.5f}, {0}), 2);
}

TEST(SamplerGreedy, IgnoresTheFiltersOfSampling) {
  SamplingOptions options = greedy();
  options.top_k = 3;
  options.top_p = 0;
  options.min_p = 1;
  EXPECT_EQ(sample_one(options, {1, 2, 3, 2}), 2);
}

// ---- each filter alone ----

TEST(SamplerTopK, KeepsTheBestKAndOffKeepsAll) {
  const std::vector<float> logits = logits_of({0.1, 0.4, 0.2, 0.3});
  SamplingOptions options = plain();
  EXPECT_EQ(support(options, logits), (Ids{0, 1, 2, 3}));
  options.top_k = 1;
  EXPECT_EQ(support(options, logits), (Ids{1}));
  options.top_k = 2;
  EXPECT_EQ(support(options, logits), (Ids{1, 3}));
  options.top_k = 3;
  EXPECT_EQ(support(options, logits), (Ids{1, 2, 3}));
  options.top_k = std::numeric_limits<int32_t>::max();
  EXPECT_EQ(support(options, logits), (Ids{0, 1, 2, 3}));
}

TEST(SamplerTopK, TieAtTheBoundaryGoesToTheLowestIds) {
  SamplingOptions options = plain();
  options.top_k = 3;
  EXPECT_EQ(support(options, {1, 2, 1, 1, 1}), (Ids{0, 1, 2}));
  EXPECT_EQ(support(options, {1, 1, 1, 1, 2}), (Ids{0, 1, 4}));
  EXPECT_EQ(support(options, std::vector<float>(300, 5.0f)), (Ids{0, 1, 2}));
}

TEST(SamplerTopP, KeepsTheSmallestSetThatReachesP) {
  const std::vector<float> logits = logits_of({0.1, 0.4, 0.2, 0.3});
  SamplingOptions options = plain();
  options.top_p = 0.39f;
  EXPECT_EQ(support(options, logits), (Ids{1}));
  options.top_p = 0.41f;
  EXPECT_EQ(support(options, logits), (Ids{1, 3}));
  options.top_p = 0.69f;
  EXPECT_EQ(support(options, logits), (Ids{1, 3}));
  options.top_p = 0.71f;
  EXPECT_EQ(support(options, logits), (Ids{1, 2, 3}));
  options.top_p = 0.91f;
  EXPECT_EQ(support(options, logits), (Ids{0, 1, 2, 3}));
}

TEST(SamplerTopP, KeepsAtLeastOne) {
  SamplingOptions options = plain();
  options.top_p = 0;
  EXPECT_EQ(support(options, logits_of({0.3, 0.4, 0.3})), (Ids{1}));
}

// Four equal tokens make the sums exact: two of them reach 0.5, and no third is needed.
TEST(SamplerTopP, ReachingPExactlyIsEnoughAndTiesGoToTheLowestIds) {
  SamplingOptions options = plain();
  options.top_p = 0.5f;
  EXPECT_EQ(support(options, {2, 2, 2, 2}), (Ids{0, 1}));
  options.top_p = 0.75f;
  EXPECT_EQ(support(options, {2, 2, 2, 2}), (Ids{0, 1, 2}));
  options.top_p = std::nextafter(0.5f, 1.0f);
  EXPECT_EQ(support(options, {2, 2, 2, 2}), (Ids{0, 1, 2}));
}

TEST(SamplerMinP, IsRelativeToTheBest) {
  const std::vector<float> logits = logits_of({0.1, 0.4, 0.2, 0.3});
  SamplingOptions options = plain();
  options.min_p = 0.24f;  // 0.096
  EXPECT_EQ(support(options, logits), (Ids{0, 1, 2, 3}));
  options.min_p = 0.26f;  // 0.104
  EXPECT_EQ(support(options, logits), (Ids{1, 2, 3}));
  options.min_p = 0.51f;  // 0.204
  EXPECT_EQ(support(options, logits), (Ids{1, 3}));
  options.min_p = 0.76f;  // 0.304
  EXPECT_EQ(support(options, logits), (Ids{1}));
}

TEST(SamplerMinP, OfOneKeepsAllThatTieWithTheBest) {
  SamplingOptions options = plain();
  options.min_p = 1;
  EXPECT_EQ(support(options, {1, 3, 2, 3}), (Ids{1, 3}));
}

// ---- the order of the filters ----

// 0.4 and 0.3 left by top-k are 0.57 and 0.43 of it: the first alone reaches 0.5, of the whole it
// does not.
TEST(SamplerOrder, TopPIsMeasuredOnWhatTopKLeft) {
  const std::vector<float> logits = logits_of({0.4, 0.3, 0.2, 0.1});
  SamplingOptions options = plain();
  options.top_p = 0.5f;
  EXPECT_EQ(support(options, logits), (Ids{0, 1}));
  options.top_k = 2;
  EXPECT_EQ(support(options, logits), (Ids{0}));
}

// At temperature 2 the first two would have 0.61 and a third would be needed; at 0.5 the first,
// 0.53, would do for p = 0.5.
TEST(SamplerOrder, TopPLooksAtTemperatureOne) {
  const std::vector<float> logits = logits_of({0.4, 0.3, 0.2, 0.1});
  SamplingOptions options = plain();
  options.top_p = 0.65f;
  options.temperature = 2;
  EXPECT_EQ(support(options, logits), (Ids{0, 1}));
  options.top_p = 0.5f;
  options.temperature = 0.5f;
  EXPECT_EQ(support(options, logits), (Ids{0, 1}));
}

// At temperature 2 the last would be 0.5 of the best instead of 0.25.
TEST(SamplerOrder, MinPLooksAtTemperatureOne) {
  SamplingOptions options = plain();
  options.min_p = 0.3f;
  options.temperature = 2;
  EXPECT_EQ(support(options, logits_of({0.4, 0.3, 0.2, 0.1})), (Ids{0, 1, 2}));
}

TEST(SamplerOrder, PenaltiesComeAfterBias) {
  SamplingOptions options = greedy();
  options.logit_bias = {{0, 2.0f}};
  options.repetition_penalty = 2;
  // (1 + 2) / 2 = 1.5, not 1 / 2 + 2 = 2.5.
  EXPECT_EQ(sample_one(options, {1, 2}, {0}), 1);
  EXPECT_EQ(sample_one(options, {1, 1.4f}, {0}), 0);
}

// ---- the distribution ----

TEST(SamplerDraws, FollowTheSoftmax) {
  const std::vector<double> probabilities = {0.05, 0.25, 0.1, 0.3, 0.02, 0.08, 0.18, 0.02};
  for (const uint64_t seed : {uint64_t{0}, uint64_t{1}, uint64_t{0x9e3779b97f4a7c15}}) {
    SamplingOptions options = plain();
    options.seed = seed;
    EXPECT_LT(chi_square(draw_counts(options, logits_of(probabilities), 20000), probabilities),
              24.3)
        << "seed " << seed;  // 7 degrees of freedom, one in a thousand
  }
}

// Weights at temperature 0.5 are squares, at 2 square roots.
TEST(SamplerDraws, FollowTheTemperature) {
  const std::vector<float> logits = logits_of({0.4, 0.3, 0.2, 0.1});
  SamplingOptions options = plain();
  options.temperature = 0.5f;
  EXPECT_LT(chi_square(draw_counts(options, logits, 20000),
                       {0.16 / 0.3, 0.09 / 0.3, 0.04 / 0.3, 0.01 / 0.3}),
            16.3);  // 3 degrees of freedom, one in a thousand
  options.temperature = 2;
  const double sum = std::sqrt(0.4) + std::sqrt(0.3) + std::sqrt(0.2) + std::sqrt(0.1);
  EXPECT_LT(
      chi_square(draw_counts(options, logits, 20000), {std::sqrt(0.4) / sum, std::sqrt(0.3) / sum,
                                                       std::sqrt(0.2) / sum, std::sqrt(0.1) / sum}),
      16.3);
}

// top-k leaves 0.4 0.3 0.2, top-p of 0.7 two of them, and temperature 0.5 squares these.
TEST(SamplerDraws, FollowAllFiltersTogether) {
  SamplingOptions options = plain();
  options.top_k = 3;
  options.top_p = 0.7f;
  options.min_p = 0.1f;
  options.temperature = 0.5f;
  EXPECT_LT(chi_square(draw_counts(options, logits_of({0.1, 0.4, 0.2, 0.3}), 20000),
                       {0, 0.16 / 0.25, 0, 0.09 / 0.25}),
            10.9);  // 1 degree of freedom, one in a thousand
}

TEST(SamplerDraws, OfNeighbouringPositionsAreIndependent) {
  const std::vector<double> probabilities = {0.4, 0.3, 0.2, 0.1};
  const std::vector<float> logits = logits_of(probabilities);
  Sampler sampler = sampler_for(plain(), logits);
  std::vector<int> counts(16);
  int32_t previous = *sampler.sample(logits, {}, 0);
  for (int position = 1; position <= 20000; ++position) {
    const int32_t token = *sampler.sample(logits, {}, position);
    ++counts[static_cast<size_t>(previous * 4 + token)];
    previous = token;
  }
  std::vector<double> joint;
  for (const double a : probabilities) {
    for (const double b : probabilities) joint.push_back(a * b);
  }
  EXPECT_LT(chi_square(counts, joint), 37.7);  // 15 degrees of freedom, one in a thousand
}

// A very low temperature makes all weights but the best's vanish; the best must still be found.
TEST(SamplerDraws, NearZeroTemperatureDrawTheBest) {
  SamplingOptions options = plain();
  options.temperature = std::numeric_limits<float>::denorm_min();
  EXPECT_EQ(support(options, {1, 1.5f, 1.25f}), (Ids{1}));
}

// What sample() promises, written down plainly: sort everything, filter, walk the distribution.
int32_t sample_plainly(const SamplingOptions& options, std::vector<float> logits,
                       const std::vector<int32_t>& masked, int64_t position) {
  for (const auto& [token, bias] : options.logit_bias) logits[static_cast<size_t>(token)] += bias;
  for (const int32_t token : masked) logits[static_cast<size_t>(token)] = -kInfinity;
  std::vector<int32_t> ids;
  for (size_t id = 0; id < logits.size(); ++id) {
    if (logits[id] > -kInfinity) ids.push_back(static_cast<int32_t>(id));
  }
  const auto logit = [&](int32_t id) { return double{logits[static_cast<size_t>(id)]}; };
  std::sort(ids.begin(), ids.end(), [&](int32_t a, int32_t b) {
    return logit(a) != logit(b) ? logit(a) > logit(b) : a < b;
  });
  if (options.temperature == 0) return ids[0];
  const auto mass = [&](size_t count, double temperature) {
    double sum = 0;
    for (size_t i = 0; i < count; ++i)
      sum += std::exp((logit(ids[i]) - logit(ids[0])) / temperature);
    return sum;
  };
  if (options.top_k > 0) ids.resize(std::min(ids.size(), static_cast<size_t>(options.top_k)));
  if (options.top_p < 1) {
    const double wanted = double{options.top_p} * mass(ids.size(), 1);
    size_t count = 1;
    double sum = 1;
    while (sum < wanted) sum += std::exp(logit(ids[count++]) - logit(ids[0]));
    ids.resize(count);
  }
  while (logit(ids.back()) < logit(ids[0]) + std::log(double{options.min_p})) ids.pop_back();
  const double wanted =
      uniform(options.seed, position, Draw::kToken) * mass(ids.size(), options.temperature);
  size_t count = 0;
  double sum = 0;
  do {
    sum += std::exp((logit(ids[count++]) - logit(ids[0])) / double{options.temperature});
  } while (sum <= wanted);
  return ids[count - 1];
}

// Rows with many ties, flat and peaked, longer than any partial ranking: the shortcuts must not
// show.
TEST(SamplerDraws, AgreeWithThePlainDefinition) {
  std::mt19937 random(7);
  constexpr int32_t kVocabulary = 20000;
  std::vector<int32_t> masked;
  for (int32_t id = 1; id < kVocabulary; id += 3) masked.push_back(id);
  for (const double spread : {0.0, 0.5, 3.0}) {
    std::vector<float> logits(kVocabulary);
    for (float& logit : logits) {
      const double value = spread * (static_cast<double>(random()) / 4294967296.0 - 0.5) * 8;
      logit = static_cast<float>(std::round(value * 64) / 64);
    }
    logits[777] = -kInfinity;
    for (const int32_t top_k : {0, 1, 64, 3000, kVocabulary}) {
      for (const float top_p : {0.1f, 0.95f, 1.0f}) {
        for (const float min_p : {0.0f, 0.2f}) {
          SamplingOptions options;
          options.top_k = top_k;
          options.top_p = top_p;
          options.min_p = min_p;
          options.temperature = 0.7f;
          options.seed = 3;
          options.logit_bias = {{4, 2.0f}, {300, 1.0f}};  // 4 is masked
          Sampler sampler = sampler_for(options, logits, masked);
          for (int64_t position = 0; position < 3; ++position) {
            const Result<int32_t> token = sampler.sample(logits, {}, position);
            ASSERT_TRUE(token.has_value()) << token.error().text();
            EXPECT_EQ(*token, sample_plainly(options, logits, masked, position))
                << "spread " << spread << " top_k " << top_k << " top_p " << top_p << " min_p "
                << min_p << " position " << position;
          }
        }
      }
    }
  }
}

// ---- no hidden state ----

TEST(Sampler, SameArgumentsGiveTheSameTokenInAnyOrderOfCalls) {
  std::mt19937 random(11);
  std::vector<float> logits(3000);
  for (float& logit : logits) logit = static_cast<float>(random() % 1000) / 250.0f;
  std::vector<int32_t> history;
  for (int i = 0; i < 100; ++i) history.push_back(static_cast<int32_t>(random() % 3000));
  SamplingOptions options;
  options.seed = 5;
  options.repetition_penalty = 1.3f;
  options.frequency_penalty = 0.5f;
  options.logit_bias = {{7, 3.0f}};

  constexpr int64_t kPositions = 50;
  Sampler sampler = sampler_for(options, logits);
  std::map<int64_t, int32_t> forward;
  for (int64_t position = 0; position < kPositions; ++position) {
    forward[position] = *sampler.sample(logits, history, position);
  }
  const std::vector<float> other(3000, 1.0f);
  for (int64_t position = kPositions - 1; position >= 0; --position) {
    ASSERT_TRUE(sampler.sample(other, std::vector<int32_t>{1, 2, 2}, position).has_value());
    EXPECT_EQ(*sampler.sample(logits, history, position), forward[position]);
    EXPECT_EQ(*sampler_for(options, logits).sample(logits, history, position), forward[position]);
  }
  EXPECT_GT(std::set<int32_t>({forward[0], forward[1], forward[2], forward[3], forward[4]}).size(),
            1u);
}

TEST(Sampler, AnErrorLeavesNoTrace) {
  const std::vector<float> logits = {1, 2, 3, 4};
  SamplingOptions options = greedy();
  options.presence_penalty = 1.5f;
  Sampler sampler = sampler_for(options, logits);
  ASSERT_FALSE(
      sampler.sample(std::vector<float>{1, kNan, 3, 4}, std::vector<int32_t>{3}, 0).has_value());
  EXPECT_EQ(*sampler.sample(logits, {}, 0), 3);
}

TEST(Sampler, SeedsGiveDifferentSequences) {
  const std::vector<float> logits(100, 0.0f);
  std::set<std::vector<int32_t>> sequences;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    SamplingOptions options = plain();
    options.seed = seed;
    Sampler sampler = sampler_for(options, logits);
    std::vector<int32_t> sequence;
    for (int64_t position = 0; position < 8; ++position) {
      sequence.push_back(*sampler.sample(logits, {}, position));
    }
    sequences.insert(sequence);
  }
  EXPECT_EQ(sequences.size(), 20u);
}

// ---- bias and masks ----

TEST(SamplerBias, AddsToTheLogit) {
  SamplingOptions options = plain();
  options.logit_bias = {{1, static_cast<float>(std::log(3.0))}};
  EXPECT_LT(chi_square(draw_counts(options, {0, 0, 0}, 20000), {0.2, 0.6, 0.2}),
            13.8);  // 2 degrees of freedom, one in a thousand
}

TEST(SamplerBias, OfOneIdGivenTwiceAddsUp) {
  SamplingOptions options = greedy();
  options.logit_bias = {{1, 2.0f}, {1, 2.0f}};
  EXPECT_EQ(sample_one(options, {3, 0}), 1);
}

TEST(SamplerMask, BeatsEveryBias) {
  SamplingOptions options = greedy();
  options.logit_bias = {{1, 100.0f}};
  EXPECT_EQ(sample_one(options, {0, 9, 1}), 1);
  EXPECT_EQ(sample_one(options, {0, 9, 1}, {}, {1}), 2);
  options = plain();
  options.logit_bias = {{1, 100.0f}, {2, 100.0f}};
  // Minus infinity is a mask that the device sets.
  EXPECT_EQ(sample_one(options, {0, 9, -kInfinity}, {}, {1}), 0);
}

TEST(SamplerMask, TakesNoPlaceInTopKAndNoShareOfTopP) {
  const std::vector<float> logits = {9, 3, 2, 1};
  SamplingOptions options = plain();
  options.top_k = 2;
  Ids seen;
  Sampler by_count = sampler_for(options, logits, {0});
  for (int64_t position = 0; position < 200; ++position) {
    seen.insert(*by_count.sample(logits, {}, position));
  }
  EXPECT_EQ(seen, (Ids{1, 2}));

  options = plain();
  options.top_p = 0.7f;  // of the three allowed, 0.67 + 0.24
  seen.clear();
  Sampler by_mass = sampler_for(options, logits, {0});
  for (int64_t position = 0; position < 200; ++position) {
    seen.insert(*by_mass.sample(logits, {}, position));
  }
  EXPECT_EQ(seen, (Ids{1, 2}));
}

// ---- penalties ----

TEST(SamplerPenalties, RepetitionDividesPositiveAndMultipliesNegativeOnce) {
  SamplingOptions options = greedy();
  options.repetition_penalty = 2;
  EXPECT_EQ(sample_one(options, {4, 2.1f}, {0, 0, 0}), 1);
  EXPECT_EQ(sample_one(options, {4, 1.9f}, {0, 0, 0}), 0);
  EXPECT_EQ(sample_one(options, {-1, -1.9f}, {0, 0, 0}), 1);
  EXPECT_EQ(sample_one(options, {-1, -2.1f}, {0, 0, 0}), 0);
  options.repetition_penalty = 0.5f;
  EXPECT_EQ(sample_one(options, {4, 7.9f}, {0}), 0);
}

TEST(SamplerPenalties, PresenceCountsOnceAndFrequencyEachTime) {
  SamplingOptions options = greedy();
  options.presence_penalty = 1;
  EXPECT_EQ(sample_one(options, {4, 2.9f}, {0, 0, 0}), 0);
  EXPECT_EQ(sample_one(options, {4, 3.1f}, {0, 0, 0}), 1);
  options.presence_penalty = 0;
  options.frequency_penalty = 1;
  EXPECT_EQ(sample_one(options, {4, 0.9f}, {0, 0, 0}), 0);
  EXPECT_EQ(sample_one(options, {4, 1.1f}, {0, 0, 0}), 1);
  options.frequency_penalty = -1;
  EXPECT_EQ(sample_one(options, {4, 6.9f}, {0, 0, 0}), 0);
}

// 6 / 2 - (0.5 + 0.25 * 2) = 2.
TEST(SamplerPenalties, RepetitionComesFirst) {
  SamplingOptions options = greedy();
  options.repetition_penalty = 2;
  options.presence_penalty = 0.5f;
  options.frequency_penalty = 0.25f;
  EXPECT_EQ(sample_one(options, {6, 1.99f}, {0, 0}), 0);
  EXPECT_EQ(sample_one(options, {6, 2.01f}, {0, 0}), 1);
}

TEST(SamplerPenalties, SeeTheLastTokensOfTheWindowOnly) {
  SamplingOptions options = greedy();
  options.frequency_penalty = 1;
  const std::vector<float> logits = {4, 2.5f, 0, 0};
  const std::vector<int32_t> history = {0, 0, 3, 3};
  options.penalty_window = 2;
  EXPECT_EQ(sample_one(options, logits, history), 0);
  options.penalty_window = 3;
  EXPECT_EQ(sample_one(options, logits, history), 0);
  options.penalty_window = 4;
  EXPECT_EQ(sample_one(options, logits, history), 1);
  options.penalty_window = 5;
  EXPECT_EQ(sample_one(options, logits, history), 1);
  options.penalty_window = -1;
  EXPECT_EQ(sample_one(options, logits, history), 1);
  options.penalty_window = 0;
  EXPECT_EQ(sample_one(options, logits, history), 0);
}

TEST(SamplerPenalties, DefaultWindowIs64) {
  SamplingOptions options = greedy();
  options.presence_penalty = 1;
  std::vector<int32_t> history(64, 2);
  history[0] = 0;
  EXPECT_EQ(sample_one(options, {4, 3.5f, 0}, history), 1);
  history.push_back(2);
  EXPECT_EQ(sample_one(options, {4, 3.5f, 0}, history), 0);
}

TEST(SamplerPenalties, NeverUnmask) {
  SamplingOptions options = greedy();
  options.repetition_penalty = 0.5f;
  options.frequency_penalty = -2;
  EXPECT_EQ(sample_one(options, {-kInfinity, 1, 9}, {0, 0, 2}, {2}), 1);
}

// ---- bad logits ----

TEST(SamplerErrors, NamesALogitThatIsNotFinite) {
  for (const SamplingOptions& options : {greedy(), plain(), SamplingOptions()}) {
    for (const float bad : {kNan, -kNan, kInfinity}) {
      for (const size_t place : {size_t{0}, size_t{63}, size_t{64}, size_t{199}}) {
        std::vector<float> logits(200, 1.0f);
        logits[place] = bad;
        const Error error = sample_error(options, logits);
        EXPECT_EQ(error.code(), Code::kDevice);
        EXPECT_NE(error.text().find("token " + std::to_string(place) + " is "), std::string::npos)
            << error.text();
      }
    }
  }
}

TEST(SamplerErrors, FindsABadLogitBehindMasksAndEdits) {
  SamplingOptions options = greedy();
  options.logit_bias = {{1, -100.0f}};
  options.presence_penalty = 2;
  EXPECT_EQ(sample_error(options, {1, kInfinity, 3}).code(), Code::kDevice);
  EXPECT_EQ(sample_error(options, {1, kNan, 3}, {1}).code(), Code::kDevice);
}

TEST(SamplerErrors, SaysThatNothingIsLeft) {
  for (const SamplingOptions& options : {greedy(), plain(), SamplingOptions()}) {
    EXPECT_EQ(sample_error(options, {-kInfinity, -kInfinity}).code(), Code::kInvalid);
    EXPECT_EQ(sample_error(options, {1, 2}, {0, 1}).code(), Code::kInvalid);
    EXPECT_EQ(sample_error(options, {1, -kInfinity}, {0}).code(), Code::kInvalid);
  }
}

TEST(SamplerErrors, ExtremeFiniteLogitsAreFine) {
  constexpr float kMost = std::numeric_limits<float>::max();
  EXPECT_EQ(sample_one(plain(), {-kMost, kMost, 0}), 1);
  EXPECT_EQ(sample_one(SamplingOptions(), {-kMost, -kMost, -1}), 2);
}

// ---- validate ----

constexpr int32_t kVocabulary = 100;

std::string invalid_text(const SamplingOptions& options) {
  const Status status = options.validate(kVocabulary);
  if (status) return "valid";
  EXPECT_EQ(status.error().code(), Code::kInvalid);
  return status.error().text();
}

TEST(SamplingOptions, DefaultsAreValid) { EXPECT_EQ(invalid_text(SamplingOptions()), "valid"); }

TEST(SamplingOptions, EveryNumberHasARangeAndTheErrorNamesBoth) {
  struct Case {
    const char* name;
    float SamplingOptions::* field;
    float low, high;
    const char* range;
  };
  const Case cases[] = {
      {"temperature", &SamplingOptions::temperature, 0, 2, "from 0 to 2"},
      {"top_p", &SamplingOptions::top_p, 0, 1, "from 0 to 1"},
      {"min_p", &SamplingOptions::min_p, 0, 1, "from 0 to 1"},
      {"repetition_penalty", &SamplingOptions::repetition_penalty, 0.1f, 10, "from 0.1 to 10"},
      {"presence_penalty", &SamplingOptions::presence_penalty, -2, 2, "from -2 to 2"},
      {"frequency_penalty", &SamplingOptions::frequency_penalty, -2, 2, "from -2 to 2"},
  };
  for (const Case& c : cases) {
    SamplingOptions options;
    for (const float good : {c.low, c.high}) {
      options.*c.field = good;
      EXPECT_EQ(invalid_text(options), "valid") << c.name;
    }
    for (const float bad : {std::nextafter(c.low, -kInfinity), std::nextafter(c.high, kInfinity),
                            kNan, kInfinity, -kInfinity}) {
      options.*c.field = bad;
      const std::string text = invalid_text(options);
      EXPECT_EQ(text.find(std::string(c.name) + " is "), 0u) << text;
      EXPECT_NE(text.find(c.range), std::string::npos) << text;
    }
  }
}

TEST(SamplingOptions, CountsHaveALowerEnd) {
  SamplingOptions options;
  options.top_k = -1;
  EXPECT_EQ(invalid_text(options), "top_k is -1; it must be 0 (off) or more");
  options = {};
  options.penalty_window = -1;
  EXPECT_EQ(invalid_text(options), "valid");
  options.penalty_window = -2;
  EXPECT_EQ(invalid_text(options),
            "penalty_window is -2; it must be -1 (all tokens), 0 (none) or a number of tokens");
}

TEST(SamplingOptions, BiasNamesIdsOfTheVocabularyAndIsBounded) {
  SamplingOptions options;
  options.logit_bias = {{0, -100.0f}, {kVocabulary - 1, 100.0f}};
  EXPECT_EQ(invalid_text(options), "valid");
  options.logit_bias = {{kVocabulary, 1.0f}};
  EXPECT_EQ(invalid_text(options), "logit_bias names token 100; ids are from 0 to 99");
  options.logit_bias = {{-1, 1.0f}};
  EXPECT_EQ(invalid_text(options), "logit_bias names token -1; ids are from 0 to 99");
  options.logit_bias = {{5, 100.5f}};
  EXPECT_EQ(invalid_text(options), "logit_bias of token 5 is 100.5; it must be from -100 to 100");
  options.logit_bias = {{5, kNan}};
  EXPECT_NE(invalid_text(options).find("it must be from -100 to 100"), std::string::npos);
}

}  // namespace
}  // namespace gem
