#include "model/hyperparameters.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "base/text.h"

namespace gem {
namespace {

// Keys that gem reads or that do not bear on a dense model's meaning, without "gemma4.".
constexpr std::array<std::string_view, 25> kModelKeys = {
    "block_count",
    "context_length",
    "embedding_length",
    "feed_forward_length",
    "attention.head_count",
    "attention.head_count_kv",
    "rope.freq_base",
    "rope.freq_base_swa",
    "attention.layer_norm_rms_epsilon",
    "attention.key_length",
    "attention.value_length",
    "attention.key_length_swa",
    "attention.value_length_swa",
    "final_logit_softcapping",
    "attn_logit_softcapping",
    "attention.sliding_window",
    "attention.shared_kv_layers",
    "embedding_length_per_layer_input",
    "attention.sliding_window_pattern",
    "rope.dimension_count",
    "rope.dimension_count_swa",
    "rope.scaling.type",
    "expert_count",
    "expert_used_count",
    "vocab_size",
};

constexpr std::array<std::string_view, 15> kTokenizerKeys = {
    "tokenizer.ggml.model",
    "tokenizer.ggml.pre",
    "tokenizer.ggml.tokens",
    "tokenizer.ggml.scores",
    "tokenizer.ggml.token_type",
    "tokenizer.ggml.merges",
    "tokenizer.ggml.bos_token_id",
    "tokenizer.ggml.eos_token_id",
    "tokenizer.ggml.unknown_token_id",
    "tokenizer.ggml.padding_token_id",
    "tokenizer.ggml.mask_token_id",
    "tokenizer.ggml.add_space_prefix",
    "tokenizer.ggml.add_bos_token",
    "tokenizer.ggml.suppress_tokens",
    "tokenizer.chat_template",
};

constexpr std::string_view kPrefix = "gemma4.";

// Typed reads of gemma4.* keys. The first failure is kept and the reads after it give zeros, so
// that a row can be read in one go and checked once.
class Reader {
 public:
  explicit Reader(const gguf::File& file) : file_(file) {}

  int32_t count(std::string_view key, int32_t most) {
    const gguf::Value* value = require(key);
    return value == nullptr ? 0 : in_range(key, value->as_integer(), *value, most);
  }

  float positive(std::string_view key) {
    const gguf::Value* value = require(key);
    if (value == nullptr) return 0;
    const std::optional<float> number = value->as_f32();
    if (!number) {
      reject(key, value->describe(), "an f32");
    } else if (!std::isfinite(*number) || *number <= 0) {
      reject(key, fmt::format("{}", *number), "a positive number");
    }
    return number.value_or(0);
  }

  // A value of each layer, which a file gives as one number for all of them or as an array.
  std::vector<int32_t> of_layers(std::string_view key, int32_t layers, int32_t most) {
    const gguf::Value* value = require(key);
    if (value == nullptr) return {};
    if (value->kind() != gguf::ValueKind::kArray) {
      const int32_t all = in_range(key, value->as_integer(), *value, most);
      return std::vector<int32_t>(static_cast<size_t>(layers), all);
    }
    std::vector<int32_t> out;
    if (!has_layers(key, *value, layers)) return {};
    if (const auto numbers = value->as_i32_array()) {
      for (const int32_t number : *numbers) out.push_back(in_range(key, number, *value, most));
    } else if (const auto naturals = value->as_u32_array()) {
      for (const uint32_t number : *naturals) out.push_back(in_range(key, number, *value, most));
    } else {
      reject(key, value->describe(), "integers");
    }
    return out;
  }

  int32_t same_in_layers(std::string_view key, int32_t layers, int32_t most) {
    const std::vector<int32_t> values = of_layers(key, layers, most);
    if (values.empty()) return 0;
    if (std::adjacent_find(values.begin(), values.end(), std::not_equal_to<>()) != values.end()) {
      reject(key, "of several values", "one for all layers");
    }
    return values[0];
  }

  std::vector<bool> flags_of_layers(std::string_view key, int32_t layers) {
    const gguf::Value* value = require(key);
    if (value == nullptr || !has_layers(key, *value, layers)) return {};
    auto flags = value->as_bool_array();
    if (!flags) reject(key, value->describe(), fmt::format("arr[bool, {}]", layers));
    return flags.value_or(std::vector<bool>());
  }

  void equal(std::string_view key, int32_t found, std::string_view other_key, int32_t wanted) {
    if (found != wanted)
      reject(key, fmt::to_string(found), fmt::format("{}: {}{}", wanted, kPrefix, other_key));
  }

