#include "model/manifest.h"

#include <gtest/gtest.h>

#include "tests/support/goldens.h"

namespace gem {
namespace {

using testing::golden_path;

TEST(Manifest, BindsTheTinyGolden) {
  const auto file = gguf::File::open(golden_path("model/tiny-gemma4-q4_0.gguf"));
  ASSERT_TRUE(file) << file.error().text();
  const auto profile = profile_of_file(*file);
  ASSERT_TRUE(profile) << profile.error().text();
  EXPECT_EQ(profile->rotated_pairs, 8);
  const auto model = bind_model(*file, {&*profile, 1});
  ASSERT_TRUE(model) << model.error().text();
}

}  // namespace
}  // namespace gem
