#include "cli/vocabulary.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>

#include "gguf/writer.h"
#include "tests/support/goldens.h"
#include "tests/support/small_vocabulary.h"

namespace gem {
namespace {

// A file with the keys of a vocabulary, all but those in `without`, and with what `add` adds.
std::vector<std::byte> file_bytes(std::vector<std::string_view> without = {},
                                  const std::function<void(gguf::Writer&)>& add = {}) {
  const testing::SmallVocabulary entries;
  const VocabularySource source = entries.source();
  gguf::Writer writer;
  const auto wants = [&](std::string_view key) {
    return std::find(without.begin(), without.end(), key) == without.end();
  };
  if (wants("model")) writer.add_string("tokenizer.ggml.model", "gemma4");
  if (wants("tokens")) writer.add_string_array("tokenizer.ggml.tokens", source.tokens);
  if (wants("types")) writer.add_i32_array("tokenizer.ggml.token_type", source.token_types);
  if (wants("merges")) writer.add_string_array("tokenizer.ggml.merges", source.merges);
  if (add) add(writer);
  return writer.header();
}

void expect_refused(const std::vector<std::byte>& bytes, Code code, const std::string& words) {
  const auto file = gguf::File::parse(bytes, "test.gguf");
  ASSERT_TRUE(file.has_value()) << file.error().text();
  const auto source = vocabulary_source(*file);
  ASSERT_FALSE(source.has_value()) << words;
  EXPECT_EQ(source.error().code(), code);
  EXPECT_NE(source.error().text().find(words), std::string::npos) << source.error().text();
}

TEST(VocabularySource, TakesTheTinyModelsKeys) {
  const auto file = gguf::File::open(testing::golden_path("model/tiny-gemma4-q4_0.gguf"));
  ASSERT_TRUE(file.has_value()) << file.error().text();
  const auto source = vocabulary_source(*file);
  ASSERT_TRUE(source.has_value()) << source.error().text();
  EXPECT_EQ(source->model, "gemma4");
  EXPECT_EQ(source->tokens.size(), 512u);
  EXPECT_EQ(source->tokens[5], "<|turn>");
  EXPECT_EQ(source->token_types.size(), 512u);
  EXPECT_EQ(source->merges.size(), 151u);
  EXPECT_EQ(source->merges[1], "th e");
  EXPECT_EQ(source->bos, 2);
  EXPECT_EQ(source->eos, 1);
  EXPECT_EQ(source->unknown, 3);
  EXPECT_EQ(source->padding, 0);
  EXPECT_TRUE(source->suppressed.empty());
}

TEST(VocabularySource, TakesOptionalKeysAndTheirAbsence) {
  const auto bytes = file_bytes({}, [](gguf::Writer& writer) {
    writer.add_u32("tokenizer.ggml.eos_token_id", 9);
    writer.add_i32_array("tokenizer.ggml.suppress_tokens", std::vector<int32_t>{7, 8});
  });
  const auto file = gguf::File::parse(bytes, "test.gguf");
  ASSERT_TRUE(file.has_value()) << file.error().text();
  const auto source = vocabulary_source(*file);
  ASSERT_TRUE(source.has_value()) << source.error().text();
  EXPECT_EQ(source->bos, -1);
  EXPECT_EQ(source->eos, 9);
  EXPECT_EQ(source->suppressed, (std::vector<TokenId>{7, 8}));
  EXPECT_TRUE(Tokenizer::create(*source).has_value());
}

TEST(VocabularySource, RefusesMissingKeys) {
  expect_refused(file_bytes({"model"}), Code::kCorrupt,
                 "metadata tokenizer.ggml.model is missing, but gem needs a string");
  expect_refused(file_bytes({"tokens"}), Code::kCorrupt, "tokenizer.ggml.tokens is missing");
  expect_refused(file_bytes({"types"}), Code::kCorrupt, "tokenizer.ggml.token_type is missing");
  expect_refused(file_bytes({"merges"}), Code::kCorrupt, "tokenizer.ggml.merges is missing");
}

TEST(VocabularySource, RefusesOtherKinds) {
  expect_refused(
      file_bytes({"model"},
                 [](gguf::Writer& writer) { writer.add_u32("tokenizer.ggml.model", 4); }),
      Code::kCorrupt, "tokenizer.ggml.model is u32");
  expect_refused(file_bytes({"tokens"},
                            [](gguf::Writer& writer) {
                              writer.add_i32_array("tokenizer.ggml.tokens",
                                                   std::vector<int32_t>{1});
                            }),
                 Code::kCorrupt, "but gem needs an array of strings");
  expect_refused(file_bytes({"types"},
                            [](gguf::Writer& writer) {
                              writer.add_f32_array("tokenizer.ggml.token_type",
                                                   std::vector<float>{1});
                            }),
                 Code::kCorrupt, "but gem needs an array of i32");
  expect_refused(file_bytes({},
                            [](gguf::Writer& writer) {
                              writer.add_string("tokenizer.ggml.suppress_tokens", "1");
                            }),
                 Code::kCorrupt, "tokenizer.ggml.suppress_tokens is");
}

TEST(VocabularySource, RefusesWhatIsNoId) {
  expect_refused(file_bytes({},
                            [](gguf::Writer& writer) {
                              writer.add_u32("tokenizer.ggml.bos_token_id", 4'000'000'000);
                            }),
                 Code::kCorrupt, "tokenizer.ggml.bos_token_id is");
  expect_refused(
      file_bytes({},
                 [](gguf::Writer& writer) { writer.add_i32("tokenizer.ggml.eos_token_id", -1); }),
      Code::kCorrupt, "but gem needs a token id");
  expect_refused(file_bytes({},
                            [](gguf::Writer& writer) {
                              writer.add_string("tokenizer.ggml.padding_token_id", "0");
                            }),
                 Code::kCorrupt, "but gem needs a token id");
}

// A file with merges and scores may still be of a tokenizer without merges: its name decides.
TEST(VocabularySource, NamesAnotherTokenizerBeforeAnythingElse) {
  expect_refused(
      file_bytes({"model", "merges", "types"},
                 [](gguf::Writer& writer) { writer.add_string("tokenizer.ggml.model", "llama"); }),
      Code::kUnsupported, "tokenizer.ggml.model is \"llama\", gem reads \"gemma4\" only");
}

}  // namespace
}  // namespace gem