  // A feature of other members of the family: absent, or zero.
  void zero_if_present(std::string_view key) {
    const gguf::Value* value = file_.find(full(key));
    if (value == nullptr) return;
    const bool zero = value->as_integer() == 0 || value->as_f32() == 0.0f;
    if (!zero) reject(key, text_of(*value), "0");
  }

  void require_zero(std::string_view key) {
    if (require(key) != nullptr) zero_if_present(key);
  }

  void text_if_present(std::string_view key, std::string_view wanted) {
    const gguf::Value* value = file_.find(full(key));
    if (value == nullptr || value->as_string() == wanted) return;
    reject(key, quote_for_message(value->as_string().value_or(value->describe())), wanted);
  }

  void reject(std::string_view key, std::string_view found, std::string_view wanted) {
    if (error_) return;
    error_ =
        Error(Code::kUnsupported, fmt::format("{} is {}, wanted {}", full(key), found, wanted));
  }

  bool failed() const { return error_.has_value(); }
  Status status() const {
    if (error_) return tl::unexpected<Error>(*error_);
    return {};
  }

 private:
  static std::string full(std::string_view key) { return fmt::format("{}{}", kPrefix, key); }

  static std::string text_of(const gguf::Value& value) {
    if (const auto integer = value.as_integer()) return fmt::to_string(*integer);
    if (const auto number = value.as_f32()) return fmt::to_string(*number);
    return value.describe();
  }

  const gguf::Value* require(std::string_view key) {
    const gguf::Value* value = file_.find(full(key));
    if (value == nullptr) reject(key, "missing", "in every Gemma 4 file");
    return value;
  }

  int32_t in_range(std::string_view key, std::optional<int64_t> number, const gguf::Value& value,
                   int32_t most) {
    if (!number) {
      reject(key, value.describe(), "an integer");
      return 0;
    }
    if (*number < 1 || *number > most) {
      reject(key, fmt::to_string(*number), fmt::format("1 to {}", most));
      return 0;
    }
    return static_cast<int32_t>(*number);
  }

  bool has_layers(std::string_view key, const gguf::Value& value, int32_t layers) {
    if (value.kind() == gguf::ValueKind::kArray && value.count() == static_cast<uint64_t>(layers)) {
      return true;
    }
    reject(key, value.describe(), fmt::format("an array of {}, one for each layer", layers));
    return false;
  }

