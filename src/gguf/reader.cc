#include "gguf/reader.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>
#include <utility>

#include "base/text.h"
#include "gguf/format.h"
#include "gguf/identify.h"

namespace gem::gguf {
namespace {

// The fewest bytes of an entry: a key or name of one byte; a kind and a one-byte value, or one
// dimension. A count in the header that the file cannot hold is refused before any entry is read.
constexpr uint64_t kMinMetadataBytes = 8 + 1 + 4 + 1;
constexpr uint64_t kMinTensorBytes = 8 + 1 + 4 + 8 + 4 + 8;

// Vocabularies have less than a million. Without a ceiling, an array in the hole of a sparse file
// of some terabytes would keep the reader busy for minutes.
constexpr uint64_t kMaxArrayElements = uint64_t{1} << 24;

// No disk holds more, and it leaves room for sums with padding and header, and for counts of
// values.
constexpr uint64_t kMaxDataBytes = uint64_t{1} << 60;

// Every read is checked against the end; after a failed one nothing has moved.
class Cursor {
 public:
  explicit Cursor(std::span<const std::byte> bytes) : bytes_(bytes) {}

  uint64_t position() const { return position_; }
  uint64_t remaining() const { return bytes_.size() - position_; }

  bool skip(uint64_t count) {
    if (count > remaining()) return false;
    position_ += count;
    return true;
  }

  template <class T>
  bool read(T& out) {
    if (sizeof(T) > remaining()) return false;
    std::memcpy(&out, bytes_.data() + position_, sizeof(T));
    position_ += sizeof(T);
    return true;
  }

  bool skip_string() {
    uint64_t length = 0;
    return read(length) && skip(length);
  }

  bool read_string(std::string_view& out) {
    const uint64_t begin = position_;
    if (!skip_string()) {
      position_ = begin;
      return false;
    }
    const std::span<const std::byte> text = since(begin + sizeof(uint64_t));
    out = {reinterpret_cast<const char*>(text.data()), text.size()};
    return true;
  }

  std::span<const std::byte> since(uint64_t begin) const {
    return bytes_.subspan(begin, position_ - begin);
  }

  // The error of a read that went past the end.
  tl::unexpected<Error> past_end() const {
    return fail(
        Code::kCorrupt,
        "the header goes on past the file's end at byte {}: the download is incomplete or the "
        "file is damaged; download it again",
        bytes_.size());
  }

