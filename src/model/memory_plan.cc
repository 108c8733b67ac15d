#include "model/memory_plan.h"

#include <algorithm>

#include "base/check.h"
#include "base/text.h"

namespace gem {
namespace {

struct ValueBytes {
  uint64_t swa;
  uint64_t full;
};

ValueBytes value_bytes(KvType type) {
  switch (type) {
    case KvType::kF32:
      return {4, 4};
    case KvType::kF16:
      return {2, 2};
    case KvType::kF16Full:
      return {4, 2};
  }
  GEM_CHECK(false);
}

// K and V of one position in all layers of a kind, in values.
uint64_t swa_values(const Profile& p) {
  return 2ull * static_cast<uint64_t>(p.swa_layers()) * static_cast<uint64_t>(p.swa_kv_heads) *
         static_cast<uint64_t>(p.swa_head_width);
}

uint64_t full_values(const Profile& p) {
  return 2ull * static_cast<uint64_t>(p.full_layers()) * static_cast<uint64_t>(p.full_kv_heads) *
         static_cast<uint64_t>(p.full_head_width);
}

uint64_t full_token_bytes(const Profile& p, KvType type) {
  return full_values(p) * value_bytes(type).full;
}

constexpr int64_t kContextStep = 256;

}  // namespace

std::string_view kv_type_name(KvType type) {
  switch (type) {
    case KvType::kF32:
      return "f32";
    case KvType::kF16:
      return "f16";
    case KvType::kF16Full:
      return "f16-full";
  }
  GEM_CHECK(false);
}

uint64_t swa_ring_bytes(const Profile& profile, KvType type) {
  return static_cast<uint64_t>(profile.window) * swa_values(profile) * value_bytes(type).swa;
}

uint64_t kv_bytes(const Profile& profile, KvType type, int64_t context_tokens) {
  GEM_CHECK(context_tokens >= 0);
  return swa_ring_bytes(profile, type) +
         static_cast<uint64_t>(context_tokens) * full_token_bytes(profile, type);
}

uint64_t scratch_bytes(const Profile& profile, int64_t rows, int64_t logits_rows) {
  GEM_CHECK(rows >= 0 && logits_rows >= 0);
  const int64_t query =
      int64_t{profile.query_heads} * std::max(profile.swa_head_width, profile.full_head_width);
  const int64_t kv = std::max(int64_t{profile.swa_kv_heads} * profile.swa_head_width,
                              int64_t{profile.full_kv_heads} * profile.full_head_width);
  // The residual stream, a norm's output and a branch's output; q and the heads' outputs; k and v;
  // gate and up.
  const int64_t row =
      3 * int64_t{profile.width} + 2 * query + 2 * kv + 2 * int64_t{profile.ffn_width};
  return sizeof(float) * static_cast<uint64_t>(rows * row + logits_rows * profile.vocabulary);
}

MemoryPlan plan_memory(const Profile& profile, uint64_t weight_bytes, KvType type,
                       int64_t context_tokens, int64_t rows, int64_t logits_rows) {
  MemoryPlan plan;
  plan.weight_bytes = weight_bytes;
  plan.kv_bytes = kv_bytes(profile, type, context_tokens);
  plan.scratch_bytes = scratch_bytes(profile, rows, logits_rows);
  plan.snapshot_bytes = swa_ring_bytes(profile, type);
  return plan;
}

int64_t largest_context(const Profile& profile, uint64_t weight_bytes, KvType type, int64_t rows,
                        int64_t logits_rows, uint64_t budget_bytes) {
  const uint64_t fixed =
      plan_memory(profile, weight_bytes, type, 0, rows, logits_rows).total_bytes();
  if (fixed > budget_bytes) return 0;
  const uint64_t fitting = (budget_bytes - fixed) / full_token_bytes(profile, type);
  const int64_t tokens =
      static_cast<int64_t>(std::min(fitting, static_cast<uint64_t>(profile.max_context)));
  return tokens - tokens % kContextStep;
}

Status check_memory(const Profile& profile, uint64_t weight_bytes, KvType type,
                    int64_t context_tokens, int64_t rows, int64_t logits_rows,
                    uint64_t budget_bytes) {
  const MemoryPlan plan =
      plan_memory(profile, weight_bytes, type, context_tokens, rows, logits_rows);
  if (plan.total_bytes() <= budget_bytes) return {};
  const int64_t largest =
      largest_context(profile, weight_bytes, type, rows, logits_rows, budget_bytes);
  const std::string needs = fmt::format(
      "{} with a context of {} and {} KV needs {} ({} weights, {} KV, {} scratch) and {} are free",
      profile.title, context_tokens, kv_type_name(type), format_bytes(plan.total_bytes()),
      format_bytes(plan.weight_bytes), format_bytes(plan.kv_bytes),
      format_bytes(plan.scratch_bytes), format_bytes(budget_bytes));
  if (largest == 0) return fail(Code::kNoMemory, "{}; no context fits", needs);
  return fail(Code::kNoMemory, "{}; the largest context that fits is {}", needs, largest);
}

}  // namespace gem
