// File input for verbs.
#pragma once
#include <string>

#include "base/result.h"

namespace gem {

// The whole of `path`, or of stdin if it is "-".
Result<std::string> read_text(const std::string& path);

}  // namespace gem