 private:
  std::span<const std::byte> bytes_;
  uint64_t position_ = 0;
};

uint64_t align_up(uint64_t value, uint64_t alignment) {
  return (value + alignment - 1) & ~(alignment - 1);
}

// Whether the product fits; `product` is meaningless if not.
bool multiply(uint64_t& product, uint64_t factor) {
  return !__builtin_mul_overflow(product, factor, &product);
}

Status check_version(uint32_t version) {
  if (version == kVersion) return {};
  const uint32_t swapped = __builtin_bswap32(version);
  if (swapped >= 1 && swapped <= kVersion) {
    return fail(Code::kUnsupported,
                "is a big-endian GGUF file; gem reads little-endian ones: get the model for this "
                "processor");
  }
  if (version == 1 || version == 2) {
    return fail(
        Code::kUnsupported,
        "is a GGUF file of the old version {}; gem reads version {}: get a newer conversion",
        version, kVersion);
  }
  return fail(Code::kUnsupported, "is a GGUF file of version {}; gem reads version {}", version,
              kVersion);
}

Result<ValueKind> read_kind(Cursor& in) {
  uint32_t number = 0;
  if (!in.read(number)) return in.past_end();
  if (number > static_cast<uint32_t>(ValueKind::kF64)) {
    return fail(Code::kCorrupt, "value kind {} is not one of 0 to 12; download the file again",
                number);
  }
  return static_cast<ValueKind>(number);
}

// `count` is at most kMaxArrayElements.
Status skip_elements(Cursor& in, ValueKind kind, uint64_t count) {
  if (kind == ValueKind::kString) {
    for (uint64_t i = 0; i < count; ++i) {
      if (!in.skip_string()) return in.past_end();
    }
    return {};
  }
  if (!in.skip(fixed_size(kind) * count)) return in.past_end();
  return {};
}

Result<Value> read_value(Cursor& in) {
  GEM_ASSIGN(const ValueKind kind, read_kind(in));
  ValueKind element = kind;
  uint64_t count = 1;
  if (kind == ValueKind::kArray) {
    GEM_ASSIGN(element, read_kind(in));
    if (element == ValueKind::kArray) {
      return fail(Code::kUnsupported, "is an array of arrays, which no model that gem runs has");
    }
    if (!in.read(count)) return in.past_end();
    if (count > kMaxArrayElements) {
      return fail(Code::kCorrupt,
                  "is an array of {} elements, more than {}; download the file again", count,
                  kMaxArrayElements);
    }
  }
  const uint64_t begin = in.position();
  GEM_TRY(skip_elements(in, element, count));
  const std::span<const std::byte> payload = in.since(begin);
  if (element == ValueKind::kBool) {
    for (const std::byte b : payload) {
      if (b > std::byte{1}) {
        return fail(Code::kCorrupt, "a bool has the value {}, not 0 or 1; download the file again",
                    std::to_integer<int>(b));
      }
    }
  }
  return Value(kind, element, count, payload);
}

// A declared tensor without a check of its place in the data section.
Result<TensorInfo> read_tensor(Cursor& in, std::string_view name) {
  TensorInfo tensor{name, 0, {}, 0, 0};
  uint32_t dimensions = 0;
  if (!in.read(dimensions)) return in.past_end();
  if (dimensions < 1 || dimensions > kMaxDimensions) {
    return fail(Code::kCorrupt, "has {} dimensions, not 1 to {}; download the file again",
                dimensions, kMaxDimensions);
  }
  tensor.ne.resize(dimensions);
  for (uint64_t& extent : tensor.ne) {
    if (!in.read(extent)) return in.past_end();
  }
  if (!in.read(tensor.type_number) || !in.read(tensor.offset)) return in.past_end();

  const auto format = known_format(tensor.type_number);
  if (!format) {
    return fail(Code::kUnsupported,
                "has type number {}, which is no tensor type that gem knows; get a Q4_0 file",
                tensor.type_number);
  }
  if (tensor.ne[0] % format->block_values != 0) {
    return fail(
        Code::kCorrupt,
        "has rows of {} values, not a multiple of {}'s block of {}; download the file again",
        tensor.ne[0], format->name, format->block_values);
  }
  tensor.size_bytes = format->block_bytes;
  bool fits = multiply(tensor.size_bytes, tensor.ne[0] / format->block_values);
  for (size_t i = 1; i < tensor.ne.size(); ++i)
    fits = fits && multiply(tensor.size_bytes, tensor.ne[i]);
  if (!fits || tensor.size_bytes == 0 || tensor.size_bytes > kMaxDataBytes) {
    return fail(Code::kCorrupt, "has the impossible shape {}; download the file again",
                tensor.describe());
  }
  return tensor;
}

tl::unexpected<Error> with_context(Error error, std::string_view what) {
  return tl::unexpected<Error>(std::move(error).with_context(what));
}

std::string label(std::string_view what, std::string_view name) {
  return fmt::format("{} \"{}\"", what, quote_for_message(name));
}

Result<std::vector<KeyValue>> read_metadata(Cursor& in, uint64_t count) {
  std::vector<KeyValue> metadata;
  for (uint64_t i = 0; i < count; ++i) {
    std::string_view key;
    if (!in.read_string(key)) return in.past_end();
    if (key.empty() || key.size() > kMaxKeyBytes) {
      return fail(Code::kCorrupt,
                  "metadata entry {} has a key of {} bytes, not 1 to {}; download the file again",
                  i, key.size(), kMaxKeyBytes);
    }
    auto value = read_value(in);
    if (!value) return with_context(std::move(value).error(), label("metadata", key));
    metadata.push_back({key, *value});
  }
  return metadata;
}

Result<std::vector<TensorInfo>> read_tensors(Cursor& in, uint64_t count) {
  std::vector<TensorInfo> tensors;
  for (uint64_t i = 0; i < count; ++i) {
    std::string_view name;
    if (!in.read_string(name)) return in.past_end();
    if (name.empty() || name.size() > kMaxTensorNameBytes) {
      return fail(Code::kCorrupt,
                  "tensor {} has a name of {} bytes, not 1 to {}; download the file again", i,
                  name.size(), kMaxTensorNameBytes);
    }
    auto tensor = read_tensor(in, name);
    if (!tensor) return with_context(std::move(tensor).error(), label("tensor", name));
    tensors.push_back(*std::move(tensor));
  }
  return tensors;
}

Result<uint64_t> read_alignment(const Value& value) {
  const auto alignment = value.as_u32();
  if (alignment && std::has_single_bit(*alignment) && *alignment >= kMinAlignment &&
      *alignment <= kMaxAlignment) {
    return *alignment;
  }
  return fail(Code::kCorrupt, "{} is {}, not a power of two from {} to {}; download the file again",
              kAlignmentKey, alignment ? std::to_string(*alignment) : value.describe(),
              kMinAlignment, kMaxAlignment);
}

// Bytes of the data section up to the end of the last tensor (whose padding may be absent). The
// tensors must lie one after the other in file order, each at the next aligned offset: a gap or an
// overlap is a damaged table.
Result<uint64_t> contiguous_bytes(std::span<const TensorInfo> tensors, uint64_t alignment) {
  uint64_t end = 0;
  for (const TensorInfo& tensor : tensors) {
    const uint64_t begin = align_up(end, alignment);
    if (tensor.offset != begin) {
      return fail(Code::kCorrupt,
                  "{} starts at byte {} of the data, not at {} after the one before it; download "
                  "the file again",
                  label("tensor", tensor.name), tensor.offset, begin);
    }
    if (tensor.size_bytes > kMaxDataBytes - begin) {
      return fail(Code::kCorrupt, "{} has the impossible shape {}; download the file again",
                  label("tensor", tensor.name), tensor.describe());
    }
    end = begin + tensor.size_bytes;
  }
  return end;
}

// The indices 0 .. count-1 in the order of the names that `name_at` gives for them.
template <class NameAt>
std::vector<uint32_t> order_by(size_t count, NameAt name_at) {
  std::vector<uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::sort(order, {}, name_at);
  return order;
}

template <class NameAt>
std::optional<uint32_t> find_in(const std::vector<uint32_t>& order, NameAt name_at,
                                std::string_view wanted) {
  const auto at = std::ranges::lower_bound(order, wanted, {}, name_at);
  if (at == order.end() || name_at(*at) != wanted) return std::nullopt;
  return *at;
}

template <class NameAt>
Status check_distinct(const std::vector<uint32_t>& order, NameAt name_at, std::string_view what) {
  const auto at = std::ranges::adjacent_find(order, {}, name_at);
  if (at == order.end()) return {};
  return fail(Code::kCorrupt, "{} occurs twice; download the file again",
              label(what, name_at(*at)));
}

auto key_at(std::span<const KeyValue> metadata) {
  return [metadata](uint32_t i) { return metadata[i].key; };
}

auto name_at(std::span<const TensorInfo> tensors) {
  return [tensors](uint32_t i) { return tensors[i].name; };
}

}  // namespace

uint64_t TensorInfo::values() const {
  uint64_t product = 1;
  for (const uint64_t extent : ne) product *= extent;
  return product;
}

std::string TensorInfo::describe() const {
  return fmt::format("[{}] {}", fmt::join(ne, ", "), type_name(type_number));
}

Result<File> File::open(const std::string& path) {
  GEM_ASSIGN(MappedFile mapping, MappedFile::open(path));
  const std::span<const std::byte> bytes = mapping.bytes();
  GEM_ASSIGN(File file, parse(bytes, path));
  file.mapping_ = std::move(mapping);
  return file;
}

Result<File> File::parse(std::span<const std::byte> bytes, std::string name) {
  File file;
  file.name_ = std::move(name);
  file.bytes_ = bytes;
  if (Status status = file.read(); !status) {
    return with_context(std::move(status).error(), quote_for_message(file.name_, kMaxPathBytes));
  }
  return file;
}

Status File::read() {
  Cursor in(bytes_);
  uint32_t magic = 0;
  if (!in.read(magic) || magic != kMagic) return tl::unexpected<Error>(not_gguf_error(bytes_));
  uint32_t version = 0;
  if (!in.read(version)) return in.past_end();
  GEM_TRY(check_version(version));
  uint64_t tensor_count = 0;
  uint64_t metadata_count = 0;
  if (!in.read(tensor_count) || !in.read(metadata_count)) return in.past_end();
  if (metadata_count > in.remaining() / kMinMetadataBytes ||
      tensor_count > in.remaining() / kMinTensorBytes) {
    return fail(
        Code::kCorrupt,
        "the header declares {} metadata entries and {} tensors, more than {} bytes can hold: the "
        "download is incomplete or the file is damaged; download it again",
        metadata_count, tensor_count, bytes_.size());
  }

  GEM_ASSIGN(metadata_, read_metadata(in, metadata_count));
  metadata_by_key_ = order_by(metadata_.size(), key_at(metadata_));
  GEM_TRY(check_distinct(metadata_by_key_, key_at(metadata_), "metadata"));
  GEM_ASSIGN(tensors_, read_tensors(in, tensor_count));
  tensors_by_name_ = order_by(tensors_.size(), name_at(tensors_));
  GEM_TRY(check_distinct(tensors_by_name_, name_at(tensors_), "tensor"));

  if (const Value* value = find(kAlignmentKey)) {
    GEM_ASSIGN(alignment_, read_alignment(*value));
  }
  data_begin_ = align_up(in.position(), alignment_);
  GEM_ASSIGN(const uint64_t data_bytes, contiguous_bytes(tensors_, alignment_));
  if (data_bytes > 0 && data_begin_ + data_bytes > bytes_.size()) {
    return fail(Code::kCorrupt,
                "the download is incomplete: {} bytes of {}; resume it or download it again",
                bytes_.size(), data_begin_ + data_bytes);
  }
  return {};
}

const Value* File::find(std::string_view key) const {
  const auto index = find_in(metadata_by_key_, key_at(metadata_), key);
  return index ? &metadata_[*index].value : nullptr;
}

const TensorInfo* File::find_tensor(std::string_view tensor_name) const {
  const auto index = find_in(tensors_by_name_, name_at(tensors_), tensor_name);
  return index ? &tensors_[*index] : nullptr;
}

std::span<const std::byte> File::data(const TensorInfo& tensor) const {
  return bytes_.subspan(data_begin_ + tensor.offset, tensor.size_bytes);
}

Status File::verify_unchanged() const { return mapping_ ? mapping_->verify_unchanged() : Status(); }

}  // namespace gem::gguf
