// The models that gem runs, as one row each. Production code accepts these rows and nothing else;
// tests bring rows of their own.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "gguf/reader.h"

namespace gem {

struct Profile {
  std::string name;    // "12b": what --profile and model ids use
  std::string title;   // "Gemma 4 12B": for people
  int32_t layers = 0;  // every 6th is a full layer, the others are SWA (sliding window attention)
  int32_t width = 0;   // of the residual stream
  int32_t query_heads = 0;
  int32_t swa_kv_heads = 0;
  int32_t full_kv_heads = 0;
  int32_t swa_head_width = 0;
  int32_t full_head_width = 0;
  int32_t ffn_width = 0;
  int32_t window = 0;       // tokens an SWA layer sees, the current one included
  int32_t max_context = 0;  // tokens
  int32_t vocabulary = 0;   // ids
  int32_t rotated_pairs =
      0;              // pairs of a full layer's head that RoPE turns; the others have factor 1e30
  float softcap = 0;  // of the final logits
  float rms_epsilon = 0;
  float swa_rope_base = 0;
  float full_rope_base = 0;
  bool fixed_special_ids =
      false;  // the ids of the special tokens are those of the published vocabulary

  static constexpr int32_t kLayerPeriod = 6;
  bool is_full(int32_t layer) const { return (layer + 1) % kLayerPeriod == 0; }
  int32_t full_layers() const { return layers / kLayerPeriod; }
  int32_t swa_layers() const { return layers - full_layers(); }
  int32_t head_width(int32_t layer) const {
    return is_full(layer) ? full_head_width : swa_head_width;
  }
  int32_t kv_heads(int32_t layer) const { return is_full(layer) ? full_kv_heads : swa_kv_heads; }
  // 14 an SWA layer, 13 a full layer, 3 more.
  int32_t tensors() const { return 14 * swa_layers() + 13 * full_layers() + 3; }
};

// 12b, 31b and demo.
std::span<const Profile> published_profiles();

// small: head widths, window, pattern, RoPE and softcap of the published models at a few megabytes.
// Only the writer of synthetic models and tests use these rows.
std::span<const Profile> synthetic_profiles();

// The row of that name, or nullptr.
const Profile* find_profile(std::span<const Profile> profiles, std::string_view name);

// The row that a file's own metadata describes, whatever its sizes: for oracle work with tiny
// models
// (`gem eval --any-profile`), never for production. Returns kUnsupported or kCorrupt.
Result<Profile> profile_of_file(const gguf::File& file);

}  // namespace gem
