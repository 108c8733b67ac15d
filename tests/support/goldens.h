// Where reference data comes from. Goldens that every machine needs live in tests/golden; what only
// the developers' shared folder has is optional, and a test that wants it says so when it skips.
#pragma once
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace gem::testing {

// Path of a file below tests/golden. Fails the test if it is missing.
std::string golden_path(const std::string& relative);

// Path of a file below the shared folder, or empty if it is not there. CMake's GEM_SHARED_DIR names
// the folder; the environment variable GEM_SHARED_DIR overrides it.
std::string shared_path(const std::string& relative);

nlohmann::ordered_json read_json(const std::string& path);
std::vector<float> read_f32(const std::string& path);  // little-endian
std::string read_bytes(const std::string& path);
void write_bytes(const std::string& path, const std::string& bytes);

}  // namespace gem::testing

// Declares `name` as the path of a shared file, or skips the test, loudly.
#define GEM_SHARED_OR_SKIP(name, relative)                        \
  const std::string name = ::gem::testing::shared_path(relative); \
  if (name.empty()) GTEST_SKIP() << "needs the shared folder's " << (relative)
