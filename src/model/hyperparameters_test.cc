#include "model/hyperparameters.h"

#include <gtest/gtest.h>

#include <limits>

#include "tests/support/edited_model.h"
#include "tests/support/synthetic_model.h"
#include "tests/support/temp_dir.h"

namespace gem {
namespace {

using testing::EditedModel;
using testing::toy_profile;

class Hyperparameters : public ::testing::Test {
 protected:
  EditedModel edit() const { return EditedModel(base_); }

  // What reading the file and comparing it with the toy row says.
  std::string verdict(const EditedModel& edited) {
    const gguf::File file = edited.open(dir_.file("edited.gguf"));
    const auto found = read_hyperparameters(file);
    if (!found) return found.error().text();
    const Status same = compare_hyperparameters(*found, toy_profile());
    return same ? std::string("accepted") : same.error().text();
  }

  testing::TempDir dir_;
  gguf::File base_ = testing::sparse_model(toy_profile(), dir_.file("base.gguf"));
};

TEST_F(Hyperparameters, OfAnUnchangedFileAreAccepted) { EXPECT_EQ(verdict(edit()), "accepted"); }

TEST_F(Hyperparameters, AreAllRequiredThoughTheFormatHasDefaults) {
  for (const std::string key :
       {"block_count", "context_length", "embedding_length", "feed_forward_length",
        "attention.head_count", "attention.head_count_kv", "rope.freq_base", "rope.freq_base_swa",
        "attention.layer_norm_rms_epsilon", "attention.key_length", "attention.value_length",
        "attention.key_length_swa", "attention.value_length_swa", "final_logit_softcapping",
        "attention.sliding_window", "embedding_length_per_layer_input",
        "attention.sliding_window_pattern", "rope.dimension_count", "rope.dimension_count_swa"}) {
    EXPECT_EQ(verdict(edit().remove("gemma4." + key)),
              "gemma4." + key + " is missing, wanted in every Gemma 4 file");
  }
}

TEST_F(Hyperparameters, OfOtherFamilyMembersMayBeAbsent) {
  EXPECT_EQ(verdict(edit().remove("gemma4.attention.shared_kv_layers")), "accepted");
}

TEST_F(Hyperparameters, MustEqualTheRow) {
  struct Case {
    std::string key;
    std::variant<uint32_t, float> value;
    std::string error;
  };
  const Case cases[] = {
      {"embedding_length", 128u, "gemma4.embedding_length is 128, wanted 64"},
      {"feed_forward_length", 64u, "gemma4.feed_forward_length is 64, wanted 96"},
      {"attention.head_count", 8u, "gemma4.attention.head_count is 8, wanted 4"},
      {"attention.sliding_window", 1024u, "gemma4.attention.sliding_window is 1024, wanted 16"},
      {"context_length", 8192u, "gemma4.context_length is 8192, wanted 4096"},
      {"rope.freq_base", 1e4f, "gemma4.rope.freq_base is 10000, wanted 1000000"},
      {"rope.freq_base_swa", 1e6f, "gemma4.rope.freq_base_swa is 1000000, wanted 10000"},
      {"attention.layer_norm_rms_epsilon", 1e-5f,
       "gemma4.attention.layer_norm_rms_epsilon is 1e-05, wanted 1e-06"},
      {"final_logit_softcapping", 30.0f, "gemma4.final_logit_softcapping is 30, wanted 15"},
  };
  for (const Case& c : cases) {
    EditedModel edited = edit();
    std::visit([&](auto value) { edited.set("gemma4." + c.key, value); }, c.value);
    EXPECT_EQ(verdict(edited), c.error);
  }
  EXPECT_EQ(verdict(edit().set("gemma4.attention.head_count_kv", std::vector{2, 2, 2, 2, 2, 2})),
            "gemma4.attention.head_count_kv of full layers is 2, wanted 1");
  EXPECT_EQ(verdict(edit().set("gemma4.attention.head_count_kv", std::vector{4, 4, 4, 4, 4, 1})),
            "gemma4.attention.head_count_kv of SWA layers is 4, wanted 2");
}

TEST_F(Hyperparameters, HeadWidthsOfKeysValuesAndRopeAgree) {
  EXPECT_EQ(verdict(edit().set("gemma4.attention.value_length", 32u)),
            "gemma4.attention.value_length is 32, wanted 64: gemma4.attention.key_length");
  EXPECT_EQ(verdict(edit().set("gemma4.rope.dimension_count", 16u)),
            "gemma4.rope.dimension_count is 16, wanted 64: gemma4.attention.key_length");
  EXPECT_EQ(verdict(edit().set("gemma4.attention.value_length_swa", 64u)),
            "gemma4.attention.value_length_swa is 64, wanted 32: gemma4.attention.key_length_swa");
  EXPECT_EQ(verdict(edit().set("gemma4.rope.dimension_count_swa", 64u)),
            "gemma4.rope.dimension_count_swa is 64, wanted 32: gemma4.attention.key_length_swa");
}

TEST_F(Hyperparameters, FeaturesOfOtherModelsMustBeOff) {
  EXPECT_EQ(verdict(edit().set("gemma4.attention.shared_kv_layers", 4u)),
            "gemma4.attention.shared_kv_layers is 4, wanted 0");
  EXPECT_EQ(verdict(edit().set("gemma4.embedding_length_per_layer_input", 256u)),
            "gemma4.embedding_length_per_layer_input is 256, wanted 0");
  EXPECT_EQ(verdict(edit().set("gemma4.expert_count", 128u)),
            "gemma4.expert_count is 128, wanted 0");
  EXPECT_EQ(verdict(edit().set("gemma4.expert_count", 0u)), "accepted");
  EXPECT_EQ(verdict(edit().set("gemma4.attn_logit_softcapping", 50.0f)),
            "gemma4.attn_logit_softcapping is 50, wanted 0");
  EXPECT_EQ(verdict(edit().set("gemma4.attn_logit_softcapping", 0.0f)), "accepted");
  EXPECT_EQ(verdict(edit().set("gemma4.expert_used_count", "many")),
            "gemma4.expert_used_count is str, wanted 0");
  EXPECT_EQ(verdict(edit().set("gemma4.rope.scaling.type", "yarn")),
            "gemma4.rope.scaling.type is yarn, wanted none");
  EXPECT_EQ(verdict(edit().set("gemma4.rope.scaling.type", "none")), "accepted");
}

TEST_F(Hyperparameters, ALayerPatternOfAnotherOrderIsRefused) {
  constexpr char kKey[] = "gemma4.attention.sliding_window_pattern";
  EXPECT_EQ(verdict(edit().set(kKey, std::vector<bool>{true, true, true, true, false, true})),
            "gemma4.attention.sliding_window_pattern is false at layer 4, wanted 5 times true and "
            "1 time false, repeated");
  EXPECT_EQ(verdict(edit().set(kKey, std::vector<bool>{true, false})),
            "gemma4.attention.sliding_window_pattern is arr[bool, 2], wanted an array of 6, one "
            "for each layer");
  EXPECT_EQ(verdict(edit().set(kKey, 6u)),
            "gemma4.attention.sliding_window_pattern is u32, wanted an array of 6, one for each "
            "layer");
  EXPECT_EQ(verdict(edit().set(kKey, std::vector{1, 1, 1, 1, 1, 0})),
            "gemma4.attention.sliding_window_pattern is arr[i32, 6], wanted arr[bool, 6]");
}

TEST_F(Hyperparameters, ValuesOfLayersMayBeOneNumberOrAnArrayOfEitherSign) {
  EXPECT_EQ(verdict(edit().set("gemma4.attention.head_count", std::vector(6, 4))), "accepted");
  EXPECT_EQ(verdict(edit().set("gemma4.feed_forward_length", std::vector<uint32_t>(6, 96u))),
            "accepted");
  EXPECT_EQ(verdict(edit().set("gemma4.attention.head_count", std::vector{4, 4, 4, 4, 4, 8})),
            "gemma4.attention.head_count is of several values, wanted one for all layers");
  EXPECT_EQ(verdict(edit().set("gemma4.attention.head_count_kv", 2u)),
            "gemma4.attention.head_count_kv of full layers is 2, wanted 1");
  EXPECT_EQ(verdict(edit().set("gemma4.attention.head_count_kv", std::vector{2, 2, 1, 2, 2, 1})),
            "gemma4.attention.head_count_kv is 1 at layer 2, wanted 2 as in the other SWA layers");
  EXPECT_EQ(verdict(edit().set("gemma4.attention.head_count_kv", std::vector<bool>(6, true))),
            "gemma4.attention.head_count_kv is arr[bool, 6], wanted integers");
}

TEST_F(Hyperparameters, KindAndRangeAreChecked) {
  EXPECT_EQ(verdict(edit().set("gemma4.block_count", "six")),
            "gemma4.block_count is str, wanted an integer");
  EXPECT_EQ(verdict(edit().set("gemma4.block_count", 0u)),
            "gemma4.block_count is 0, wanted 1 to 1000");
  EXPECT_EQ(verdict(edit().set("gemma4.embedding_length", 4000000000u)),
            "gemma4.embedding_length is 4000000000, wanted 1 to 1048576");
  EXPECT_EQ(verdict(edit().set("gemma4.rope.freq_base", 10000u)),
            "gemma4.rope.freq_base is u32, wanted an f32");
  EXPECT_EQ(verdict(edit().set("gemma4.final_logit_softcapping", -30.0f)),
            "gemma4.final_logit_softcapping is -30, wanted a positive number");
  EXPECT_EQ(verdict(edit().set("gemma4.rope.freq_base", std::numeric_limits<float>::infinity())),
            "gemma4.rope.freq_base is inf, wanted a positive number");
}

TEST_F(Hyperparameters, SizesThatNoKernelCanTakeAreRefused) {
  EXPECT_EQ(verdict(edit().set("gemma4.embedding_length", 65u)),
            "gemma4.embedding_length is 65, wanted a multiple of 32");
  EXPECT_EQ(verdict(edit().set("gemma4.attention.head_count", 3u)),
            "gemma4.attention.head_count is 3, wanted a multiple of 2");
}

TEST_F(Hyperparameters, KeysThatGemDoesNotKnowAreListed) {
  EXPECT_TRUE(unknown_keys(base_).empty());
  const gguf::File file = edit()
                              .set("gemma4.vision.block_count", 27u)
                              .set("quantize.imatrix.file", "x")
                              .set("general.quantized_by", "someone")
                              .open(dir_.file("edited.gguf"));
  const auto unknown = unknown_keys(file);
  ASSERT_EQ(unknown.size(), 2u);
  EXPECT_EQ(unknown[0]->key, "gemma4.vision.block_count");
  EXPECT_EQ(unknown[1]->key, "quantize.imatrix.file");
}

}  // namespace
}  // namespace gem
