// The strict check of a target model file: every tensor's name, type and shape and every metadata
// key that the model's meaning depends on, against one profile. What passes needs no further "if
// missing".
#pragma once
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "gguf/reader.h"
#include "model/plan.h"
#include "model/profile.h"

namespace gem {

struct Model {
  Plan plan;
  // One line each for what was skipped: unknown metadata keys, tensors of other modalities.
  std::vector<std::string> notes;
};

// Binds `file` to the profile it matches. `file` must outlive the result. The error of a file that
// is not accepted is one line: what it is, what gem supports, which file to get.
Result<Model> bind_model(const gguf::File& file, std::span<const Profile> profiles);

// One line that names what a well-formed GGUF file holds, accepted or not: "Gemma 4 26B-A4B
// (mixture of experts)", "Gemma 4 assistant (drafter) for 12B", "architecture qwen3".
std::string describe_model(const gguf::File& file);

// Tensor declarations of a profile in the order in which converters write them.
struct TensorSpec {
  std::string name;
  gguf::Type type;
  std::vector<uint64_t> ne;  // first = innermost
};
std::vector<TensorSpec> target_tensors(const Profile& profile,
                                       gguf::Type table_type = gguf::Type::kQ8_0);

}  // namespace gem
