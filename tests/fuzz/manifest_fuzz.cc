// Any bytes as a model file: parsed, described, and bound to the published rows, to the synthetic
// ones and to the row that the file's own metadata makes up.
// Covers: src/model/manifest.cc src/model/hyperparameters.cc src/model/describe.cc
// Covers: src/model/profile.cc src/model/vocabulary.cc
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/check.h"
#include "gguf/reader.h"
#include "model/manifest.h"
#include "model/profile.h"

namespace {

// Stands for the data section, so that an input need not carry one: ones are output scales and RoPE
// factors that the manifest accepts.
constexpr size_t kDataFloats = 16 << 10;

// Reads the ends of every view of the plan; the sanitizer knows where the bytes end.
void touch(const gem::Plan& plan) {
  volatile std::byte sink{};
  const auto touch_matrix = [&](const gem::Matrix& matrix) {
    if (matrix.bytes() == 0) return;
    sink = matrix.data[0];
    sink = matrix.row(matrix.rows - 1)[matrix.row_bytes() - 1];
  };
  const auto touch_vector = [&](gem::Vector vector) {
    const std::span<const std::byte> bytes = std::as_bytes(vector);
    if (!bytes.empty()) sink = bytes.back();
  };
  touch_matrix(plan.token_table);
  touch_vector(plan.output_norm);
  for (const gem::LayerPlan& layer : plan.layers) {
    for (const gem::Matrix* matrix :
         {&layer.q, &layer.k, &layer.v, &layer.out, &layer.gate, &layer.up, &layer.down}) {
      touch_matrix(*matrix);
    }
    for (const gem::Vector vector :
         {layer.attn_norm, layer.post_attn_norm, layer.ffn_norm, layer.post_ffn_norm, layer.q_norm,
          layer.k_norm, layer.rope_factors}) {
      touch_vector(vector);
    }
    GEM_CHECK(layer.query_heads % layer.kv_heads == 0 && layer.output_scale != 0);
  }
}

void bind(const gem::gguf::File& file, std::span<const gem::Profile> profiles) {
  const auto model = gem::bind_model(file, profiles);
  if (model) {
    touch(model->plan);
  } else {
    GEM_CHECK(!model.error().text().empty() &&
              model.error().text().find('\n') == std::string::npos);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto input = std::as_bytes(std::span(data, size));
  const std::vector<float> ones(kDataFloats, 1.0f);
  const auto tail = std::as_bytes(std::span(ones));
  std::vector<std::byte> bytes(input.begin(), input.end());
  bytes.insert(bytes.end(), tail.begin(), tail.end());
  const auto file = gem::gguf::File::parse(bytes, "input");
  if (!file) return 0;
  GEM_CHECK(!gem::describe_model(*file).empty());
  bind(*file, gem::published_profiles());
  bind(*file, gem::synthetic_profiles());
  if (const auto profile = gem::profile_of_file(*file)) bind(*file, {&*profile, 1});
  return 0;
}
