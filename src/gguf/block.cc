#include "gguf/block.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

#include "base/check.h"

namespace gem::gguf {
namespace {

static_assert(std::endian::native == std::endian::little,
              "blocks are read in place, and the format is little-endian");

// Indexed by type number. A null name marks numbers that were removed from the format or never
// given.
constexpr std::array<BlockFormat, 43> kFormats = {{
    {"F32", 1, 4},        {"F16", 1, 2},       {"Q4_0", 32, 18},     {"Q4_1", 32, 20},
    {nullptr, 0, 0},      {nullptr, 0, 0},     {"Q5_0", 32, 22},     {"Q5_1", 32, 24},
    {"Q8_0", 32, 34},     {"Q8_1", 32, 36},    {"Q2_K", 256, 84},    {"Q3_K", 256, 110},
    {"Q4_K", 256, 144},   {"Q5_K", 256, 176},  {"Q6_K", 256, 210},   {"Q8_K", 256, 292},
    {"IQ2_XXS", 256, 66}, {"IQ2_XS", 256, 74}, {"IQ3_XXS", 256, 98}, {"IQ1_S", 256, 50},
    {"IQ4_NL", 32, 18},   {"IQ3_S", 256, 110}, {"IQ2_S", 256, 82},   {"IQ4_XS", 256, 136},
    {"I8", 1, 1},         {"I16", 1, 2},       {"I32", 1, 4},        {"I64", 1, 8},
    {"F64", 1, 8},        {"IQ1_M", 256, 56},  {"BF16", 1, 2},       {nullptr, 0, 0},
    {nullptr, 0, 0},      {nullptr, 0, 0},     {"TQ1_0", 256, 54},   {"TQ2_0", 256, 66},
    {nullptr, 0, 0},      {nullptr, 0, 0},     {nullptr, 0, 0},      {"MXFP4", 32, 17},
    {"NVFP4", 64, 36},    {"Q1_0", 128, 18},   {"Q2_0", 64, 18},
}};

// The blocks as they lie in a file. f16 numbers are kept as bits.
struct Q4Block {
  uint16_t scale;
  std::array<uint8_t, 16> nibbles;  // byte j: value j (low), value j + 16 (high)
};
static_assert(sizeof(Q4Block) == 18);

struct Q8Block {
  uint16_t scale;
  std::array<int8_t, 32> values;
};
static_assert(sizeof(Q8Block) == 34);

struct Q6KBlock {
  std::array<uint8_t, 128> low;   // bits 0-3
  std::array<uint8_t, 64> high;   // bits 4-5
  std::array<int8_t, 16> scales;  // of 16 values each
  uint16_t scale;
};
static_assert(sizeof(Q6KBlock) == 210);

// Blocks lie at any even address of a file: they are copied out and in.
template <class T>
T load(const std::byte* data) {
  T value;
  std::memcpy(&value, data, sizeof(T));
  return value;
}

template <class T>
void store(std::byte* out, const T& value) {
  std::memcpy(out, &value, sizeof(T));
}

void decode(const Q4Block& block, std::span<float> out) {
  const float scale = f16_to_f32(block.scale);
  for (size_t j = 0; j < 16; ++j) {
    out[j] = scale * static_cast<float>((block.nibbles[j] & 15) - 8);
    out[j + 16] = scale * static_cast<float>((block.nibbles[j] >> 4) - 8);
  }
}

void decode(const Q8Block& block, std::span<float> out) {
  const float scale = f16_to_f32(block.scale);
  for (size_t j = 0; j < 32; ++j) out[j] = scale * static_cast<float>(block.values[j]);
}

// Where value i of a Q6_K block keeps its bits: a half of 128 values is four groups of 32, which
// share 64 low bytes (groups 0 and 1 in the low nibbles, 2 and 3 in the high ones) and 32 high
// bytes.
struct Q6KPlace {
  size_t low_byte;
  int low_shift;
  size_t high_byte;
  int high_shift;
};

Q6KPlace q6k_place(size_t i) {
  const size_t half = i / 128;
  const size_t group = i % 128 / 32;
  const size_t lane = i % 32;
  return {64 * half + 32 * (group % 2) + lane, group < 2 ? 0 : 4, 32 * half + lane,
          static_cast<int>(2 * group)};
}

void decode(const Q6KBlock& block, std::span<float> out) {
  const float scale = f16_to_f32(block.scale);
  for (size_t i = 0; i < 256; ++i) {
    const Q6KPlace at = q6k_place(i);
    const int low = block.low[at.low_byte] >> at.low_shift & 15;
    const int high = block.high[at.high_byte] >> at.high_shift & 3;
    // The order of the two products is part of the format: the other one rounds differently.
    out[i] = scale * static_cast<float>(block.scales[i / 16]) *
             static_cast<float>((low | high << 4) - 32);
  }
}

// The value of largest magnitude, sign kept; the first one of equals. The magnitude is kept beside
// it: clang 19 at -O3 drops the abs of a comparison with abs(best), and finds another value.
float extreme(std::span<const float> values) {
  float best = 0;
  float largest = 0;
  for (const float value : values) {
    const float magnitude = std::abs(value);
    if (magnitude > largest) {
      largest = magnitude;
      best = value;
    }
  }
  return best;
}

// 0 where the quotient would overflow: such values are far below the smallest f16 scale, so any
// code dequantizes to zero.
float inverse(float scale) {
  const float quotient = 1.0f / scale;
  return std::isfinite(quotient) ? quotient : 0.0f;
}

void encode(std::span<const float> in, Q4Block& block) {
  const float scale = extreme(in) / -8.0f;
  const float factor = inverse(scale);
  // Truncation of a number that is at least 0.5, so it rounds halves up.
  const auto code = [&](float value) {
    return static_cast<uint8_t>(std::min(15, static_cast<int>(value * factor + 8.5f)));
  };
  block.scale = f32_to_f16(scale);
  for (size_t j = 0; j < 16; ++j) {
    block.nibbles[j] = static_cast<uint8_t>(code(in[j]) | code(in[j + 16]) << 4);
  }
}

void encode(std::span<const float> in, Q8Block& block) {
  const float scale = std::abs(extreme(in)) / 127.0f;
  const float factor = inverse(scale);
  block.scale = f32_to_f16(scale);
  // std::round: halves away from zero.
  for (size_t j = 0; j < 32; ++j) block.values[j] = static_cast<int8_t>(std::round(in[j] * factor));
}

// Not ggml's search for the best scales: each group of 16 maps its extreme to -32, and the block's
// scale makes the largest group scale 127.
void encode(std::span<const float> in, Q6KBlock& block) {
  std::array<float, 16> group_scales;
  for (size_t g = 0; g < 16; ++g) group_scales[g] = extreme(in.subspan(16 * g, 16)) / -32.0f;

  block = {};
  block.scale = f32_to_f16(std::abs(extreme(group_scales)) / 127.0f);
  const float scale = f16_to_f32(block.scale);
  const float factor = inverse(scale);
  for (size_t g = 0; g < 16; ++g) {
    // The clamp matters where the f16 scale is subnormal, far smaller than what it stands for.
    block.scales[g] =
        static_cast<int8_t>(std::clamp(std::round(group_scales[g] * factor), -128.0f, 127.0f));
  }
  for (size_t i = 0; i < 256; ++i) {
    const float step = inverse(scale * static_cast<float>(block.scales[i / 16]));
    const auto code =
        static_cast<unsigned>(std::clamp(std::round(in[i] * step), -32.0f, 31.0f) + 32);
    const Q6KPlace at = q6k_place(i);
    block.low[at.low_byte] |= static_cast<uint8_t>((code & 15) << at.low_shift);
    block.high[at.high_byte] |= static_cast<uint8_t>(code >> 4 << at.high_shift);
  }
}

template <class Block>
void dequantize_blocks(const std::byte* data, std::span<float> out, size_t block_values) {
  for (size_t i = 0; i < out.size(); i += block_values, data += sizeof(Block)) {
    decode(load<Block>(data), out.subspan(i, block_values));
  }
}

template <class Block>
void quantize_blocks(std::span<const float> in, std::byte* out, size_t block_values) {
  for (size_t i = 0; i < in.size(); i += block_values, out += sizeof(Block)) {
    Block block;
    encode(in.subspan(i, block_values), block);
    store(out, block);
  }
}

}  // namespace

const BlockFormat& block_format(Type type) {
  const auto number = static_cast<uint32_t>(type);
  GEM_CHECK(is_readable(number));
  return kFormats[number];
}

std::optional<BlockFormat> known_format(uint32_t type_number) {
  if (type_number >= kFormats.size() || kFormats[type_number].name == nullptr) return std::nullopt;
  return kFormats[type_number];
}

std::string type_name(uint32_t type_number) {
  const auto format = known_format(type_number);
  return format ? format->name : fmt::format("type {}", type_number);
}

bool is_readable(uint32_t type_number) {
  switch (static_cast<Type>(type_number)) {
    case Type::kF32:
    case Type::kF16:
    case Type::kQ4_0:
    case Type::kQ8_0:
    case Type::kQ6K:
    case Type::kBF16:
      return true;
  }
  return false;
}

size_t row_bytes(Type type, size_t values) {
  const BlockFormat& format = block_format(type);
  GEM_CHECK(values % format.block_values == 0);
  return values / format.block_values * format.block_bytes;
}

void dequantize(Type type, const std::byte* data, std::span<float> out) {
  const BlockFormat& format = block_format(type);
  GEM_CHECK(out.size() % format.block_values == 0);
  switch (type) {
    case Type::kF32:
      if (!out.empty()) std::memcpy(out.data(), data, out.size_bytes());
      return;
    case Type::kF16:
      for (size_t i = 0; i < out.size(); ++i) out[i] = f16_to_f32(load<uint16_t>(data + 2 * i));
      return;
    case Type::kBF16:
      for (size_t i = 0; i < out.size(); ++i) out[i] = bf16_to_f32(load<uint16_t>(data + 2 * i));
      return;
    case Type::kQ4_0:
      return dequantize_blocks<Q4Block>(data, out, format.block_values);
    case Type::kQ8_0:
      return dequantize_blocks<Q8Block>(data, out, format.block_values);
    case Type::kQ6K:
      return dequantize_blocks<Q6KBlock>(data, out, format.block_values);
  }
}

void quantize(Type type, std::span<const float> in, std::byte* out) {
  const BlockFormat& format = block_format(type);
  GEM_CHECK(in.size() % format.block_values == 0);
  switch (type) {
    case Type::kF32:
      if (!in.empty()) std::memcpy(out, in.data(), in.size_bytes());
      return;
    case Type::kF16:
      for (size_t i = 0; i < in.size(); ++i) store(out + 2 * i, f32_to_f16(in[i]));
      return;
    case Type::kBF16:
      for (size_t i = 0; i < in.size(); ++i) store(out + 2 * i, f32_to_bf16(in[i]));
      return;
    case Type::kQ4_0:
      return quantize_blocks<Q4Block>(in, out, format.block_values);
    case Type::kQ8_0:
      return quantize_blocks<Q8Block>(in, out, format.block_values);
    case Type::kQ6K:
      return quantize_blocks<Q6KBlock>(in, out, format.block_values);
  }
}

float f16_to_f32(uint16_t bits) {
  const uint32_t sign = (bits & 0x8000u) << 16;
  const uint32_t magnitude = bits & 0x7FFFu;
  if (magnitude < 0x0400) {  // zero and subnormals: units of 2^-24, all normal in f32
    return std::bit_cast<float>(sign |
                                std::bit_cast<uint32_t>(static_cast<float>(magnitude) * 0x1p-24f));
  }
  // The exponent's bias grows by 112; infinity and NaN go on to f32's own top exponent.
  const uint32_t bias = (magnitude < 0x7C00 ? 112u : 224u) << 23;
  return std::bit_cast<float>(sign | ((magnitude << 13) + bias));
}

uint16_t f32_to_f16(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  const uint32_t sign = bits >> 16 & 0x8000u;
  const uint32_t magnitude = bits & 0x7FFFFFFFu;
  uint32_t rounded = 0;
  if (magnitude > 0x7F800000) {
    rounded = 0x7E00 | (magnitude >> 13 & 0x3FF);  // NaN, quiet, with what fits of its payload
  } else if (magnitude >=
             0x477FF000) {  // 65520, the tie between the largest f16 and the next power
    rounded = 0x7C00;
  } else if (magnitude < 0x38800000) {  // below 2^-14: a multiple of 2^-24, which is one ulp of 0.5
    const float sum = std::bit_cast<float>(magnitude) + 0.5f;
    rounded = std::bit_cast<uint32_t>(sum) - std::bit_cast<uint32_t>(0.5f);
  } else {
    const uint32_t even = magnitude >> 13 & 1;
    rounded = (magnitude - (112u << 23) + 0xFFF + even) >> 13;
  }
  return static_cast<uint16_t>(sign | rounded);
}

float bf16_to_f32(uint16_t bits) { return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16); }

uint16_t f32_to_bf16(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  // Rounding must not carry a NaN's payload into infinity.
  if ((bits & 0x7FFFFFFFu) > 0x7F800000) return static_cast<uint16_t>(bits >> 16 | 0x40);
  const uint32_t even = bits >> 16 & 1;
  return static_cast<uint16_t>((bits + 0x7FFF + even) >> 16);
}

}  // namespace gem::gguf
