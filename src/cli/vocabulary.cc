#include "cli/vocabulary.h"

#include <limits>
#include <optional>
#include <utility>

namespace gem {
namespace {

tl::unexpected<Error> refuse(const gguf::File& file, std::string_view key,
                             std::string_view wanted) {
  const gguf::Value* value = file.find(key);
  return fail(Code::kCorrupt, "metadata {} is {}, but gem needs {}: get the file again", key,
              value == nullptr ? "missing" : value->describe(), wanted);
}

template <class T>
Result<T> required(const gguf::File& file, std::string_view key, std::string_view wanted,
                   std::optional<T> (gguf::Value::*decode)() const) {
  const gguf::Value* value = file.find(key);
  std::optional<T> decoded = value == nullptr ? std::nullopt : (value->*decode)();
  if (!decoded) return refuse(file, key, wanted);
  return std::move(*decoded);
}

// -1 if the file does not have the key.
Result<TokenId> optional_id(const gguf::File& file, std::string_view key) {
  const gguf::Value* value = file.find(key);
  if (value == nullptr) return -1;
  const std::optional<int64_t> id = value->as_integer();
  if (!id || *id < 0 || *id > std::numeric_limits<TokenId>::max())
    return refuse(file, key, "a token id");
  return static_cast<TokenId>(*id);
}

}  // namespace

Result<VocabularySource> vocabulary_source(const gguf::File& file) {
  using gguf::Value;
  constexpr std::string_view kStrings = "an array of strings";
  constexpr std::string_view kNumbers = "an array of i32";
  VocabularySource source;
  GEM_ASSIGN(source.model, required(file, "tokenizer.ggml.model", "a string", &Value::as_string));
  // Before the other keys, which other tokenizers lack or have of other kinds: what is wrong with
  // such a file is the tokenizer.
  GEM_TRY(check_tokenizer_model(source.model));
  GEM_ASSIGN(source.tokens,
             required(file, "tokenizer.ggml.tokens", kStrings, &Value::as_string_array));
  GEM_ASSIGN(source.token_types,
             required(file, "tokenizer.ggml.token_type", kNumbers, &Value::as_i32_array));
  GEM_ASSIGN(source.merges,
             required(file, "tokenizer.ggml.merges", kStrings, &Value::as_string_array));
  GEM_ASSIGN(source.bos, optional_id(file, "tokenizer.ggml.bos_token_id"));
  GEM_ASSIGN(source.eos, optional_id(file, "tokenizer.ggml.eos_token_id"));
  GEM_ASSIGN(source.unknown, optional_id(file, "tokenizer.ggml.unknown_token_id"));
  GEM_ASSIGN(source.padding, optional_id(file, "tokenizer.ggml.padding_token_id"));
  if (file.find("tokenizer.ggml.suppress_tokens") != nullptr) {
    GEM_ASSIGN(source.suppressed,
               required(file, "tokenizer.ggml.suppress_tokens", kNumbers, &Value::as_i32_array));
  }
  return source;
}

}  // namespace gem
