#include "model/synth.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "model/manifest.h"
#include "tests/support/edited_model.h"
#include "tests/support/goldens.h"
#include "tests/support/synthetic_model.h"
#include "tests/support/temp_dir.h"

namespace gem {
namespace {

using testing::read_bytes;
using testing::TempDir;
using testing::toy_profile;
using testing::write_and_open;

size_t entries_in(const TempDir& dir) {
  const std::filesystem::directory_iterator entries(dir.path());
  return static_cast<size_t>(std::distance(begin(entries), end(entries)));
}

TEST(SyntheticModel, IsAcceptedByTheManifest) {
  const TempDir dir;
  for (const Profile& profile : {toy_profile(), *find_profile(synthetic_profiles(), "small")}) {
    const gguf::File file = write_and_open(profile, {}, dir.file(profile.name + ".gguf"));
    const auto model = bind_model(file, {&profile, 1});
    ASSERT_TRUE(model) << model.error().text();
    EXPECT_TRUE(model->notes.empty());
  }
}

TEST(SyntheticModel, OfTheSmallProfileTakesASixBitTable) {
  const TempDir dir;
  const Profile profile = *find_profile(synthetic_profiles(), "small");
  SynthOptions options;
  options.table_type = gguf::Type::kQ6K;
  const gguf::File file = write_and_open(profile, options, dir.file("small.gguf"));
  const auto model = bind_model(file, {&profile, 1});
  ASSERT_TRUE(model) << model.error().text();
  EXPECT_EQ(model->plan.token_table.type, gguf::Type::kQ6K);
}

TEST(SyntheticModel, SameSeedGivesTheSameBytesAndAnotherSeedOthers) {
  const TempDir dir;
  SynthOptions other;
  other.seed = 2;
  write_and_open(toy_profile(), {}, dir.file("first.gguf"));
  write_and_open(toy_profile(), {}, dir.file("second.gguf"));
  write_and_open(toy_profile(), other, dir.file("other.gguf"));
  EXPECT_EQ(read_bytes(dir.file("first.gguf")), read_bytes(dir.file("second.gguf")));
  EXPECT_NE(read_bytes(dir.file("first.gguf")), read_bytes(dir.file("other.gguf")));
}

TEST(SyntheticModel, HeaderOnlyDiffersInTheMatricesAlone) {
  const TempDir dir;
  const gguf::File whole = write_and_open(toy_profile(), {}, dir.file("whole.gguf"));
  const gguf::File sparse = testing::sparse_model(toy_profile(), dir.file("sparse.gguf"));
  ASSERT_EQ(whole.size_bytes(), sparse.size_bytes());
  const auto equal = [](std::span<const std::byte> a, std::span<const std::byte> b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  };
  EXPECT_TRUE(equal(whole.bytes().first(whole.header_bytes()),
                    sparse.bytes().first(sparse.header_bytes())));
  for (size_t i = 0; i < whole.tensors().size(); ++i) {
    const gguf::TensorInfo& tensor = whole.tensors()[i];
    const bool is_vector = tensor.type_number == static_cast<uint32_t>(gguf::Type::kF32);
    EXPECT_EQ(equal(whole.data(tensor), sparse.data(sparse.tensors()[i])), is_vector)
        << tensor.name;
  }
}

TEST(SyntheticModel, HeaderOnlyTakesLittleDisk) {
  const TempDir dir;
  const gguf::File file =
      testing::sparse_model(*find_profile(published_profiles(), "31b"), dir.file("31b.gguf"));
  struct stat status{};
  ASSERT_EQ(stat(file.name().c_str(), &status), 0);
  EXPECT_EQ(static_cast<uint64_t>(status.st_size), file.size_bytes());
  EXPECT_GT(file.size_bytes(), 17'000'000'000u);
  EXPECT_LT(status.st_blocks * 512, 64 << 20);
}

TEST(SyntheticModel, CopiesTheTokenizerOfAnotherFileBytesForBytes) {
  const TempDir dir;
  const gguf::File base = testing::sparse_model(toy_profile(), dir.file("base.gguf"));
  const gguf::File vocabulary = testing::EditedModel(base)
                                    .set("tokenizer.ggml.eos_token_id", 106u)
                                    .set("tokenizer.ggml.something_new", "kept")
                                    .remove("tokenizer.chat_template")
                                    .open(dir.file("vocabulary.gguf"));
  SynthOptions options;
  options.vocabulary = &vocabulary;
  const gguf::File copy = write_and_open(toy_profile(), options, dir.file("copy.gguf"));
  size_t copied = 0;
  for (const gguf::KeyValue& entry : vocabulary.metadata()) {
    if (!entry.key.starts_with("tokenizer.")) continue;
    const gguf::Value* value = copy.find(entry.key);
    ASSERT_NE(value, nullptr) << entry.key;
    EXPECT_EQ(value->describe(), entry.value.describe());
    EXPECT_TRUE(std::equal(value->bytes().begin(), value->bytes().end(),
                           entry.value.bytes().begin(), entry.value.bytes().end()))
        << entry.key;
    ++copied;
  }
  EXPECT_EQ(copied, 14u);
  EXPECT_EQ(copy.find("tokenizer.chat_template"), nullptr);
}

TEST(SyntheticModel, TakesTheAuthenticVocabulary) {
  GEM_SHARED_OR_SKIP(path, "golden/vocab/ggml-vocab-gemma-4.gguf");
  const TempDir dir;
  const auto vocabulary = gguf::File::open(path);
  ASSERT_TRUE(vocabulary) << vocabulary.error().text();
  SynthOptions options;
  options.header_only = true;
  options.vocabulary = &*vocabulary;
  const gguf::File file =
      write_and_open(*find_profile(published_profiles(), "12b"), options, dir.file("12b.gguf"));
  const auto model = bind_model(file, published_profiles());
  ASSERT_TRUE(model) << model.error().text();
  EXPECT_TRUE(model->notes.empty());
}

TEST(SyntheticModel, RefusesAVocabularyOfAnotherSize) {
  const TempDir dir;
  const gguf::File toy = testing::sparse_model(toy_profile(), dir.file("toy.gguf"));
  SynthOptions options;
  options.vocabulary = &toy;
  const Status status = write_synthetic_model(*find_profile(synthetic_profiles(), "small"), options,
                                              dir.file("small.gguf"));
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().text(),
            "the vocabulary in " + toy.name() +
                " does not fit profile small: tokenizer.ggml.tokens is arr[str, 400], wanted "
                "arr[str, 2048]");
  EXPECT_EQ(entries_in(dir), 1u);
}

TEST(SyntheticModel, RefusesAVocabularyWithoutTokenTypes) {
  const TempDir dir;
  const gguf::File base = testing::sparse_model(toy_profile(), dir.file("base.gguf"));
  const gguf::File vocabulary = testing::EditedModel(base)
                                    .remove("tokenizer.ggml.token_type")
                                    .open(dir.file("vocabulary.gguf"));
  SynthOptions options;
  options.vocabulary = &vocabulary;
  const Status status = write_synthetic_model(toy_profile(), options, dir.file("toy.gguf"));
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().text(),
            vocabulary.name() + ": tokenizer.ggml.token_type is missing, wanted arr[i32, 400]");
}

TEST(SyntheticModel, RefusesATableThatTheWidthCannotHave) {
  const TempDir dir;
  SynthOptions options;
  options.table_type = gguf::Type::kQ6K;
  Status status = write_synthetic_model(toy_profile(), options, dir.file("toy.gguf"));
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().text(),
            "profile toy has width 64, which a Q6_K token table cannot have (blocks of 256)");
  options.table_type = gguf::Type::kF16;
  status = write_synthetic_model(toy_profile(), options, dir.file("toy.gguf"));
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().text(), "a token table of type F16; a model has Q8_0 or Q6_K");
}

