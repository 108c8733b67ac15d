#include "gguf/identify.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "base/text.h"
#include "base/utf8.h"

namespace gem::gguf {
namespace {

// Enough for every signature, for a whole LFS pointer (about 130 bytes), and to tell text from
// bytes.
constexpr size_t kLookBytes = 512;

std::string_view skip_space(std::string_view text) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  const size_t start = text.find_first_not_of(" \t\r\n");
  return start == std::string_view::npos ? std::string_view() : text.substr(start);
}

bool starts_with_tag(std::string_view text, std::string_view lower_case_tag) {
  if (text.size() < lower_case_tag.size()) return false;
  return std::equal(lower_case_tag.begin(), lower_case_tag.end(), text.begin(),
                    [](char tag, char c) {
                      return tag == static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
                    });
}

bool is_html(std::string_view head) {
  const std::string_view text = skip_space(head);
  for (const std::string_view tag :
       {"<!doctype html", "<html", "<head", "<!--", "<body", "<script"}) {
    if (starts_with_tag(text, tag)) return true;
  }
  return false;
}

// A safetensors file starts with the length of its JSON header, eight bytes, and then the header.
bool is_safetensors(std::string_view head, uint64_t file_bytes) {
  uint64_t header_bytes = 0;
  if (head.size() < sizeof(header_bytes) + 2) return false;
  std::memcpy(&header_bytes, head.data(), sizeof(header_bytes));
  return head.substr(sizeof(header_bytes)).starts_with("{\"") &&
         header_bytes <= file_bytes - sizeof(header_bytes);
}

// Whether `head` is UTF-8 text, cut anywhere, without control bytes.
bool is_text(std::string_view head) {
  while (!head.empty()) {
    const Utf8Step step = utf8_step(head);
    if (step.kind == Utf8Step::Kind::kIncomplete) return true;
    if (step.kind == Utf8Step::Kind::kInvalid) return false;
    if (step.code_point < 0x20 && head.find_first_of("\t\n\r") != 0) return false;
    head.remove_prefix(step.bytes);
  }
  return true;
}

// "7.2 GB" of the size line of a Git LFS pointer, or "its contents".
std::string pointed_size(std::string_view pointer) {
  constexpr std::string_view kField = "\nsize ";
  const size_t field = pointer.find(kField);
  if (field == std::string_view::npos) return "its contents";
  uint64_t bytes = 0;
  for (const char c : pointer.substr(field + kField.size())) {
    if (c < '0' || c > '9' || bytes > UINT64_MAX / 10 - 1) break;
    bytes = bytes * 10 + static_cast<uint64_t>(c - '0');
  }
  return "the file of " + format_bytes(bytes);
}

}  // namespace

Error not_gguf_error(std::span<const std::byte> bytes) {
  const std::string_view head(reinterpret_cast<const char*>(bytes.data()),
                              std::min(bytes.size(), kLookBytes));
  const auto other_format = [](std::string_view what) {
    return Error(Code::kUnsupported,
                 fmt::format("is {}, not a GGUF file; get the model as GGUF", what));
  };

  if (head.empty()) return Error(Code::kCorrupt, "is empty; download it again");
  if (std::string_view("GGUF").starts_with(head)) {
    return Error(
        Code::kCorrupt,
        fmt::format("the download is incomplete: it stopped after {} bytes; download it again",
                    head.size()));
  }
  if (is_html(head)) {
    return Error(Code::kCorrupt,
                 "is a web page (HTML), not a model: the download ended at a log-in or error page; "
                 "download the file itself");
  }
  if (head.starts_with("version https://git-lfs.github.com/spec/")) {
    return Error(Code::kCorrupt,
                 fmt::format("is a Git LFS pointer, not the model: run \"git lfs pull\" "
                             "to get {}, or download it from the web",
                             pointed_size(head)));
  }
  if (is_safetensors(head, bytes.size())) return other_format("a safetensors file");
  if (head.starts_with("PK\x03\x04") || head.starts_with("PK\x05\x06")) {
    return other_format("a zip archive or a PyTorch checkpoint");
  }
  if (head.starts_with("\x1F\x8B")) {
    return Error(Code::kUnsupported, "is compressed with gzip; unpack it first");
  }
  // The predecessors of GGUF, whose magics are little-endian words.
  for (const std::string_view magic : {"lmgg", "tjgg", "fmgg", "algg"}) {
    if (head.starts_with(magic)) {
      return other_format("a model in the old ggml format (before August 2023)");
    }
  }
  const std::string_view text = skip_space(head);
  if (is_text(head)) {
    if (text.starts_with('{') || text.starts_with('[')) return other_format("a JSON text");
    return Error(Code::kUnsupported,
                 fmt::format("is a text (\"{}\"), not a GGUF file; get the model as GGUF",
                             quote_for_message(text, 40)));
  }
  if (head.size() < 4) {
    return Error(Code::kUnsupported,
                 fmt::format("is not a GGUF file: it has only {} bytes; get the model as GGUF",
                             head.size()));
  }
  return Error(
      Code::kUnsupported,
      fmt::format(
          "is not a GGUF file: it starts with \"{}\", not with \"GGUF\"; get the model as GGUF",
          quote_for_message(head.substr(0, 4))));
}

}  // namespace gem::gguf
