#include "engine/philox.h"

#include <gtest/gtest.h>

#include <set>

namespace gem {
namespace {

using Words4 = std::array<uint32_t, 4>;

// The known answers that the authors publish with their library Random123 (philox4x32, 10 rounds).
TEST(Philox, MatchesThePublishedKnownAnswers) {
  EXPECT_EQ(philox4x32_10({0, 0, 0, 0}, {0, 0}),
            (Words4{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(
      philox4x32_10({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}),
      (Words4{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  // The digits of pi.
  EXPECT_EQ(
      philox4x32_10({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
      (Words4{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Uniform, IsTheTop53BitsOfTheFirstTwoWords) {
  EXPECT_EQ(uniform(0, 0, Draw::kToken),
            static_cast<double>(0x6627e8d5e169c58dULL >> 11) / 9007199254740992.0);
}

// All of seed and position count, the upper halves too: no two of these may share a number.
TEST(Uniform, DependsOnEveryPartOfSeedPositionAndPurpose) {
  std::set<double> seen;
  for (const uint64_t seed : {uint64_t{0}, uint64_t{1}, uint64_t{1} << 32, ~uint64_t{0}}) {
    for (const int64_t position :
         {int64_t{0}, int64_t{1}, int64_t{1} << 32, (int64_t{1} << 32) + 1}) {
      for (const Draw purpose : {Draw::kToken, static_cast<Draw>(1)}) {
        seen.insert(uniform(seed, position, purpose));
      }
    }
  }
  EXPECT_EQ(seen.size(), 4u * 4u * 2u);
}

TEST(Uniform, FillsTheUnitIntervalEvenly) {
  constexpr int kBins = 64;
  constexpr int kDraws = 64000;
  std::array<int, kBins> counts{};
  for (int position = 0; position < kDraws; ++position) {
    const double value = uniform(42, position, Draw::kToken);
    ASSERT_GE(value, 0.0);
    ASSERT_LT(value, 1.0);
    ++counts[static_cast<size_t>(value * kBins)];
  }
  constexpr double kExpected = double{kDraws} / kBins;
  double chi_square = 0;
  for (const int count : counts)
    chi_square += (count - kExpected) * (count - kExpected) / kExpected;
  EXPECT_LT(chi_square, 103.4);  // 63 degrees of freedom, one in a thousand
  EXPECT_GT(chi_square, 34.0);   // and not evener than chance, one in a thousand
}

}  // namespace
}  // namespace gem
