// A metadata value of a GGUF file, viewed in place.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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

// Bytes of one encoded value; 0 for strings and arrays, whose size stands in the file.
size_t fixed_size(ValueKind kind);

// A metadata value, still in the file. Scalars are decoded on request; a request for another kind
// than the stored one gives nothing. Whoever makes a Value has checked that the payload is
// complete.
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
  template <class T>
  std::optional<T> scalar(ValueKind kind) const;
  template <class T>
  std::optional<std::vector<T>> numbers(ValueKind kind) const;

  ValueKind kind_;
  ValueKind element_;
  uint64_t count_;
  std::span<const std::byte> bytes_;
};

}  // namespace gem::gguf
