#include "model/manifest.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/support/edited_model.h"
#include "tests/support/goldens.h"
#include "tests/support/synthetic_model.h"
#include "tests/support/temp_dir.h"

namespace gem {
namespace {

using testing::EditedModel;
using testing::sparse_model;
using testing::TempDir;
using testing::toy_profile;

const Profile& k12b() { return *find_profile(published_profiles(), "12b"); }
const Profile& k31b() { return *find_profile(published_profiles(), "31b"); }

constexpr uint32_t kQ4K = 12, kQ6K = 14, kQ8_0 = 8, kF16 = 1, kBF16 = 30;

// Matrices of the layers alone.
uint64_t layer_matrix_bytes(const Plan& plan) {
  uint64_t bytes = 0;
  for (const LayerPlan& layer : plan.layers) {
    for (const Matrix* matrix :
         {&layer.q, &layer.k, &layer.v, &layer.out, &layer.gate, &layer.up, &layer.down}) {
      bytes += matrix->bytes();
    }
  }
  return bytes;
}

void expect_inside(std::span<const std::byte> file, const void* data, size_t size_bytes) {
  const auto* begin = static_cast<const std::byte*>(data);
  EXPECT_GE(begin, file.data());
  EXPECT_LE(begin + size_bytes, file.data() + file.size());
}

TEST(Manifest, BindsTheTinyGoldenWithItsFacts) {
  const auto file = gguf::File::open(testing::golden_path("model/tiny-gemma4-q4_0.gguf"));
  ASSERT_TRUE(file) << file.error().text();
  const auto profile = profile_of_file(*file);
  ASSERT_TRUE(profile) << profile.error().text();
  const auto model = bind_model(*file, {&*profile, 1});
  ASSERT_TRUE(model) << model.error().text();
  EXPECT_TRUE(model->notes.empty());
  const Plan& plan = model->plan;
  ASSERT_EQ(plan.layer_count(), 12);

  const LayerPlan& swa = plan.layers[10];
  EXPECT_FALSE(swa.is_full);
  EXPECT_FALSE(swa.v_is_k);
  EXPECT_EQ(swa.head_width, 32);
  EXPECT_EQ(swa.query_heads, 4);
  EXPECT_EQ(swa.kv_heads, 2);
  EXPECT_EQ(swa.group(), 2);
  EXPECT_EQ(swa.window, 16);
  EXPECT_EQ(swa.rope_base, 1e4f);
  EXPECT_TRUE(swa.rope_factors.empty());
  EXPECT_EQ(swa.v.rows, 64);
  EXPECT_EQ(swa.v.cols, 128);

  const LayerPlan& full = plan.layers[11];
  EXPECT_TRUE(full.is_full);
  EXPECT_TRUE(full.v_is_k);
  EXPECT_EQ(full.head_width, 64);
  EXPECT_EQ(full.kv_heads, 1);
  EXPECT_EQ(full.window, 0);
  EXPECT_EQ(full.rope_base, 1e6f);
  ASSERT_EQ(full.rope_factors.size(), 32u);
  EXPECT_EQ(full.rope_factors[7], 1.0f);
  EXPECT_EQ(full.rope_factors[8], 1e30f);
  EXPECT_EQ(full.v.data, nullptr);
  EXPECT_EQ(full.v.rows, 0);
  EXPECT_EQ(full.out.rows, 128);
  EXPECT_EQ(full.out.cols, 256);
  EXPECT_EQ(full.q_norm.size(), 64u);
}

TEST(Manifest, BindsToTheBytesInTheFileByName) {
  const auto file = gguf::File::open(testing::golden_path("model/tiny-gemma4-q4_0.gguf"));
  ASSERT_TRUE(file) << file.error().text();
  const auto profile = profile_of_file(*file);
  ASSERT_TRUE(profile) << profile.error().text();
  const auto model = bind_model(*file, {&*profile, 1});
  ASSERT_TRUE(model) << model.error().text();
  const auto bytes_of = [&](const char* name) {
    return file->data(*file->find_tensor(name)).data();
  };
  const LayerPlan& layer = model->plan.layers[3];
  EXPECT_EQ(layer.q.data, bytes_of("blk.3.attn_q.weight"));
  EXPECT_EQ(layer.k.data, bytes_of("blk.3.attn_k.weight"));
  EXPECT_EQ(layer.v.data, bytes_of("blk.3.attn_v.weight"));
  EXPECT_EQ(layer.out.data, bytes_of("blk.3.attn_output.weight"));
  EXPECT_EQ(layer.gate.data, bytes_of("blk.3.ffn_gate.weight"));
  EXPECT_EQ(layer.up.data, bytes_of("blk.3.ffn_up.weight"));
  EXPECT_EQ(layer.down.data, bytes_of("blk.3.ffn_down.weight"));
  const auto starts_at = [&](Vector vector, const char* name) {
    EXPECT_EQ(static_cast<const void*>(vector.data()), bytes_of(name)) << name;
  };
  starts_at(layer.attn_norm, "blk.3.attn_norm.weight");
  starts_at(layer.post_attn_norm, "blk.3.post_attention_norm.weight");
  starts_at(layer.ffn_norm, "blk.3.ffn_norm.weight");
  starts_at(layer.post_ffn_norm, "blk.3.post_ffw_norm.weight");
  starts_at(layer.q_norm, "blk.3.attn_q_norm.weight");
  starts_at(layer.k_norm, "blk.3.attn_k_norm.weight");
  starts_at(model->plan.output_norm, "output_norm.weight");
  EXPECT_EQ(model->plan.token_table.data, bytes_of("token_embd.weight"));
  EXPECT_EQ(static_cast<const void*>(model->plan.layers[5].rope_factors.data()),
            bytes_of("rope_freqs.weight"));
  float scale = 0;
  std::memcpy(&scale, bytes_of("blk.3.layer_output_scale.weight"), sizeof scale);
  EXPECT_EQ(layer.output_scale, scale);
}

TEST(Manifest, EveryViewOfThePlanLiesInTheFile) {
  const TempDir dir;
  const gguf::File file = sparse_model(toy_profile(), dir.file("toy.gguf"));
  const Profile profile = toy_profile();
  const auto model = bind_model(file, {&profile, 1});
  ASSERT_TRUE(model) << model.error().text();
  for (const LayerPlan& layer : model->plan.layers) {
    for (const Matrix* matrix :
         {&layer.q, &layer.k, &layer.out, &layer.gate, &layer.up, &layer.down}) {
      expect_inside(file.bytes(), matrix->data, matrix->bytes());
    }
    if (!layer.v_is_k) expect_inside(file.bytes(), layer.v.data, layer.v.bytes());
    for (const Vector vector : {layer.attn_norm, layer.post_attn_norm, layer.ffn_norm,
                                layer.post_ffn_norm, layer.q_norm, layer.k_norm}) {
      expect_inside(file.bytes(), vector.data(), vector.size_bytes());
      EXPECT_EQ(reinterpret_cast<uintptr_t>(vector.data()) % alignof(float), 0u);
    }
  }
}

TEST(Manifest, Binds12BAtItsRealSize) {
  const TempDir dir;
  const gguf::File file = sparse_model(k12b(), dir.file("12b.gguf"));
  EXPECT_EQ(file.tensors().size(), 667u);
  const auto model = bind_model(file, published_profiles());
  ASSERT_TRUE(model) << model.error().text();
  EXPECT_EQ(model->plan.profile.name, "12b");
  EXPECT_TRUE(model->notes.empty());
  EXPECT_EQ(layer_matrix_bytes(model->plan), 6'131'220'480u);
  const uint64_t table = 262144ull * 3840 / 32 * 34;
  EXPECT_EQ(model->plan.decode_bytes, 6'131'220'480u + table);
  EXPECT_GT(model->plan.weight_bytes, model->plan.decode_bytes);
  EXPECT_EQ(describe_model(file), "Gemma 4 12B with Q4_0 matrices");
}

TEST(Manifest, Binds31BWithASixBitTableAtItsRealSize) {
  const TempDir dir;
  SynthOptions options;
  options.header_only = true;
  options.table_type = gguf::Type::kQ6K;
  const gguf::File file = testing::write_and_open(k31b(), options, dir.file("31b.gguf"));
  EXPECT_EQ(file.tensors().size(), 833u);
  const auto model = bind_model(file, published_profiles());
  ASSERT_TRUE(model) << model.error().text();
  EXPECT_EQ(model->plan.profile.name, "31b");
  EXPECT_EQ(layer_matrix_bytes(model->plan), 16'473'784'320u);
  EXPECT_EQ(model->plan.decode_bytes, 16'473'784'320u + 1'156'055'040u);
  EXPECT_EQ(model->plan.token_table.type, gguf::Type::kQ6K);
}

TEST(Manifest, TensorsOfAProfileAreAsManyAsItSays) {
  for (const Profile& profile : published_profiles()) {
    const auto tensors = target_tensors(profile);
    EXPECT_EQ(tensors.size(), static_cast<size_t>(profile.tensors()));
    const auto floats = std::count_if(tensors.begin(), tensors.end(), [](const TensorSpec& tensor) {
      return tensor.type == gguf::Type::kF32;
    });
    EXPECT_EQ(floats, 7 * profile.layers + 2);  // seven a layer, RoPE factors, output norm
  }
}

// Refusals of a published size: what stands after the file's name.
class PublishedManifest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    dir_ = new TempDir;
    base_ = new gguf::File(sparse_model(k12b(), dir_->file("12b.gguf")));
  }
  static void TearDownTestSuite() {
    delete std::exchange(base_, nullptr);
    delete std::exchange(dir_, nullptr);
  }

  static EditedModel edit() { return EditedModel(*base_); }

  static std::string verdict(const EditedModel& edited) {
    const std::string path = dir_->file("edited.gguf");
    const gguf::File file = edited.open(path);
    const auto model = bind_model(file, published_profiles());
    if (model) return "accepted";
    EXPECT_TRUE(model.error().text().starts_with(path + ": Gemma 4 12B with "))
        << model.error().text();
    return model.error().text().substr(path.size() + 2);
  }

  static TempDir* dir_;
  static gguf::File* base_;
};
TempDir* PublishedManifest::dir_ = nullptr;
gguf::File* PublishedManifest::base_ = nullptr;

TEST_F(PublishedManifest, KQuantsAreRefusedByTypeName) {
  EXPECT_EQ(verdict(edit().set_matrix_types(kQ4K)),
            "Gemma 4 12B with Q4_K matrices: tensor blk.0.attn_k.weight is [3840, 2048] Q4_K, "
            "wanted [3840, 2048] Q4_0; get the Q4_0 (QAT) file of Gemma 4 12B");
}

TEST_F(PublishedManifest, OneMatrixOfAnotherTypeIsEnoughToRefuse) {
  EXPECT_EQ(verdict(edit().set_type("blk.47.ffn_down.weight", kQ6K)),
            "Gemma 4 12B with Q4_0 matrices: tensor blk.47.ffn_down.weight is [15360, 3840] Q6_K, "
            "wanted [15360, 3840] Q4_0; get the Q4_0 (QAT) file of Gemma 4 12B");
}

TEST_F(PublishedManifest, FullPrecisionAndEightBitAreRefused) {
  const std::string bf16 = verdict(edit().set_matrix_types(kBF16, true));
  EXPECT_EQ(bf16,
            "Gemma 4 12B with BF16 matrices: tensor token_embd.weight is [3840, 262144] BF16, "
            "wanted [3840, 262144] Q8_0 or Q6_K; get the Q4_0 (QAT) file of Gemma 4 12B");
  EXPECT_TRUE(verdict(edit().set_matrix_types(kF16, true)).starts_with("Gemma 4 12B with F16"));
  EXPECT_TRUE(verdict(edit().set_matrix_types(kQ8_0)).starts_with("Gemma 4 12B with Q8_0"));
}

TEST_F(PublishedManifest, SixBitTableIsAccepted) {
  EXPECT_EQ(verdict(edit().set_type("token_embd.weight", kQ6K)), "accepted");
}

TEST_F(PublishedManifest, SpecialTokenAtAnotherIdIsRefused) {
  std::vector<std::string> tokens;
  const auto stored = base_->find("tokenizer.ggml.tokens")->as_string_array();
  ASSERT_TRUE(stored);
  for (const std::string_view token : *stored) tokens.emplace_back(token);
  std::swap(tokens[105], tokens[107]);
  EXPECT_EQ(verdict(edit().set("tokenizer.ggml.tokens", tokens)),
            "Gemma 4 12B with Q4_0 matrices: tokenizer.ggml.tokens has \\n at id 105, wanted "
            "<|turn>");
}

TEST_F(PublishedManifest, VocabularyOfAnotherSizeIsRefused) {
  EXPECT_EQ(verdict(edit().set("tokenizer.ggml.tokens", std::vector<std::string>{"<pad>"})),
            "Gemma 4 12B with Q4_0 matrices: tokenizer.ggml.tokens is arr[str, 1], wanted "
            "arr[str, 262144]");
}

TEST_F(PublishedManifest, MetadataOfAnotherValueIsRefused) {
  EXPECT_EQ(verdict(edit().set("gemma4.attention.sliding_window", 512u)),
            "Gemma 4 12B with Q4_0 matrices: gemma4.attention.sliding_window is 512, wanted 1024");
}

// Refusals and notes, made from a toy model.
class ToyManifest : public ::testing::Test {
 protected:
  EditedModel edit() const { return EditedModel(base_); }

  Result<Model> bind(const EditedModel& edited) {
    file_ = edited.open(dir_.file("edited.gguf"));
    return bind_model(*file_, {&profile_, 1});
  }

  // The error without the file's name and kind.
  std::string verdict(const EditedModel& edited) {
    const auto model = bind(edited);
    if (model) return "accepted";
    const std::string prefix = file_->name() + ": " + describe_model(*file_) + ": ";
    EXPECT_TRUE(model.error().text().starts_with(prefix)) << model.error().text();
    return model.error().text().substr(prefix.size());
  }

  TempDir dir_;
  Profile profile_ = toy_profile();
  gguf::File base_ = sparse_model(profile_, dir_.file("base.gguf"));
  std::optional<gguf::File> file_;
};

TEST_F(ToyManifest, AcceptsAnUnchangedFileWithoutNotes) {
  const auto model = bind(edit());
  ASSERT_TRUE(model) << model.error().text();
  EXPECT_TRUE(model->notes.empty());
}

TEST_F(ToyManifest, OrderOfTensorsIsFree) {
  EXPECT_EQ(verdict(edit()
                        .remove_tensor("blk.0.attn_q.weight")
                        .add_tensor("blk.0.attn_q.weight", 2, {64, 128})),
            "accepted");
}

TEST_F(ToyManifest, EveryTensorIsNeeded) {
  for (const TensorSpec& tensor : target_tensors(profile_)) {
    const auto model = bind(edit().remove_tensor(tensor.name));
    ASSERT_FALSE(model) << tensor.name;
    EXPECT_EQ(model.error().code(), Code::kUnsupported);
    EXPECT_NE(model.error().text().find("tensor " + tensor.name + " is missing, wanted ["),
              std::string::npos)
        << model.error().text();
  }
}

TEST_F(ToyManifest, EveryShapeIsChecked) {
  for (const TensorSpec& tensor : target_tensors(profile_)) {
    std::vector<uint64_t> ne = tensor.ne;
    ne.back() += 1;
    const auto model = bind(edit().set_shape(tensor.name, ne));
    ASSERT_FALSE(model) << tensor.name;
    EXPECT_NE(model.error().text().find("tensor " + tensor.name + " is ["), std::string::npos)
        << model.error().text();
  }
}

TEST_F(ToyManifest, AShapeErrorNamesTensorFoundAndWanted) {
  EXPECT_EQ(
      verdict(edit().set_shape("blk.5.attn_k.weight", {64, 128})),
      "tensor blk.5.attn_k.weight is [64, 128] Q4_0, wanted [64, 64] Q4_0; get the Q4_0 (QAT) "
      "file of Gemma 4 toy");
  EXPECT_EQ(verdict(edit().set_shape("output_norm.weight", {64, 1})),
            "tensor output_norm.weight is [64, 1] F32, wanted [64] F32; get the Q4_0 (QAT) file of "
            "Gemma 4 toy");
}

TEST_F(ToyManifest, NormsAreF32) {
  EXPECT_EQ(verdict(edit().set_type("blk.2.ffn_norm.weight", kF16)),
            "tensor blk.2.ffn_norm.weight is [64] F16, wanted [64] F32; get the Q4_0 (QAT) file of "
            "Gemma 4 toy");
}

TEST_F(ToyManifest, OutputMatrixBesideTheTiedTableIsRefused) {
  EXPECT_EQ(verdict(edit().add_tensor("output.weight", 2, {64, 400})),
            "tensor output.weight ([64, 400] Q4_0) is not part of Gemma 4 toy; get the Q4_0 (QAT) "
            "file of it");
}

TEST_F(ToyManifest, ValueMatrixInAFullLayerIsRefused) {
  EXPECT_EQ(verdict(edit().add_tensor("blk.5.attn_v.weight", 2, {64, 64})),
            "tensor blk.5.attn_v.weight ([64, 64] Q4_0) is not part of Gemma 4 toy; get the Q4_0 "
            "(QAT) file of it");
}

TEST_F(ToyManifest, TensorsOfOtherModalitiesAreSkippedWithOneNote) {
  const auto model = bind(edit()
                              .add_tensor("v.blk.0.attn_q.weight", kBF16, {32, 32})
                              .add_tensor("a.conv.weight", 0, {3, 3, 32})
                              .add_tensor("mm.input_projection.weight", kQ4K, {256, 64}));
  ASSERT_TRUE(model) << model.error().text();
  EXPECT_EQ(model->notes,
            std::vector<std::string>{"skipped 3 tensors of other modalities (v.*, a.*, mm.*)"});
}

TEST_F(ToyManifest, UnknownMetadataIsSkippedWithANoteEach) {
  const auto model =
      bind(edit().set("gemma4.vision.block_count", 27u).set("some.key\x1b", "value"));
  ASSERT_TRUE(model) << model.error().text();
  EXPECT_EQ(model->notes,
            (std::vector<std::string>{"skipped metadata key gemma4.vision.block_count (u32)",
                                      "skipped metadata key some.key\\x1b (str)"}));
}

TEST_F(ToyManifest, OutputScaleMustBeAUsableNumber) {
  for (const float bad : {0.0f, std::numeric_limits<float>::infinity(), std::nanf("")}) {
    const auto model = bind(edit().set_floats("blk.1.layer_output_scale.weight", {bad}));
    ASSERT_FALSE(model);
    EXPECT_EQ(model.error().code(), Code::kCorrupt);
    EXPECT_NE(model.error().text().find(fmt::format(
                  "tensor blk.1.layer_output_scale.weight holds {}, wanted a finite number other "
                  "than 0; get the file again",
                  bad)),
              std::string::npos)
        << model.error().text();
  }
}

TEST_F(ToyManifest, RopeFactorsMustTurnTheRightPairs) {
  std::vector<float> factors(32, 1e30f);
  std::fill_n(factors.begin(), 8, 1.0f);
  EXPECT_EQ(verdict(edit().set_floats("rope_freqs.weight", factors)), "accepted");
  factors[8] = 1.0f;
  EXPECT_EQ(verdict(edit().set_floats("rope_freqs.weight", factors)),
            "tensor rope_freqs.weight has 1 at pair 8, wanted 1e+30; get the file again");
  factors[8] = 1e30f;
  factors[7] = 8.0f;
  EXPECT_EQ(verdict(edit().set_floats("rope_freqs.weight", factors)),
            "tensor rope_freqs.weight has 8 at pair 7, wanted 1; get the file again");
}

TEST_F(ToyManifest, QuantizationOfAnotherVersionIsRefused) {
  EXPECT_EQ(verdict(edit().set("general.quantization_version", 1u)),
            "general.quantization_version is 1, wanted 2; get the Q4_0 (QAT) file");
  EXPECT_EQ(verdict(edit().set("general.quantization_version", "two")),
            "general.quantization_version is str, wanted 2; get the Q4_0 (QAT) file");
  EXPECT_EQ(verdict(edit().remove("general.quantization_version")), "accepted");
}

TEST_F(ToyManifest, TokenizerOfAnotherKindIsRefused) {
  EXPECT_EQ(verdict(edit().set("tokenizer.ggml.model", "gpt2")),
            "tokenizer.ggml.model is gpt2, wanted gemma4");
  EXPECT_EQ(verdict(edit().remove("tokenizer.ggml.model")),
            "tokenizer.ggml.model is missing, wanted gemma4");
  EXPECT_EQ(verdict(edit().set("tokenizer.ggml.model", 4u)),
            "tokenizer.ggml.model is u32, wanted gemma4");
  EXPECT_EQ(verdict(edit().set("tokenizer.ggml.pre", "llama-bpe")),
            "tokenizer.ggml.pre is llama-bpe, wanted gemma4");
  EXPECT_EQ(verdict(edit().set("tokenizer.ggml.add_space_prefix", true)),
            "tokenizer.ggml.add_space_prefix is on, wanted false");
  EXPECT_EQ(verdict(edit().remove("tokenizer.ggml.tokens")),
            "tokenizer.ggml.tokens is missing, wanted arr[str, 400]");
}

TEST_F(ToyManifest, RefusesEveryFileWithoutProfiles) { EXPECT_FALSE(bind_model(base_, {})); }

}  // namespace
}  // namespace gem
