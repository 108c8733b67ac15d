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

namespace gem::gguf {

// The numbers are those of the file format.
enum class ValueKind : uint32_t {
  kU8 = 0,
  kI8 = 1,
  kU16 = 2,
  kI16 = 3,
  kU32 = 4,
  kI32 = 5,
  kF32 = 6,
  kBool = 7,
  kString = 8,
  kArray = 9,
  kU64 = 10,
  kI64 = 11,
  kF64 = 12,
};
std::string_view kind_name(ValueKind kind);

// A metadata value, still in the file. Scalars are decoded on request; a request for another kind
// than the stored one gives nothing.
class Value {
 public:
  Value(ValueKind kind, ValueKind element, uint64_t count, std::span<const std::byte> bytes)
      : kind_(kind), element_(element), count_(count), bytes_(bytes) {}

  ValueKind kind() const { return kind_; }
  ValueKind element_kind() const { return element_; }  // of an array; kind() otherwise
  uint64_t count() const { return count_; }            // of an array; 1 otherwise
  // The encoded payload: of an array, its elements; of a string, its length and bytes.
  std::span<const std::byte> bytes() const { return bytes_; }
  // "u32", "arr[str, 262144]": for messages.
  std::string describe() const;

  std::optional<uint32_t> as_u32() const;
  std::optional<int32_t> as_i32() const;
  std::optional<float> as_f32() const;
  std::optional<bool> as_bool() const;
  std::optional<std::string_view> as_string() const;
  // Any integer kind that fits.
  std::optional<int64_t> as_integer() const;

  // Array contents, copied (numbers) or viewed in the mapping (strings); nothing if the element
  // kind differs.
  std::optional<std::vector<int32_t>> as_i32_array() const;
  std::optional<std::vector<uint32_t>> as_u32_array() const;
  std::optional<std::vector<float>> as_f32_array() const;
  std::optional<std::vector<bool>> as_bool_array() const;
  std::optional<std::vector<std::string_view>> as_string_array() const;

 private:
  ValueKind kind_;
  ValueKind element_;
  uint64_t count_;
  std::span<const std::byte> bytes_;
};

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
  uint64_t header_bytes() const {
    return data_begin_;
  }  // magic to the padded start of the data section
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
  uint64_t alignment_ = 32;
  uint64_t data_begin_ = 0;
};

}  // namespace gem::gguf
