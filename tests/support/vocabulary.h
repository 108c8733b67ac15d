// Tokenizers for tests: the authentic vocabulary, which only the developers' shared folder has, and
// a made-up one that is always there. For test programs that link the gguf and tokenizer modules.
#pragma once
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "gguf/reader.h"
#include "tests/support/goldens.h"
#include "tests/support/small_vocabulary.h"
#include "tokenizer/tokenizer.h"

namespace gem::testing {

inline constexpr const char* kAuthenticVocabulary = "golden/vocab/ggml-vocab-gemma-4.gguf";

// The tokenizer of a GGUF file with a vocabulary; read once per process and path.
inline const Tokenizer& tokenizer_of_file(const std::string& path) {
  struct Loaded {
    gguf::File file;
    Tokenizer tokenizer;
  };
  static std::unique_ptr<Loaded> loaded;
  static std::string loaded_path;
  if (loaded && loaded_path == path) return loaded->tokenizer;

  auto file = gguf::File::open(path);
  EXPECT_TRUE(file) << file.error().text();
  const auto id = [&](const char* key) {
    return static_cast<TokenId>(file->find(key)->as_integer().value_or(-1));
  };
  VocabularySource source;
  source.model = file->find("tokenizer.ggml.model")->as_string().value_or("");
  source.tokens = file->find("tokenizer.ggml.tokens")->as_string_array().value();
  source.token_types = file->find("tokenizer.ggml.token_type")->as_i32_array().value();
  source.merges = file->find("tokenizer.ggml.merges")->as_string_array().value();
  source.bos = id("tokenizer.ggml.bos_token_id");
  source.eos = id("tokenizer.ggml.eos_token_id");
  source.unknown = id("tokenizer.ggml.unknown_token_id");
  source.padding = id("tokenizer.ggml.padding_token_id");
  auto tokenizer = Tokenizer::create(source);
  EXPECT_TRUE(tokenizer) << tokenizer.error().text();
  loaded_path = path;
  loaded = std::make_unique<Loaded>(Loaded{std::move(*file), std::move(*tokenizer)});
  return loaded->tokenizer;
}

}  // namespace gem::testing
