// A model file, opened, checked and put on a device: what every verb that computes starts from.
#pragma once
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "cli/settings.h"
#include "engine/session.h"
#include "gguf/reader.h"
#include "model/manifest.h"
#include "tokenizer/tokenizer.h"

namespace gem {

inline constexpr int32_t kAllRows = -1;

struct LoadOptions {
  bool any_profile = false;  // accept sizes that are not in the table: oracle work only
  int32_t logits_rows = 1;   // rows of a batch whose logits are wanted, or kAllRows
  bool wants_tokenizer = true;
  bool shows_memory = false;  // one line on stderr, before anything is allocated
};

struct LoadedModel {
  gguf::File file;
  Model model;  // points into file
  std::optional<Tokenizer> tokenizer;
  std::unique_ptr<Device> device;
  std::unique_ptr<Session> session;
};

// The profiles that production code accepts.
std::span<const Profile> accepted_profiles();

// Errors name the file. The result is on the heap because model, device and session point into it.
Result<std::unique_ptr<LoadedModel>> load_model(const ModelSettings& settings,
                                                const LoadOptions& options);

}  // namespace gem
