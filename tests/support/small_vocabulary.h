// A made-up vocabulary of a few hundred entries with every special token: for tests and fuzzing
// that must run without the authentic one. Header only, since fuzz targets link no test library.
#pragma once
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/check.h"
#include "tokenizer/tokenizer.h"

namespace gem::testing {

class SmallVocabulary {
 public:
  // The numbers of tokenizer.ggml.token_type.
  static constexpr int32_t kNormal = 1;
  static constexpr int32_t kControl = 3;
  static constexpr int32_t kVisible = 4;
  static constexpr int32_t kByte = 6;

  SmallVocabulary() {
    for (const char* text : {"<pad>", "<eos>", "<bos>", "<unk>", "<mask>", "<|tool>", "<tool|>",
                             "<|think|>", "<|turn>", "<turn|>"}) {
      add(text, kControl);
    }
    for (const char* text : {"<|tool_call>", "<tool_call|>", "<|tool_response>", "<tool_response|>",
                             "<|\"|>", "<|channel>", "<channel|>"}) {
      add(text, kVisible);
    }
    add("<unused0>", kNormal);
    for (int byte = 0; byte < 256; ++byte) {
      char spelling[8];
      std::snprintf(spelling, sizeof spelling, "<0x%02X>", static_cast<unsigned>(byte));
      add(spelling, kByte);
    }
    add("\xE2\x96\x81", kNormal);  // the space mark
    for (char c = '!'; c <= '~'; ++c) add(std::string(1, c), kNormal);
    add("\n", kNormal);
    add("\xC3\xA9", kNormal);  // a letter of two bytes
    // Words, and pieces across the borders of the call notation as the authentic vocabulary has
    // them.
    for (const char* word :
         {"thought", "model", "user", "system", "call", "response", "value", "true",
          "false",   "null",  "city", "path",   "{}",   "}}",       "},",    "]}",
          "],",      ":{",    ":[",   "[[",     "{\"",  "\n\n",     "\"}"}) {
      add_word(word);
    }
  }

  VocabularySource source() const {
    VocabularySource source;
    source.model = "gemma4";
    source.tokens.assign(tokens_.begin(), tokens_.end());
    source.token_types = types_;
    source.merges.assign(merges_.begin(), merges_.end());
    return source;
  }

  // A new entry, unless there is one of that spelling.
  void add(std::string text, int32_t type = kNormal) {
    for (const std::string& token : tokens_) {
      if (token == text) return;
    }
    tokens_.push_back(std::move(text));
    types_.push_back(type);
  }

  // The next merge, and its result as an entry.
  void add_merge(const std::string& left, const std::string& right) {
    add(left + right);
    merges_.push_back(left + ' ' + right);
  }

  // The word with all its beginnings, each merged from the one before and a letter.
  void add_word(std::string_view word) {
    for (size_t length = 2; length <= word.size(); ++length) {
      const size_t before = tokens_.size();
      add(std::string(word.substr(0, length)));
      if (tokens_.size() == before) continue;
      merges_.push_back(std::string(word.substr(0, length - 1)) + ' ' + word[length - 1]);
    }
  }

 private:
  std::vector<std::string> tokens_;
  std::vector<int32_t> types_;
  std::vector<std::string> merges_;
};

inline const Tokenizer& small_tokenizer() {
  static const SmallVocabulary vocabulary;
  static const Tokenizer tokenizer = [] {
    auto made = Tokenizer::create(vocabulary.source());
    GEM_CHECK(made.has_value());
    return *std::move(made);
  }();
  return tokenizer;
}

}  // namespace gem::testing
