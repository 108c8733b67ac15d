// What the reader refuses, and in which words.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "gguf/reader.h"
#include "tests/support/allocations.h"
#include "tests/support/goldens.h"
#include "tests/support/raw_gguf.h"
#include "tests/support/temp_dir.h"

namespace gem::gguf {
namespace {

using testing::allocated_bytes;
using testing::as_bytes;
using testing::complete_gguf;
using testing::le;
using testing::RawGguf;
using testing::sized;

// The error of `bytes` as file m.gguf, checked for what all errors have in common.
Error refusal(const std::string& bytes) {
  const auto file = File::parse(as_bytes(bytes), "m.gguf");
  if (file.has_value()) {
    ADD_FAILURE() << "accepted";
    return Error(Code::kInvalid, "");
  }
  const std::string& text = file.error().text();
  EXPECT_TRUE(text.starts_with("m.gguf: ")) << text;
  EXPECT_EQ(text.find("m.gguf", 1), std::string::npos) << text;
  EXPECT_EQ(text.find('\n'), std::string::npos) << text;
  return file.error();
}

void expect_refused(const std::string& bytes, Code code, const std::string& words) {
  const Error error = refusal(bytes);
  EXPECT_EQ(error.code(), code) << error.text();
  EXPECT_NE(error.text().find(words), std::string::npos)
      << "got:  " << error.text() << "\nwant: " << words;
}

RawGguf one_tensor(const std::vector<uint64_t>& ne, Type type = Type::kF32, uint64_t offset = 0) {
  RawGguf raw;
  raw.tensor("blk.0.attn_q.weight", ne, type, offset);
  raw.data.resize(4096);
  return raw;
}

// ----- Versions -----

TEST(GgufRefusal, OldVersions) {
  for (const uint32_t version : {1u, 2u}) {
    RawGguf raw = complete_gguf();
    raw.version = version;
    expect_refused(raw.bytes(), Code::kUnsupported,
                   "old version " + std::to_string(version) + "; gem reads version 3");
  }
}

TEST(GgufRefusal, NewVersions) {
  RawGguf raw = complete_gguf();
  raw.version = 4;
  expect_refused(raw.bytes(), Code::kUnsupported,
                 "is a GGUF file of version 4; gem reads version 3");
}

TEST(GgufRefusal, BigEndianFiles) {
  for (const uint32_t version : {0x01000000u, 0x02000000u, 0x03000000u}) {
    RawGguf raw = complete_gguf();
    raw.version = version;
    expect_refused(raw.bytes(), Code::kUnsupported, "big-endian");
  }
}

// ----- Metadata -----

TEST(GgufRefusal, DuplicateKeys) {
  RawGguf raw;
  raw.value("a.key", ValueKind::kU8, le<uint8_t>(1)).value("b", ValueKind::kU8, le<uint8_t>(1));
  raw.value("a.key", ValueKind::kU8, le<uint8_t>(2));
  expect_refused(raw.bytes(), Code::kCorrupt, "metadata \"a.key\" occurs twice");
}

TEST(GgufRefusal, EmptyKeys) {
  RawGguf raw;
  raw.value("", ValueKind::kU32, le<uint32_t>(1));
  expect_refused(raw.bytes(), Code::kCorrupt, "metadata entry 0 has a key of 0 bytes");
}

TEST(GgufRefusal, LongKeys) {
  RawGguf raw;
  raw.value(std::string(65535, 'k'), ValueKind::kU32, le<uint32_t>(1));
  EXPECT_TRUE(File::parse(as_bytes(raw.bytes()), "m.gguf").has_value());
  raw.value(std::string(65536, 'k'), ValueKind::kU32, le<uint32_t>(1));
  expect_refused(raw.bytes(), Code::kCorrupt, "metadata entry 1 has a key of 65536 bytes");
}

TEST(GgufRefusal, UnknownValueKinds) {
  for (const uint32_t kind : {13u, 0xFFFFFFFFu}) {
    RawGguf raw;
    raw.value("some.key", kind, std::string(16, '\0'));
    expect_refused(raw.bytes(), Code::kCorrupt,
                   "metadata \"some.key\": value kind " + std::to_string(kind));
  }
}

TEST(GgufRefusal, UnknownElementKinds) {
  RawGguf raw;
  raw.array("some.key", static_cast<ValueKind>(13), 1, std::string(8, '\0'));
  expect_refused(raw.bytes(), Code::kCorrupt, "metadata \"some.key\": value kind 13");
}

TEST(GgufRefusal, ArraysOfArrays) {
  RawGguf raw;
  raw.array("nested", ValueKind::kArray, 1,
            le(static_cast<uint32_t>(ValueKind::kU8)) + le<uint64_t>(1) + "x");
  expect_refused(raw.bytes(), Code::kUnsupported, "metadata \"nested\": is an array of arrays");
}

TEST(GgufRefusal, ArraysOfImpossibleLength) {
  for (const uint64_t count : {(uint64_t{1} << 24) + 1, uint64_t{1} << 62, UINT64_MAX}) {
    RawGguf raw;
    raw.array("long", ValueKind::kF64, count, std::string(64, '\0'));
    expect_refused(raw.bytes(), Code::kCorrupt,
                   "metadata \"long\": is an array of " + std::to_string(count) + " elements");
  }
}

TEST(GgufRefusal, ArraysPastTheEnd) {
  for (const ValueKind element : {ValueKind::kU8, ValueKind::kF64, ValueKind::kString}) {
    RawGguf raw;
    raw.array("cut", element, 9, std::string(8, '\0'));
    expect_refused(raw.header(), Code::kCorrupt, "metadata \"cut\": the header goes on past");
  }
}

TEST(GgufRefusal, StringsPastTheEnd) {
  for (const uint64_t length : {uint64_t{100}, uint64_t{1} << 63, UINT64_MAX, UINT64_MAX - 7}) {
    RawGguf raw;
    raw.value("text", ValueKind::kString, le(length) + "short");
    expect_refused(raw.bytes(), Code::kCorrupt, "metadata \"text\": the header goes on past");
  }
}

TEST(GgufRefusal, BoolsOtherThanZeroAndOne) {
  RawGguf raw;
  raw.value("flag", ValueKind::kBool, "\x02");
  expect_refused(raw.bytes(), Code::kCorrupt, "metadata \"flag\": a bool has the value 2");
  RawGguf list;
  list.array("flags", ValueKind::kBool, 2, "\x01\xFF");
  expect_refused(list.bytes(), Code::kCorrupt, "metadata \"flags\": a bool has the value 255");
}

TEST(GgufRefusal, ImpossibleAlignments) {
  for (const uint32_t alignment : {0u, 1u, 4u, 24u, 33u, 1u << 21, 1u << 31}) {
    RawGguf raw;
    raw.value("general.alignment", ValueKind::kU32, le(alignment));
    expect_refused(raw.bytes(), Code::kCorrupt,
                   "general.alignment is " + std::to_string(alignment) + ", not a power of two");
  }
}

TEST(GgufRefusal, AlignmentOfAnotherKind) {
  RawGguf raw;
  raw.value("general.alignment", ValueKind::kU64, le<uint64_t>(32));
  expect_refused(raw.bytes(), Code::kCorrupt, "general.alignment is u64");
}

// ----- Tensors -----

TEST(GgufRefusal, DuplicateTensors) {
  RawGguf raw;
  raw.tensor("twin", {8}, Type::kF32, 0).tensor("twin", {8}, Type::kF32, 32);
  raw.data.resize(64);
  expect_refused(raw.bytes(), Code::kCorrupt, "tensor \"twin\" occurs twice");
}

TEST(GgufRefusal, EmptyAndLongTensorNames) {
  RawGguf raw;
  raw.tensor(std::string(63, 'n'), {8}, Type::kF32, 0);
  raw.data.resize(32);
  EXPECT_TRUE(File::parse(as_bytes(raw.bytes()), "m.gguf").has_value());
  for (const size_t length : {size_t{0}, size_t{64}, size_t{5000}}) {
    RawGguf wrong;
    wrong.tensor(std::string(length, 'n'), {8}, Type::kF32, 0);
    wrong.data.resize(32);
    expect_refused(wrong.bytes(), Code::kCorrupt,
                   "tensor 0 has a name of " + std::to_string(length) + " bytes, not 1 to 63");
  }
}

TEST(GgufRefusal, TooFewAndTooManyDimensions) {
  expect_refused(one_tensor({}).bytes(), Code::kCorrupt,
                 "tensor \"blk.0.attn_q.weight\": has 0 dimensions");
  expect_refused(one_tensor({1, 1, 1, 1, 1}).bytes(), Code::kCorrupt,
                 "tensor \"blk.0.attn_q.weight\": has 5 dimensions");
}

TEST(GgufRefusal, HugeDimensionCounts) {
  RawGguf raw = one_tensor({1});
  std::string bytes = raw.bytes();
  const size_t at = bytes.find("attn_q.weight") + std::string("attn_q.weight").size();
  bytes.replace(at, 4, le<uint32_t>(0xFFFFFFFF));
  expect_refused(bytes, Code::kCorrupt, "has 4294967295 dimensions");
}

TEST(GgufRefusal, ZeroDimensions) {
  expect_refused(one_tensor({0}).bytes(), Code::kCorrupt, "impossible shape [0] F32");
  expect_refused(one_tensor({32, 0, 4}, Type::kQ4_0).bytes(), Code::kCorrupt,
                 "impossible shape [32, 0, 4] Q4_0");
}

TEST(GgufRefusal, ShapesWhoseProductOverflows) {
  const uint64_t big = uint64_t{1} << 32;
  for (const std::vector<uint64_t>& ne : {std::vector<uint64_t>{big, big},
                                          {big, big, big, big},
                                          {UINT64_MAX},
                                          {uint64_t{1} << 62},
                                          {(uint64_t{1} << 62) + 1},  // wraps to four bytes
                                          {1, (uint64_t{1} << 62) + 1},
                                          {big, big, 0},
                                          {1, UINT64_MAX, UINT64_MAX}}) {
    expect_refused(one_tensor(ne).bytes(), Code::kCorrupt,
                   "tensor \"blk.0.attn_q.weight\": has the impossible shape [");
  }
}

TEST(GgufRefusal, SumsOfSizesThatOverflow) {
  const uint64_t huge = uint64_t{1} << 58;  // F32: 2^60 bytes, the most that one tensor may have
  RawGguf raw;
  for (uint64_t i = 0; i < 20; ++i) {
    raw.tensor(fmt::format("t{}", i), {huge}, Type::kF32, i << 60);
  }
  expect_refused(raw.bytes(), Code::kCorrupt, "tensor \"t1\" has the impossible shape");
}

TEST(GgufRefusal, RowsThatAreNoWholeNumberOfBlocks) {
  expect_refused(one_tensor({48}, Type::kQ4_0).bytes(), Code::kCorrupt,
                 "has rows of 48 values, not a multiple of Q4_0's block of 32");
  // The product would be a multiple.
  expect_refused(one_tensor({16, 2}, Type::kQ4_0).bytes(), Code::kCorrupt, "has rows of 16 values");
}

TEST(GgufRefusal, UnknownTensorTypes) {
  for (const uint32_t type : {4u, 31u, 99u, 0xFFFFFFFFu}) {
    RawGguf raw;
    raw.tensor("odd", {32}, type, 0);
    raw.data.resize(128);
    expect_refused(raw.bytes(), Code::kUnsupported,
                   "tensor \"odd\": has type number " + std::to_string(type));
  }
}

TEST(GgufRefusal, GapsBetweenTensors) {
  RawGguf raw;
  raw.tensor("a", {8}, Type::kF32, 0).tensor("b", {8}, Type::kF32, 64);
  raw.data.resize(128);
  expect_refused(raw.bytes(), Code::kCorrupt,
                 "tensor \"b\" starts at byte 64 of the data, not at 32");
}

TEST(GgufRefusal, OverlapsOfTensors) {
  RawGguf raw;
  raw.tensor("a", {16}, Type::kF32, 0).tensor("b", {8}, Type::kF32, 32);
  raw.data.resize(128);
  expect_refused(raw.bytes(), Code::kCorrupt,
                 "tensor \"b\" starts at byte 32 of the data, not at 64");
}

TEST(GgufRefusal, FirstTensorElsewhere) {
  for (const uint64_t offset : {uint64_t{32}, uint64_t{1} << 63, UINT64_MAX}) {
    expect_refused(one_tensor({8}, Type::kF32, offset).bytes(), Code::kCorrupt,
                   "starts at byte " + std::to_string(offset) + " of the data, not at 0");
  }
}

TEST(GgufRefusal, TensorsPastTheEndNameBothSizes) {
  RawGguf raw = one_tensor({1024});
  const size_t whole = raw.bytes().size();
  raw.data.pop_back();
  expect_refused(raw.bytes(), Code::kCorrupt,
                 "the download is incomplete: " + std::to_string(whole - 1) + " bytes of " +
                     std::to_string(whole) + "; resume it or download it again");
}

TEST(GgufRefusal, ControlBytesOfTheFileAreEscaped) {
  RawGguf raw;
  raw.tensor("\x1b[31mred\n", {0}, Type::kF32, 0);
  expect_refused(raw.bytes(), Code::kCorrupt, "tensor \"\\x1b[31mred\\n\"");
  const auto named = File::parse(as_bytes("x"), "a\nb");
  ASSERT_FALSE(named.has_value());
  EXPECT_TRUE(named.error().text().starts_with("a\\nb: ")) << named.error().text();
}

// ----- Counts -----

TEST(GgufRefusal, CountsThatTheFileCannotHold) {
  for (const uint64_t count : {uint64_t{1000}, uint64_t{1} << 32, uint64_t{1} << 63, UINT64_MAX}) {
    RawGguf metadata = complete_gguf();
    metadata.metadata_count = count;
    const std::string metadata_bytes = metadata.bytes();
    RawGguf tensors = complete_gguf();
    tensors.tensor_count = count;
    const std::string tensors_bytes = tensors.bytes();
    for (const std::string* bytes : {&metadata_bytes, &tensors_bytes}) {
      const std::span<const std::byte> view = as_bytes(*bytes);
      const size_t before = allocated_bytes();
      const auto file = File::parse(view, "m.gguf");
      EXPECT_LT(allocated_bytes() - before, 8 * bytes->size());
      ASSERT_FALSE(file.has_value());
      EXPECT_NE(file.error().text().find(std::to_string(count)), std::string::npos)
          << file.error().text();
    }
  }
}

// Counts that the file's size allows but its entries do not.
TEST(GgufRefusal, PlausibleCountsAllocateNoMoreThanTheFile) {
  RawGguf raw = complete_gguf();
  raw.data.resize(1 << 20);
  raw.metadata_count = 60000;
  const std::string bytes = raw.bytes();
  const size_t before = allocated_bytes();
  const auto file = File::parse(as_bytes(bytes), "m.gguf");
  EXPECT_LT(allocated_bytes() - before, 65536u);
  EXPECT_FALSE(file.has_value());
}

TEST(GgufRefusal, TheTinyModelNeedsLittleMemory) {
  const std::string bytes =
      testing::read_bytes(testing::golden_path("model/tiny-gemma4-q4_0.gguf"));
  const size_t before = allocated_bytes();
  ASSERT_TRUE(File::parse(as_bytes(bytes), "m.gguf").has_value());
  EXPECT_LT(allocated_bytes() - before, 65536u);
}

// ----- Whole files -----

TEST(GgufRefusal, CutAtEveryByte) {
  const std::string bytes = complete_gguf().bytes();
  for (size_t size = 0; size < bytes.size(); ++size) {
    // A copy of exactly that size, so that a sanitizer sees every read past it.
    const std::vector<char> cut(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
    const auto file = File::parse(as_bytes({cut.data(), cut.size()}), "m.gguf");
    ASSERT_FALSE(file.has_value()) << size;
    ASSERT_EQ(file.error().code(), Code::kCorrupt) << size << ": " << file.error().text();
    ASSERT_NE(file.error().text().find("download"), std::string::npos) << file.error().text();
  }
}

TEST(GgufRefusal, TinyModelCutAtEveryByteOfItsHeader) {
  const std::string bytes =
      testing::read_bytes(testing::golden_path("model/tiny-gemma4-q4_0.gguf"));
  const auto whole = File::parse(as_bytes(bytes), "m.gguf");
  ASSERT_TRUE(whole.has_value()) << whole.error().text();
  for (size_t size = 0; size <= whole->header_bytes(); ++size) {
    const auto file = File::parse(as_bytes(bytes).first(size), "m.gguf");
    ASSERT_FALSE(file.has_value()) << size;
    ASSERT_EQ(file.error().code(), Code::kCorrupt) << size << ": " << file.error().text();
  }
  for (size_t size = whole->header_bytes(); size < bytes.size(); size += 997) {
    const auto file = File::parse(as_bytes(bytes).first(size), "m.gguf");
    ASSERT_FALSE(file.has_value()) << size;
    ASSERT_NE(file.error().text().find("of " + std::to_string(bytes.size())), std::string::npos)
        << file.error().text();
  }
  EXPECT_FALSE(File::parse(as_bytes(bytes).first(bytes.size() - 1), "m.gguf").has_value());
}

// Every accessor over every entry; a sanitizer or the mapping's guard page catches what leaves the
// file.
size_t walk(const File& file) {
  size_t sum = 0;
  for (const KeyValue& entry : file.metadata()) {
    const Value& value = entry.value;
    sum += value.describe().size() + value.bytes().size();
    if (const auto text = value.as_string()) sum += text->size();
    if (const auto texts = value.as_string_array()) {
      for (const std::string_view text : *texts) sum += text.size();
    }
    if (const auto numbers = value.as_f32_array()) sum += numbers->size();
  }
  for (const TensorInfo& tensor : file.tensors()) {
    sum += tensor.describe().size();
    for (const std::byte b : file.data(tensor)) sum += std::to_integer<size_t>(b);
  }
  return sum;
}

TEST(GgufRefusal, EveryFlippedBitGivesAnErrorOrAValidFile) {
  const RawGguf raw = complete_gguf();
  std::string bytes = raw.bytes();
  const size_t header = raw.header().size();
  size_t refused = 0;
  for (size_t i = 0; i < header; ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      bytes[i] = static_cast<char>(bytes[i] ^ 1 << bit);
      const auto file = File::parse(as_bytes(bytes), "m.gguf");
      if (file.has_value()) {
        walk(*file);
      } else {
        ++refused;
        ASSERT_TRUE(file.error().text().starts_with("m.gguf: ")) << file.error().text();
      }
      bytes[i] = static_cast<char>(bytes[i] ^ 1 << bit);
    }
  }
  // Most of the header is lengths, kinds, shapes and offsets. What survives is text and numbers.
  EXPECT_GT(refused, header * 8 / 3);
}

TEST(GgufRefusal, EveryByteSetToAnExtremeGivesAnErrorOrAValidFile) {
  const RawGguf raw = complete_gguf();
  std::string bytes = raw.bytes();
  for (size_t i = 0; i < raw.header().size(); ++i) {
    const char original = bytes[i];
    for (const char extreme : {'\x00', '\x7f', '\x80', '\xff'}) {
      bytes[i] = extreme;
      const auto file = File::parse(as_bytes(bytes), "m.gguf");
      if (file.has_value()) walk(*file);
    }
    bytes[i] = original;
  }
}

// ----- Files on disk -----

void expect_open_refused(const std::string& path, Code code, const std::string& words) {
  const auto file = File::open(path);
  ASSERT_FALSE(file.has_value()) << path;
  EXPECT_EQ(file.error().code(), code) << file.error().text();
  EXPECT_TRUE(file.error().text().starts_with(path + ": ")) << file.error().text();
  EXPECT_EQ(file.error().text().find(path, 1), std::string::npos) << file.error().text();
  EXPECT_NE(file.error().text().find(words), std::string::npos) << file.error().text();
}

TEST(GgufRefusal, PathsThatAreNoFile) {
  testing::TempDir folder;
  expect_open_refused(folder.file("missing.gguf"), Code::kNotFound, "no such file");
  expect_open_refused(folder.path(), Code::kInvalid, "is a directory");
}

TEST(GgufRefusal, EmptyFiles) {
  testing::TempDir folder;
  testing::write_bytes(folder.file("empty.gguf"), "");
  expect_open_refused(folder.file("empty.gguf"), Code::kCorrupt, "is empty; download it again");
}

TEST(GgufRefusal, CutFiles) {
  testing::TempDir folder;
  const std::string bytes = complete_gguf().bytes();
  testing::write_bytes(folder.file("cut.gguf"), bytes.substr(0, bytes.size() - 1));
  expect_open_refused(folder.file("cut.gguf"), Code::kCorrupt, "the download is incomplete");
}

// A sparse file of 4 TB takes no space, and its hole reads as zeros.
TEST(GgufRefusal, SparseHugeFilesAreQuick) {
  testing::TempDir folder;
  const std::string path = folder.file("sparse.gguf");
  RawGguf raw;
  raw.metadata_count = uint64_t{1} << 37;
  raw.tensor_count = uint64_t{1} << 36;
  RawGguf strings;
  strings.array("holes", ValueKind::kString, uint64_t{1} << 38, "");
  for (const std::string& start : {raw.header(), strings.header()}) {
    testing::write_bytes(path, start);
    if (::truncate(path.c_str(), off_t{1} << 42) != 0) GTEST_SKIP() << "no sparse files here";
    const size_t before = allocated_bytes();
    const auto file = File::open(path);
    EXPECT_LT(allocated_bytes() - before, 65536u);
    ASSERT_FALSE(file.has_value());
    EXPECT_EQ(file.error().code(), Code::kCorrupt) << file.error().text();
  }
}

TEST(GgufReader, ReadsLargeSparseFilesWithoutTouchingTheirData) {
  testing::TempDir folder;
  const std::string path = folder.file("large.gguf");
  RawGguf raw;
  raw.tensor("a", {uint64_t{1} << 36}, Type::kQ8_0, 0);
  testing::write_bytes(path, raw.bytes());
  const uint64_t size = raw.bytes().size() + (uint64_t{1} << 36) / 32 * 34;
  if (::truncate(path.c_str(), static_cast<off_t>(size)) != 0)
    GTEST_SKIP() << "no sparse files here";
  const auto file = File::open(path);
  ASSERT_TRUE(file.has_value()) << file.error().text();
  EXPECT_EQ(file->data(file->tensors()[0]).size(), (uint64_t{1} << 36) / 32 * 34);
}

}  // namespace
}  // namespace gem::gguf
