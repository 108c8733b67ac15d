// A GGUF file with changes: what tests of refusals start from. Headers may say anything that the
// format can express, also types that gem's own writer does not write.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gguf/reader.h"

namespace gem::testing {

class EditedModel {
 public:
  // Copies what `base` says; its matrices are not copied and read as zeros afterwards.
  explicit EditedModel(const gguf::File& base) {
    for (const gguf::KeyValue& entry : base.metadata()) {
      const gguf::Value& value = entry.value;
      std::string encoded = encode(static_cast<uint32_t>(value.kind()));
      if (value.kind() == gguf::ValueKind::kArray) {
        encoded += encode(static_cast<uint32_t>(value.element_kind())) + encode(value.count());
      }
      encoded += text(value.bytes());
      metadata_.emplace_back(entry.key, std::move(encoded));
    }
    for (const gguf::TensorInfo& tensor : base.tensors()) {
      Tensor copy{std::string(tensor.name), tensor.type_number, tensor.ne, {}};
      if (tensor.type_number == static_cast<uint32_t>(gguf::Type::kF32)) {
        copy.data = text(base.data(tensor));
      }
      tensors_.push_back(std::move(copy));
    }
  }

  EditedModel& remove(std::string_view key) {
    std::erase_if(metadata_, [&](const auto& entry) { return entry.first == key; });
    return *this;
  }
  EditedModel& set(std::string_view key, uint32_t value) {
    return put(key, encode(gguf::ValueKind::kU32) + encode(value));
  }
  EditedModel& set(std::string_view key, float value) {
    return put(key, encode(gguf::ValueKind::kF32) + encode(value));
  }
  EditedModel& set(std::string_view key, bool value) {
    return put(key, encode(gguf::ValueKind::kBool) + encode(static_cast<uint8_t>(value)));
  }
  EditedModel& set(std::string_view key, const char* value) {
    return put(key, encode(gguf::ValueKind::kString) + encode_string(value));
  }
  EditedModel& set(std::string_view key, const std::vector<int32_t>& values) {
    std::string out = encode_array(gguf::ValueKind::kI32, values.size());
    for (const int32_t value : values) out += encode(value);
    return put(key, std::move(out));
  }
  EditedModel& set(std::string_view key, const std::vector<uint32_t>& values) {
    std::string out = encode_array(gguf::ValueKind::kU32, values.size());
    for (const uint32_t value : values) out += encode(value);
    return put(key, std::move(out));
  }
  EditedModel& set(std::string_view key, const std::vector<bool>& values) {
    std::string out = encode_array(gguf::ValueKind::kBool, values.size());
    for (const bool value : values) out += encode(static_cast<uint8_t>(value));
    return put(key, std::move(out));
  }
  EditedModel& set(std::string_view key, const std::vector<std::string>& values) {
    std::string out = encode_array(gguf::ValueKind::kString, values.size());
    for (const std::string& value : values) out += encode_string(value);
    return put(key, std::move(out));
  }

  EditedModel& remove_tensor(std::string_view name) {
    std::erase_if(tensors_, [&](const Tensor& tensor) { return tensor.name == name; });
    return *this;
  }
  EditedModel& remove_all_tensors() {
    tensors_.clear();
    return *this;
  }
  EditedModel& add_tensor(std::string_view name, uint32_t type_number, std::vector<uint64_t> ne) {
    tensors_.push_back({std::string(name), type_number, std::move(ne), {}});
    return *this;
  }
  EditedModel& set_type(std::string_view name, uint32_t type_number) {
    find(name).type_number = type_number;
    return *this;
  }
  // Of every tensor with two dimensions, the token table only if asked.
  EditedModel& set_matrix_types(uint32_t type_number, bool also_table = false) {
    for (Tensor& tensor : tensors_) {
      const bool wanted = also_table || tensor.name != "token_embd.weight";
      if (tensor.ne.size() == 2 && wanted) tensor.type_number = type_number;
    }
    return *this;
  }
  EditedModel& set_shape(std::string_view name, std::vector<uint64_t> ne) {
    find(name).ne = std::move(ne);
    return *this;
  }
  EditedModel& set_floats(std::string_view name, const std::vector<float>& values) {
    find(name).data.clear();
    for (const float value : values) find(name).data += encode(value);
    return *this;
  }

  // Writes the file (sparse where there is no data) and opens it.
  gguf::File open(const std::string& path) const {
    constexpr uint64_t kAlignment = 32;
    const auto align = [](uint64_t n) { return (n + kAlignment - 1) / kAlignment * kAlignment; };
    std::string header = "GGUF" + encode(uint32_t{3}) + encode(uint64_t{tensors_.size()}) +
                         encode(uint64_t{metadata_.size()});
    for (const auto& [key, value] : metadata_) header += encode_string(key) + value;
    std::vector<uint64_t> offsets;
    uint64_t end = 0;
    for (const Tensor& tensor : tensors_) {
      header += encode_string(tensor.name) + encode(static_cast<uint32_t>(tensor.ne.size()));
      for (const uint64_t extent : tensor.ne) header += encode(extent);
      header += encode(tensor.type_number) + encode(end);
      offsets.push_back(end);
      end = align(end + size_bytes(tensor));
    }
    header.resize(align(header.size()));
    // A new file, since ext4 waits for the disk when a file is written over.
    std::filesystem::remove(path);
    std::ofstream out(path, std::ios::binary);
    out.write(header.data(), static_cast<std::streamsize>(header.size()));
    for (size_t i = 0; i < tensors_.size(); ++i) {
      out.seekp(static_cast<std::streamoff>(header.size() + offsets[i]));
      out.write(tensors_[i].data.data(), static_cast<std::streamsize>(tensors_[i].data.size()));
    }
    out.close();
    EXPECT_TRUE(out.good()) << path;
    std::filesystem::resize_file(path, header.size() + end);
    auto file = gguf::File::open(path);
    EXPECT_TRUE(file) << file.error().text();
    return std::move(file).value();
  }

 private:
  struct Tensor {
    std::string name;
    uint32_t type_number;
    std::vector<uint64_t> ne;
    std::string data;  // empty: zeros
  };

  template <class T>
  static std::string encode(T value) {
    std::string out(sizeof value, '\0');
    std::memcpy(out.data(), &value, sizeof value);
    return out;
  }
  static std::string encode_string(std::string_view value) {
    return encode(uint64_t{value.size()}) + std::string(value);
  }
  static std::string encode_array(gguf::ValueKind element, size_t count) {
    return encode(gguf::ValueKind::kArray) + encode(element) + encode(uint64_t{count});
  }
  static std::string text(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
  static uint64_t size_bytes(const Tensor& tensor) {
    const auto format = gguf::known_format(tensor.type_number);
    uint64_t values = 1;
    for (const uint64_t extent : tensor.ne) values *= extent;
    return values / format->block_values * format->block_bytes;
  }

  EditedModel& put(std::string_view key, std::string encoded) {
    for (auto& entry : metadata_) {
      if (entry.first != key) continue;
      entry.second = std::move(encoded);
      return *this;
    }
    metadata_.emplace_back(key, std::move(encoded));
    return *this;
  }

  Tensor& find(std::string_view name) {
    const auto found = std::find_if(tensors_.begin(), tensors_.end(),
                                    [&](const Tensor& tensor) { return tensor.name == name; });
    EXPECT_NE(found, tensors_.end()) << name;
    return *found;
  }

  std::vector<std::pair<std::string, std::string>> metadata_;  // key, kind and payload
  std::vector<Tensor> tensors_;
};

}  // namespace gem::testing
