// Says what a file is that is not a GGUF file, so that the error can tell the user what to do.
// Looks at the first bytes only; it never has to be right about files that do start with the GGUF
// magic.
#pragma once
#include <cstddef>
#include <span>

#include "base/error.h"

namespace gem::gguf {

// kCorrupt for what a failed or wrong download leaves behind (nothing, a part of the magic, an HTML
// page, a Git LFS pointer), kUnsupported for files of other formats.
Error not_gguf_error(std::span<const std::byte> bytes);

}  // namespace gem::gguf
