#include "cli/loaded_model.h"

#include <algorithm>
#include <vector>

#include "base/log.h"
#include "base/system_memory.h"
#include "base/text.h"
#include "cli/vocabulary.h"
#include "engine/walk.h"
#include "model/memory_plan.h"
#include "tokenizer/special_tokens.h"

namespace gem {
namespace {

// Rows of a prompt tile. The scalar device dequantizes a matrix row once per tile.
constexpr int32_t kTileRows = 32;

// Shows what is about to be allocated, and refuses what does not fit.
Status plan(const Plan& model, const Limits& limits, bool shows_memory) {
  const MemoryPlan memory = plan_memory(model.profile, model.weight_bytes, KvType::kF32,
                                        limits.context, limits.rows, limits.logits_rows);
  if (shows_memory) {
    log("{}: {} weights in the file, {} K/V for {} tokens, {} scratch", model.profile.title,
        format_bytes(memory.weight_bytes), format_bytes(memory.kv_bytes), limits.context,
        format_bytes(memory.scratch_bytes));
  }
  const std::optional<uint64_t> available = available_memory_bytes();
  if (!available) return {};
  return check_memory(model.profile, model.weight_bytes, KvType::kF32, limits.context, limits.rows,
                      limits.logits_rows, *available);
}

}  // namespace

std::span<const Profile> accepted_profiles() {
  static const std::vector<Profile> profiles = [] {
    std::vector<Profile> all(published_profiles().begin(), published_profiles().end());
    all.insert(all.end(), synthetic_profiles().begin(), synthetic_profiles().end());
    return all;
  }();
  return profiles;
}

Result<std::unique_ptr<LoadedModel>> load_model(const ModelSettings& settings,
                                                const LoadOptions& options) {
  GEM_ASSIGN(gguf::File opened, gguf::File::open(settings.path));
  auto loaded = std::make_unique<LoadedModel>(LoadedModel{.file = std::move(opened)});
  const gguf::File& file = loaded->file;

  const auto in_file = [&](auto result) {
    using Value = decltype(result);
    if (result) return result;
    return Value(tl::unexpected<Error>(std::move(result).error().with_context(settings.path)));
  };
  std::vector<Profile> profiles(accepted_profiles().begin(), accepted_profiles().end());
  if (options.any_profile) {
    GEM_ASSIGN(Profile own, in_file(profile_of_file(file)));
    profiles = {std::move(own)};
  }
  GEM_ASSIGN(loaded->model, in_file(bind_model(file, profiles)));
  for (const std::string& note : loaded->model.notes) log("{}: {}", settings.path, note);
  const Profile& profile = loaded->model.plan.profile;

  if (options.wants_tokenizer) {
    GEM_ASSIGN(VocabularySource source, in_file(vocabulary_source(file)));
    GEM_ASSIGN(loaded->tokenizer, in_file(Tokenizer::create(source)));
    if (profile.fixed_special_ids) GEM_TRY(in_file(check_published_ids(*loaded->tokenizer)));
  }

  const Limits limits{
      .context = std::min(settings.context, profile.max_context),
      .rows = kTileRows,
      .logits_rows = options.logits_rows == kAllRows ? kTileRows : options.logits_rows,
      .top_k = 64};
  GEM_ASSIGN(loaded->device, make_device(settings.device));
  GEM_TRY(plan(loaded->model.plan, limits, options.shows_memory));
  GEM_TRY(loaded->device->load(loaded->model.plan, limits, KvType::kF32, walk));
  loaded->session = std::make_unique<Session>(*loaded->device, limits, profile.vocabulary);
  return loaded;
}

}  // namespace gem
