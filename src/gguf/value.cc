#include "gguf/value.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <limits>
#include <type_traits>

namespace gem::gguf {
namespace {

static_assert(std::endian::native == std::endian::little,
              "values are copied as they lie in the file");

template <class T>
T load(const std::byte* data) {
  T value;
  std::memcpy(&value, data, sizeof(T));
  return value;
}

}  // namespace

std::string_view kind_name(ValueKind kind) {
  switch (kind) {
    case ValueKind::kU8:
      return "u8";
    case ValueKind::kI8:
      return "i8";
    case ValueKind::kU16:
      return "u16";
    case ValueKind::kI16:
      return "i16";
    case ValueKind::kU32:
      return "u32";
    case ValueKind::kI32:
      return "i32";
    case ValueKind::kF32:
      return "f32";
    case ValueKind::kBool:
      return "bool";
    case ValueKind::kString:
      return "str";
    case ValueKind::kArray:
      return "arr";
    case ValueKind::kU64:
      return "u64";
    case ValueKind::kI64:
      return "i64";
    case ValueKind::kF64:
      return "f64";
  }
  return "unknown";
}

size_t fixed_size(ValueKind kind) {
  switch (kind) {
    case ValueKind::kU8:
    case ValueKind::kI8:
    case ValueKind::kBool:
      return 1;
    case ValueKind::kU16:
    case ValueKind::kI16:
      return 2;
    case ValueKind::kU32:
    case ValueKind::kI32:
    case ValueKind::kF32:
      return 4;
    case ValueKind::kU64:
    case ValueKind::kI64:
    case ValueKind::kF64:
      return 8;
    case ValueKind::kString:
    case ValueKind::kArray:
      break;
  }
  return 0;
}

std::string Value::describe() const {
  if (kind_ != ValueKind::kArray) return std::string(kind_name(kind_));
  return fmt::format("arr[{}, {}]", kind_name(element_), count_);
}

template <class T>
std::optional<T> Value::scalar(ValueKind kind) const {
  if (kind_ != kind) return std::nullopt;
  return load<T>(bytes_.data());
}

template <class T>
std::optional<std::vector<T>> Value::numbers(ValueKind kind) const {
  if (kind_ != ValueKind::kArray || element_ != kind) return std::nullopt;
  std::vector<T> out(count_);
  if (!out.empty()) std::memcpy(out.data(), bytes_.data(), bytes_.size());
  return out;
}

std::optional<uint32_t> Value::as_u32() const { return scalar<uint32_t>(ValueKind::kU32); }
std::optional<int32_t> Value::as_i32() const { return scalar<int32_t>(ValueKind::kI32); }
std::optional<float> Value::as_f32() const { return scalar<float>(ValueKind::kF32); }

std::optional<bool> Value::as_bool() const {
  if (kind_ != ValueKind::kBool) return std::nullopt;
  return bytes_[0] != std::byte{0};
}

std::optional<std::string_view> Value::as_string() const {
  if (kind_ != ValueKind::kString) return std::nullopt;
  const std::span<const std::byte> text = bytes_.subspan(sizeof(uint64_t));
  return std::string_view(reinterpret_cast<const char*>(text.data()), text.size());
}

std::optional<int64_t> Value::as_integer() const {
  switch (kind_) {
    case ValueKind::kU8:
      return load<uint8_t>(bytes_.data());
    case ValueKind::kI8:
      return load<int8_t>(bytes_.data());
    case ValueKind::kU16:
      return load<uint16_t>(bytes_.data());
    case ValueKind::kI16:
      return load<int16_t>(bytes_.data());
    case ValueKind::kU32:
      return load<uint32_t>(bytes_.data());
    case ValueKind::kI32:
      return load<int32_t>(bytes_.data());
    case ValueKind::kI64:
      return load<int64_t>(bytes_.data());
    case ValueKind::kU64: {
      const auto value = load<uint64_t>(bytes_.data());
      if (value > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) return std::nullopt;
      return static_cast<int64_t>(value);
    }
    default:
      return std::nullopt;
  }
}

std::optional<std::vector<int32_t>> Value::as_i32_array() const {
  return numbers<int32_t>(ValueKind::kI32);
}
std::optional<std::vector<uint32_t>> Value::as_u32_array() const {
  return numbers<uint32_t>(ValueKind::kU32);
}
std::optional<std::vector<float>> Value::as_f32_array() const {
  return numbers<float>(ValueKind::kF32);
}

std::optional<std::vector<bool>> Value::as_bool_array() const {
  if (kind_ != ValueKind::kArray || element_ != ValueKind::kBool) return std::nullopt;
  std::vector<bool> out;
  out.reserve(count_);
  for (const std::byte b : bytes_) out.push_back(b != std::byte{0});
  return out;
}

std::optional<std::vector<std::string_view>> Value::as_string_array() const {
  if (kind_ != ValueKind::kArray || element_ != ValueKind::kString) return std::nullopt;
  std::vector<std::string_view> out;
  out.reserve(count_);
  const std::byte* at = bytes_.data();
  for (uint64_t i = 0; i < count_; ++i) {
    const auto length = load<uint64_t>(at);
    at += sizeof(length);
    out.emplace_back(reinterpret_cast<const char*>(at), length);
    at += length;
  }
  return out;
}

}  // namespace gem::gguf
