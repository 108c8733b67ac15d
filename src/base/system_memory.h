// How much memory this process may still take.
#pragma once
#include <cstdint>
#include <optional>

namespace gem {

// Bytes that can be had without swapping; the page cache, which gives way, counts as free. Nothing
// where the system does not say.
std::optional<uint64_t> available_memory_bytes();

}  // namespace gem
