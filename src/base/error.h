// What can go wrong outside our own code, as a value: a code that says what the caller can do, and
// one line of text that says what was found, what was wanted, and what to do.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace gem {

enum class Code : uint8_t {
  kInvalid,      // the request or the command line is wrong: change it
  kNotFound,     // no such file or name
  kUnsupported,  // well formed, but not something gem runs
  kCorrupt,      // a damaged file: get it again
  kIo,           // the system refused: permissions, disk, terminal
  kNoMemory,     // does not fit
  kDevice,       // the processor failed
  kCancelled,    // the user stopped it
  kBusy,         // try again later
};

struct CodeInfo {
  std::string_view name;
  int http_status;
  int exit_code;
};

// The one table that maps codes to HTTP status and process exit code.
const CodeInfo& code_info(Code code);

class Error {
 public:
  Error(Code code, std::string text) : code_(code), text_(std::move(text)) {}

  Code code() const { return code_; }
  const std::string& text() const { return text_; }

  // The same error with "what: " in front, for callers that know more than the place that failed.
  Error with_context(std::string_view what) && {
    text_ = std::string(what) + ": " + text_;
    return std::move(*this);
  }

 private:
  Code code_;
  std::string text_;
};

}  // namespace gem
