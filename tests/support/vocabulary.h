// Tokenizers of files, for tests: the authentic vocabulary, which only the developers' shared
// folder has, and that of the tiny model. For test programs that link gem_testing_vocabulary.
#pragma once
#include <memory>
#include <string>

#include "tokenizer/tokenizer.h"

namespace gem::testing {

// Of the shared folder: 262,144 entries.
inline constexpr const char* kAuthenticVocabulary = "golden/vocab/ggml-vocab-gemma-4.gguf";
// Of tests/golden: 512 entries.
inline constexpr const char* kTinyModel = "model/tiny-gemma4-q4_0.gguf";

// Reads the vocabulary of a GGUF file. Ends the process if there is none.
std::shared_ptr<const Tokenizer> load_tokenizer(const std::string& path);

// The same, read once per process and path.
const Tokenizer& tokenizer_of_file(const std::string& path);

}  // namespace gem::testing
