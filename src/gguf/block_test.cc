#include "gguf/block.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "gguf/reader.h"
#include "tests/support/goldens.h"

namespace gem::gguf {
namespace {

std::vector<std::byte> quantized(Type type, std::span<const float> values) {
  std::vector<std::byte> out(row_bytes(type, values.size()));
  quantize(type, values, out.data());
  return out;
}

std::vector<float> round_trip(Type type, std::span<const float> values) {
  std::vector<float> out(values.size());
  dequantize(type, quantized(type, values).data(), out);
  return out;
}

std::vector<float> noise(size_t count, float scale, uint32_t seed) {
  std::mt19937 generator(seed);
  std::vector<float> values(count);
  // Not std::normal_distribution, whose values differ between libraries.
  for (float& value : values) {
    value = scale * (static_cast<float>(generator()) / 0x1p31f - 1.0f);
  }
  return values;
}

float largest_magnitude(std::span<const float> values) {
  float largest = 0;
  for (const float value : values) largest = std::max(largest, std::abs(value));
  return largest;
}

File tiny_model() {
  auto file = File::open(testing::golden_path("model/tiny-gemma4-q4_0.gguf"));
  EXPECT_TRUE(file.has_value()) << file.error().text();
  return *std::move(file);
}

void expect_golden_rows(const char* tensor_name, Type type, size_t first_row, const char* golden) {
  const std::vector<float> want = testing::read_f32(testing::golden_path(golden));
  const File file = tiny_model();
  const TensorInfo* tensor = file.find_tensor(tensor_name);
  ASSERT_NE(tensor, nullptr);
  ASSERT_EQ(tensor->type_number, static_cast<uint32_t>(type));
  ASSERT_EQ(want.size(), 2 * tensor->ne[0]);

  std::vector<float> got(want.size());
  dequantize(type, file.data(*tensor).data() + first_row * row_bytes(type, tensor->ne[0]), got);
  for (size_t i = 0; i < want.size(); ++i) {
    EXPECT_EQ(std::bit_cast<uint32_t>(got[i]), std::bit_cast<uint32_t>(want[i])) << "value " << i;
  }
}

TEST(BlockQ4_0, DequantizesTheGoldenRowsBitForBit) {
  expect_golden_rows("blk.0.attn_q.weight", Type::kQ4_0, 0,
                     "model/dequant.blk0_attn_q.rows0-1.bin");
}

TEST(BlockQ8_0, DequantizesTheGoldenRowsBitForBit) {
  expect_golden_rows("token_embd.weight", Type::kQ8_0, 300,
                     "model/dequant.token_embd.rows300-301.bin");
}

// The reference's quantizers put the extreme value of a block at the end of the code range, so a
// second pass over dequantized values finds the same scale and codes: the golden model shows that
// our rounding is the reference's.
TEST(Quantize, GivesBackTheBytesOfTheGoldenModel) {
  const File file = tiny_model();
  size_t blocks[2] = {0, 0};
  for (const TensorInfo& tensor : file.tensors()) {
    const auto type = static_cast<Type>(tensor.type_number);
    if (type != Type::kQ4_0 && type != Type::kQ8_0) continue;
    std::vector<float> values(tensor.values());
    dequantize(type, file.data(tensor).data(), values);
    const std::vector<std::byte> again = quantized(type, values);
    ASSERT_TRUE(std::ranges::equal(again, file.data(tensor))) << tensor.name;
    blocks[type == Type::kQ8_0] += values.size() / 32;
  }
  EXPECT_GT(blocks[0], 10000u);
  EXPECT_GT(blocks[1], 1000u);
}

TEST(QuantizeQ4_0, MapsTheExtremeToMinusEight) {
  std::vector<float> values(32, 0.0f);
  values[5] = 4.0f;    // the extreme: code 0, scale -0.5
  values[6] = -4.0f;   // code 16, which does not exist: 15
  values[7] = 0.25f;   // exactly between codes 7 and 8: the upper one
  values[20] = -1.0f;  // code 10, a high nibble
  const std::vector<std::byte> block = quantized(Type::kQ4_0, values);
  uint16_t scale = 0;
  std::memcpy(&scale, block.data(), 2);
  EXPECT_EQ(f16_to_f32(scale), -0.5f);
  EXPECT_EQ(std::to_integer<int>(block[2 + 5]), 0x80);
  EXPECT_EQ(std::to_integer<int>(block[2 + 6]), 0x8F);
  EXPECT_EQ(std::to_integer<int>(block[2 + 7]), 0x88);
  EXPECT_EQ(std::to_integer<int>(block[2 + 4]), 0xA8);
}

TEST(QuantizeQ8_0, RoundsHalvesAwayFromZero) {
  std::vector<float> values(32, 0.0f);
  values[0] = -127.0f;  // scale 1
  values[1] = 2.5f;
  values[2] = -2.5f;
  values[3] = 2.4999998f;
  values[31] = 127.0f;
  const std::vector<std::byte> block = quantized(Type::kQ8_0, values);
  const auto code = [&](size_t i) { return static_cast<int8_t>(block[2 + i]); };
  EXPECT_EQ(code(0), -127);
  EXPECT_EQ(code(1), 3);
  EXPECT_EQ(code(2), -3);
  EXPECT_EQ(code(3), 2);
  EXPECT_EQ(code(31), 127);
}

TEST(QuantizeQ4_0, StaysWithinItsStep) {
  const std::vector<float> values = noise(32 * 64, 0.7f, 1);
  const std::vector<float> got = round_trip(Type::kQ4_0, values);
  for (size_t b = 0; b < values.size(); b += 32) {
    // Half a step, a whole one at the end of the range that has no code; and the scale's f16
    // rounding.
    const float step = largest_magnitude({values.data() + b, 32}) / 8;
    for (size_t i = b; i < b + 32; ++i) ASSERT_NEAR(got[i], values[i], step * 1.005f) << i;
  }
}

TEST(QuantizeQ8_0, StaysWithinHalfAStep) {
  const std::vector<float> values = noise(32 * 64, 0.7f, 2);
  const std::vector<float> got = round_trip(Type::kQ8_0, values);
  for (size_t b = 0; b < values.size(); b += 32) {
    const float largest = largest_magnitude({values.data() + b, 32});
    for (size_t i = b; i < b + 32; ++i) {
      ASSERT_NEAR(got[i], values[i], largest * (0.5f / 127 + 0x1p-11f) * 1.001f) << i;
    }
  }
}

TEST(QuantizeQ6K, HasASmallError) {
  const std::vector<float> values = noise(256 * 16, 0.7f, 3);
  const std::vector<float> got = round_trip(Type::kQ6K, values);
  double error = 0;
  double power = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    error += std::pow(got[i] - values[i], 2);
    power += std::pow(values[i], 2);
  }
  // Uniform values and a step of 1/32 of the largest: an rms error of 1/32/sqrt(12) against
  // 1/sqrt(3).
  EXPECT_LT(std::sqrt(error / power), 1.1 / 64);
  EXPECT_GT(std::sqrt(error / power), 0.5 / 64);
}

TEST(QuantizeQ6K, KeepsEveryValueNearItsPlace) {
  // One value a block, at every place: nothing lands elsewhere.
  for (size_t i = 0; i < 256; ++i) {
    std::vector<float> values(256, 0.0f);
    values[i] = i % 2 == 0 ? 1.0f : -1.0f;
    const std::vector<float> got = round_trip(Type::kQ6K, values);
    for (size_t j = 0; j < 256; ++j) ASSERT_NEAR(got[j], values[j], 1e-3f) << i << " " << j;
  }
}

// A block with known bits, decoded by the formula of the format's description, written out once
// more.
TEST(BlockQ6K, DequantizesByTheFormatsFormula) {
  std::mt19937 generator(4);
  std::vector<std::byte> block(210);
  for (std::byte& b : block) b = static_cast<std::byte>(generator() & 255);
  const uint16_t scale = f32_to_f16(0.013f);
  std::memcpy(block.data() + 208, &scale, 2);
  std::vector<float> got(256);
  dequantize(Type::kQ6K, block.data(), got);

  const auto* ql = reinterpret_cast<const uint8_t*>(block.data());
  const uint8_t* qh = ql + 128;
  const auto* sc = reinterpret_cast<const int8_t*>(ql + 192);
  for (size_t n = 0; n < 2; ++n) {
    for (size_t k = 0; k < 4; ++k) {
      for (size_t l = 0; l < 32; ++l) {
        const uint8_t pair = ql[64 * n + l + 32 * (k % 2)];
        const int low = k < 2 ? pair & 15 : pair >> 4;
        const int high = qh[32 * n + l] >> (2 * k) & 3;
        const float want = f16_to_f32(scale) * static_cast<float>(sc[8 * n + 2 * k + l / 16]) *
                           static_cast<float>((low | high << 4) - 32);
        EXPECT_EQ(got[128 * n + 32 * k + l], want);
      }
    }
  }
}

TEST(Quantize, KeepsZerosAndTinyValuesFinite) {
  for (const Type type : {Type::kQ4_0, Type::kQ8_0, Type::kQ6K}) {
    for (const float scale : {0.0f, 1e-45f, 1e-39f, 1e-30f, 1e-10f, 1e-6f}) {
      const std::vector<float> values = noise(256, scale, 5);
      for (const float value : round_trip(type, values)) {
        ASSERT_TRUE(std::isfinite(value)) << block_format(type).name << " " << scale;
        ASSERT_LE(std::abs(value), 2 * scale + 0x1p-24f * 128) << block_format(type).name;
      }
    }
  }
}

// A scale of zero has no inverse; the codes must still be those of zero.
TEST(Quantize, WritesZerosAsTheCodeOfZero) {
  const std::vector<float> zeros(256, 0.0f);
  for (const std::byte b : quantized(Type::kQ8_0, zeros)) EXPECT_EQ(b, std::byte{0});
  const std::vector<std::byte> q4_0 = quantized(Type::kQ4_0, {zeros.data(), 32});
  for (size_t i = 2; i < q4_0.size(); ++i) EXPECT_EQ(q4_0[i], std::byte{0x88});
  const std::vector<std::byte> q6_k = quantized(Type::kQ6K, zeros);
  for (size_t i = 0; i < 192; ++i) EXPECT_EQ(q6_k[i], i < 128 ? std::byte{0} : std::byte{0xAA});
}

TEST(Quantize, IsDeterministic) {
  const std::vector<float> values = noise(512, 3.0f, 6);
  for (const Type type :
       {Type::kF32, Type::kF16, Type::kBF16, Type::kQ4_0, Type::kQ8_0, Type::kQ6K}) {
    EXPECT_EQ(quantized(type, values), quantized(type, values));
  }
}

TEST(Quantize, PassesF32Through) {
  const std::vector<float> values = noise(100, 1e20f, 7);
  EXPECT_EQ(round_trip(Type::kF32, values), values);
}

TEST(Dequantize, ReadsBlocksAtOddAddresses) {
  const std::vector<float> values = noise(512, 1.0f, 8);
  for (const Type type :
       {Type::kF32, Type::kF16, Type::kBF16, Type::kQ4_0, Type::kQ8_0, Type::kQ6K}) {
    const std::vector<std::byte> blocks = quantized(type, values);
    std::vector<std::byte> shifted(blocks.size() + 1);
    std::memcpy(shifted.data() + 1, blocks.data(), blocks.size());
    std::vector<float> got(values.size());
    dequantize(type, shifted.data() + 1, got);
    EXPECT_EQ(got, round_trip(type, values));
  }
}

TEST(Dequantize, AcceptsNoValues) {
  for (const Type type :
       {Type::kF32, Type::kF16, Type::kBF16, Type::kQ4_0, Type::kQ8_0, Type::kQ6K}) {
    dequantize(type, nullptr, {});
    quantize(type, {}, nullptr);
    EXPECT_EQ(row_bytes(type, 0), 0u);
  }
}

// ----- f16 and bf16 -----

// The value of f16 bits by the definition of the format.
double f16_value(uint16_t bits) {
  const int exponent = bits >> 10 & 31;
  const int fraction = bits & 1023;
  const double magnitude =
      exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
  return bits & 0x8000 ? -magnitude : magnitude;
}

TEST(F16, WidensEveryPattern) {
  for (uint32_t i = 0; i <= 0xFFFF; ++i) {
    const auto bits = static_cast<uint16_t>(i);
    const float got = f16_to_f32(bits);
    if ((bits & 0x7C00) != 0x7C00) {
      ASSERT_EQ(static_cast<double>(got), f16_value(bits)) << i;
      ASSERT_EQ(std::signbit(got), (bits & 0x8000) != 0) << i;
    } else if ((bits & 0x3FF) == 0) {
      ASSERT_EQ(got, bits & 0x8000 ? -INFINITY : INFINITY) << i;
    } else {
      ASSERT_TRUE(std::isnan(got)) << i;
    }
  }
}

TEST(F16, NarrowsEveryPatternBack) {
  for (uint32_t i = 0; i <= 0xFFFF; ++i) {
    const auto bits = static_cast<uint16_t>(i);
    const uint16_t again = f32_to_f16(f16_to_f32(bits));
    if (std::isnan(f16_to_f32(bits))) {
      ASSERT_EQ(again, bits | 0x0200) << i;  // quiet
    } else {
      ASSERT_EQ(again, bits) << i;
    }
  }
}

// Between every two neighbours: just below the middle, the middle (to the even one), just above.
TEST(F16, RoundsToNearestEven) {
  for (uint16_t low = 0; low < 0x7C00; ++low) {
    const auto high = static_cast<uint16_t>(low + 1);
    // The neighbour of the largest value, as if the range went on, is 65536; it is written as
    // infinity.
    const double above = high == 0x7C00 ? 65536.0 : f16_value(high);
    const auto middle = static_cast<float>((f16_value(low) + above) / 2);
    ASSERT_EQ(f32_to_f16(middle), low % 2 == 0 ? low : high) << low;
    ASSERT_EQ(f32_to_f16(std::nextafter(middle, 0.0f)), low) << low;
    ASSERT_EQ(f32_to_f16(std::nextafter(middle, INFINITY)), high) << low;
    ASSERT_EQ(f32_to_f16(-middle), (low % 2 == 0 ? low : high) | 0x8000) << low;
  }
}

TEST(F16, NarrowsWhatIsOutOfRange) {
  EXPECT_EQ(f32_to_f16(INFINITY), 0x7C00);
  EXPECT_EQ(f32_to_f16(-INFINITY), 0xFC00);
  EXPECT_EQ(f32_to_f16(1e10f), 0x7C00);
  EXPECT_EQ(f32_to_f16(-1e-10f), 0x8000);
  EXPECT_EQ(f32_to_f16(std::numeric_limits<float>::denorm_min()), 0);
  EXPECT_TRUE(std::isnan(f16_to_f32(f32_to_f16(NAN))));
  // A NaN whose payload lies in bits that f16 lacks stays a NaN.
  EXPECT_TRUE(std::isnan(f16_to_f32(f32_to_f16(std::bit_cast<float>(0x7F800001u)))));
}

TEST(BF16, WidensAndNarrowsEveryPattern) {
  for (uint32_t i = 0; i <= 0xFFFF; ++i) {
    const auto bits = static_cast<uint16_t>(i);
    const float wide = bf16_to_f32(bits);
    ASSERT_EQ(std::bit_cast<uint32_t>(wide), i << 16) << i;
    ASSERT_EQ(f32_to_bf16(wide), std::isnan(wide) ? bits | 0x40 : bits) << i;
  }
}

TEST(BF16, RoundsToNearestEven) {
  for (uint32_t low = 0; low < 0x7F80; ++low) {
    const uint32_t middle = low << 16 | 0x8000;
    ASSERT_EQ(f32_to_bf16(std::bit_cast<float>(middle - 1)), low) << low;
    ASSERT_EQ(f32_to_bf16(std::bit_cast<float>(middle)), low + low % 2) << low;
    ASSERT_EQ(f32_to_bf16(std::bit_cast<float>(middle + 1)), low + 1) << low;
  }
  EXPECT_TRUE(std::isnan(bf16_to_f32(f32_to_bf16(std::bit_cast<float>(0x7FFFFFFFu)))));
}

// ----- The table of types -----

TEST(BlockFormat, KnowsTheSizesOfTheTypesThatGemReads) {
  EXPECT_EQ(row_bytes(Type::kF32, 3840), 15360u);
  EXPECT_EQ(row_bytes(Type::kF16, 3840), 7680u);
  EXPECT_EQ(row_bytes(Type::kBF16, 3840), 7680u);
  EXPECT_EQ(row_bytes(Type::kQ4_0, 3840), 2160u);
  EXPECT_EQ(row_bytes(Type::kQ8_0, 3840), 4080u);
  EXPECT_EQ(row_bytes(Type::kQ6K, 3840), 3150u);
}

TEST(BlockFormat, NamesForeignTypes) {
  EXPECT_EQ(type_name(12), "Q4_K");
  EXPECT_EQ(type_name(39), "MXFP4");
  EXPECT_EQ(known_format(12)->block_bytes, 144u);
  EXPECT_FALSE(is_readable(12));
  EXPECT_TRUE(is_readable(14));
}

TEST(BlockFormat, HasNoFormatForNumbersWithoutAType) {
  for (const uint32_t number : {4u, 5u, 31u, 32u, 33u, 36u, 37u, 38u, 43u, 99u, 0xFFFFFFFFu}) {
    EXPECT_FALSE(known_format(number).has_value()) << number;
    EXPECT_FALSE(is_readable(number)) << number;
  }
  EXPECT_EQ(type_name(99), "type 99");
}

// Bits a value of every type, as published: a slip in the table would misplace every tensor after
// it.
TEST(BlockFormat, HasThePublishedBitsAValue) {
  const std::pair<uint32_t, double> published[] = {
      {0, 32},      {1, 16},      {2, 4.5},     {3, 5},       {6, 5.5},  {7, 6},       {8, 8.5},
      {9, 9},       {10, 2.625},  {11, 3.4375}, {12, 4.5},    {13, 5.5}, {14, 6.5625}, {15, 9.125},
      {16, 2.0625}, {17, 2.3125}, {18, 3.0625}, {19, 1.5625}, {20, 4.5}, {21, 3.4375}, {22, 2.5625},
      {23, 4.25},   {24, 8},      {25, 16},     {26, 32},     {27, 64},  {28, 64},     {29, 1.75},
      {30, 16},     {34, 1.6875}, {35, 2.0625}, {39, 4.25},   {40, 4.5}, {41, 1.125},  {42, 2.25}};
  size_t known = 0;
  for (uint32_t number = 0; number < 64; ++number) known += known_format(number).has_value();
  EXPECT_EQ(known, std::size(published));
  for (const auto& [number, bits] : published) {
    const auto format = known_format(number);
    ASSERT_TRUE(format.has_value()) << number;
    EXPECT_EQ(8.0 * format->block_bytes / format->block_values, bits) << format->name;
  }
}

TEST(BlockFormatDeathTest, RefusesPartsOfBlocks) {
  std::vector<float> values(33);
  std::vector<std::byte> bytes(64);
  EXPECT_DEATH(row_bytes(Type::kQ4_0, 33), "internal error");
  EXPECT_DEATH(dequantize(Type::kQ4_0, bytes.data(), values), "internal error");
  EXPECT_DEATH(quantize(Type::kQ8_0, values, bytes.data()), "internal error");
  EXPECT_DEATH(block_format(static_cast<Type>(12)), "internal error");
}

}  // namespace
}  // namespace gem::gguf
