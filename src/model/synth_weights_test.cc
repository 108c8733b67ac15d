#include "model/synth_weights.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

namespace gem {
namespace {

using gguf::Type;

struct Moments {
  double mean;
  double rms;
};

Moments moments(std::span<const float> values) {
  double sum = 0, squares = 0;
  for (const float v : values) {
    sum += v;
    squares += double{v} * v;
  }
  const auto n = static_cast<double>(values.size());
  return {sum / n, std::sqrt(squares / n)};
}

class SyntheticWeights : public ::testing::Test {
 protected:
  std::vector<std::byte> stored(const TensorSpec& tensor, uint64_t first_row, uint64_t rows,
                                size_t index = 3) const {
    std::vector<std::byte> out(rows * gguf::row_bytes(tensor.type, tensor.ne[0]));
    weights_.fill(tensor, index, first_row, out);
    return out;
  }

  std::vector<float> values(const TensorSpec& tensor, uint64_t first_row, uint64_t rows) const {
    std::vector<float> out(rows * tensor.ne[0]);
    gguf::dequantize(tensor.type, stored(tensor, first_row, rows).data(), out);
    return out;
  }

  std::vector<float> vector(const char* name, uint64_t size) const {
    return values({name, Type::kF32, {size}}, 0, 1);
  }

  static std::vector<bool> first_is_unreadable(int32_t tokens) {
    std::vector<bool> readable(static_cast<size_t>(tokens), true);
    readable[0] = false;
    return readable;
  }

  const Profile profile_ = *find_profile(synthetic_profiles(), "small");
  const SynthWeights weights_{profile_, 1, first_is_unreadable(profile_.vocabulary)};
  const TensorSpec matrix_{"blk.0.ffn_gate.weight", Type::kQ4_0, {256, 512}};
};

// A row's product with an input of rms 1 has rms 1, and no mean builds up from layer to layer.
TEST_F(SyntheticWeights, MatricesKeepTheRmsOfTheirInput) {
  const Moments m = moments(values(matrix_, 0, 512));
  EXPECT_NEAR(m.rms, 1 / std::sqrt(256.0), 0.02 / std::sqrt(256.0));
  EXPECT_NEAR(m.mean, 0, 4 * m.rms / std::sqrt(256.0 * 512));
}

TEST_F(SyntheticWeights, TableRowsHaveOneScaleAndUnreadableOnesASixteenthOfIt) {
  for (const Type type : {Type::kQ8_0, Type::kQ6K}) {
    const TensorSpec table{"token_embd.weight", type, {256, 2048}};
    const double rms = 1 / std::sqrt(256.0);
    EXPECT_NEAR(moments(values(table, 1, 512)).rms, rms, 0.02 * rms);
    EXPECT_NEAR(moments(values(table, 0, 1)).rms, rms / 16, 0.2 * rms / 16);
  }
}

TEST_F(SyntheticWeights, ARowDoesNotDependOnWhatIsMadeWithIt) {
  for (const TensorSpec& tensor :
       {matrix_, TensorSpec{"token_embd.weight", Type::kQ8_0, {256, 2048}},
        TensorSpec{"token_embd.weight", Type::kQ6K, {256, 2048}}}) {
    const auto together = stored(tensor, 0, 9);
    const auto alone = stored(tensor, 5, 2);
    const size_t row_bytes = together.size() / 9;
    EXPECT_EQ(std::memcmp(together.data() + 5 * row_bytes, alone.data(), alone.size()), 0);
  }
}

TEST_F(SyntheticWeights, TensorsAndSeedsDiffer) {
  const auto bytes = stored(matrix_, 0, 4);
  EXPECT_NE(bytes, stored(matrix_, 0, 4, 4));
  const SynthWeights other(profile_, 2, first_is_unreadable(profile_.vocabulary));
  std::vector<std::byte> of_other(bytes.size());
  other.fill(matrix_, 3, 0, of_other);
  EXPECT_NE(bytes, of_other);
}

// FNV-1a of the bytes that this generator gave when it was written: a seed means the same file on
// every machine and in every later build.
TEST_F(SyntheticWeights, BytesOfASeedArePinned) {
  const auto hash = [&](const TensorSpec& tensor) {
    uint32_t sum = 2166136261u;
    for (const std::byte b : stored(tensor, 0, 1)) {
      sum = (sum ^ std::to_integer<uint32_t>(b)) * 16777619u;
    }
    return sum;
  };
  EXPECT_EQ(hash(matrix_), 2567257797u);
  EXPECT_EQ(hash({"token_embd.weight", Type::kQ8_0, {256, 2048}}), 4050972293u);
  EXPECT_EQ(hash({"token_embd.weight", Type::kQ6K, {256, 2048}}), 1090947199u);
  EXPECT_EQ(hash({"output_norm.weight", Type::kF32, {256}}), 3692343293u);
}

TEST_F(SyntheticWeights, OutputNormHasRandomSigns) {
  const std::vector<float> norm = vector("output_norm.weight", 4096);
  const auto negative = std::count_if(norm.begin(), norm.end(), [](float v) { return v < 0; });
  EXPECT_NEAR(static_cast<double>(negative), 2048, 4 * 32);
  EXPECT_NEAR(moments(norm).rms, 3, 0.1);
}

TEST_F(SyntheticWeights, QAndKNormsGiveScoresOfTheSameSpreadInBothKindsOfLayer) {
  for (const uint64_t head_width : {256u, 512u}) {
    const double q = moments(vector("blk.1.attn_q_norm.weight", head_width)).rms;
    const double k = moments(vector("blk.1.attn_k_norm.weight", head_width)).rms;
    EXPECT_NEAR(q * k * std::sqrt(static_cast<double>(head_width)), 1.5, 0.1);
  }
}

// One layer: the stream of rms 1 gets two branches added and is scaled back to rms 1.
TEST_F(SyntheticWeights, ALayerKeepsTheRmsOfTheStream) {
  const double attention = moments(vector("blk.0.post_attention_norm.weight", 4096)).rms;
  const double ffn = moments(vector("blk.0.post_ffw_norm.weight", 4096)).rms;
  const double scale = vector("blk.0.layer_output_scale.weight", 1)[0];
  EXPECT_NEAR(scale * std::sqrt(1 + attention * attention + ffn * ffn), 1, 0.05);
}

TEST_F(SyntheticWeights, RopeFactorsTurnTheProfilesPairs) {
  const std::vector<float> factors = vector("rope_freqs.weight", 256);
  for (size_t pair = 0; pair < 256; ++pair) EXPECT_EQ(factors[pair], pair < 64 ? 1.0f : 1e30f);
}

}  // namespace
}  // namespace gem
