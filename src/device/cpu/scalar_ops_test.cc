#include "device/cpu/scalar_ops.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <vector>

#include "tests/support/goldens.h"

namespace gem {
namespace {

using testing::golden_path;
using testing::read_f32;

TEST(ScalarOps, DotSumsEveryElementAtOddLengths) {
  for (const size_t length : {1u, 15u, 16u, 17u, 31u, 100u}) {
    std::vector<float> a(length), b(length);
    double want = 0;
    for (size_t i = 0; i < length; ++i) {
      a[i] = static_cast<float>(i) - 3.5f;
      b[i] = 0.25f * static_cast<float>(i % 7);
      want += static_cast<double>(a[i]) * b[i];
    }
    EXPECT_NEAR(dot(a, b), want, 1e-4) << length;
  }
}

TEST(ScalarOps, RmsNormKeepsEpsilonInsideTheRoot) {
  // Mean square 1e-6: with epsilon 1e-6 inside the root the factor is 1 / sqrt(2e-6).
  const std::vector<float> x = {1e-3f, -1e-3f, 1e-3f, -1e-3f};
  const std::vector<float> weight = {1.0f, 1.0f, 2.0f, 0.5f};
  std::vector<float> out(4);
  rms_norm(x, weight, 1e-6f, out);
  const double unit = 1e-3 / std::sqrt(2e-6);
  EXPECT_NEAR(out[0], unit, 1e-6);
  EXPECT_NEAR(out[1], -unit, 1e-6);
  EXPECT_NEAR(out[2], 2 * unit, 1e-6);
  EXPECT_NEAR(out[3], -0.5 * unit, 1e-6);
}

TEST(ScalarOps, RmsNormWithoutWeightScalesToUnitMeanSquare) {
  const std::vector<float> x = {3.0f, 4.0f};
  std::vector<float> out(2);
  rms_norm(x, {}, 0.0f, out);
  EXPECT_NEAR(out[0], 3 / std::sqrt(12.5), 1e-6);
  EXPECT_NEAR(out[1], 4 / std::sqrt(12.5), 1e-6);
}

TEST(ScalarOps, GeluIsTheTanhForm) {
  // The tanh form at 2 is 1.95459..., the erf form 1.95449....
  EXPECT_NEAR(gelu(2.0f), 1.9545977, 2e-6);
  EXPECT_NEAR(gelu(-1.0f), -0.1588080, 1e-6);
  EXPECT_EQ(gelu(0.0f), 0.0f);
  EXPECT_EQ(gelu(30.0f), 30.0f);
  EXPECT_EQ(gelu(-30.0f), 0.0f);
}

TEST(ScalarOps, SoftcapBoundsAndKeepsSmallValues) {
  EXPECT_NEAR(softcap(0.01f, 30.0f), 0.01, 1e-7);
  EXPECT_NEAR(softcap(30.0f, 30.0f), 30 * std::tanh(1.0), 1e-5);
  EXPECT_LE(softcap(1e6f, 30.0f), 30.0f);
}

void expect_angles(const Rope& rope, const std::string& name, size_t pairs) {
  const std::vector<float> want_cos = read_f32(golden_path("model/rope." + name + ".cos.bin"));
  const std::vector<float> want_sin = read_f32(golden_path("model/rope." + name + ".sin.bin"));
  const std::vector<int32_t> positions = testing::read_json(golden_path("model/index.json"))
                                             .at("rope_positions")
                                             .get<std::vector<int32_t>>();
  ASSERT_EQ(want_cos.size(), positions.size() * pairs);
  std::vector<float> cos(pairs), sin(pairs);
  for (size_t p = 0; p < positions.size(); ++p) {
    rope.angles(positions[p], cos, sin);
    for (size_t i = 0; i < pairs; ++i) {
      // The goldens are float64 rounded once.
      EXPECT_NEAR(cos[i], want_cos[p * pairs + i], 1e-7) << name << " " << positions[p] << " " << i;
      EXPECT_NEAR(sin[i], want_sin[p * pairs + i], 1e-7) << name << " " << positions[p] << " " << i;
    }
  }
}

TEST(Rope, MatchesFloat64InTheSwaGeometry) { expect_angles(Rope(256, 1e4f, {}), "swa256", 128); }

TEST(Rope, MatchesFloat64InTheFullGeometry) {
  std::vector<float> factors(256, 1e30f);
  std::fill_n(factors.begin(), 64, 1.0f);
  expect_angles(Rope(512, 1e6f, factors), "full512", 256);
}

TEST(Rope, RotatesHalvesAgainstEachOtherInEveryHead) {
  const Rope rope(4, 1e4f, {});
  // Two heads of width 4: pairs are (0, 2) and (1, 3); pair 0 turns by `position` radians.
  std::vector<float> heads = {1, 0, 0, 0, 0, 0, 1, 0};
  rope.rotate(heads, 1);
  const auto c = static_cast<float>(std::cos(1.0));
  const auto s = static_cast<float>(std::sin(1.0));
  const std::vector<float> want = {c, 0, s, 0, -s, 0, c, 0};
  for (size_t i = 0; i < want.size(); ++i) EXPECT_NEAR(heads[i], want[i], 1e-7) << i;
}

TEST(ScalarOps, MatmulMultipliesEveryRowByEveryOutput) {
  const std::vector<float> weights = {1, 2, 3, 4, 5, 6};  // [2, 3]
  const Matrix matrix{gguf::Type::kF32, reinterpret_cast<const std::byte*>(weights.data()), 2, 3};
  const std::vector<float> x = {1, 0, -1, 2, 2, 2};  // [2, 3]
  std::vector<float> out(4), scratch(3);
  matmul(matrix, x, 2, out, scratch);
  EXPECT_EQ(out, (std::vector<float>{-2, -2, 12, 30}));
}

}  // namespace
}  // namespace gem
