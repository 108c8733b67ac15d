// Counts what operator new hands out, for tests that bound it. Linking this replaces operator new
// and delete of the whole test program.
#pragma once
#include <cstddef>

namespace gem::testing {

// Bytes asked for by this thread since the program's start.
size_t allocated_bytes();

}  // namespace gem::testing
