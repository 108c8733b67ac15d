#include "tests/support/allocations.h"

#include <cstdlib>
#include <new>

namespace {

thread_local size_t total_bytes = 0;

}  // namespace

size_t gem::testing::allocated_bytes() { return total_bytes; }

void* operator new(size_t size) {
  total_bytes += size;
  if (void* memory = std::malloc(size > 0 ? size : 1)) return memory;
  throw std::bad_alloc();
}

void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }
