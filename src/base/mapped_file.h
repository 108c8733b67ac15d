// A whole file mapped read-only. While it is mapped, a file that is cut or overwritten by another
// program can fault any reader: the fault ends the process with one line that names the file (exit
// code of Code::kIo), instead of a bare SIGBUS.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "base/result.h"

namespace gem {

// Messages show a path as a whole, whatever its length.
inline constexpr size_t kMaxPathBytes = 4096;

class MappedFile {
 public:
  // Opens a regular file. `path` is used as given, bytes for bytes. Returns kNotFound, kIo (no
  // permission) or kInvalid (a directory, a device, a pipe). Errors name the file.
  static Result<MappedFile> open(const std::string& path);

  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  ~MappedFile();

  std::span<const std::byte> bytes() const { return bytes_; }
  const std::string& path() const { return path_; }

  // Returns kIo if size or modification time of the file are no longer those at open().
  Status verify_unchanged() const;

 private:
  struct Stamp {
    uint64_t size_bytes = 0;
    int64_t modified_s = 0;
    int64_t modified_ns = 0;
    bool operator==(const Stamp&) const = default;
  };

  MappedFile() = default;
  void release();

  std::string path_;
  std::span<const std::byte> bytes_;
  Stamp stamp_;
  int descriptor_ = -1;
  int guard_slot_ = -1;  // index in the fault handler's table, -1 if the table is full
};

}  // namespace gem
