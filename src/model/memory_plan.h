// What running a model will allocate, before anything is allocated.
#pragma once
#include <cstdint>
#include <string_view>

#include "base/result.h"
#include "model/profile.h"

namespace gem {

enum class KvType : uint8_t {
  kF32,      // the default
  kF16,      // all layers
  kF16Full,  // full layers F16, SWA layers F32
};

// "f32", "f16", "f16-full".
std::string_view kv_type_name(KvType type);

struct MemoryPlan {
  uint64_t weight_bytes = 0;    // mapped or uploaded
  uint64_t kv_bytes = 0;        // SWA rings and full caches
  uint64_t scratch_bytes = 0;   // activations; independent of the context
  uint64_t snapshot_bytes = 0;  // one snapshot of the SWA rings

  uint64_t total_bytes() const { return weight_bytes + kv_bytes + scratch_bytes; }
};

// K and V of `context` positions: rings of exactly the window for SWA layers, whole for full
// layers.
uint64_t kv_bytes(const Profile& profile, KvType type, int64_t context_tokens);
// The part of kv_bytes that SWA rings take: the size of one snapshot.
uint64_t swa_ring_bytes(const Profile& profile, KvType type);
// Activations of a batch of `rows`, and logits of `logits_rows`, in f32.
uint64_t scratch_bytes(const Profile& profile, int64_t rows, int64_t logits_rows);

MemoryPlan plan_memory(const Profile& profile, uint64_t weight_bytes, KvType type,
                       int64_t context_tokens, int64_t rows, int64_t logits_rows);

// The largest context, a multiple of 256 and at most the profile's, whose plan fits in
// `budget_bytes`; 0 if none does.
int64_t largest_context(const Profile& profile, uint64_t weight_bytes, KvType type, int64_t rows,
                        int64_t logits_rows, uint64_t budget_bytes);

// kNoMemory, with the needs by part and the largest context that fits, if the plan exceeds
// `budget_bytes`.
Status check_memory(const Profile& profile, uint64_t weight_bytes, KvType type,
                    int64_t context_tokens, int64_t rows, int64_t logits_rows,
                    uint64_t budget_bytes);

}  // namespace gem