TEST(SyntheticModel, ProgressEndsAtTheWhole) {
  const TempDir dir;
  const Profile profile = toy_profile();
  uint64_t last = 0, all = 0;
  SynthOptions options;
  options.progress = [&](uint64_t done_bytes, uint64_t all_bytes) {
    EXPECT_GT(done_bytes, last);
    last = done_bytes;
    all = all_bytes;
  };
  const gguf::File file = write_and_open(profile, options, dir.file("toy.gguf"));
  EXPECT_EQ(last, all);
  EXPECT_EQ(all, bind_model(file, {&profile, 1})->plan.weight_bytes);
}

TEST(SyntheticModel, ReplacesAFileAndLeavesNoOther) {
  const TempDir dir;
  testing::write_bytes(dir.file("toy.gguf"), "old");
  write_and_open(toy_profile(), {}, dir.file("toy.gguf"));
  EXPECT_EQ(entries_in(dir), 1u);
}

TEST(SyntheticModel, UnwritablePathIsOneErrorAndLeavesNothing) {
  const TempDir dir;
  const std::string path = dir.file("no-such-folder/toy.gguf");
  Status status = write_synthetic_model(toy_profile(), {}, path);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code(), Code::kIo);
  EXPECT_EQ(status.error().text(), "cannot write " + path + ": No such file or directory");

  status = write_synthetic_model(toy_profile(), {}, dir.path());
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().text(), dir.path() + " exists and is not a file; give another path");
  EXPECT_EQ(entries_in(dir), 0u);
}

TEST(SyntheticModel, WriteThatFailsHalfWayIsOneErrorAndLeavesNothing) {
  const TempDir dir;
  const std::string path = dir.file("toy.gguf");
  testing::write_bytes(path, "old");
  // A limit on the size of files stands for a full disk; a process of its own keeps it from the
  // rest.
  const auto write_with_limit = [&] {
    signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{32 << 10, 32 << 10};
    setrlimit(RLIMIT_FSIZE, &limit);
    const Status status = write_synthetic_model(toy_profile(), {}, path);
    _exit(!status && status.error().code() == Code::kIo &&
                  status.error().text() ==
                      "cannot write " + path + ": File too large; nothing is left of it"
              ? 0
              : 1);
  };
  EXPECT_EXIT(write_with_limit(), ::testing::ExitedWithCode(0), "");
  EXPECT_EQ(entries_in(dir), 1u);
  EXPECT_EQ(read_bytes(path), "old");
}

}  // namespace
}  // namespace gem
