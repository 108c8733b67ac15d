#include "base/new_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/support/goldens.h"
#include "tests/support/temp_dir.h"

namespace gem {
namespace {

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span<const char>(text));
}

TEST(NewFile, TakesItsNameWhenPublished) {
  const testing::TempDir dir;
  const std::string path = dir.file("out");
  testing::write_bytes(path, "before");
  auto file = NewFile::create(path);
  ASSERT_TRUE(file.has_value());
  ASSERT_TRUE(file->resize(8).has_value());
  ASSERT_TRUE(file->write_at(2, bytes_of("new")).has_value());
  EXPECT_EQ(testing::read_bytes(path), "before");
  ASSERT_TRUE(file->publish().has_value());
  EXPECT_EQ(testing::read_bytes(path), std::string("\0\0new\0\0\0", 8));
}

TEST(NewFile, LeavesNothingBehindWithoutPublish) {
  const testing::TempDir dir;
  {
    auto file = NewFile::create(dir.file("out"));
    ASSERT_TRUE(file.has_value());
    ASSERT_TRUE(file->write_at(0, bytes_of("half")).has_value());
  }
  EXPECT_TRUE(std::filesystem::is_empty(dir.path()));
}

TEST(NewFile, RefusesFoldersAndMissingFolders) {
  const testing::TempDir dir;
  EXPECT_EQ(NewFile::create(dir.path()).error().code(), Code::kInvalid);
  EXPECT_EQ(NewFile::create(dir.file("no/such/out")).error().code(), Code::kIo);
}

TEST(NewFile, AFullDiskIsAnErrorThatLeavesNothing) {
  // Beyond the largest size of a file, whatever the disk.
  const testing::TempDir dir;
  {
    auto file = NewFile::create(dir.file("out"));
    ASSERT_TRUE(file.has_value());
    const Status resized = file->resize(uint64_t{1} << 62);
    ASSERT_FALSE(resized.has_value());
    EXPECT_EQ(resized.error().code(), Code::kIo);
  }
  EXPECT_TRUE(std::filesystem::is_empty(dir.path()));
}

}  // namespace
}  // namespace gem
