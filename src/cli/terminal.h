// What people see: colours only on a terminal, model text with its control bytes escaped, Ctrl-C as
// a flag that an answer looks at.
#pragma once
#include <atomic>
#include <optional>
#include <string>
#include <string_view>

namespace gem {

// Writes model text to stdout as it comes. On a terminal, control bytes are escaped and thoughts
// dimmed; into a pipe the text goes as it is, and thoughts do not go at all.
class AnswerWriter {
 public:
  AnswerWriter();

  void thought(std::string_view text);
  void text(std::string_view text);
  // Ends the answer: colours back to normal and, if the text did not end its line, a newline.
  void finish();

 private:
  void put(std::string_view text, bool dim);

  bool terminal_;
  bool dim_ = false;
  bool at_line_start_ = true;
};

// While it lives, Ctrl-C sets flag() instead of ending the process; a second one before clear()
// ends it.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  const std::atomic<bool>& flag() const;
  void clear();
};

// Reads one line from the terminal with editing and history; nothing at the end of input. Ctrl-C
// drops the line and gives an empty one.
std::optional<std::string> edit_line(const char* prompt, InterruptGuard& interrupt);

bool stdin_is_terminal();
bool stderr_is_terminal();

}  // namespace gem
