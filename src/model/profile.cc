#include "model/profile.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "model/hyperparameters.h"
#include "tokenizer/special_tokens.h"

namespace gem {
namespace {

Profile profile_12b() {
  Profile p;
  p.name = "12b";
  p.title = "Gemma 4 12B";
  p.layers = 48;
  p.width = 3840;
  p.query_heads = 16;
  p.swa_kv_heads = 8;
  p.full_kv_heads = 1;
  p.swa_head_width = 256;
  p.full_head_width = 512;
  p.ffn_width = 15360;
  p.window = 1024;
  p.max_context = 262144;
  p.vocabulary = kPublishedVocabularySize;
  p.rotated_pairs = 64;
  p.softcap = 30.0f;
  p.rms_epsilon = 1e-6f;
  p.swa_rope_base = 1e4f;
  p.full_rope_base = 1e6f;
  p.fixed_special_ids = true;
  return p;
}

Profile profile_31b() {
  Profile p = profile_12b();
  p.name = "31b";
  p.title = "Gemma 4 31B";
  p.layers = 60;
  p.width = 5376;
  p.query_heads = 32;
  p.swa_kv_heads = 16;
  p.full_kv_heads = 4;
  p.ffn_width = 21504;
  return p;
}

// The model that gem ships: real head widths, window, pattern, RoPE and softcap at a few megabytes.
Profile profile_demo() {
  Profile p = profile_12b();
  p.name = "demo";
  p.title = "gem demo";
  p.layers = 12;
  p.width = 256;
  p.query_heads = 4;
  p.swa_kv_heads = 2;
  p.full_kv_heads = 1;
  p.ffn_width = 512;
  p.max_context = 8192;
  p.vocabulary = 4096;
  p.fixed_special_ids = false;
  return p;
}

Profile profile_small() {
  Profile p = profile_12b();
  p.name = "small";
  p.title = "Gemma 4 small (synthetic)";
  p.layers = 6;
  p.width = 256;
  p.query_heads = 4;
  p.swa_kv_heads = 2;
  p.full_kv_heads = 1;
  p.ffn_width = 512;
  p.max_context = 8192;
  p.vocabulary = 2048;
  p.fixed_special_ids = false;
  return p;
}

// How many divisors of `tensor` are 1 before the others begin; bind_model checks the others.
int32_t leading_ones(const gguf::File& file, const gguf::TensorInfo& tensor) {
  int32_t count = 0;
  const std::span<const std::byte> bytes = file.data(tensor);
  for (size_t at = 0; at + sizeof(float) <= bytes.size(); at += sizeof(float)) {
    float value = 0;
    std::memcpy(&value, bytes.data() + at, sizeof value);
    if (value != 1.0f) break;
    ++count;
  }
  return count;
}

}  // namespace

std::span<const Profile> published_profiles() {
  static const std::array<Profile, 3> profiles = {profile_12b(), profile_31b(), profile_demo()};
  return profiles;
}

std::span<const Profile> synthetic_profiles() {
  static const std::array<Profile, 1> profiles = {profile_small()};
  return profiles;
}

const Profile* find_profile(std::span<const Profile> profiles, std::string_view name) {
  const auto found = std::find_if(profiles.begin(), profiles.end(),
                                  [&](const Profile& p) { return p.name == name; });
  return found == profiles.end() ? nullptr : &*found;
}

Result<Profile> profile_of_file(const gguf::File& file) {
  GEM_ASSIGN(Profile profile, read_hyperparameters(file));
  profile.name = "custom";
  profile.title = fmt::format("Gemma 4 of {} layers and width {}", profile.layers, profile.width);

  const gguf::TensorInfo* table = file.find_tensor("token_embd.weight");
  if (table == nullptr || table->ne.size() != 2 || table->ne[1] == 0 ||
      table->ne[1] > static_cast<uint64_t>(kMostTokens)) {
    return fail(Code::kUnsupported, "token_embd.weight is {}, wanted a matrix of 1 to {} rows",
                table == nullptr ? "missing" : table->describe(), kMostTokens);
  }
  profile.vocabulary = static_cast<int32_t>(table->ne[1]);
  profile.fixed_special_ids = profile.vocabulary == kPublishedVocabularySize;

  const gguf::TensorInfo* factors = file.find_tensor("rope_freqs.weight");
  const auto pairs = static_cast<uint64_t>(profile.full_head_width / 2);
  if (factors == nullptr || factors->type_number != static_cast<uint32_t>(gguf::Type::kF32) ||
      factors->ne.size() != 1 || factors->ne[0] != pairs) {
    return fail(Code::kUnsupported, "rope_freqs.weight is {}, wanted [{}] F32",
                factors == nullptr ? "missing" : factors->describe(), pairs);
  }
  profile.rotated_pairs = leading_ones(file, *factors);
  return profile;
}

}  // namespace gem
