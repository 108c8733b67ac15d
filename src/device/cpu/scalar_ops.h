// The arithmetic of the model in plain f32, one function an equation: the oracle that every kernel
// is proven against. Written to be read; sums that are long are kept in double.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "model/plan.h"

namespace gem {

// sum_i a[i] * b[i], in a fixed order that does not depend on anything but the length.
float dot(std::span<const float> a, std::span<const float> b);

// out = x / sqrt(mean(x^2) + epsilon) * weight, element by element; an empty `weight` is all ones.
// `out` may be `x`.
void rms_norm(std::span<const float> x, Vector weight, float epsilon, std::span<float> out);

// The tanh form of gelu.
float gelu(float y);

// cap * tanh(z / cap).
float softcap(float z, float cap);

// Angles of one head geometry: pair i turns by position * base^(-2i / head_width) / factors[i].
class Rope {
 public:
  // `factors` [head_width / 2], or empty: all ones.
  Rope(int32_t head_width, float base, Vector factors);

  // Rotates element i against element i + head_width / 2, for each of the heads stored one after
  // another in `heads`.
  void rotate(std::span<float> heads, int32_t position) const;

  // cos and sin of every pair at a position, [head_width / 2] each.
  void angles(int32_t position, std::span<float> cos, std::span<float> sin) const;

 private:
  int32_t head_width_;
  std::vector<double> frequencies_;  // radians per position
};

// out [rows, matrix.rows] = x [rows, matrix.cols] times the transposed matrix. Each matrix
// row is dequantized once, into `row_scratch` [matrix.cols].
void matmul(const Matrix& matrix, std::span<const float> x, int32_t rows, std::span<float> out,
            std::span<float> row_scratch);

}  // namespace gem
