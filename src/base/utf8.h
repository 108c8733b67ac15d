// Strict UTF-8 (RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF).
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace gem {

struct Utf8Step {
  enum class Kind : uint8_t { kCharacter, kInvalid, kIncomplete } kind;
  uint32_t code_point;  // U+FFFD unless kCharacter
  uint8_t bytes;  // kInvalid: length of the maximal ill-formed subpart; kIncomplete: what is left
};

// Decodes the first character of `bytes`, which must not be empty. kIncomplete means that `bytes`
// ends inside a sequence that is well formed so far.
Utf8Step utf8_step(std::string_view bytes);

// Appends the UTF-8 form of `code_point`, a Unicode scalar value.
void utf8_append(std::string& out, uint32_t code_point);

// `bytes` with every maximal ill-formed subpart replaced by U+FFFD.
std::string utf8_repair(std::string_view bytes);

bool utf8_valid(std::string_view bytes);

}  // namespace gem
