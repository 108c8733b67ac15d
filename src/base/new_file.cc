#include "base/new_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "base/text.h"

namespace gem {
namespace {

std::string quote(const std::string& path) { return quote_for_message(path, 4096); }

}  // namespace

Result<NewFile> NewFile::create(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::exists(path, ignored) && !std::filesystem::is_regular_file(path, ignored)) {
    return fail(Code::kInvalid, "{} exists and is not a file; give another path", quote(path));
  }
  NewFile file;
  file.path_ = path;
  file.partial_ = fmt::format("{}.partial-{}", path, getpid());
  file.descriptor_ = open(file.partial_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (file.descriptor_ < 0) {
    file.partial_.clear();
    return fail(Code::kIo, "cannot write {}: {}", quote(path), std::strerror(errno));
  }
  return file;
}

NewFile::NewFile(NewFile&& other) noexcept
    : path_(std::move(other.path_)),
      partial_(std::exchange(other.partial_, {})),
      descriptor_(std::exchange(other.descriptor_, -1)) {}

NewFile::~NewFile() {
  if (descriptor_ >= 0) close(descriptor_);
  if (!partial_.empty()) unlink(partial_.c_str());
}

Status NewFile::resize(uint64_t size_bytes) {
  if (ftruncate(descriptor_, static_cast<off_t>(size_bytes)) == 0) return {};
  return failed(errno);
}

Status NewFile::write_at(uint64_t offset, std::span<const std::byte> bytes) const {
  while (!bytes.empty()) {
    const ssize_t written =
        pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return failed(written < 0 ? errno : ENOSPC);
    bytes = bytes.subspan(static_cast<size_t>(written));
    offset += static_cast<uint64_t>(written);
  }
  return {};
}

Status NewFile::publish() {
  if (close(std::exchange(descriptor_, -1)) != 0) return failed(errno);
  if (rename(partial_.c_str(), path_.c_str()) != 0) return failed(errno);
  partial_.clear();
  return {};
}

Status NewFile::failed(int error_number) const {
  return fail(Code::kIo, "cannot write {}: {}; nothing is left of it", quote(path_),
              std::strerror(error_number));
}

}  // namespace gem
