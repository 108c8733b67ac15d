#include "device/cpu/scalar_ops.h"

#include <array>
#include <cmath>
#include <numbers>

#include "base/check.h"

namespace gem {

float dot(std::span<const float> a, std::span<const float> b) {
  GEM_CHECK(a.size() == b.size());
  // Independent lanes let the compiler use vector registers without reordering any sum.
  constexpr size_t kLanes = 16;
  std::array<float, kLanes> lanes{};
  const float* pa = a.data();
  const float* pb = b.data();
  const size_t whole = a.size() / kLanes * kLanes;
  for (size_t i = 0; i < whole; i += kLanes) {
    for (size_t lane = 0; lane < kLanes; ++lane) lanes[lane] += pa[i + lane] * pb[i + lane];
  }
  for (size_t i = whole; i < a.size(); ++i) lanes[i - whole] += pa[i] * pb[i];
  double sum = 0;
  for (const float lane : lanes) sum += lane;
  return static_cast<float>(sum);
}

void rms_norm(std::span<const float> x, Vector weight, float epsilon, std::span<float> out) {
  double squares = 0;
  for (const float value : x) squares += static_cast<double>(value) * value;
  const double mean = squares / static_cast<double>(x.size());
  const auto scale = static_cast<float>(1.0 / std::sqrt(mean + epsilon));
  for (size_t i = 0; i < x.size(); ++i) {
    out[i] = weight.empty() ? x[i] * scale : x[i] * scale * weight[i];
  }
}

float gelu(float y) {
  const float inner = std::sqrt(2.0f / std::numbers::pi_v<float>) * (y + 0.044715f * y * y * y);
  return 0.5f * y * (1.0f + std::tanh(inner));
}

float softcap(float z, float cap) { return cap * std::tanh(z / cap); }

Rope::Rope(int32_t head_width, float base, Vector factors) : head_width_(head_width) {
  const int32_t pairs = head_width / 2;
  frequencies_.resize(static_cast<size_t>(pairs));
  for (int32_t i = 0; i < pairs; ++i) {
    const double factor = factors.empty() ? 1.0 : factors[static_cast<size_t>(i)];
    frequencies_[static_cast<size_t>(i)] =
        std::pow(static_cast<double>(base), -2.0 * i / head_width) / factor;
  }
}

void Rope::angles(int32_t position, std::span<float> cos, std::span<float> sin) const {
  for (size_t i = 0; i < frequencies_.size(); ++i) {
    const double angle = position * frequencies_[i];
    cos[i] = static_cast<float>(std::cos(angle));
    sin[i] = static_cast<float>(std::sin(angle));
  }
}

void Rope::rotate(std::span<float> heads, int32_t position) const {
  const size_t pairs = frequencies_.size();
  for (size_t i = 0; i < pairs; ++i) {
    const double angle = position * frequencies_[i];
    const auto cos = static_cast<float>(std::cos(angle));
    const auto sin = static_cast<float>(std::sin(angle));
    for (size_t head = 0; head < heads.size(); head += static_cast<size_t>(head_width_)) {
      const float a = heads[head + i];
      const float b = heads[head + i + pairs];
      heads[head + i] = a * cos - b * sin;
      heads[head + i + pairs] = a * sin + b * cos;
    }
  }
}

void matmul(const Matrix& matrix, std::span<const float> x, int32_t rows, std::span<float> out,
            std::span<float> row_scratch) {
  const auto cols = static_cast<size_t>(matrix.cols);
  const auto outputs = static_cast<size_t>(matrix.rows);
  const auto weights = row_scratch.first(cols);
  for (size_t i = 0; i < outputs; ++i) {
    gguf::dequantize(matrix.type, matrix.row(static_cast<int32_t>(i)), weights);
    for (size_t r = 0; r < static_cast<size_t>(rows); ++r) {
      out[r * outputs + i] = dot(weights, x.subspan(r * cols, cols));
    }
  }
}

}  // namespace gem
