// Writes a GGUF v3 file: metadata and tensor declarations first, then the tensors' bytes in order.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gguf/block.h"
#include "gguf/format.h"
#include "gguf/value.h"

namespace gem::gguf {

class Writer {
 public:
  // Writes general.alignment itself where it is not the default.
  explicit Writer(uint64_t alignment = kDefaultAlignment);

  void add_u32(std::string_view key, uint32_t value);
  void add_i32(std::string_view key, int32_t value);
  void add_f32(std::string_view key, float value);
  void add_bool(std::string_view key, bool value);
  void add_string(std::string_view key, std::string_view value);
  void add_i32_array(std::string_view key, std::span<const int32_t> values);
  void add_f32_array(std::string_view key, std::span<const float> values);
  void add_bool_array(std::string_view key, const std::vector<bool>& values);
  void add_string_array(std::string_view key, std::span<const std::string_view> values);
  // A value of another file, bytes for bytes.
  void add_copy(std::string_view key, const Value& value);

  // Declares the next tensor; its bytes follow in the same order. Returns its index. A name has 1
  // to 63 bytes, `ne` 1 to 4 dimensions (the first is the innermost, a whole number of blocks).
  size_t add_tensor(std::string_view name, Type type, std::span<const uint64_t> ne);

  // The header, padded to the alignment: all that stands before the first tensor's bytes.
  std::vector<std::byte> header() const;
  // Size of the whole file.
  uint64_t file_bytes() const;
  // Place of a declared tensor in the data section. Zeros fill the gap up to the next tensor's
  // offset and, after the last one, up to file_bytes().
  uint64_t tensor_bytes(size_t index) const { return tensors_[index].size_bytes; }
  uint64_t tensor_offset(size_t index) const { return tensors_[index].offset; }
  size_t tensor_count() const { return tensors_.size(); }

 private:
  struct Tensor {
    std::string name;
    Type type;
    std::vector<uint64_t> ne;
    uint64_t offset;
    uint64_t size_bytes;
  };

  void begin_value(std::string_view key, ValueKind kind);
  void begin_array(std::string_view key, ValueKind element, uint64_t count);

  uint64_t alignment_;
  uint64_t metadata_count_ = 0;
  std::vector<std::byte> metadata_;
  std::vector<Tensor> tensors_;
  uint64_t data_bytes_ = 0;
};

}  // namespace gem::gguf
