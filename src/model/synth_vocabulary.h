// A made-up vocabulary in the form that the Gemma 4 tokenizer wants: every special token with its
// real spelling, complete byte fallback, runs of white space, single characters, and words of
// syllables that consistent merges build. Text made of it reads as words and means nothing.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "gguf/writer.h"
#include "model/profile.h"
#include "tokenizer/special_tokens.h"

namespace gem {

struct MadeUpVocabulary {
  std::vector<std::string> tokens;  // distinct; the index is the id
  std::vector<TokenType> types;
  std::vector<std::string> merges;  // "left right"; left, right and their join are all entries
};

// Entries as many as the profile says. With fixed_special_ids the layout is that of the published
// vocabulary: special tokens, newline, space and tab runs and byte tokens have their real ids.
// Returns kInvalid if the profile has too few entries for what every vocabulary needs.
Result<MadeUpVocabulary> make_up_vocabulary(const Profile& profile);

// The tokenizer.* keys of a file with this vocabulary.
void add_tokenizer_keys(const MadeUpVocabulary& vocabulary, gguf::Writer& writer);

// Whether sampling `token` makes readable text: no special token, no byte, no placeholder, no run
// of white space.
bool is_readable_token(std::string_view token, TokenType type);

}  // namespace gem
