#include "cli/files.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/mapped_file.h"

namespace gem {

Result<std::string> read_text(const std::string& path) {
  if (path == "-") {
    std::string text;
    char buffer[65536];
    while (const size_t got = std::fread(buffer, 1, sizeof buffer, stdin)) text.append(buffer, got);
    if (std::ferror(stdin) != 0) return fail(Code::kIo, "cannot read from stdin");
    return text;
  }
  auto file = MappedFile::open(path);
  if (!file) return tl::unexpected<Error>(std::move(file).error().with_context(path));
  const std::span<const std::byte> bytes = file->bytes();
  return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

OutputFile::OutputFile(std::string path, std::string temporary, std::FILE* file)
    : path_(std::move(path)), temporary_(std::move(temporary)), file_(file) {}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : path_(std::move(other.path_)),
      temporary_(std::move(other.temporary_)),
      file_(std::exchange(other.file_, nullptr)) {}

OutputFile::~OutputFile() {
  if (file_ == nullptr) return;
  std::fclose(file_);
  ::unlink(temporary_.c_str());
}

Result<OutputFile> OutputFile::create(const std::string& path) {
  std::string temporary = path + ".part";
  std::FILE* file = std::fopen(temporary.c_str(), "wb");
  if (file == nullptr) return fail(Code::kIo, "{}: cannot write: {}", path, std::strerror(errno));
  return OutputFile(path, std::move(temporary), file);
}

Status OutputFile::write(std::span<const std::byte> bytes) {
  if (std::fwrite(bytes.data(), 1, bytes.size(), file_) == bytes.size()) return {};
  return fail(Code::kIo, "{}: cannot write: {}", path_, std::strerror(errno));
}

Status OutputFile::extend(uint64_t size_bytes) {
  if (std::fflush(file_) == 0 && ::ftruncate(fileno(file_), static_cast<off_t>(size_bytes)) == 0) {
    return {};
  }
  return fail(Code::kIo, "{}: cannot write: {}", path_, std::strerror(errno));
}

Status OutputFile::commit() {
  std::FILE* file = std::exchange(file_, nullptr);
  if (std::fclose(file) == 0 && std::rename(temporary_.c_str(), path_.c_str()) == 0) return {};
  const int error = errno;
  ::unlink(temporary_.c_str());
  return fail(Code::kIo, "{}: cannot write: {}", path_, std::strerror(error));
}

}  // namespace gem
