#include "model/profile.h"

#include <gtest/gtest.h>

#include "tests/support/edited_model.h"
#include "tests/support/goldens.h"
#include "tests/support/synthetic_model.h"
#include "tests/support/temp_dir.h"

namespace gem {
namespace {

using testing::EditedModel;

TEST(Profile, PublishedRowsHaveThePublishedTensorCounts) {
  ASSERT_EQ(published_profiles().size(), 3u);
  EXPECT_EQ(find_profile(published_profiles(), "12b")->tensors(), 667);
  EXPECT_EQ(find_profile(published_profiles(), "31b")->tensors(), 833);
  EXPECT_EQ(find_profile(published_profiles(), "demo")->tensors(), 169);
}

TEST(Profile, EverySixthLayerAndTheLastAreFull) {
  for (const Profile& profile : published_profiles()) {
    EXPECT_FALSE(profile.is_full(0));
    EXPECT_TRUE(profile.is_full(5));
    EXPECT_FALSE(profile.is_full(profile.layers - 2));
    EXPECT_TRUE(profile.is_full(profile.layers - 1));
    EXPECT_EQ(profile.head_width(4), 256);
    EXPECT_EQ(profile.head_width(5), 512);
    EXPECT_EQ(profile.swa_layers(), 5 * profile.full_layers());
  }
}

TEST(Profile, UnknownNameHasNoRow) {
  EXPECT_EQ(find_profile(published_profiles(), "26b"), nullptr);
  EXPECT_EQ(find_profile(published_profiles(), "small"), nullptr);
}

TEST(Profile, OfTheTinyGoldenIsWhatItsMetadataSays) {
  const auto file = gguf::File::open(testing::golden_path("model/tiny-gemma4-q4_0.gguf"));
  ASSERT_TRUE(file) << file.error().text();
  const auto profile = profile_of_file(*file);
  ASSERT_TRUE(profile) << profile.error().text();
  EXPECT_EQ(profile->layers, 12);
  EXPECT_EQ(profile->width, 128);
  EXPECT_EQ(profile->query_heads, 4);
  EXPECT_EQ(profile->swa_kv_heads, 2);
  EXPECT_EQ(profile->full_kv_heads, 1);
  EXPECT_EQ(profile->swa_head_width, 32);
  EXPECT_EQ(profile->full_head_width, 64);
  EXPECT_EQ(profile->ffn_width, 256);
  EXPECT_EQ(profile->window, 16);
  EXPECT_EQ(profile->max_context, 4096);
  EXPECT_EQ(profile->vocabulary, 512);
  EXPECT_EQ(profile->rotated_pairs, 8);
  EXPECT_EQ(profile->softcap, 15.0f);
  EXPECT_EQ(profile->rms_epsilon, 1e-6f);
  EXPECT_EQ(profile->swa_rope_base, 1e4f);
  EXPECT_EQ(profile->full_rope_base, 1e6f);
  EXPECT_FALSE(profile->fixed_special_ids);
  EXPECT_EQ(profile->tensors(), 169);
}

class ProfileOfFile : public ::testing::Test {
 protected:
  std::string error_of(const EditedModel& edited) {
    const gguf::File file = edited.open(dir_.file("edited.gguf"));
    const auto profile = profile_of_file(file);
    return profile ? std::string("accepted") : profile.error().text();
  }

  testing::TempDir dir_;
  gguf::File base_ = testing::sparse_model(testing::toy_profile(), dir_.file("base.gguf"));
};

TEST_F(ProfileOfFile, GivesBackTheRowThatWasWritten) {
  const Profile wanted = testing::toy_profile();
  const auto found = profile_of_file(base_);
  ASSERT_TRUE(found) << found.error().text();
  EXPECT_EQ(found->vocabulary, wanted.vocabulary);
  EXPECT_EQ(found->rotated_pairs, wanted.rotated_pairs);
  EXPECT_EQ(found->swa_kv_heads, wanted.swa_kv_heads);
  EXPECT_EQ(found->softcap, wanted.softcap);
}

TEST_F(ProfileOfFile, NeedsATokenTable) {
  EXPECT_EQ(error_of(EditedModel(base_).remove_tensor("token_embd.weight")),
            "token_embd.weight is missing, wanted a matrix of 1 to 16777216 rows");
  EXPECT_EQ(error_of(EditedModel(base_).set_shape("token_embd.weight", {64})),
            "token_embd.weight is [64] Q8_0, wanted a matrix of 1 to 16777216 rows");
}

TEST_F(ProfileOfFile, NeedsRopeFactorsOfTheFullHeads) {
  EXPECT_EQ(error_of(EditedModel(base_).remove_tensor("rope_freqs.weight")),
            "rope_freqs.weight is missing, wanted [32] F32");
  EXPECT_EQ(error_of(EditedModel(base_).set_shape("rope_freqs.weight", {16})),
            "rope_freqs.weight is [16] F32, wanted [32] F32");
  EXPECT_EQ(error_of(EditedModel(base_).set_type("rope_freqs.weight", 1)),
            "rope_freqs.weight is [32] F16, wanted [32] F32");
}

TEST_F(ProfileOfFile, NeedsTheMetadata) {
  EXPECT_EQ(error_of(EditedModel(base_).remove("gemma4.block_count")),
            "gemma4.block_count is missing, wanted in every Gemma 4 file");
}

}  // namespace
}  // namespace gem
