#include "cli/terminal.h"

#include <editline/readline.h>
#include <poll.h>
#include <unistd.h>

#include <clocale>
#include <csignal>
#include <cstdio>
#include <cstdlib>

#include "base/error.h"
#include "base/text.h"
#include "base/utf8.h"

namespace gem {
namespace {

constexpr std::string_view kDim = "\x1b[2m";
constexpr std::string_view kNormal = "\x1b[0m";

std::atomic<bool> interrupted{false};
std::atomic<bool> editing{false};  // a line: Ctrl-C never ends the process
struct sigaction previous_interrupt;

void on_interrupt(int) {
  if (interrupted.exchange(true) && !editing.load()) ::_exit(code_info(Code::kCancelled).exit_code);
}

// The next character for libedit, or EOF at the end of input and after Ctrl-C. It looks at the flag
// between short waits: a signal that comes just before a blocking read would not end that read.
int read_character(FILE*) {
  std::string bytes;
  while (!interrupted.load()) {
    pollfd input{STDIN_FILENO, POLLIN, 0};
    if (::poll(&input, 1, 50) <= 0) continue;
    char byte = 0;
    if (::read(STDIN_FILENO, &byte, 1) != 1) return EOF;
    bytes += byte;
    const Utf8Step step = utf8_step(bytes);
    if (step.kind != Utf8Step::Kind::kIncomplete) return static_cast<int>(step.code_point);
  }
  return EOF;
}

void write_out(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); }

}  // namespace

AnswerWriter::AnswerWriter() : terminal_(::isatty(STDOUT_FILENO) != 0) {}

void AnswerWriter::put(std::string_view text, bool dim) {
  if (text.empty()) return;
  if (terminal_ && dim != dim_) write_out(dim ? kDim : kNormal);
  dim_ = dim;
  write_out(terminal_ ? escape_for_terminal(text) : std::string(text));
  std::fflush(stdout);
  at_line_start_ = text.back() == '\n';
}

void AnswerWriter::thought(std::string_view text) {
  if (terminal_) put(text, true);
}

void AnswerWriter::text(std::string_view text) {
  if (dim_ && !text.empty() && !at_line_start_) put("\n", false);
  put(text, false);
}

void AnswerWriter::finish() {
  if (terminal_ && dim_) write_out(kNormal);
  dim_ = false;
  if (!at_line_start_) write_out("\n");
  at_line_start_ = true;
  std::fflush(stdout);
}

InterruptGuard::InterruptGuard() {
  clear();
  struct sigaction action = {};
  action.sa_handler = on_interrupt;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, &previous_interrupt);
}

InterruptGuard::~InterruptGuard() { sigaction(SIGINT, &previous_interrupt, nullptr); }

const std::atomic<bool>& InterruptGuard::flag() const { return interrupted; }

void InterruptGuard::clear() { interrupted.store(false); }

std::optional<std::string> edit_line(const char* prompt, InterruptGuard& interrupt) {
  static const bool prepared = [] {
    std::setlocale(LC_CTYPE, "");
    using_history();
    rl_getc_function = read_character;
    return true;
  }();
  static_cast<void>(prepared);
  interrupt.clear();
  editing.store(true);
  char* line = ::readline(prompt);
  editing.store(false);
  if (line == nullptr) {
    if (!interrupt.flag()) return std::nullopt;
    std::fputs("\n(Ctrl-D ends the chat)\n", stdout);
    return std::string();
  }
  std::string text(line);
  if (!text.empty()) ::add_history(line);
  std::free(line);
  return text;
}

bool stdin_is_terminal() { return ::isatty(STDIN_FILENO) != 0; }
bool stderr_is_terminal() { return ::isatty(STDERR_FILENO) != 0; }

}  // namespace gem
