#include "base/log.h"

#include <cstdio>
#include <string>

#include "base/text.h"

namespace gem {

void log_line(std::string_view line) {
  const std::string out = "gem: " + escape_for_terminal(line) + "\n";
  std::fwrite(out.data(), 1, out.size(), stderr);
}

}  // namespace gem
