#include "cli/files.h"

#include <cstdio>
#include <span>

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

}  // namespace gem
