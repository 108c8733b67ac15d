#include "model/manifest.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <optional>
#include <string_view>
#include <unordered_set>

#include "base/check.h"
#include "base/text.h"
#include "model/describe.h"
#include "model/hyperparameters.h"
#include "model/layer_tensors.h"
#include "model/vocabulary.h"

namespace gem {
namespace {

using gguf::TensorInfo;
using gguf::Type;

// RoPE divides the angle of a pair by its factor: this one stops the pair.
constexpr float kStoppedPair = 1e30f;

std::string tensor_text(std::span<const uint64_t> ne, std::string_view type) {
  return fmt::format("[{}] {}", fmt::join(ne, ", "), type);
}

// Finds, checks and remembers tensors. Every failure names tensor, found and wanted.
class Binder {
 public:
  Binder(const gguf::File& file, const Profile& profile) : file_(file), profile_(profile) {}

  Result<Matrix> matrix(std::string name, int32_t cols, int32_t rows, std::span<const Type> types) {
    const uint64_t ne[] = {static_cast<uint64_t>(cols), static_cast<uint64_t>(rows)};
    GEM_ASSIGN(const TensorInfo* tensor, require(std::move(name), ne, types));
    matrix_bytes_ += tensor->size_bytes;
    return Matrix{static_cast<Type>(tensor->type_number), file_.data(*tensor).data(), rows, cols};
  }

  Result<Vector> vector(std::string name, int32_t values) {
    static constexpr std::array kTypes = {Type::kF32};
    const uint64_t ne[] = {static_cast<uint64_t>(values)};
    GEM_ASSIGN(const TensorInfo* tensor, require(std::move(name), ne, kTypes));
    const std::byte* data = file_.data(*tensor).data();
    // Tensors start at multiples of the file's alignment, which the reader keeps at 8 or more.
    GEM_CHECK(reinterpret_cast<uintptr_t>(data) % alignof(float) == 0);
    return Vector(reinterpret_cast<const float*>(data), static_cast<size_t>(values));
  }

  bool is_bound(std::string_view name) const { return bound_.contains(name); }
  uint64_t weight_bytes() const { return weight_bytes_; }
  uint64_t matrix_bytes() const { return matrix_bytes_; }

 private:
  Result<const TensorInfo*> require(std::string name, std::span<const uint64_t> ne,
                                    std::span<const Type> types) {
    const TensorInfo* tensor = file_.find_tensor(name);
    const auto has_type = [&](Type type) {
      return tensor->type_number == static_cast<uint32_t>(type);
    };
    if (tensor == nullptr ||
        !std::equal(ne.begin(), ne.end(), tensor->ne.begin(), tensor->ne.end()) ||
        std::none_of(types.begin(), types.end(), has_type)) {
      return fail(Code::kUnsupported, "tensor {} is {}, wanted {}; get the Q4_0 (QAT) file of {}",
                  name, tensor == nullptr ? "missing" : tensor->describe(), wanted_text(ne, types),
                  profile_.title);
    }
    bound_.insert(tensor->name);
    weight_bytes_ += tensor->size_bytes;
    return tensor;
  }

  static std::string wanted_text(std::span<const uint64_t> ne, std::span<const Type> types) {
    std::string names;
    for (const Type type : types) {
      if (!names.empty()) names += " or ";
      names += gguf::block_format(type).name;
    }
    return tensor_text(ne, names);
  }

