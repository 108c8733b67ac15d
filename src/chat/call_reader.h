// Reads the text of a tool call as models write it: the chat format's notation, and the slips that
// were seen in the field (docs/chat.md lists them). On a well-formed call it does what the notation
// says.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "chat/schema.h"
#include "chat/value.h"

namespace gem {

// Stands for the string marker token in a call's text. No UTF-8 text holds this byte, so a marker
// that is spelled by ordinary tokens stays text.
inline constexpr char kQuoteByte = '\xFF';

// `text` with string markers spelled out.
std::string spell_quotes(std::string_view text);

struct ReadCall {
  std::string name;
  Value arguments;  // an object
};

enum class CallEnd : uint8_t {
  kCloser,   // the closing token was seen: containers that are still open end there
  kMissing,  // the generation ended first: only a call whose braces are closed counts
};

// `text` is what stands between the call's opener and closer. Arguments get the types that the
// schema of the tool declares, where that changes no meaning; names that are not in `tools` are
// passed through. Nothing if it cannot be read as a call. Linear in the text.
std::optional<ReadCall> read_call(std::string_view text, CallEnd end, const ToolSet& tools);

// The function name, once the text goes on to its arguments; nothing before that or if it has none.
std::optional<std::string> read_call_name(std::string_view text);

// Follows a call's text as it comes and knows whether it is inside a string. Agrees with read_call
// about missing markers; O(1) per byte.
class StringTracker {
 public:
  void push(char byte);
  bool is_inside() const { return state_ == State::kInside; }

 private:
  enum class State : uint8_t {
    kOutside,
    kInside,
    kAtQuote,  // a marker inside a string: what follows decides whether it closes the string
  };

  State state_ = State::kOutside;
  char last_ = '{';  // the last byte that is no white space
};

}  // namespace gem
