#include "base/system_memory.h"

#include <gtest/gtest.h>
#include <unistd.h>

namespace gem {
namespace {

TEST(SystemMemory, IsWithinWhatTheMachineHas) {
  const auto available = available_memory_bytes();
  if (!available) GTEST_SKIP() << "the system does not say";
  const auto all = static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) *
                   static_cast<uint64_t>(sysconf(_SC_PAGE_SIZE));
  EXPECT_GT(*available, 0u);
  EXPECT_LE(*available, all);
}

}  // namespace
}  // namespace gem
