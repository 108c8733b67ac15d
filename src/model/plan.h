// The fixed facts of a loaded model: what every stage of every layer needs to know, by meaning. A
// plan points into the mapped file and is immutable; devices and the engine share it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "gguf/block.h"
#include "model/profile.h"

namespace gem {

// A stored matrix: `rows` outputs of `cols` inputs, row-major, rows contiguous, in blocks along a
// row.
struct Matrix {
  gguf::Type type = gguf::Type::kF32;
  const std::byte* data = nullptr;
  int32_t rows = 0;
  int32_t cols = 0;

  size_t row_bytes() const { return gguf::row_bytes(type, static_cast<size_t>(cols)); }
  const std::byte* row(int32_t r) const { return data + static_cast<size_t>(r) * row_bytes(); }
  size_t bytes() const { return row_bytes() * static_cast<size_t>(rows); }
};

using Vector = std::span<const float>;

struct LayerPlan {
  bool is_full = false;  // sees every position; otherwise the last `window` ones
  bool v_is_k = false;   // V is the raw K projection (full layers; `v` is then empty)
  int32_t head_width = 0;
  int32_t query_heads = 0;
  int32_t kv_heads = 0;
  int32_t window = 0;  // visible positions, the current one included; 0 = all
  float rope_base = 0;
  Vector rope_factors;  // [head_width / 2] divisors of the angle, or empty: all 1
  float output_scale = 1;

  Matrix q;                                                   // [query_heads * head_width, width]
  Matrix k;                                                   // [kv_heads * head_width, width]
  Matrix v;                                                   // as k; empty if v_is_k
  Matrix out;                                                 // [width, query_heads * head_width]
  Matrix gate, up;                                            // [ffn_width, width]
  Matrix down;                                                // [width, ffn_width]
  Vector attn_norm, post_attn_norm, ffn_norm, post_ffn_norm;  // [width]
  Vector q_norm, k_norm;                                      // [head_width]

  int32_t query_width() const { return query_heads * head_width; }
  int32_t kv_width() const { return kv_heads * head_width; }
  int32_t group() const { return query_heads / kv_heads; }  // query heads that share a KV head
};

struct Plan {
  Profile profile;
  std::vector<LayerPlan> layers;
  Matrix token_table;         // [vocabulary, width], the embedding and the tied head
  Vector output_norm;         // [width]
  uint64_t weight_bytes = 0;  // all tensors
  uint64_t decode_bytes = 0;  // what one token reads: all matrices and the whole token table

  int32_t layer_count() const { return static_cast<int32_t>(layers.size()); }
};

}  // namespace gem
