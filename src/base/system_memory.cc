#include "base/system_memory.h"

#include <cstdio>

namespace gem {

std::optional<uint64_t> available_memory_bytes() {
  std::FILE* file = std::fopen("/proc/meminfo", "r");
  if (file == nullptr) return std::nullopt;
  std::optional<uint64_t> bytes;
  char line[256];
  while (!bytes && std::fgets(line, sizeof line, file) != nullptr) {
    unsigned long long kibibytes = 0;
    if (std::sscanf(line, "MemAvailable: %llu kB", &kibibytes) == 1) bytes = kibibytes * 1024;
  }
  std::fclose(file);
  return bytes;
}

}  // namespace gem
