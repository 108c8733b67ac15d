#include "cli/vocabulary.h"

#include <limits>
#include <optional>
#include <utility>

namespace gem {
namespace {

Error wrong_kind(const gguf::File& file, std::string_view key, std::string_view wanted) {
  const gguf::Value* value = file.find(key);
  return Error(Code::kCorrupt,
               fmt::format("metadata {} is {}, but gem needs {}", key,
                           value == nullptr ? "missing" : value->describe(), wanted));
}

template <class T>
Result<T> required(const gguf::File& file, std::string_view key, std::string_view wanted,
                   std::optional<T> (gguf::Value::*decode)() const) {
  const gguf::Value* value = file.find(key);
  std::optional<T> decoded = value == nullptr ? std::nullopt : (value->*decode)();
  if (!decoded) return tl::unexpected<Error>(wrong_kind(file, key, wanted));
  return std::move(*decoded);
}

// An id that a file may lack: -1 then.
TokenId optional_id(const gguf::File& file, std::string_view key) {
  const gguf::Value* value = file.find(key);
  const std::optional<int64_t> id = value == nullptr ? std::nullopt : value->as_integer();
  const bool fits = id && *id >= 0 && *id <= std::numeric_limits<TokenId>::max();
  return fits ? static_cast<TokenId>(*id) : -1;
}

}  // namespace

Result<VocabularySource> vocabulary_source(const gguf::File& file) {
  using gguf::Value;
  VocabularySource source;
  GEM_ASSIGN(source.model, required(file, "tokenizer.ggml.model", "a string", &Value::as_string));
  GEM_ASSIGN(source.tokens, required(file, "tokenizer.ggml.tokens", "an array of strings",
                                     &Value::as_string_array));
  GEM_ASSIGN(source.token_types,
             required(file, "tokenizer.ggml.token_type", "an array of i32", &Value::as_i32_array));
  GEM_ASSIGN(source.merges, required(file, "tokenizer.ggml.merges", "an array of strings",
                                     &Value::as_string_array));
  source.bos = optional_id(file, "tokenizer.ggml.bos_token_id");
  source.eos = optional_id(file, "tokenizer.ggml.eos_token_id");
  source.unknown = optional_id(file, "tokenizer.ggml.unknown_token_id");
  source.padding = optional_id(file, "tokenizer.ggml.padding_token_id");
  if (const Value* suppressed = file.find("tokenizer.ggml.suppress_tokens")) {
    auto ids = suppressed->as_i32_array();
    if (!ids) {
      return tl::unexpected<Error>(
          wrong_kind(file, "tokenizer.ggml.suppress_tokens", "an array of i32"));
    }
    source.suppressed = std::move(*ids);
  }
  return source;
}

}  // namespace gem
