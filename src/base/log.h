// One-line notes for the user on stderr. Results go to stdout and never through here.
#pragma once
#include <fmt/format.h>

#include <string_view>
#include <utility>

namespace gem {

// Writes "gem: <line>\n" to stderr, control bytes escaped. Safe from any thread; lines do not mix.
void log_line(std::string_view line);

template <class... Args>
void log(fmt::format_string<Args...> format, Args&&... args) {
  log_line(fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace gem
