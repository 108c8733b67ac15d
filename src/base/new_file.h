// A file that takes its name only when it is complete: until publish() it has a temporary one, and
// without publish() nothing is left behind.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "base/result.h"

namespace gem {

class NewFile {
 public:
  // Returns kInvalid if `path` is something else than a file, kIo if it cannot be written.
  static Result<NewFile> create(const std::string& path);

  NewFile(NewFile&& other) noexcept;
  NewFile& operator=(NewFile&&) = delete;
  ~NewFile();

  // What was never written up to `size_bytes` is a hole that reads as zeros.
  Status resize(uint64_t size_bytes);
  // From any thread; ranges of concurrent calls must not overlap.
  Status write_at(uint64_t offset, std::span<const std::byte> bytes) const;
  // Gives the file its name, in place of one that had it.
  Status publish();

 private:
  NewFile() = default;
  Status failed(int error_number) const;

  std::string path_;
  std::string partial_;
  int descriptor_ = -1;
};

}  // namespace gem
