#include "gguf/writer.h"

#include <bit>
#include <cstring>

#include "base/check.h"

namespace gem::gguf {
namespace {

static_assert(std::endian::native == std::endian::little,
              "numbers are written as they lie in memory");

void append(std::vector<std::byte>& out, const void* data, size_t size_bytes) {
  const size_t begin = out.size();
  out.resize(begin + size_bytes);
  if (size_bytes > 0) std::memcpy(out.data() + begin, data, size_bytes);
}

template <class T>
void put(std::vector<std::byte>& out, T value) {
  append(out, &value, sizeof(value));
}

void put_string(std::vector<std::byte>& out, std::string_view text) {
  put<uint64_t>(out, text.size());
  append(out, text.data(), text.size());
}

uint64_t align_up(uint64_t value, uint64_t alignment) {
  return (value + alignment - 1) & ~(alignment - 1);
}

}  // namespace

Writer::Writer(uint64_t alignment) : alignment_(alignment) {
  GEM_CHECK(std::has_single_bit(alignment) && alignment >= kMinAlignment &&
            alignment <= kMaxAlignment);
  if (alignment != kDefaultAlignment) add_u32(kAlignmentKey, static_cast<uint32_t>(alignment));
}

void Writer::begin_value(std::string_view key, ValueKind kind) {
  put_string(metadata_, key);
  put(metadata_, kind);
  ++metadata_count_;
}

void Writer::begin_array(std::string_view key, ValueKind element, uint64_t count) {
  begin_value(key, ValueKind::kArray);
  put(metadata_, element);
  put(metadata_, count);
}

void Writer::add_u32(std::string_view key, uint32_t value) {
  begin_value(key, ValueKind::kU32);
  put(metadata_, value);
}

void Writer::add_i32(std::string_view key, int32_t value) {
  begin_value(key, ValueKind::kI32);
  put(metadata_, value);
}

void Writer::add_f32(std::string_view key, float value) {
  begin_value(key, ValueKind::kF32);
  put(metadata_, value);
}

void Writer::add_bool(std::string_view key, bool value) {
  begin_value(key, ValueKind::kBool);
  put(metadata_, static_cast<uint8_t>(value));
}

void Writer::add_string(std::string_view key, std::string_view value) {
  begin_value(key, ValueKind::kString);
  put_string(metadata_, value);
}

void Writer::add_i32_array(std::string_view key, std::span<const int32_t> values) {
  begin_array(key, ValueKind::kI32, values.size());
  for (const int32_t value : values) put(metadata_, value);
}

void Writer::add_f32_array(std::string_view key, std::span<const float> values) {
  begin_array(key, ValueKind::kF32, values.size());
  for (const float value : values) put(metadata_, value);
}

void Writer::add_bool_array(std::string_view key, const std::vector<bool>& values) {
  begin_array(key, ValueKind::kBool, values.size());
  for (const bool value : values) put(metadata_, static_cast<uint8_t>(value));
}

void Writer::add_string_array(std::string_view key, std::span<const std::string_view> values) {
  begin_array(key, ValueKind::kString, values.size());
  for (const std::string_view value : values) put_string(metadata_, value);
}

void Writer::add_copy(std::string_view key, const Value& value) {
  if (value.kind() == ValueKind::kArray) {
    begin_array(key, value.element_kind(), value.count());
  } else {
    begin_value(key, value.kind());
  }
  append(metadata_, value.bytes().data(), value.bytes().size());
}

size_t Writer::add_tensor(std::string_view name, Type type, std::span<const uint64_t> ne) {
  GEM_CHECK(!name.empty() && name.size() <= kMaxTensorNameBytes);
  GEM_CHECK(!ne.empty() && ne.size() <= kMaxDimensions);
  uint64_t size_bytes = row_bytes(type, ne[0]);
  for (const uint64_t extent : ne.subspan(1)) size_bytes *= extent;
  tensors_.push_back({std::string(name), type, {ne.begin(), ne.end()}, data_bytes_, size_bytes});
  data_bytes_ += align_up(size_bytes, alignment_);
  return tensors_.size() - 1;
}

std::vector<std::byte> Writer::header() const {
  std::vector<std::byte> out;
  put(out, kMagic);
  put(out, kVersion);
  put<uint64_t>(out, tensors_.size());
  put(out, metadata_count_);
  append(out, metadata_.data(), metadata_.size());
  for (const Tensor& tensor : tensors_) {
    put_string(out, tensor.name);
    put(out, static_cast<uint32_t>(tensor.ne.size()));
    for (const uint64_t extent : tensor.ne) put(out, extent);
    put(out, tensor.type);
    put(out, tensor.offset);
  }
  out.resize(align_up(out.size(), alignment_));
  return out;
}

uint64_t Writer::file_bytes() const { return header().size() + data_bytes_; }

}  // namespace gem::gguf
