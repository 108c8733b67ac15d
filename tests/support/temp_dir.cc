#include "tests/support/temp_dir.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>

namespace gem::testing {

TempDir::TempDir() {
  std::string pattern = (std::filesystem::temp_directory_path() / "gem-test-XXXXXX").string();
  const char* made = mkdtemp(pattern.data());
  if (made == nullptr) {
    ADD_FAILURE() << "cannot make a folder like " << pattern;
    return;
  }
  path_ = made;
}

TempDir::~TempDir() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

}  // namespace gem::testing
