#include "gguf/identify.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "tests/support/raw_gguf.h"

namespace gem::gguf {
namespace {

using testing::as_bytes;
using testing::le;

void expect_named(std::string_view bytes, Code code, std::string_view words) {
  const Error error = not_gguf_error(as_bytes(bytes));
  EXPECT_EQ(error.code(), code) << error.text();
  EXPECT_NE(error.text().find(words), std::string::npos) << error.text();
  EXPECT_EQ(error.text().find('\n'), std::string::npos) << error.text();
}

TEST(Identify, EmptyFile) { expect_named("", Code::kCorrupt, "is empty; download it again"); }

TEST(Identify, PartOfTheMagic) {
  for (const std::string_view start : {"G", "GG", "GGU"}) {
    expect_named(start, Code::kCorrupt,
                 "it stopped after " + std::to_string(start.size()) + " bytes");
  }
}

TEST(Identify, WebPages) {
  for (const std::string_view page :
       {"<!DOCTYPE html><html>", "<!doctype HTML>", "<html lang=\"en\">", "\n\n  <HTML>",
        "\xEF\xBB\xBF<!DOCTYPE html>", "<!-- saved --><html>", "<head><title>Sign in"}) {
    expect_named(page, Code::kCorrupt, "is a web page (HTML)");
  }
}

TEST(Identify, GitLfsPointers) {
  expect_named(
      "version https://git-lfs.github.com/spec/v1\n"
      "oid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\n"
      "size 6975879296\n",
      Code::kCorrupt,
      "is a Git LFS pointer, not the model: run \"git lfs pull\" to get the file of 6.98 GB");
  expect_named("version https://git-lfs.github.com/spec/v1\n", Code::kCorrupt,
               "to get its contents");
  expect_named("version https://git-lfs.github.com/spec/v1\nsize 99999999999999999999999999\n",
               Code::kCorrupt, "is a Git LFS pointer");
}

TEST(Identify, Safetensors) {
  const std::string header = R"({"model.embed_tokens.weight":{"dtype":"BF16"}})";
  expect_named(le<uint64_t>(header.size()) + header, Code::kUnsupported, "is a safetensors file");
  // A length that the file cannot hold is no safetensors header.
  const Error other = not_gguf_error(as_bytes(le<uint64_t>(UINT64_MAX) + header));
  EXPECT_EQ(other.text().find("safetensors"), std::string::npos) << other.text();
}

TEST(Identify, ArchivesAndCheckpoints) {
  expect_named("PK\x03\x04zip", Code::kUnsupported, "is a zip archive or a PyTorch checkpoint");
  expect_named("\x1F\x8B\x08gzip", Code::kUnsupported, "is compressed with gzip; unpack it first");
}

TEST(Identify, PredecessorsOfGguf) {
  for (const uint32_t magic : {0x67676d6cu, 0x67676d66u, 0x67676a74u, 0x67676c61u}) {
    expect_named(le(magic) + le<uint32_t>(1), Code::kUnsupported, "old ggml format");
  }
}

TEST(Identify, Json) {
  expect_named("{\"error\": \"Unauthorized\"}", Code::kUnsupported, "is a JSON text");
  expect_named("  [1, 2]", Code::kUnsupported, "is a JSON text");
}

TEST(Identify, Text) {
  expect_named("Access denied\nPlease log in", Code::kUnsupported,
               "is a text (\"Access denied\\nPlease log in\")");
  expect_named("Übung", Code::kUnsupported, "is a text (\"Übung\")");
  // The look at the first bytes ends inside a character.
  expect_named(std::string(511, 'a') + "ü", Code::kUnsupported, "is a text (\"aaaa");
}

TEST(Identify, AnythingElse) {
  expect_named(std::string_view("\x7f"
                                "ELF\x02\x01",
                                6),
               Code::kUnsupported, "it starts with \"\\x7fELF\", not with \"GGUF\"");
  expect_named(std::string_view("\0\0\0\0\0", 5), Code::kUnsupported,
               "it starts with \"\\x00\\x00\\x00\\x00\"");
  expect_named(std::string_view("\xff\0", 2), Code::kUnsupported, "it has only 2 bytes");
}

TEST(Identify, NamesNoiseInOneLine) {
  std::mt19937 generator(1);
  for (int i = 0; i < 2000; ++i) {
    std::string noise(generator() % 40, '\0');
    for (char& c : noise) c = static_cast<char>(generator());
    const std::string text = not_gguf_error(as_bytes(noise)).text();
    ASSERT_TRUE(std::ranges::none_of(text, [](char c) { return c >= 0 && c < 0x20; })) << text;
    ASSERT_LT(text.size(), 250u) << text;
  }
}

}  // namespace
}  // namespace gem::gguf
