// Fuzz target of the GGUF reader: every accessor over whatever parses, and the writer's copy of it,
// which must parse to the same.
//
// Covers: src/gguf/reader.cc src/gguf/value.cc src/gguf/identify.cc src/gguf/writer.cc
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "base/check.h"
#include "gguf/reader.h"
#include "gguf/writer.h"

namespace gem::gguf {
namespace {

void check_error(const Error& error) {
  const std::string& text = error.text();
  GEM_CHECK(text.starts_with("fuzz: "));
  // Whatever the file contains, the message is one line without control bytes.
  GEM_CHECK(std::ranges::none_of(text, [](char c) { return (c >= 0 && c < 0x20) || c == 0x7F; }));
}

bool same_bytes(std::span<const std::byte> a, std::span<const std::byte> b) {
  return std::ranges::equal(a, b);
}

// Adds `value` through the typed accessors and writers where there are any.
void add_value(Writer& writer, std::string_view key, const Value& value) {
  GEM_CHECK(!value.describe().empty());
  if (const auto u32 = value.as_u32()) return writer.add_u32(key, *u32);
  if (const auto i32 = value.as_i32()) return writer.add_i32(key, *i32);
  if (const auto f32 = value.as_f32()) return writer.add_f32(key, *f32);
  if (const auto flag = value.as_bool()) return writer.add_bool(key, *flag);
  if (const auto text = value.as_string()) return writer.add_string(key, *text);
  if (const auto list = value.as_i32_array()) return writer.add_i32_array(key, *list);
  if (const auto list = value.as_f32_array()) return writer.add_f32_array(key, *list);
  if (const auto list = value.as_bool_array()) return writer.add_bool_array(key, *list);
  if (const auto list = value.as_string_array()) return writer.add_string_array(key, *list);
  if (const auto list = value.as_u32_array()) GEM_CHECK(list->size() == value.count());
  if (const auto integer = value.as_integer()) GEM_CHECK(value.bytes().size() <= 8);
  writer.add_copy(key, value);
}

void check_first_block(Type type, std::span<const std::byte> data) {
  std::vector<float> values(block_format(type).block_values);
  dequantize(type, data.data(), values);
  if (!std::ranges::all_of(values, [](float value) { return std::isfinite(value); })) return;
  std::vector<std::byte> again(row_bytes(type, values.size()));
  quantize(type, values, again.data());
  dequantize(type, again.data(), values);
}

void check_file(const File& file) {
  Writer writer(file.alignment());
  for (const KeyValue& entry : file.metadata()) {
    GEM_CHECK(file.find(entry.key) == &entry.value);
    if (entry.key != kAlignmentKey) add_value(writer, entry.key, entry.value);
  }
  std::vector<const TensorInfo*> readable;
  for (const TensorInfo& tensor : file.tensors()) {
    GEM_CHECK(file.find_tensor(tensor.name) == &tensor);
    GEM_CHECK(!tensor.describe().empty() && tensor.values() > 0);
    GEM_CHECK(file.data(tensor).size() == tensor.size_bytes);
    if (!is_readable(tensor.type_number)) continue;
    const auto type = static_cast<Type>(tensor.type_number);
    check_first_block(type, file.data(tensor));
    writer.add_tensor(tensor.name, type, tensor.ne);
    readable.push_back(&tensor);
  }
  GEM_CHECK(file.verify_unchanged().has_value());

  const std::vector<std::byte> header = writer.header();
  std::vector<std::byte> bytes(writer.file_bytes());
  std::memcpy(bytes.data(), header.data(), header.size());
  for (size_t i = 0; i < readable.size(); ++i) {
    const std::span<const std::byte> data = file.data(*readable[i]);
    std::memcpy(bytes.data() + header.size() + writer.tensor_offset(i), data.data(), data.size());
  }
  const auto copy = File::parse(bytes, "copy");
  GEM_CHECK(copy.has_value() && copy->tensors().size() == readable.size());
  for (const KeyValue& entry : file.metadata()) {
    if (entry.key == kAlignmentKey) continue;
    const Value* value = copy->find(entry.key);
    GEM_CHECK(value != nullptr && value->describe() == entry.value.describe());
    GEM_CHECK(same_bytes(value->bytes(), entry.value.bytes()));
  }
  for (size_t i = 0; i < readable.size(); ++i) {
    GEM_CHECK(copy->tensors()[i].describe() == readable[i]->describe());
    GEM_CHECK(same_bytes(copy->data(copy->tensors()[i]), file.data(*readable[i])));
  }
}

}  // namespace
}  // namespace gem::gguf

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto file =
      gem::gguf::File::parse({reinterpret_cast<const std::byte*>(data), size}, "fuzz");
  if (file) {
    gem::gguf::check_file(*file);
  } else {
    gem::gguf::check_error(file.error());
  }
  return 0;
}