  const gguf::File& file_;
  std::optional<Error> error_;
};

// KV heads by kind of layer. The order of kinds is part of what a profile means, so a file with
// another pattern is refused rather than followed.
void read_layer_kinds(Reader& reader, Profile& profile) {
  constexpr std::string_view kPattern = "attention.sliding_window_pattern";
  constexpr std::string_view kKvHeads = "attention.head_count_kv";
  const std::vector<bool> is_swa = reader.flags_of_layers(kPattern, profile.layers);
  const std::vector<int32_t> kv_heads = reader.of_layers(kKvHeads, profile.layers, kMostHeads);
  if (reader.failed()) return;
  for (int32_t layer = 0; layer < profile.layers; ++layer) {
    const auto at = static_cast<size_t>(layer);
    const bool is_full = profile.is_full(layer);
    if (is_swa[at] == is_full) {
      reader.reject(kPattern, fmt::format("{} at layer {}", is_swa[at], layer),
                    "5 times true and 1 time false, repeated");
    }
    int32_t& heads = is_full ? profile.full_kv_heads : profile.swa_kv_heads;
    if (heads == 0) heads = kv_heads[at];
    if (kv_heads[at] != heads) {
      reader.reject(kKvHeads, fmt::format("{} at layer {}", kv_heads[at], layer),
                    fmt::format("{} as in the other {} layers", heads, is_full ? "full" : "SWA"));
    }
  }
}

// What shapes and kernels rely on whatever the sizes are.
void check_divisibility(Reader& reader, const Profile& p) {
  constexpr int32_t kBlock = 32;  // values of a Q4_0 block: rows of matrices are whole blocks
  const auto divides = [&](std::string_view key, int32_t value, int32_t divisor) {
    if (value % divisor != 0) {
      reader.reject(key, fmt::to_string(value), fmt::format("a multiple of {}", divisor));
    }
  };
  divides("block_count", p.layers, Profile::kLayerPeriod);
  divides("embedding_length", p.width, kBlock);
  divides("feed_forward_length", p.ffn_width, kBlock);
  divides("attention.key_length", p.full_head_width, kBlock);
  divides("attention.key_length_swa", p.swa_head_width, kBlock);
  if (reader.failed()) return;
  divides("attention.head_count", p.query_heads, p.swa_kv_heads);
  divides("attention.head_count", p.query_heads, p.full_kv_heads);
}

}  // namespace

Result<Profile> read_hyperparameters(const gguf::File& file) {
  Reader reader(file);
  Profile p;
  p.layers = reader.count("block_count", kMostLayers);
  p.max_context = reader.count("context_length", kMostTokens);
  p.width = reader.count("embedding_length", kMostWidth);
  p.ffn_width = reader.same_in_layers("feed_forward_length", p.layers, kMostWidth);
  p.query_heads = reader.same_in_layers("attention.head_count", p.layers, kMostHeads);
  p.full_rope_base = reader.positive("rope.freq_base");
  p.swa_rope_base = reader.positive("rope.freq_base_swa");
  p.rms_epsilon = reader.positive("attention.layer_norm_rms_epsilon");
  p.softcap = reader.positive("final_logit_softcapping");
  p.window = reader.count("attention.sliding_window", kMostTokens);
  p.full_head_width = reader.count("attention.key_length", kMostHeadWidth);
  p.swa_head_width = reader.count("attention.key_length_swa", kMostHeadWidth);
  for (const std::string_view key : {"attention.value_length", "rope.dimension_count"}) {
    reader.equal(key, reader.count(key, kMostHeadWidth), "attention.key_length", p.full_head_width);
  }
  for (const std::string_view key : {"attention.value_length_swa", "rope.dimension_count_swa"}) {
    reader.equal(key, reader.count(key, kMostHeadWidth), "attention.key_length_swa",
                 p.swa_head_width);
  }
  reader.require_zero("embedding_length_per_layer_input");
  for (const std::string_view key : {"attention.shared_kv_layers", "expert_count",
                                     "expert_used_count", "attn_logit_softcapping"}) {
    reader.zero_if_present(key);
  }
  reader.text_if_present("rope.scaling.type", "none");
  read_layer_kinds(reader, p);
  check_divisibility(reader, p);
  GEM_TRY(reader.status());
  return p;
}

Status compare_hyperparameters(const Profile& found, const Profile& wanted) {
  struct Field {
    std::string_view key;
    double found;
    double wanted;
  };
  const Field fields[] = {
      {"block_count", double(found.layers), double(wanted.layers)},
      {"embedding_length", double(found.width), double(wanted.width)},
      {"feed_forward_length", double(found.ffn_width), double(wanted.ffn_width)},
      {"attention.head_count", double(found.query_heads), double(wanted.query_heads)},
      {"attention.head_count_kv of SWA layers", double(found.swa_kv_heads),
       double(wanted.swa_kv_heads)},
      {"attention.head_count_kv of full layers", double(found.full_kv_heads),
       double(wanted.full_kv_heads)},
      {"attention.key_length", double(found.full_head_width), double(wanted.full_head_width)},
      {"attention.key_length_swa", double(found.swa_head_width), double(wanted.swa_head_width)},
      {"attention.sliding_window", double(found.window), double(wanted.window)},
      {"context_length", double(found.max_context), double(wanted.max_context)},
      {"rope.freq_base", found.full_rope_base, wanted.full_rope_base},
      {"rope.freq_base_swa", found.swa_rope_base, wanted.swa_rope_base},
      {"attention.layer_norm_rms_epsilon", found.rms_epsilon, wanted.rms_epsilon},
      {"final_logit_softcapping", found.softcap, wanted.softcap},
  };
  for (const Field& field : fields) {
    if (field.found != field.wanted) {
      return fail(Code::kUnsupported, "{}{} is {:.7g}, wanted {:.7g}", kPrefix, field.key,
                  field.found, field.wanted);
    }
  }
  return {};
}

std::vector<const gguf::KeyValue*> unknown_keys(const gguf::File& file) {
  std::vector<const gguf::KeyValue*> out;
  for (const gguf::KeyValue& entry : file.metadata()) {
    std::string_view key = entry.key;
    if (key.starts_with("general.")) continue;  // descriptions for people
    const auto holds = [](const auto& keys, std::string_view wanted) {
      return std::find(keys.begin(), keys.end(), wanted) != keys.end();
    };
    if (holds(kTokenizerKeys, key)) continue;
    if (key.starts_with(kPrefix) && holds(kModelKeys, key.substr(kPrefix.size()))) continue;
    out.push_back(&entry);
  }
  return out;
}

}  // namespace gem
