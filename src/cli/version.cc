#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/verbs.h"
#include "device/device.h"

namespace gem {

std::string version_text() {
#ifdef __OPTIMIZE__
  constexpr const char* kBuild = "optimized";
#else
  constexpr const char* kBuild = "not optimized: for debugging, not for timing";
#endif
  return fmt::format("gem {}\ndevices: {}\ncpu-isa: {}\nbuild:   {}, {}\n", GEM_VERSION,
                     fmt::join(device_names(), ", "), fmt::join(cpu_isa_names(), ", "),
#if defined(__clang__)
                     "clang " __clang_version__,
#else
                     "gcc " __VERSION__,
#endif
                     kBuild);
}

}  // namespace gem
