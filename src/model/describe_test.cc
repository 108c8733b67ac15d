#include "model/describe.h"

#include <gtest/gtest.h>

#include "model/manifest.h"
#include "tests/support/edited_model.h"
#include "tests/support/goldens.h"
#include "tests/support/synthetic_model.h"
#include "tests/support/temp_dir.h"

namespace gem {
namespace {

using testing::EditedModel;

constexpr char kGet[] = "gem runs Gemma 4 12B and 31B: get the Q4_0 (QAT) GGUF file of one of them";

// Files that are no target, made from a toy one.
class OtherModel : public ::testing::Test {
 protected:
  EditedModel edit() const { return EditedModel(base_); }

  // The refusal, which must be what bind_model says too and begin with the description.
  std::string refusal(const EditedModel& edited) {
    const std::string path = dir_.file("edited.gguf");
    const gguf::File file = edited.open(path);
    const auto model = bind_model(file, published_profiles());
    if (model) return "accepted";
    EXPECT_EQ(model.error().code(), Code::kUnsupported);
    std::string text = model.error().text();
    EXPECT_TRUE(text.starts_with(path + ": " + describe_model(file))) << text;
    EXPECT_EQ(text.find('\n'), std::string::npos);
    return text.substr(path.size() + 2);
  }

  testing::TempDir dir_;
  gguf::File base_ = testing::sparse_model(testing::toy_profile(), dir_.file("base.gguf"));
};

TEST_F(OtherModel, MixtureOfExpertsIsNamed) {
  EXPECT_EQ(refusal(edit().set("gemma4.block_count", 30u).set("gemma4.expert_count", 128u)),
            fmt::format("Gemma 4 26B-A4B (mixture of experts); {}", kGet));
  EXPECT_EQ(refusal(edit().set("gemma4.expert_count", 8u)),
            fmt::format("Gemma 4 mixture of experts (6 layers); {}", kGet));
}

TEST_F(OtherModel, SizesWithPerLayerInputsAreNamed) {
  EXPECT_EQ(refusal(edit()
                        .set("gemma4.block_count", 35u)
                        .set("gemma4.embedding_length_per_layer_input", 256u)),
            fmt::format("Gemma 4 E2B (per-layer inputs, shared KV layers); {}", kGet));
  EXPECT_EQ(
      refusal(edit().set("gemma4.block_count", 42u).set("gemma4.attention.shared_kv_layers", 18u)),
      fmt::format("Gemma 4 E4B (per-layer inputs, shared KV layers); {}", kGet));
  EXPECT_EQ(
      refusal(edit().set("gemma4.attention.shared_kv_layers", 1u)),
      fmt::format("Gemma 4 of the E2B/E4B kind (per-layer inputs, shared KV layers); {}", kGet));
}

TEST_F(OtherModel, UnknownSizeIsNamedBySize) {
  EXPECT_EQ(refusal(edit()), fmt::format("Gemma 4 of 6 layers and width 64; {}", kGet));
}

TEST_F(OtherModel, RelativesAreNamed) {
  const auto with = [&](const char* architecture) {
    return refusal(edit().set("general.architecture", architecture).remove("general.name"));
  };
  EXPECT_EQ(with("gemma3"), fmt::format("Gemma 3, architecture gemma3; {}", kGet));
  EXPECT_EQ(with("gemma3n"), fmt::format("Gemma 3n, architecture gemma3n; {}", kGet));
  EXPECT_EQ(with("gemma2"), fmt::format("Gemma 2, architecture gemma2; {}", kGet));
  EXPECT_EQ(with("gemma"), fmt::format("Gemma 1, architecture gemma; {}", kGet));
}

TEST_F(OtherModel, StrangersAreNamedByArchitectureAndTheirOwnName) {
  EXPECT_EQ(refusal(edit().set("general.architecture", "qwen3").set("general.name", "Qwen3 8B")),
            fmt::format("architecture qwen3 (Qwen3 8B); {}", kGet));
  EXPECT_EQ(refusal(edit().set("general.architecture", "llama").remove("general.name")),
            fmt::format("architecture llama; {}", kGet));
}

TEST_F(OtherModel, NamesFromTheFileCannotReachTheTerminalRaw) {
  const std::string text =
      refusal(edit().set("general.architecture", "x\x1b[31m").set("general.name", "a\nb"));
  EXPECT_EQ(text, fmt::format("architecture x\\x1b[31m (a\\nb); {}", kGet));
}

TEST_F(OtherModel, NoArchitectureIsNamed) {
  EXPECT_EQ(refusal(edit().remove("general.architecture")),
            fmt::format("a GGUF file that names no architecture; {}", kGet));
  EXPECT_EQ(refusal(edit().set("general.architecture", 4u)),
            fmt::format("a GGUF file that names no architecture; {}", kGet));
}

TEST_F(OtherModel, AssistantIsNamedWithTheSizeItDraftsFor) {
  EXPECT_EQ(refusal(edit()
                        .set("general.architecture", "gemma4-assistant")
                        .set("gemma4-assistant.embedding_length_out", 3840u)),
            "Gemma 4 assistant (drafter) for 12B; it drafts for a model and is none: give it with "
            "--mtp, and the Q4_0 (QAT) file of Gemma 4 12B with --model");
  EXPECT_EQ(refusal(edit()
                        .set("general.architecture", "gemma4-assistant")
                        .set("gemma4-assistant.embedding_length_out", 128u)),
            fmt::format("a Gemma 4 assistant (drafter) for a target of width 128; {}", kGet));
}

TEST_F(OtherModel, AuthenticAssistantIsNamed) {
  GEM_SHARED_OR_SKIP(path, "golden/model/tiny-gemma4-assistant-q4_0.gguf");
  const auto file = gguf::File::open(path);
  ASSERT_TRUE(file) << file.error().text();
  EXPECT_EQ(describe_model(*file), "a Gemma 4 assistant (drafter) for a target of width 128");
}

TEST_F(OtherModel, VocabularyWithoutWeightsIsNamed) {
  EXPECT_EQ(refusal(edit().remove_all_tensors()),
            fmt::format("a vocabulary without weights; {}", kGet));
  EXPECT_EQ(refusal(edit().remove_all_tensors().add_tensor("output_norm.weight", 0, {64})),
            fmt::format("a Gemma 4 file without layers; {}", kGet));
}

TEST_F(OtherModel, AuthenticVocabularyFileIsNamed) {
  GEM_SHARED_OR_SKIP(path, "golden/vocab/ggml-vocab-gemma-4.gguf");
  const auto file = gguf::File::open(path);
  ASSERT_TRUE(file) << file.error().text();
  EXPECT_EQ(describe_model(*file), "a vocabulary without weights");
}

TEST_F(OtherModel, AdaptersAndProjectorsAreNamed) {
  EXPECT_EQ(refusal(edit().set("general.type", "adapter")),
            fmt::format("an adapter (LoRA) for architecture gemma4; {}", kGet));
  EXPECT_EQ(refusal(edit().set("general.architecture", "clip")),
            fmt::format("a projector for images or audio (mmproj); {}", kGet));
}

TEST_F(OtherModel, PartOfASplitModelIsNamed) {
  EXPECT_EQ(
      refusal(edit().remove("general.architecture").set("split.no", 1u).set("split.count", 3u)),
      "part 2 of 3 of a model in several files; gem reads a model from one file: join the "
      "parts, or get the Q4_0 (QAT) file of Gemma 4 12B or 31B");
}

TEST_F(OtherModel, TypeOfMostMatrixBytesDescribesAQuantization) {
  EXPECT_EQ(matrix_type(base_), "Q4_0");
  const gguf::File bf16 = edit().set_matrix_types(30).open(dir_.file("bf16.gguf"));
  EXPECT_EQ(matrix_type(bf16), "BF16");
  const gguf::File bare = edit().remove_all_tensors().open(dir_.file("bare.gguf"));
  EXPECT_EQ(matrix_type(bare), "no");
}

}  // namespace
}  // namespace gem
