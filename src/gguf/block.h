// Tensor element types and their block formats (spec: ggml's published layouts). Values of a row
// run along the first dimension; a row is a whole number of blocks.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace gem::gguf {

// The numbers are those of the file format.
enum class Type : uint32_t {
  kF32 = 0,
  kF16 = 1,
  kQ4_0 = 2,
  kQ8_0 = 8,
  kQ6K = 14,
  kBF16 = 30,
};

struct BlockFormat {
  const char* name;       // "Q4_0"
  uint32_t block_values;  // values in a block
  uint32_t block_bytes;
};

// The format of a type that gem reads.
const BlockFormat& block_format(Type type);

// The format of any type number of the ggml family (K-quants and the rest too, so that extents can
// be checked and the type named), or nothing for numbers that were never assigned or were removed.
std::optional<BlockFormat> known_format(uint32_t type_number);

// "Q4_K", or "type 99" for numbers without a format.
std::string type_name(uint32_t type_number);

bool is_readable(uint32_t type_number);

// Bytes of `values` values; `values` must be a multiple of the type's block_values.
size_t row_bytes(Type type, size_t values);

// Dequantizes `out.size()` values that start at block `data`, exactly: each value is one or two f32
// products of stored numbers. The scalar reference for every kernel.
void dequantize(Type type, const std::byte* data, std::span<float> out);

// The reference quantizers, rounding as ggml's do; used by the writer of synthetic models and by
// tests. Q6_K has a plainer rule of our own, with a slightly larger error than ggml's search. All
// values must be finite; in.size() must be a multiple of the block size; `out` must have
// row_bytes(type, in.size()).
void quantize(Type type, std::span<const float> in, std::byte* out);

float f16_to_f32(uint16_t bits);
uint16_t f32_to_f16(float value);  // round to nearest even
float bf16_to_f32(uint16_t bits);
uint16_t f32_to_bf16(float value);  // round to nearest even

}  // namespace gem::gguf
