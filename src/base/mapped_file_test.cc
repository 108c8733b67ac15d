#include "base/mapped_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <numeric>
#include <utility>
#include <vector>

#include "tests/support/goldens.h"
#include "tests/support/temp_dir.h"

namespace gem {
namespace {

std::string text_of(const MappedFile& file) {
  return {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()};
}

void expect_refused(const std::string& path, Code code, const std::string& words) {
  const auto file = MappedFile::open(path);
  ASSERT_FALSE(file.has_value()) << path;
  EXPECT_EQ(file.error().code(), code) << file.error().text();
  EXPECT_EQ(file.error().text(), path + ": " + words);
}

TEST(MappedFile, MapsAFile) {
  testing::TempDir folder;
  testing::write_bytes(folder.file("a"), std::string("one\0two", 7));
  const auto file = MappedFile::open(folder.file("a"));
  ASSERT_TRUE(file.has_value()) << file.error().text();
  EXPECT_EQ(text_of(*file), std::string("one\0two", 7));
  EXPECT_EQ(file->path(), folder.file("a"));
  EXPECT_TRUE(file->verify_unchanged().has_value());
}

TEST(MappedFile, MapsAnEmptyFile) {
  testing::TempDir folder;
  testing::write_bytes(folder.file("empty"), "");
  const auto file = MappedFile::open(folder.file("empty"));
  ASSERT_TRUE(file.has_value()) << file.error().text();
  EXPECT_TRUE(file->bytes().empty());
  EXPECT_TRUE(file->verify_unchanged().has_value());
}

TEST(MappedFile, TakesPathsByteForByte) {
  testing::TempDir folder;
  std::vector<std::string> names = {"mit Leerzeichen",    "Grüße", "模型", "🙂", "it's",
                                    "\"quoted\"",         "a\\b",  "-x",   "~",  "$(echo)",
                                    std::string(250, 'n')};
#if !defined(__APPLE__)  // whose file systems take UTF-8 only
  names.emplace_back("not utf-8 \xff");
#endif
  for (const std::string& name : names) {
    const std::string path = folder.file(name);
    testing::write_bytes(path, name);
    const auto file = MappedFile::open(path);
    ASSERT_TRUE(file.has_value()) << file.error().text();
    EXPECT_EQ(text_of(*file), name);
  }
}

TEST(MappedFile, TakesLongAndRelativePaths) {
  testing::TempDir folder;
  const std::string deep = folder.file(std::string(200, 'd'));
  std::filesystem::create_directory(deep);
  const std::string path = deep + "/" + std::string(200, 'f');
  testing::write_bytes(path, "deep");
  ASSERT_TRUE(MappedFile::open(path).has_value());
  const auto file = MappedFile::open(std::filesystem::relative(path).string());
  ASSERT_TRUE(file.has_value()) << file.error().text();
  EXPECT_EQ(text_of(*file), "deep");
}

TEST(MappedFile, FollowsSymbolicLinks) {
  testing::TempDir folder;
  testing::write_bytes(folder.file("target"), "linked");
  ASSERT_EQ(::symlink("target", folder.file("link").c_str()), 0);
  const auto file = MappedFile::open(folder.file("link"));
  ASSERT_TRUE(file.has_value()) << file.error().text();
  EXPECT_EQ(text_of(*file), "linked");
  ASSERT_EQ(::symlink("nowhere", folder.file("dangling").c_str()), 0);
  expect_refused(folder.file("dangling"), Code::kNotFound, "no such file");
}

TEST(MappedFile, RefusesWhatIsMissing) {
  testing::TempDir folder;
  expect_refused(folder.file("missing"), Code::kNotFound, "no such file");
  testing::write_bytes(folder.file("file"), "x");
  expect_refused(folder.file("file/below"), Code::kNotFound, "no such file");
}

TEST(MappedFile, RefusesDirectoriesAndDevices) {
  testing::TempDir folder;
  expect_refused(folder.path(), Code::kInvalid, "is a directory, not a file");
  expect_refused("/dev/null", Code::kInvalid, "is not a regular file");
}

TEST(MappedFile, RefusesPipesWithoutWaiting) {
  testing::TempDir folder;
  ASSERT_EQ(::mkfifo(folder.file("pipe").c_str(), 0600), 0);
  expect_refused(folder.file("pipe"), Code::kInvalid, "is not a regular file");
}

TEST(MappedFile, RefusesFilesWithoutPermission) {
  testing::TempDir folder;
  testing::write_bytes(folder.file("secret"), "x");
  ASSERT_EQ(::chmod(folder.path().c_str(), 0755), 0);
  ASSERT_EQ(::chmod(folder.file("secret").c_str(), 0), 0);
  // Root may read everything, so it becomes somebody else for a moment.
  const uid_t user = ::geteuid();
  if (user == 0) {
    ASSERT_EQ(::seteuid(65534), 0);
  }
  expect_refused(folder.file("secret"), Code::kIo, "cannot open: Permission denied");
  ASSERT_EQ(::seteuid(user), 0);
}

TEST(MappedFile, EscapesThePathInErrors) {
  testing::TempDir folder;
  const auto file = MappedFile::open(folder.file("a\x1b[31m\nb"));
  ASSERT_FALSE(file.has_value());
  EXPECT_EQ(file.error().text(), folder.path() + "/a\\x1b[31m\\nb: no such file");
}

TEST(MappedFile, ClosesItsDescriptorAndReusesItsGuard) {
  testing::TempDir folder;
  testing::write_bytes(folder.file("a"), "x");
  const int before = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  ::close(before);
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(MappedFile::open(folder.file("a")).has_value());
  EXPECT_FALSE(MappedFile::open(folder.path()).has_value());
  const int after = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  ::close(after);
  EXPECT_EQ(after, before);
}

TEST(MappedFile, MovesWithoutMovingItsBytes) {
  testing::TempDir folder;
  testing::write_bytes(folder.file("a"), "first");
  testing::write_bytes(folder.file("b"), "second");
  auto a = MappedFile::open(folder.file("a"));
  auto b = MappedFile::open(folder.file("b"));
  ASSERT_TRUE(a.has_value() && b.has_value());
  const std::byte* bytes = b->bytes().data();
  *a = *std::move(b);
  EXPECT_EQ(a->bytes().data(), bytes);
  EXPECT_EQ(text_of(*a), "second");
  const MappedFile moved = *std::move(a);
  EXPECT_EQ(text_of(moved), "second");
  EXPECT_TRUE(moved.verify_unchanged().has_value());
}

// ----- Changes on disk -----

void expect_changed(const MappedFile& file, const std::string& sizes) {
  const Status status = file.verify_unchanged();
  ASSERT_FALSE(status.has_value());
  EXPECT_EQ(status.error().code(), Code::kIo);
  EXPECT_TRUE(status.error().text().starts_with(file.path() + ": the file was changed"))
      << status.error().text();
  EXPECT_NE(status.error().text().find(sizes), std::string::npos) << status.error().text();
}

TEST(MappedFile, NoticesAnotherSize) {
  testing::TempDir folder;
  testing::write_bytes(folder.file("a"), "before");
  const auto file = MappedFile::open(folder.file("a"));
  ASSERT_TRUE(file.has_value()) << file.error().text();
  testing::write_bytes(folder.file("a"), "before and after");
  expect_changed(*file, "(6 bytes then, 16 now)");
}

TEST(MappedFile, NoticesAnOverwriteOfTheSameSize) {
  testing::TempDir folder;
  const std::string path = folder.file("a");
  testing::write_bytes(path, "before");
  // An old time, so that the overwrite's is another one however coarse the clock.
  const timespec old_times[2] = {{1000000000, 0}, {1000000000, 0}};
  ASSERT_EQ(::utimensat(AT_FDCWD, path.c_str(), old_times, 0), 0);
  const auto file = MappedFile::open(path);
  ASSERT_TRUE(file.has_value()) << file.error().text();
  EXPECT_TRUE(file->verify_unchanged().has_value());
  testing::write_bytes(path, "after!");
  expect_changed(*file, "(6 bytes then, 6 now)");
}

// A new file under the old name leaves the mapped one as it is.
TEST(MappedFile, KeepsAFileThatWasReplacedOrDeleted) {
  testing::TempDir folder;
  testing::write_bytes(folder.file("a"), "before");
  const auto file = MappedFile::open(folder.file("a"));
  ASSERT_TRUE(file.has_value()) << file.error().text();
  testing::write_bytes(folder.file("new"), "after");
  std::filesystem::rename(folder.file("new"), folder.file("a"));
  EXPECT_EQ(text_of(*file), "before");
  EXPECT_TRUE(file->verify_unchanged().has_value());
}

// ----- Faults -----

constexpr size_t kPage = 65536;  // at least a page everywhere

size_t sum(std::span<const std::byte> bytes) {
  return std::accumulate(bytes.begin(), bytes.end(), size_t{0}, [](size_t total, std::byte b) {
    return total + std::to_integer<size_t>(b);
  });
}

void read_after_cut(const std::string& path) {
  const auto file = MappedFile::open(path);
  if (!file || ::truncate(path.c_str(), 0) != 0) std::exit(1);
  std::exit(sum(file->bytes()) == 0 ? 2 : 3);
}

TEST(MappedFileDeathTest, ACutFileEndsTheProcessWithOneLine) {
  testing::TempDir folder;
  testing::write_bytes(folder.file("model.gguf"), std::string(2 * kPage, 'x'));
  EXPECT_EXIT(
      read_after_cut(folder.file("model.gguf")), ::testing::ExitedWithCode(6),
      "^gem: .*/model.gguf: the file was cut or overwritten while gem was using it; restore "
      "it and restart\n$");
}

void read_after_cut_among_many(const std::string& folder) {
  std::vector<MappedFile> files;
  for (int i = 0; i < 40; ++i) {
    const std::string path = folder + "/f" + std::to_string(i);
    testing::write_bytes(path, std::string(2 * kPage, 'x'));
    auto file = MappedFile::open(path);
    if (!file) std::exit(1);
    files.push_back(*std::move(file));
  }
  // Most are closed again, so that the table has room; the last one must be the one that is named.
  files.erase(files.begin(), files.end() - 1);
  auto last = MappedFile::open(folder + "/f3");
  if (!last || ::truncate(last->path().c_str(), 0) != 0) std::exit(1);
  std::exit(sum(last->bytes()) == 0 ? 2 : 3);
}

TEST(MappedFileDeathTest, NamesTheRightFileAmongMany) {
  testing::TempDir folder;
  EXPECT_EXIT(read_after_cut_among_many(folder.path()), ::testing::ExitedWithCode(6), "/f3: ");
}

#if defined(__has_feature)
#define GEM_HAS_FEATURE(feature) __has_feature(feature)
#else
#define GEM_HAS_FEATURE(feature) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || \
    GEM_HAS_FEATURE(address_sanitizer) || GEM_HAS_FEATURE(thread_sanitizer)
constexpr bool kSanitized =
    true;  // which has a handler of its own, and ends with a report and exit
#else
constexpr bool kSanitized = false;
#endif

// Neither our handler's exit, nor that of a process that lived on.
bool died_of_the_signal(int status) {
  if (WIFSIGNALED(status)) return WTERMSIG(status) == SIGBUS;
  return kSanitized && WEXITSTATUS(status) != 6 && WEXITSTATUS(status) != 0;
}

void fault_elsewhere(const std::string& path) {
  const auto ours = MappedFile::open(path);
  if (ours) ::raise(SIGBUS);
  std::exit(0);
}

TEST(MappedFileDeathTest, FaultsElsewhereKeepTheirSignal) {
  testing::TempDir folder;
  testing::write_bytes(folder.file("ours"), "x");
  EXPECT_EXIT(fault_elsewhere(folder.file("ours")), died_of_the_signal, "");
}

}  // namespace
}  // namespace gem
