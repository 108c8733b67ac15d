#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace gem {

void check_failed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "gem: internal error: %s does not hold (%s:%d); please report this\n",
               condition, file, line);
  std::abort();
}

}  // namespace gem
