#include "base/error.h"

#include <array>

namespace gem {

const CodeInfo& code_info(Code code) {
  static constexpr std::array<CodeInfo, 9> kTable = {{
      {"invalid", 400, 2},
      {"not_found", 404, 3},
      {"unsupported", 400, 4},
      {"corrupt", 400, 5},
      {"io", 500, 6},
      {"no_memory", 503, 7},
      {"device", 500, 8},
      {"cancelled", 499, 130},
      {"busy", 503, 9},
  }};
  return kTable.at(static_cast<size_t>(code));
}

}  // namespace gem
