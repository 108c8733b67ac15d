// What a target file stores, as one table: the manifest's check, the bindings of the plan and the
// writer of synthetic models all read it.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "model/plan.h"
#include "model/profile.h"

namespace gem {

// A dimension of a tensor, by meaning.
enum class Extent : uint8_t {
  kOne,
  kWidth,      // of the residual stream
  kHeadWidth,  // of the layer
  kQuery,      // query heads * head width
  kKv,         // KV heads * head width
  kFfn,
};

int32_t extent_of(const Profile& profile, int32_t layer, Extent extent);

struct LayerTensor {
  std::string_view name;  // between "blk.N." and ".weight"
  std::variant<Matrix LayerPlan::*, Vector LayerPlan::*, float LayerPlan::*> member;
  Extent in;
  Extent out;  // unused for vectors
  bool swa_only = false;
};

// In the order in which files have them.
std::span<const LayerTensor> layer_tensors();

// "blk.7.attn_q.weight"
std::string layer_tensor_name(int32_t layer, std::string_view part);

}  // namespace gem
