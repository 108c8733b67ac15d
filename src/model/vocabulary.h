// The entries of the published vocabulary whose ids gem relies on.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>

#include "base/result.h"
#include "gguf/reader.h"
#include "model/profile.h"

namespace gem {

// The numbers are those of tokenizer.ggml.token_type.
enum class TokenType : int32_t {
  kNormal = 1,
  kUnknown = 2,
  kControl = 3,
  kUserDefined = 4,
  kUnused = 5,
  kByte = 6
};

struct SpecialToken {
  int32_t id;
  std::string_view text;
  TokenType type;
};

// In order of id.
std::span<const SpecialToken> special_tokens();

// kUnsupported if the tokenizer.* keys are not those of a Gemma 4 tokenizer with `profile`'s number
// of entries, or a special token of the published vocabulary is not at its id.
Status check_vocabulary(const gguf::File& file, const Profile& profile);

}  // namespace gem
