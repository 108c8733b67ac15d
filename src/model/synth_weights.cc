#include "model/synth_weights.h"

#include <array>
#include <cmath>
#include <cstring>

#include "base/check.h"

namespace gem {
namespace {

using gguf::Type;

// Statistics that a trained model has, too, and that keep 60 random layers healthy.
//
// The residual stream starts at rms 1 (table entries of std 1 / sqrt(width), times sqrt(width)). A
// layer adds two branches, whose rms is the weight of their post norm, and layer_output_scale
// brings the sum back to rms 1. The branches' shares are those of the whole stack, so that depth
// changes neither how much of the stream comes from layers nor how far rounding errors grow.
constexpr double kAttentionShare = 0.5;  // sum over layers of the branch's mean square
constexpr double kFfnShare = 1.5;
// Scores q.k, whose scale is 1, are sharper than a mean over the window and far from one-hot.
constexpr double kScoreStd = 1.5;
// Logits before the softcap.
constexpr double kLogitStd = 3.0;
// Rows of tokens that make no readable text.
constexpr double kUnreadableScale = 1.0 / 16;
constexpr float kStoppedPair = 1e30f;

// Rms of the stored integers: uniform over -8..7, -128..127, -32..31.
const double kNibbleRms = std::sqrt(21.5);
const double kByteRms = std::sqrt(5461.5);
const double kSixBitRms = std::sqrt(341.5);

// Random bits that are a function of key and counter.
uint64_t random_bits(uint64_t key, uint64_t counter) {
  uint64_t z = key + (counter + 1) * 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

// 0.75 to 1.25, from 8 bits: equal weights would hide a mixed-up index.
double jitter(uint64_t bits) { return 0.75 + static_cast<double>(bits & 0xFF) / 510.0; }

// Block scales by 9 random bits: sign and jitter. The sign is needed because the stored integers
// have a mean of -1/2: with scales of one sign the whole matrix has a mean, and the mean of the
// stream grows from layer to layer until nothing else is left.
using BlockScales = std::array<uint16_t, 512>;

BlockScales block_scales(double rms) {
  BlockScales scales;
  for (size_t i = 0; i < scales.size(); ++i) {
    const double magnitude = rms * jitter(i);
    scales[i] = gguf::f32_to_f16(static_cast<float>(i < 256 ? magnitude : -magnitude));
  }
  return scales;
}

template <class T>
void put(std::byte* out, T value) {
  std::memcpy(out, &value, sizeof value);
}

// A block of Q4_0 or Q8_0: a scale, then 16 or 32 bytes that are all random.
template <size_t kWords>
void fill_blocks(uint64_t key, uint64_t first_block, const BlockScales& scales,
                 std::span<std::byte> out) {
  constexpr size_t kBlockBytes = sizeof(uint16_t) + kWords * sizeof(uint64_t);
  GEM_CHECK(out.size() % kBlockBytes == 0);
  uint64_t counter = first_block * (kWords + 1);
  for (std::byte* block = out.data(); block != out.data() + out.size(); block += kBlockBytes) {
    put(block, scales[random_bits(key, counter++) % scales.size()]);
    for (size_t word = 0; word < kWords; ++word) {
      put(block + sizeof(uint16_t) + word * sizeof(uint64_t), random_bits(key, counter++));
    }
  }
}

// Q6_K: 192 random bytes of six-bit values, 16 signed scales of 6 to 9, and one f16.
void fill_q6_k(uint64_t key, uint64_t first_block, double rms, std::span<std::byte> out) {
  constexpr size_t kWords = 24, kGroups = 16, kBlockBytes = 210;
  const double group_rms = std::sqrt((36 + 49 + 64 + 81) / 4.0);
  const uint16_t scale = gguf::f32_to_f16(static_cast<float>(rms / (kSixBitRms * group_rms)));
  GEM_CHECK(out.size() % kBlockBytes == 0);
  uint64_t counter = first_block * (kWords + 1);
  for (std::byte* block = out.data(); block != out.data() + out.size(); block += kBlockBytes) {
    std::byte* at = block;
    for (size_t word = 0; word < kWords; ++word, at += sizeof(uint64_t)) {
      put(at, random_bits(key, counter++));
    }
    uint64_t bits = random_bits(key, counter++);
    for (size_t group = 0; group < kGroups; ++group, bits >>= 3, ++at) {
      const int magnitude = 6 + static_cast<int>(bits & 3);
      put(at, static_cast<int8_t>((bits & 4) != 0 ? -magnitude : magnitude));
    }
    put(at, scale);
  }
}

// "post_ffw_norm" of "blk.7.post_ffw_norm.weight".
std::string_view layer_part(std::string_view name) {
  name.remove_suffix(std::string_view(".weight").size());
  return name.substr(name.rfind('.') + 1);
}

// The middle of the values of a norm or scale.
double float_level(const Profile& profile, const TensorSpec& tensor) {
  const std::string_view part = layer_part(tensor.name);
  const double layers = profile.layers;
  if (part == "output_norm") return kLogitStd;
  if (part == "attn_q_norm" || part == "attn_k_norm") {
    // q.k of two random rows of rms w has std w^2 sqrt(head width).
    return std::sqrt(kScoreStd / std::sqrt(static_cast<double>(tensor.ne[0])));
  }
  if (part == "post_attention_norm") return std::sqrt(kAttentionShare / layers);
  if (part == "post_ffw_norm") return std::sqrt(kFfnShare / layers);
  if (part == "layer_output_scale") {
    return 1 / std::sqrt(1 + (kAttentionShare + kFfnShare) / layers);
  }
  return 1;
}

}  // namespace

SynthWeights::SynthWeights(const Profile& profile, uint64_t seed, std::vector<bool> readable_tokens)
    : profile_(profile), seed_(seed), readable_tokens_(std::move(readable_tokens)) {
  GEM_CHECK(readable_tokens_.size() == static_cast<size_t>(profile.vocabulary));
}

void SynthWeights::fill(const TensorSpec& tensor, size_t index, uint64_t first_row,
                        std::span<std::byte> out) const {
  const uint64_t key = random_bits(seed_, index);
  if (tensor.type == Type::kF32) {
    GEM_CHECK(first_row == 0);
    fill_floats(tensor, key, out);
    return;
  }
  const uint64_t cols = tensor.ne[0];
  const uint64_t row_blocks = cols / gguf::block_format(tensor.type).block_values;
  const double rms = 1 / std::sqrt(static_cast<double>(cols));
  if (tensor.type == Type::kQ4_0) {
    fill_blocks<2>(key, first_row * row_blocks, block_scales(rms / kNibbleRms), out);
    return;
  }
  const size_t row_bytes = gguf::row_bytes(tensor.type, cols);
  GEM_CHECK(out.size() % row_bytes == 0);
  const BlockScales readable = block_scales(rms / kByteRms);
  const BlockScales unreadable = block_scales(rms * kUnreadableScale / kByteRms);
  for (uint64_t row = first_row; !out.empty(); ++row, out = out.subspan(row_bytes)) {
    const bool is_readable = readable_tokens_[row];
    const std::span<std::byte> bytes = out.first(row_bytes);
    if (tensor.type == Type::kQ8_0) {
      fill_blocks<4>(key, row * row_blocks, is_readable ? readable : unreadable, bytes);
    } else {
      GEM_CHECK(tensor.type == Type::kQ6K);
      fill_q6_k(key, row * row_blocks, is_readable ? rms : rms * kUnreadableScale, bytes);
    }
  }
}

void SynthWeights::fill_floats(const TensorSpec& tensor, uint64_t key,
                               std::span<std::byte> out) const {
  GEM_CHECK(out.size() == tensor.ne[0] * sizeof(float));
  const std::string_view part = layer_part(tensor.name);
  const double level = float_level(profile_, tensor);
  for (uint64_t i = 0; i < tensor.ne[0]; ++i) {
    const uint64_t bits = random_bits(key, i);
    double value = level * jitter(bits);
    if (part == "rope_freqs") {
      value = i < static_cast<uint64_t>(profile_.rotated_pairs) ? 1 : double{kStoppedPair};
    } else if (part == "layer_output_scale") {
      value = level * (1 + (jitter(bits) - 1) / 8);  // 3 %: the product over layers stays near 1
    } else if (part == "output_norm" && (bits & 0x100) != 0) {
      // The head is the token table: without random signs here a row meets itself in the stream,
      // and the model repeats its input.
      value = -value;
    }
    put(out.data() + i * sizeof(float), static_cast<float>(value));
  }
}

}  // namespace gem