  const gguf::File& file_;
  const Profile& profile_;
  std::unordered_set<std::string_view> bound_;  // names in the file
  uint64_t weight_bytes_ = 0;
  uint64_t matrix_bytes_ = 0;
};

// The types that a target may have, the published ones first.
constexpr std::array kMatrixTypes = {Type::kQ4_0};
constexpr std::array kTableTypes = {Type::kQ8_0, Type::kQ6K};

Result<LayerPlan> bind_layer(Binder& binder, const Profile& profile, int32_t layer,
                             Vector rope_factors) {
  LayerPlan plan;
  plan.is_full = profile.is_full(layer);
  plan.v_is_k = plan.is_full;
  plan.head_width = profile.head_width(layer);
  plan.query_heads = profile.query_heads;
  plan.kv_heads = profile.kv_heads(layer);
  plan.window = plan.is_full ? 0 : profile.window;
  plan.rope_base = plan.is_full ? profile.full_rope_base : profile.swa_rope_base;
  if (plan.is_full) plan.rope_factors = rope_factors;

  for (const LayerTensor& tensor : layer_tensors()) {
    if (tensor.swa_only && plan.is_full) continue;
    const std::string name = layer_tensor_name(layer, tensor.name);
    const int32_t in = extent_of(profile, layer, tensor.in);
    if (const auto* matrix = std::get_if<Matrix LayerPlan::*>(&tensor.member)) {
      const int32_t out = extent_of(profile, layer, tensor.out);
      GEM_ASSIGN(plan.*(*matrix), binder.matrix(name, in, out, kMatrixTypes));
    } else if (const auto* vector = std::get_if<Vector LayerPlan::*>(&tensor.member)) {
      GEM_ASSIGN(plan.*(*vector), binder.vector(name, in));
    } else {
      GEM_ASSIGN(const Vector scalar, binder.vector(name, in));
      if (!std::isfinite(scalar[0]) || scalar[0] == 0) {
        return fail(Code::kCorrupt,
                    "tensor {} holds {}, wanted a finite number other than 0; get the file again",
                    name, scalar[0]);
      }
      plan.*std::get<float LayerPlan::*>(tensor.member) = scalar[0];
    }
  }
  return plan;
}

Result<Vector> bind_rope_factors(Binder& binder, const Profile& profile) {
  constexpr char kName[] = "rope_freqs.weight";
  GEM_ASSIGN(const Vector factors, binder.vector(kName, profile.full_head_width / 2));
  for (size_t pair = 0; pair < factors.size(); ++pair) {
    const float wanted = pair < static_cast<size_t>(profile.rotated_pairs) ? 1.0f : kStoppedPair;
    if (factors[pair] == wanted) continue;
    return fail(Code::kUnsupported, "tensor {} has {} at pair {}, wanted {}; get the file again",
                kName, factors[pair], pair, wanted);
  }
  return factors;
}

bool is_other_modality(std::string_view name) {
  return name.starts_with("v.") || name.starts_with("a.") || name.starts_with("mm.");
}

// Accounts for every tensor of the file: bound, or of another modality and then counted into a
// note.
Status check_others(const gguf::File& file, const Profile& profile, const Binder& binder,
                    std::vector<std::string>& notes) {
  size_t skipped = 0;
  for (const TensorInfo& tensor : file.tensors()) {
    if (binder.is_bound(tensor.name)) continue;
    if (!is_other_modality(tensor.name)) {
      return fail(Code::kUnsupported,
                  "tensor {} ({}) is not part of {}; get the Q4_0 (QAT) file of it",
                  quote_for_message(tensor.name), tensor.describe(), profile.title);
    }
    ++skipped;
  }
  // The reader keeps names unique, so what is neither bound nor skipped has been refused above.
  GEM_CHECK(file.tensors().size() - skipped == static_cast<size_t>(profile.tensors()));
  if (skipped > 0) {
    notes.push_back(
        fmt::format("skipped {} tensors of other modalities (v.*, a.*, mm.*)", skipped));
  }
  return {};
}

Result<Plan> bind_plan(const gguf::File& file, const Profile& profile,
                       std::vector<std::string>& notes) {
  Binder binder(file, profile);
  Plan plan;
  plan.profile = profile;
  GEM_ASSIGN(const Vector rope_factors, bind_rope_factors(binder, profile));
  GEM_ASSIGN(plan.output_norm, binder.vector("output_norm.weight", profile.width));
  GEM_ASSIGN(plan.token_table,
             binder.matrix("token_embd.weight", profile.width, profile.vocabulary, kTableTypes));
  for (int32_t layer = 0; layer < profile.layers; ++layer) {
    GEM_ASSIGN(const LayerPlan bound, bind_layer(binder, profile, layer, rope_factors));
    plan.layers.push_back(bound);
  }
  GEM_TRY(check_others(file, profile, binder, notes));
  plan.weight_bytes = binder.weight_bytes();
  plan.decode_bytes = binder.matrix_bytes();
  return plan;
}

Result<const Profile*> choose_profile(const gguf::File& file, const Profile& found,
                                      std::span<const Profile> profiles) {
  const auto chosen = std::find_if(profiles.begin(), profiles.end(), [&](const Profile& p) {
    return p.layers == found.layers && p.width == found.width;
  });
  if (chosen == profiles.end()) {
    return fail(Code::kUnsupported, "{}; {}", describe_model(file), kSupportedFiles);
  }
  return &*chosen;
}

Status check_general(const gguf::File& file) {
  constexpr std::string_view kKey = "general.quantization_version";
  const gguf::Value* version = file.find(kKey);
  if (version == nullptr || version->as_integer() == 2) return {};
  return fail(Code::kUnsupported, "{} is {}, wanted 2; get the Q4_0 (QAT) file", kKey,
              version->as_integer() ? fmt::to_string(*version->as_integer()) : version->describe());
}

Result<Model> bind(const gguf::File& file, const Profile& found, const Profile& profile) {
  GEM_TRY(compare_hyperparameters(found, profile));
  GEM_TRY(check_general(file));
  GEM_TRY(check_vocabulary(file, profile));

  Model model;
  GEM_ASSIGN(model.plan, bind_plan(file, profile, model.notes));
  for (const gguf::KeyValue* entry : unknown_keys(file)) {
    model.notes.push_back(fmt::format("skipped metadata key {} ({})", quote_for_message(entry->key),
                                      entry->value.describe()));
  }
  return model;
}

Result<Model> identify_and_bind(const gguf::File& file, std::span<const Profile> profiles) {
  GEM_TRY(refuse_other_kinds(file));
  GEM_ASSIGN(const Profile found, read_hyperparameters(file));
  GEM_ASSIGN(const Profile* profile, choose_profile(file, found, profiles));
  Result<Model> model = bind(file, found, *profile);
  if (model) return model;
  return tl::unexpected<Error>(std::move(model).error().with_context(describe_model(file)));
}

}  // namespace

Result<Model> bind_model(const gguf::File& file, std::span<const Profile> profiles) {
  Result<Model> model = identify_and_bind(file, profiles);
  if (model) return model;
  return tl::unexpected<Error>(
      std::move(model).error().with_context(quote_for_message(file.name(), 4096)));
}

}  // namespace gem
