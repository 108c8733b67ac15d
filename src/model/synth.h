// Synthetic models: every shape and metadata key of a profile, weights from a seed, scaled so that
// the residual stream and the logits stay in the range of a trained model. Text made by them means
// nothing.
#pragma once
#include <cstdint>
#include <functional>
#include <string>

#include "base/result.h"
#include "gguf/reader.h"
#include "model/profile.h"

namespace gem {

struct SynthOptions {
  uint64_t seed = 1;
  // A sparse file: header and F32 tensors; the matrices are a hole of their size.
  bool header_only = false;
  gguf::Type table_type = gguf::Type::kQ8_0;
  const gguf::File* vocabulary = nullptr;  // copies its tokenizer.* keys; else a made-up vocabulary
  std::function<void(uint64_t done_bytes, uint64_t all_bytes)> progress;  // may be empty
};

// Writes the file to `path` under a temporary name and renames it when complete. The same profile,
// seed and vocabulary give the same bytes on every machine.
Status write_synthetic_model(const Profile& profile, const SynthOptions& options,
                             const std::string& path);

}  // namespace gem
