// Text operations of the language that runs the published chat template. Prompts are compared with
// it byte for byte, so its notion of white space, of lower case and of a number's shortest text
// counts.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "chat/value.h"

namespace gem {

// str.strip(): Unicode white space cut from both ends.
std::string_view python_strip(std::string_view text);

// str.lower(), without the special form of a sigma at the end of a word.
std::string python_lower(std::string_view text);

// str.upper() of ASCII letters: type names have no others.
std::string ascii_upper(std::string_view text);

// A JSON number as int or float prints: integers keep their digits, floats get the shortest text
// that reads back as the same double (1e-07, 2.0).
std::string python_number(std::string_view json_number);

// Members in the order of the template's dictsort filter: by lower-cased key, equal ones as given.
std::vector<const Value::Member*> dictsort(const Value& object);

}  // namespace gem
