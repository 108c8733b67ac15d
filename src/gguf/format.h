// Numbers of the GGUF container that its reader and its writer share.
#pragma once
#include <cstddef>
#include <cstdint>

namespace gem::gguf {

inline constexpr uint32_t kMagic = 0x46554747;  // "GGUF"
inline constexpr uint32_t kVersion = 3;
inline constexpr uint64_t kDefaultAlignment = 32;
inline constexpr uint64_t kMinAlignment = 8;
// The format sets no ceiling; this one is far above any page size.
inline constexpr uint64_t kMaxAlignment = 1 << 20;
inline constexpr size_t kMaxDimensions = 4;
inline constexpr size_t kMaxTensorNameBytes = 63;
inline constexpr size_t kMaxKeyBytes = 65535;
inline constexpr const char* kAlignmentKey = "general.alignment";

}  // namespace gem::gguf
