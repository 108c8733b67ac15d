// SHA-256 (FIPS 180-4), for goldens that are given as a digest.
#pragma once
#include <string>
#include <string_view>

namespace gem::testing {

// In hexadecimal.
std::string sha256(std::string_view bytes);

}  // namespace gem::testing
