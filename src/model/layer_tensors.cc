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
      {"attn_k", &LayerPlan::k, kWidth, kKv},
      {"attn_k_norm", &LayerPlan::k_norm, kHeadWidth, kOne},
      {"attn_norm", &LayerPlan::attn_norm, kWidth, kOne},
      {"attn_output", &LayerPlan::out, kQuery, kWidth},
      {"attn_q", &LayerPlan::q, kWidth, kQuery},
      {"attn_q_norm", &LayerPlan::q_norm, kHeadWidth, kOne},
      {"attn_v", &LayerPlan::v, kWidth, kKv, true},
      {"ffn_down", &LayerPlan::down, kFfn, kWidth},
      {"ffn_gate", &LayerPlan::gate, kWidth, kFfn},
      {"ffn_norm", &LayerPlan::ffn_norm, kWidth, kOne},
      {"ffn_up", &LayerPlan::up, kWidth, kFfn},
      {"layer_output_scale", &LayerPlan::output_scale, kOne, kOne},
      {"post_attention_norm", &LayerPlan::post_attn_norm, kWidth, kOne},
      {"post_ffw_norm", &LayerPlan::post_ffn_norm, kWidth, kOne},
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
