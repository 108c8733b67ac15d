#include "model/layer_tensors.h"

#include <fmt/format.h>

#include "base/check.h"
#include "model/manifest.h"

namespace gem {

int32_t extent_of(const Profile& profile, int32_t layer, Extent extent) {
  switch (extent) {
    case Extent::kOne:
      return 1;
    case Extent::kWidth:
      return profile.width;
    case Extent::kHeadWidth:
      return profile.head_width(layer);
    case Extent::kQuery:
      return profile.query_heads * profile.head_width(layer);
    case Extent::kKv:
      return profile.kv_heads(layer) * profile.head_width(layer);
    case Extent::kFfn:
      return profile.ffn_width;
  }
  GEM_CHECK(false);
}

std::span<const LayerTensor> layer_tensors() {
  using enum Extent;
  static constexpr LayerTensor kTensors[] = {
      {"attn_k", kWidth, kKv, &LayerPlan::k},
      {"attn_k_norm", kHeadWidth, kOne, &LayerPlan::k_norm},
      {"attn_norm", kWidth, kOne, &LayerPlan::attn_norm},
      {"attn_output", kQuery, kWidth, &LayerPlan::out},
      {"attn_q", kWidth, kQuery, &LayerPlan::q},
      {"attn_q_norm", kHeadWidth, kOne, &LayerPlan::q_norm},
      {"attn_v", kWidth, kKv, &LayerPlan::v, true},
      {"ffn_down", kFfn, kWidth, &LayerPlan::down},
      {"ffn_gate", kWidth, kFfn, &LayerPlan::gate},
      {"ffn_norm", kWidth, kOne, &LayerPlan::ffn_norm},
      {"ffn_up", kWidth, kFfn, &LayerPlan::up},
      {"layer_output_scale", kOne, kOne, &LayerPlan::output_scale},
      {"post_attention_norm", kWidth, kOne, &LayerPlan::post_attn_norm},
      {"post_ffw_norm", kWidth, kOne, &LayerPlan::post_ffn_norm},
  };
  return kTensors;
}

std::string layer_tensor_name(int32_t layer, std::string_view part) {
  return fmt::format("blk.{}.{}.weight", layer, part);
}

std::vector<TensorSpec> target_tensors(const Profile& profile, gguf::Type table_type) {
  const auto size = [](int32_t extent) { return static_cast<uint64_t>(extent); };
  std::vector<TensorSpec> out;
  out.push_back({"rope_freqs.weight", gguf::Type::kF32, {size(profile.full_head_width / 2)}});
  out.push_back({"output_norm.weight", gguf::Type::kF32, {size(profile.width)}});
  out.push_back({"token_embd.weight", table_type, {size(profile.width), size(profile.vocabulary)}});
  for (int32_t layer = 0; layer < profile.layers; ++layer) {
    for (const LayerTensor& tensor : layer_tensors()) {
      if (tensor.swa_only && profile.is_full(layer)) continue;
      const bool is_matrix = std::holds_alternative<Matrix LayerPlan::*>(tensor.member);
      TensorSpec spec{layer_tensor_name(layer, tensor.name),
                      is_matrix ? gguf::Type::kQ4_0 : gguf::Type::kF32,
                      {size(extent_of(profile, layer, tensor.in))}};
      if (is_matrix) spec.ne.push_back(size(extent_of(profile, layer, tensor.out)));
      out.push_back(std::move(spec));
    }
  }
  return out;
}

}  // namespace gem
