// GGUF bytes put together without any check, for tests that need wrong ones. Right files are
// written by gguf::Writer.
#pragma once
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gguf/block.h"
#include "gguf/value.h"

namespace gem::testing {

// The little-endian bytes of a number.
template <class T>
std::string le(T value) {
  std::string bytes(sizeof(T), '\0');
  std::memcpy(bytes.data(), &value, sizeof(T));
  return bytes;
}

// A string as the format writes it: length, then bytes.
inline std::string sized(std::string_view text) {
  return le<uint64_t>(text.size()) + std::string(text);
}

inline std::span<const std::byte> as_bytes(std::string_view text) {
  return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}

class RawGguf {
 public:
  // What the header says; the counts are the true ones where none is given.
  std::string magic = "GGUF";
  uint32_t version = 3;
  std::optional<uint64_t> metadata_count;
  std::optional<uint64_t> tensor_count;
  // What the bytes obey, whatever general.alignment says.
  uint64_t alignment = 32;
  // The data section.
  std::string data;

  RawGguf& value(std::string_view key, uint32_t kind, const std::string& payload) {
    metadata_ += sized(key) + le(kind) + payload;
    ++metadata_entries_;
    return *this;
  }
  RawGguf& value(std::string_view key, gguf::ValueKind kind, const std::string& payload) {
    return value(key, static_cast<uint32_t>(kind), payload);
  }
  RawGguf& array(std::string_view key, gguf::ValueKind element, uint64_t count,
                 const std::string& elements) {
    return value(key, gguf::ValueKind::kArray,
                 le(static_cast<uint32_t>(element)) + le(count) + elements);
  }
  RawGguf& tensor(std::string_view name, const std::vector<uint64_t>& ne, uint32_t type,
                  uint64_t offset) {
    tensors_ += sized(name) + le(static_cast<uint32_t>(ne.size()));
    for (const uint64_t extent : ne) tensors_ += le(extent);
    tensors_ += le(type) + le(offset);
    ++tensor_entries_;
    return *this;
  }
  RawGguf& tensor(std::string_view name, const std::vector<uint64_t>& ne, gguf::Type type,
                  uint64_t offset) {
    return tensor(name, ne, static_cast<uint32_t>(type), offset);
  }

  // Magic to the end of the tensor table, without padding.
  std::string header() const {
    return magic + le(version) + le(tensor_count.value_or(tensor_entries_)) +
           le(metadata_count.value_or(metadata_entries_)) + metadata_ + tensors_;
  }
  std::string bytes() const {
    std::string out = header();
    out.resize((out.size() + alignment - 1) / alignment * alignment);
    return out + data;
  }

 private:
  std::string metadata_;
  std::string tensors_;
  uint64_t metadata_entries_ = 0;
  uint64_t tensor_entries_ = 0;
};

// A small complete file: every kind of value, an array of every kind of element, and a tensor of
// every type that gem reads, in 1 to 4 dimensions.
inline RawGguf complete_gguf() {
  using gguf::Type;
  using gguf::ValueKind;
  RawGguf file;
  file.value("u8", ValueKind::kU8, le<uint8_t>(200))
      .value("i8", ValueKind::kI8, le<int8_t>(-100))
      .value("u16", ValueKind::kU16, le<uint16_t>(60000))
      .value("i16", ValueKind::kI16, le<int16_t>(-30000))
      .value("u32", ValueKind::kU32, le<uint32_t>(4000000000))
      .value("i32", ValueKind::kI32, le<int32_t>(-2000000000))
      .value("u64", ValueKind::kU64, le<uint64_t>(uint64_t{1} << 40))
      .value("i64", ValueKind::kI64, le<int64_t>(-(int64_t{1} << 40)))
      .value("f32", ValueKind::kF32, le(1.5f))
      .value("f64", ValueKind::kF64, le(-2.25))
      .value("bool", ValueKind::kBool, le<uint8_t>(1))
      .value("string", ValueKind::kString, sized("gemma"));
  file.array("a.u8", ValueKind::kU8, 2, {'\x01', '\x02'})
      .array("a.u16", ValueKind::kU16, 1, le<uint16_t>(3))
      .array("a.u32", ValueKind::kU32, 2, le<uint32_t>(4) + le<uint32_t>(5))
      .array("a.i32", ValueKind::kI32, 2, le<int32_t>(-6) + le<int32_t>(7))
      .array("a.u64", ValueKind::kU64, 1, le<uint64_t>(8))
      .array("a.f32", ValueKind::kF32, 2, le(0.5f) + le(-0.5f))
      .array("a.bool", ValueKind::kBool, 3, {'\x01', '\x00', '\x01'})
      .array("a.string", ValueKind::kString, 3, sized("one") + sized("") + sized("three"))
      .array("a.none", ValueKind::kString, 0, "");

  const auto add = [&](std::string_view name, const std::vector<uint64_t>& ne, Type type) {
    size_t values = 1;
    for (const uint64_t extent : ne) values *= extent;
    file.data.resize((file.data.size() + 31) / 32 * 32);
    file.tensor(name, ne, type, file.data.size());
    std::vector<float> numbers(values);
    for (size_t i = 0; i < values; ++i) numbers[i] = static_cast<float>(i % 7) - 3.0f;
    std::string encoded(gguf::row_bytes(type, values), '\0');
    gguf::quantize(type, numbers, reinterpret_cast<std::byte*>(encoded.data()));
    file.data += encoded;
  };
  add("t.f32", {3}, Type::kF32);
  add("t.f16", {2, 3}, Type::kF16);
  add("t.bf16", {2, 2, 2}, Type::kBF16);
  add("t.q4_0", {32, 1, 2, 1}, Type::kQ4_0);
  add("t.q8_0", {64}, Type::kQ8_0);
  add("t.q6_k", {256}, Type::kQ6K);
  return file;
}

}  // namespace gem::testing
