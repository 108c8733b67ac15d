#include "gguf/reader.h"

#include <gtest/gtest.h>

#include <chrono>
#include <utility>

#include "tests/support/goldens.h"
#include "tests/support/raw_gguf.h"
#include "tests/support/temp_dir.h"

namespace gem::gguf {
namespace {

using testing::as_bytes;
using testing::complete_gguf;
using testing::le;
using testing::RawGguf;
using testing::sized;

// Whole strings, so that a failed comparison prints them.
Result<File> parse(const std::string& bytes) { return File::parse(as_bytes(bytes), "test.gguf"); }

bool inside(std::span<const std::byte> view, std::span<const std::byte> file) {
  return view.data() >= file.data() && view.data() + view.size() <= file.data() + file.size();
}

TEST(GgufReader, ReadsTheTinyModel) {
  const auto file = File::open(testing::golden_path("model/tiny-gemma4-q4_0.gguf"));
  ASSERT_TRUE(file.has_value()) << file.error().text();
  EXPECT_EQ(file->tensors().size(), 169u);
  EXPECT_EQ(file->metadata().size(), 38u);
  EXPECT_EQ(file->find("general.architecture")->as_string(), "gemma4");
  EXPECT_EQ(file->find("gemma4.block_count")->as_u32(), 12u);
  EXPECT_EQ(file->find_tensor("token_embd.weight")->describe(), "[128, 512] Q8_0");
  EXPECT_EQ(file->find_tensor("blk.0.attn_q.weight")->describe(), "[128, 128] Q4_0");
  for (const TensorInfo& tensor : file->tensors()) {
    EXPECT_EQ(file->find_tensor(tensor.name), &tensor);
    EXPECT_EQ(file->data(tensor).size(), tensor.size_bytes);
    EXPECT_TRUE(inside(file->data(tensor), file->bytes())) << tensor.name;
    EXPECT_EQ(reinterpret_cast<uintptr_t>(file->data(tensor).data()) % file->alignment(), 0u);
  }
  EXPECT_TRUE(file->verify_unchanged().has_value());
}

TEST(GgufReader, ReadsEveryKindOfValue) {
  const std::string bytes = complete_gguf().bytes();
  const auto file = parse(bytes);
  ASSERT_TRUE(file.has_value()) << file.error().text();
  EXPECT_EQ(file->find("u8")->as_integer(), 200);
  EXPECT_EQ(file->find("i8")->as_integer(), -100);
  EXPECT_EQ(file->find("u16")->as_integer(), 60000);
  EXPECT_EQ(file->find("i16")->as_integer(), -30000);
  EXPECT_EQ(file->find("u32")->as_u32(), 4000000000u);
  EXPECT_EQ(file->find("u32")->as_integer(), 4000000000);
  EXPECT_EQ(file->find("i32")->as_i32(), -2000000000);
  EXPECT_EQ(file->find("i32")->as_integer(), -2000000000);
  EXPECT_EQ(file->find("u64")->as_integer(), int64_t{1} << 40);
  EXPECT_EQ(file->find("i64")->as_integer(), -(int64_t{1} << 40));
  EXPECT_EQ(file->find("f32")->as_f32(), 1.5f);
  EXPECT_EQ(file->find("bool")->as_bool(), true);
  EXPECT_EQ(file->find("string")->as_string(), "gemma");
  EXPECT_EQ(file->find("f64")->kind(), ValueKind::kF64);

  EXPECT_EQ(file->find("a.u32")->as_u32_array(), (std::vector<uint32_t>{4, 5}));
  EXPECT_EQ(file->find("a.i32")->as_i32_array(), (std::vector<int32_t>{-6, 7}));
  EXPECT_EQ(file->find("a.f32")->as_f32_array(), (std::vector<float>{0.5f, -0.5f}));
  EXPECT_EQ(file->find("a.bool")->as_bool_array(), (std::vector<bool>{true, false, true}));
  EXPECT_EQ(file->find("a.string")->as_string_array(),
            (std::vector<std::string_view>{"one", "", "three"}));
  EXPECT_EQ(file->find("a.none")->as_string_array(), std::vector<std::string_view>{});
}

TEST(GgufReader, GivesNothingForAnotherKind) {
  const std::string bytes = complete_gguf().bytes();
  const auto file = parse(bytes);
  ASSERT_TRUE(file.has_value()) << file.error().text();
  for (const KeyValue& entry : file->metadata()) {
    const Value& value = entry.value;
    const bool array = value.kind() == ValueKind::kArray;
    const ValueKind kind = value.element_kind();
    EXPECT_EQ(value.as_u32().has_value(), !array && kind == ValueKind::kU32) << entry.key;
    EXPECT_EQ(value.as_i32().has_value(), !array && kind == ValueKind::kI32) << entry.key;
    EXPECT_EQ(value.as_f32().has_value(), !array && kind == ValueKind::kF32) << entry.key;
    EXPECT_EQ(value.as_bool().has_value(), !array && kind == ValueKind::kBool) << entry.key;
    EXPECT_EQ(value.as_string().has_value(), !array && kind == ValueKind::kString) << entry.key;
    EXPECT_EQ(value.as_u32_array().has_value(), array && kind == ValueKind::kU32) << entry.key;
    EXPECT_EQ(value.as_i32_array().has_value(), array && kind == ValueKind::kI32) << entry.key;
    EXPECT_EQ(value.as_f32_array().has_value(), array && kind == ValueKind::kF32) << entry.key;
    EXPECT_EQ(value.as_bool_array().has_value(), array && kind == ValueKind::kBool) << entry.key;
    EXPECT_EQ(value.as_string_array().has_value(), array && kind == ValueKind::kString)
        << entry.key;
    const bool integer = !array && kind != ValueKind::kF32 && kind != ValueKind::kF64 &&
                         kind != ValueKind::kBool && kind != ValueKind::kString;
    EXPECT_EQ(value.as_integer().has_value(), integer) << entry.key;
  }
}

TEST(GgufReader, GivesNoIntegerAboveTheSignedRange) {
  RawGguf raw;
  raw.value("most", ValueKind::kU64, le<uint64_t>(INT64_MAX));
  raw.value("more", ValueKind::kU64, le<uint64_t>(uint64_t{1} << 63));
  const std::string bytes = raw.bytes();
  const auto file = parse(bytes);
  ASSERT_TRUE(file.has_value()) << file.error().text();
  EXPECT_EQ(file->find("most")->as_integer(), INT64_MAX);
  EXPECT_EQ(file->find("more")->as_integer(), std::nullopt);
}

TEST(GgufReader, DescribesValuesForMessages) {
  const std::string bytes = complete_gguf().bytes();
  const auto file = parse(bytes);
  ASSERT_TRUE(file.has_value()) << file.error().text();
  EXPECT_EQ(file->find("u8")->describe(), "u8");
  EXPECT_EQ(file->find("string")->describe(), "str");
  EXPECT_EQ(file->find("a.string")->describe(), "arr[str, 3]");
  EXPECT_EQ(file->find_tensor("t.q4_0")->describe(), "[32, 1, 2, 1] Q4_0");
}

TEST(GgufReader, KeepsFileOrderAndFindsByName) {
  const std::string bytes = complete_gguf().bytes();
  const auto file = parse(bytes);
  ASSERT_TRUE(file.has_value()) << file.error().text();
  EXPECT_EQ(file->metadata().front().key, "u8");
  EXPECT_EQ(file->metadata().back().key, "a.none");
  EXPECT_EQ(file->tensors().front().name, "t.f32");
  EXPECT_EQ(file->tensors().back().name, "t.q6_k");
  for (const KeyValue& entry : file->metadata()) EXPECT_EQ(file->find(entry.key), &entry.value);
  EXPECT_EQ(file->find("zzz"), nullptr);
  EXPECT_EQ(file->find(""), nullptr);
  EXPECT_EQ(file->find_tensor("t.f3"), nullptr);
}

TEST(GgufReader, PlacesTensors) {
  const std::string bytes = complete_gguf().bytes();
  const auto file = parse(bytes);
  ASSERT_TRUE(file.has_value()) << file.error().text();
  const TensorInfo& q4_0 = *file->find_tensor("t.q4_0");
  EXPECT_EQ(q4_0.values(), 64u);
  EXPECT_EQ(q4_0.size_bytes, 36u);
  EXPECT_EQ(file->header_bytes() % 32, 0u);
  EXPECT_EQ(file->data(q4_0).data(), file->bytes().data() + file->header_bytes() + q4_0.offset);
  float first[3];
  dequantize(Type::kF32, file->data(file->tensors()[0]).data(), first);
  EXPECT_EQ(first[0], -3.0f);
  EXPECT_EQ(first[2], -1.0f);
}

TEST(GgufReader, ReadsFilesWithoutTensors) {
  RawGguf raw;
  raw.value("general.architecture", ValueKind::kString, sized("gemma4"));
  // Padding after the header is absent where nothing follows it.
  for (const std::string& bytes : {raw.bytes(), raw.header()}) {
    const auto file = parse(bytes);
    ASSERT_TRUE(file.has_value()) << file.error().text();
    EXPECT_TRUE(file->tensors().empty());
    EXPECT_EQ(file->find("general.architecture")->as_string(), "gemma4");
  }
}

TEST(GgufReader, ReadsTheEmptyFileOfTheFormat) {
  const std::string bytes = RawGguf().header();
  EXPECT_EQ(bytes.size(), 24u);
  EXPECT_TRUE(parse(bytes).has_value());
}

TEST(GgufReader, AcceptsAbsentPaddingAtTheEnd) {
  RawGguf raw = complete_gguf();
  ASSERT_NE(raw.data.size() % 32, 0u);  // Q6_K: 210 bytes
  EXPECT_TRUE(parse(raw.bytes()).has_value());
  raw.data.resize((raw.data.size() + 31) / 32 * 32);
  EXPECT_TRUE(parse(raw.bytes()).has_value());
}

TEST(GgufReader, HonoursTheFilesAlignment) {
  for (const uint32_t alignment : {8u, 64u, 4096u}) {
    RawGguf raw;
    raw.alignment = alignment;
    raw.value("general.alignment", ValueKind::kU32, le(alignment));
    raw.tensor("a", {1}, Type::kF32, 0).tensor("b", {1}, Type::kF32, alignment);
    raw.data = le(1.0f);
    raw.data.resize(alignment);
    raw.data += le(2.0f);
    const std::string bytes = raw.bytes();
    const auto file = parse(bytes);
    ASSERT_TRUE(file.has_value()) << file.error().text();
    EXPECT_EQ(file->alignment(), alignment);
    float got = 0;
    dequantize(Type::kF32, file->data(*file->find_tensor("b")).data(), {&got, 1});
    EXPECT_EQ(got, 2.0f);
  }
}

TEST(GgufReader, ListsTensorsOfForeignTypes) {
  RawGguf raw;
  raw.tensor("k", {256, 2}, 12, 0).tensor("i", {5}, 26, 288);
  raw.data.resize(288 + 20);
  const std::string bytes = raw.bytes();
  const auto file = parse(bytes);
  ASSERT_TRUE(file.has_value()) << file.error().text();
  EXPECT_EQ(file->tensors()[0].describe(), "[256, 2] Q4_K");
  EXPECT_EQ(file->tensors()[0].size_bytes, 288u);
  EXPECT_EQ(file->tensors()[1].describe(), "[5] I32");
}

TEST(GgufReader, KeepsItsViewsWhenMoved) {
  testing::TempDir folder;
  const std::string path = folder.file("model.gguf");
  testing::write_bytes(path, complete_gguf().bytes());
  auto opened = File::open(path);
  ASSERT_TRUE(opened.has_value()) << opened.error().text();
  const std::string_view name = opened->tensors()[0].name;
  File moved = *std::move(opened);
  const File again = std::move(moved);
  EXPECT_EQ(again.tensors()[0].name.data(), name.data());
  EXPECT_EQ(again.find("string")->as_string(), "gemma");
  EXPECT_EQ(again.find_tensor("t.q8_0")->size_bytes, 68u);
}

TEST(GgufReader, OpensPathsOfAnyBytes) {
  testing::TempDir folder;
  const std::string bytes = complete_gguf().bytes();
  for (const char* name :
       {"Übung.gguf", "模型 12B.gguf", "🙂.gguf", "it's \"here\".gguf", "-.gguf"}) {
    testing::write_bytes(folder.file(name), bytes);
    const auto file = File::open(folder.file(name));
    ASSERT_TRUE(file.has_value()) << file.error().text();
    EXPECT_EQ(file->name(), folder.file(name));
  }
}

TEST(GgufReader, NoticesAChangedFile) {
  testing::TempDir folder;
  const std::string path = folder.file("model.gguf");
  const std::string bytes = complete_gguf().bytes();
  testing::write_bytes(path, bytes);
  const auto file = File::open(path);
  ASSERT_TRUE(file.has_value()) << file.error().text();
  testing::write_bytes(path, bytes + "more");
  const Status status = file->verify_unchanged();
  ASSERT_FALSE(status.has_value());
  EXPECT_EQ(status.error().code(), Code::kIo);
  EXPECT_EQ(status.error().text().find(path + ": "), 0u) << status.error().text();
}

TEST(GgufReader, FindsNoChangeInParsedBytes) {
  const std::string bytes = complete_gguf().bytes();
  EXPECT_TRUE(parse(bytes)->verify_unchanged().has_value());
}

TEST(GgufReader, ReadsTheAuthenticVocabulary) {
  GEM_SHARED_OR_SKIP(path, "golden/vocab/ggml-vocab-gemma-4.gguf");
  const auto start = std::chrono::steady_clock::now();
  const auto file = File::open(path);
  const std::chrono::duration<double, std::milli> elapsed =
      std::chrono::steady_clock::now() - start;
  ASSERT_TRUE(file.has_value()) << file.error().text();
  RecordProperty("milliseconds", std::to_string(elapsed.count()));
  EXPECT_TRUE(file->tensors().empty());
  EXPECT_EQ(file->find("tokenizer.ggml.tokens")->describe(), "arr[str, 262144]");
  const auto tokens = file->find("tokenizer.ggml.tokens")->as_string_array();
  ASSERT_TRUE(tokens.has_value());
  EXPECT_EQ(tokens->size(), 262144u);
  EXPECT_EQ((*tokens)[2], "<bos>");
  EXPECT_EQ(file->find("tokenizer.ggml.merges")->as_string_array()->size(), 514906u);
}

}  // namespace
}  // namespace gem::gguf
