// Small file input and output for verbs, with errors that name the file.
#pragma once
#include <cstddef>
#include <cstdio>
#include <memory>
#include <span>
#include <string>

#include "base/result.h"

namespace gem {

// The whole of `path`, or of stdin if it is "-".
Result<std::string> read_text(const std::string& path);

// A file that is written under a temporary name and takes its real one in commit(); without
// commit() nothing is left behind.
class OutputFile {
 public:
  static Result<OutputFile> create(const std::string& path);
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&&) = delete;
  ~OutputFile();

  Status write(std::span<const std::byte> bytes);
  // Extends the file to `size_bytes` with a hole.
  Status extend(uint64_t size_bytes);
  Status commit();

 private:
  OutputFile(std::string path, std::string temporary, std::FILE* file);

  std::string path_;
  std::string temporary_;
  std::FILE* file_;
};

}  // namespace gem
