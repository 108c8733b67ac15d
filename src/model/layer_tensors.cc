#include "model/layer_tensors.h"

#include "base/check.h"

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

}  // namespace gem
