// Values in the notation of tool calls: bare keys in dictionary order, no white space, and strings
// between string markers as they are, since the notation has no escapes.
#pragma once
#include <string_view>

#include "chat/prompt.h"
#include "chat/value.h"

namespace gem {

struct CallNotation {
  std::string_view null = "null";
  bool quotes_keys = false;  // declarations put nested keys between string markers
};

void write_value(Prompt& prompt, const Value& value, const CallNotation& notation);

// {key:value,...}; the members of anything but an object are none.
void write_arguments(Prompt& prompt, const Value& arguments, const CallNotation& notation);

}  // namespace gem
