#include "gguf/writer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "gguf/reader.h"
#include "tests/support/goldens.h"
#include "tests/support/raw_gguf.h"

namespace gem::gguf {
namespace {

// The file that `writer` declares, with the quantized `values` as every tensor's data.
std::string whole_file(const Writer& writer, const std::vector<std::vector<std::byte>>& data) {
  const std::vector<std::byte> header = writer.header();
  std::string out(writer.file_bytes(), '\0');
  std::memcpy(out.data(), header.data(), header.size());
  for (size_t i = 0; i < data.size(); ++i) {
    EXPECT_EQ(data[i].size(), writer.tensor_bytes(i));
    std::memcpy(out.data() + header.size() + writer.tensor_offset(i), data[i].data(),
                data[i].size());
  }
  return out;
}

TEST(GgufWriter, WritesWhatTheReaderReads) {
  Writer writer;
  writer.add_u32("u32", 7);
  writer.add_i32("i32", -7);
  writer.add_f32("f32", 0.25f);
  writer.add_bool("yes", true);
  writer.add_bool("no", false);
  writer.add_string("string", "gemma");
  writer.add_string("empty", "");
  writer.add_i32_array("a.i32", std::vector<int32_t>{1, -2, 3});
  writer.add_f32_array("a.f32", std::vector<float>{1.5f, -INFINITY});
  writer.add_bool_array("a.bool", {true, false});
  writer.add_string_array("a.string", std::vector<std::string_view>{"x", "", "yz"});
  writer.add_i32_array("a.none", {});

  std::vector<float> numbers(512);
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(i) - 256.0f;
  std::vector<std::vector<std::byte>> data;
  const auto add = [&](const char* name, Type type, const std::vector<uint64_t>& ne) {
    EXPECT_EQ(writer.add_tensor(name, type, ne), data.size());
    size_t values = 1;
    for (const uint64_t extent : ne) values *= extent;
    data.emplace_back(row_bytes(type, values));
    quantize(type, {numbers.data(), values}, data.back().data());
  };
  add("scale", Type::kF32, {1});
  add("half", Type::kF16, {5});
  add("brain", Type::kBF16, {3, 2});
  add("matrix", Type::kQ4_0, {32, 3});
  add("table", Type::kQ8_0, {64, 2});
  add("super", Type::kQ6K, {256, 1, 2, 1});
  EXPECT_EQ(writer.tensor_count(), 6u);

  const std::string bytes = whole_file(writer, data);
  const auto file = File::parse(testing::as_bytes(bytes), "written");
  ASSERT_TRUE(file.has_value()) << file.error().text();
  EXPECT_EQ(file->metadata().size(), 12u);
  EXPECT_EQ(file->find("u32")->as_u32(), 7u);
  EXPECT_EQ(file->find("i32")->as_i32(), -7);
  EXPECT_EQ(file->find("f32")->as_f32(), 0.25f);
  EXPECT_EQ(file->find("yes")->as_bool(), true);
  EXPECT_EQ(file->find("no")->as_bool(), false);
  EXPECT_EQ(file->find("string")->as_string(), "gemma");
  EXPECT_EQ(file->find("empty")->as_string(), "");
  EXPECT_EQ(file->find("a.i32")->as_i32_array(), (std::vector<int32_t>{1, -2, 3}));
  EXPECT_EQ(file->find("a.f32")->as_f32_array(), (std::vector<float>{1.5f, -INFINITY}));
  EXPECT_EQ(file->find("a.bool")->as_bool_array(), (std::vector<bool>{true, false}));
  EXPECT_EQ(file->find("a.string")->as_string_array(),
            (std::vector<std::string_view>{"x", "", "yz"}));
  EXPECT_EQ(file->find("a.none")->as_i32_array(), std::vector<int32_t>{});

  ASSERT_EQ(file->tensors().size(), 6u);
  for (size_t i = 0; i < data.size(); ++i) {
    const std::span<const std::byte> got = file->data(file->tensors()[i]);
    EXPECT_TRUE(std::equal(got.begin(), got.end(), data[i].begin(), data[i].end())) << i;
  }
  EXPECT_EQ(file->find_tensor("super")->describe(), "[256, 1, 2, 1] Q6_K");
}

TEST(GgufWriter, RebuildsTheTinyModelByteForByte) {
  const std::string original =
      testing::read_bytes(testing::golden_path("model/tiny-gemma4-q4_0.gguf"));
  const auto file = File::parse(testing::as_bytes(original), "tiny");
  ASSERT_TRUE(file.has_value()) << file.error().text();
  Writer writer(file->alignment());
  for (const KeyValue& entry : file->metadata()) writer.add_copy(entry.key, entry.value);
  std::vector<std::vector<std::byte>> data;
  for (const TensorInfo& tensor : file->tensors()) {
    writer.add_tensor(tensor.name, static_cast<Type>(tensor.type_number), tensor.ne);
    const std::span<const std::byte> bytes = file->data(tensor);
    data.emplace_back(bytes.begin(), bytes.end());
  }
  EXPECT_EQ(whole_file(writer, data), original);
}

TEST(GgufWriter, CopiesEveryKindOfValue) {
  const std::string original = testing::complete_gguf().bytes();
  const auto file = File::parse(testing::as_bytes(original), "complete");
  ASSERT_TRUE(file.has_value()) << file.error().text();
  Writer writer;
  for (const KeyValue& entry : file->metadata()) writer.add_copy(entry.key, entry.value);
  const std::string copy = whole_file(writer, {});
  const auto again = File::parse(testing::as_bytes(copy), "copy");
  ASSERT_TRUE(again.has_value()) << again.error().text();
  ASSERT_EQ(again->metadata().size(), file->metadata().size());
  for (size_t i = 0; i < file->metadata().size(); ++i) {
    const KeyValue& want = file->metadata()[i];
    const KeyValue& got = again->metadata()[i];
    EXPECT_EQ(got.key, want.key);
    EXPECT_EQ(got.value.describe(), want.value.describe());
    EXPECT_TRUE(std::ranges::equal(got.value.bytes(), want.value.bytes())) << want.key;
  }
}

TEST(GgufWriter, DeclaresAnotherAlignment) {
  Writer writer(256);
  const std::vector<uint64_t> ne = {8};
  writer.add_tensor("a", Type::kF32, ne);
  writer.add_tensor("b", Type::kF32, ne);
  EXPECT_EQ(writer.tensor_offset(1), 256u);
  EXPECT_EQ(writer.header().size() % 256, 0u);
  const std::string bytes = whole_file(writer, {});
  const auto file = File::parse(testing::as_bytes(bytes), "written");
  ASSERT_TRUE(file.has_value()) << file.error().text();
  EXPECT_EQ(file->alignment(), 256u);
}

TEST(GgufWriter, WritesFilesWithoutTensors) {
  Writer writer;
  writer.add_string("general.architecture", "gemma4");
  EXPECT_EQ(writer.file_bytes(), writer.header().size());
  const std::string bytes = whole_file(writer, {});
  EXPECT_TRUE(File::parse(testing::as_bytes(bytes), "written").has_value());
}

TEST(GgufWriterDeathTest, RefusesWhatTheFormatCannotHold) {
  Writer writer;
  const std::vector<uint64_t> row = {32};
  const std::vector<uint64_t> part = {33};
  const std::vector<uint64_t> five = {32, 1, 1, 1, 1};
  EXPECT_DEATH(writer.add_tensor("", Type::kF32, row), "internal error");
  EXPECT_DEATH(writer.add_tensor(std::string(64, 'n'), Type::kF32, row), "internal error");
  EXPECT_DEATH(writer.add_tensor("t", Type::kF32, {}), "internal error");
  EXPECT_DEATH(writer.add_tensor("t", Type::kF32, five), "internal error");
  EXPECT_DEATH(writer.add_tensor("t", Type::kQ4_0, part), "internal error");
  EXPECT_DEATH(Writer(24), "internal error");
}

}  // namespace
}  // namespace gem::gguf
