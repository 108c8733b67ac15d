// A GGUF file, read through bounded little-endian views of a read-only mapping. Everything that
// comes from the file (lengths, counts, offsets, products) is checked before use; after open()
// succeeds every view that the accessors hand out lies inside the mapping.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/mapped_file.h"
#include "base/result.h"
#include "gguf/block.h"
#include "gguf/format.h"
#include "gguf/value.h"

namespace gem::gguf {

struct KeyValue {
  std::string_view key;
  Value value;
};

struct TensorInfo {
  std::string_view name;
  uint32_t type_number;      // gguf::Type if is_readable(type_number)
  std::vector<uint64_t> ne;  // 1 to 4 dimensions, first = innermost
  uint64_t offset;           // bytes from the start of the data section
  uint64_t size_bytes;

  uint64_t values() const;
  // "[3840, 4096] Q4_0": for messages.
  std::string describe() const;
};

class File {
 public:
  // Maps and parses `path`. Errors name the file, and what it is when it is not a GGUF file that
  // gem reads (see identify.h). Tensors of types that gem does not read are listed, not refused.
  static Result<File> open(const std::string& path);

  // Parses bytes that the caller keeps alive; for tests and fuzzing. `name` is used in messages.
  static Result<File> parse(std::span<const std::byte> bytes, std::string name);

  const std::string& name() const { return name_; }
  std::span<const KeyValue> metadata() const { return metadata_; }
  std::span<const TensorInfo> tensors() const { return tensors_; }  // in file order

  const Value* find(std::string_view key) const;
  const TensorInfo* find_tensor(std::string_view tensor_name) const;
  std::span<const std::byte> data(const TensorInfo& tensor) const;

  uint64_t alignment() const { return alignment_; }
  // From the magic to the padded start of the data section.
  uint64_t header_bytes() const { return data_begin_; }
  uint64_t size_bytes() const { return bytes_.size(); }
  std::span<const std::byte> bytes() const { return bytes_; }

  // kIo if the mapped file changed on disk since open(); success for parsed bytes.
  Status verify_unchanged() const;

 private:
  File() = default;
  Status read();

  std::optional<MappedFile> mapping_;
  std::string name_;
  std::span<const std::byte> bytes_;
  std::vector<KeyValue> metadata_;         // file order
  std::vector<uint32_t> metadata_by_key_;  // indices, sorted by key
  std::vector<TensorInfo> tensors_;        // file order
  std::vector<uint32_t> tensors_by_name_;  // indices, sorted by name
  uint64_t alignment_ = kDefaultAlignment;
  uint64_t data_begin_ = 0;
};

}  // namespace gem::gguf
