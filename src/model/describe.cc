#include "model/describe.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>

#include "base/text.h"
#include "model/manifest.h"

namespace gem {
namespace {

struct Identity {
  std::string what;
  std::string advice;  // empty if the file may be a target
};

std::string text_value(const gguf::File& file, std::string_view key) {
  const gguf::Value* value = file.find(key);
  return value == nullptr ? std::string() : std::string(value->as_string().value_or(""));
}

int64_t integer_value(const gguf::File& file, std::string_view key) {
  const gguf::Value* value = file.find(key);
  return value == nullptr ? 0 : value->as_integer().value_or(0);
}

bool has_layers(const gguf::File& file) {
  const auto tensors = file.tensors();
  return std::any_of(tensors.begin(), tensors.end(), [](const gguf::TensorInfo& tensor) {
    return tensor.name.starts_with("blk.");
  });
}

const Profile* profile_of_width(int64_t width) {
  const auto profiles = published_profiles();
  const auto found = std::find_if(profiles.begin(), profiles.end(),
                                  [&](const Profile& p) { return p.width == width; });
  return found == profiles.end() ? nullptr : &*found;
}

Identity identify_assistant(const gguf::File& file) {
  const int64_t target_width = integer_value(file, "gemma4-assistant.embedding_length_out");
  const Profile* target = profile_of_width(target_width);
  if (target == nullptr) {
    return {fmt::format("a Gemma 4 assistant (drafter) for a target of width {}", target_width),
            kSupportedFiles};
  }
  const std::string size = target->title.substr(target->title.rfind(' ') + 1);
  return {
      fmt::format("Gemma 4 assistant (drafter) for {}", size),
      fmt::format("it drafts for a model and is none: give it with --mtp, and the Q4_0 (QAT) file "
                  "of {} with --model",
                  target->title)};
}

// The other members of the family share the architecture's name.
std::optional<Identity> identify_relative(const gguf::File& file) {
  const int64_t layers = integer_value(file, "gemma4.block_count");
  const int64_t width = integer_value(file, "gemma4.embedding_length");
  if (integer_value(file, "gemma4.expert_count") != 0) {
    return Identity{layers == 30 ? std::string("Gemma 4 26B-A4B (mixture of experts)")
                                 : fmt::format("Gemma 4 mixture of experts ({} layers)", layers),
                    kSupportedFiles};
  }
  if (integer_value(file, "gemma4.embedding_length_per_layer_input") != 0 ||
      integer_value(file, "gemma4.attention.shared_kv_layers") != 0) {
    const std::string size = layers == 35 ? "E2B" : layers == 42 ? "E4B" : "of the E2B/E4B kind";
    return Identity{fmt::format("Gemma 4 {} (per-layer inputs, shared KV layers)", size),
                    kSupportedFiles};
  }
  const auto profiles = published_profiles();
  const bool published = std::any_of(profiles.begin(), profiles.end(), [&](const Profile& p) {
    return p.layers == layers && p.width == width;
  });
  if (!published)
    return Identity{fmt::format("Gemma 4 of {} layers and width {}", layers, width), ""};
  return std::nullopt;
}

// " (Qwen3 8B)", from the file's own name for itself.
std::string own_name(const gguf::File& file) {
  const std::string name = text_value(file, "general.name");
  return name.empty() ? name : fmt::format(" ({})", quote_for_message(name, 60));
}

Identity identify(const gguf::File& file) {
  const std::string architecture = text_value(file, "general.architecture");
  const std::string type = text_value(file, "general.type");
  // Parts after the first carry no other keys.
  if (const int64_t parts = integer_value(file, "split.count"); parts > 1) {
    return {
        fmt::format("part {} of {} of a model in several files",
                    integer_value(file, "split.no") + 1, parts),
        "gem reads a model from one file: join the parts, or get the Q4_0 (QAT) file of Gemma 4 "
        "12B or 31B"};
  }
  if (architecture.empty()) return {"a GGUF file that names no architecture", kSupportedFiles};
  if (type == "adapter") {
    return {fmt::format("an adapter (LoRA) for architecture {}", quote_for_message(architecture)),
            kSupportedFiles};
  }
  if (type == "mmproj" || architecture == "clip") {
    return {"a projector for images or audio (mmproj)", kSupportedFiles};
  }
  if (architecture == "gemma4-assistant") return identify_assistant(file);
  if (architecture != "gemma4") {
    static const std::map<std::string, std::string, std::less<>> relatives = {
        {"gemma", "Gemma 1"},
        {"gemma2", "Gemma 2"},
        {"gemma3", "Gemma 3"},
        {"gemma3n", "Gemma 3n"}};
    const auto relative = relatives.find(architecture);
    const std::string family = relative == relatives.end() ? "" : relative->second + ", ";
    return {
        fmt::format("{}architecture {}{}", family, quote_for_message(architecture), own_name(file)),
        kSupportedFiles};
  }
  if (!has_layers(file)) {
    return {
        file.tensors().empty() ? "a vocabulary without weights" : "a Gemma 4 file without layers",
        kSupportedFiles};
  }
  if (auto relative = identify_relative(file)) return *relative;
  const Profile* profile = profile_of_width(integer_value(file, "gemma4.embedding_length"));
  return {fmt::format("{} with {} matrices", profile->title, matrix_type(file)), ""};
}

}  // namespace

std::string matrix_type(const gguf::File& file) {
  std::map<uint32_t, uint64_t> bytes_by_type;
  for (const gguf::TensorInfo& tensor : file.tensors()) {
    if (!tensor.name.starts_with("blk.") || tensor.ne.size() != 2) continue;
    bytes_by_type[tensor.type_number] += tensor.size_bytes;
  }
  const auto most =
      std::max_element(bytes_by_type.begin(), bytes_by_type.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == bytes_by_type.end() ? std::string("no") : gguf::type_name(most->first);
}

std::string describe_model(const gguf::File& file) { return identify(file).what; }

Status refuse_other_kinds(const gguf::File& file) {
  const Identity identity = identify(file);
  if (identity.advice.empty()) return {};
  return fail(Code::kUnsupported, "{}; {}", identity.what, identity.advice);
}

}  // namespace gem
