// Words and strings of a call that a model wrote without, or with another language's, quotes.
#pragma once
#include <string>
#include <string_view>

#include "chat/schema.h"
#include "chat/value.h"

namespace gem {

inline constexpr std::string_view kCallSpace = " \t\n\r\f\v";

// Without white space at the ends.
std::string_view trim_call_space(std::string_view text);

// Whether a key can be written in the notation, which has no quotes for it. Narrower than what is
// read: no byte that has a meaning in the notation, or in one that a model may fall into.
bool is_call_key(std::string_view key);
bool is_key_start(char byte);
bool is_key_byte(char byte);

// A word that stands without quotes, as the type it should have: null, a boolean, a number, or else
// a string.
Value typed_word(std::string_view word, TypeSet types);

// A string, or what it spells if the schema has no room for a string ("30" for an integer).
Value typed_string(std::string text, TypeSet types);

// `text` with the escapes of a JSON string resolved; any other backslash stays.
std::string unescape_json(std::string_view text);

}  // namespace gem
