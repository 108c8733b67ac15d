#include "base/utf8.h"

namespace gem {
namespace {

constexpr uint32_t kReplacement = 0xFFFD;

struct Lead {
  uint8_t length;      // 0: not a lead byte
  uint8_t second_min;  // the range of the second byte excludes overlong forms, surrogates and
  uint8_t second_max;  // values above U+10FFFF (Unicode 15, table 3-7)
};

Lead lead_of(uint8_t byte) {
  if (byte < 0x80) return {1, 0, 0};
  if (byte < 0xC2) return {0, 0, 0};
  if (byte < 0xE0) return {2, 0x80, 0xBF};
  if (byte == 0xE0) return {3, 0xA0, 0xBF};
  if (byte == 0xED) return {3, 0x80, 0x9F};
  if (byte < 0xF0) return {3, 0x80, 0xBF};
  if (byte == 0xF0) return {4, 0x90, 0xBF};
  if (byte < 0xF4) return {4, 0x80, 0xBF};
  if (byte == 0xF4) return {4, 0x80, 0x8F};
  return {0, 0, 0};
}

}  // namespace

Utf8Step utf8_step(std::string_view bytes) {
  using Kind = Utf8Step::Kind;
  const auto at = [&](size_t i) { return static_cast<uint8_t>(bytes[i]); };
  const Lead lead = lead_of(at(0));
  if (lead.length == 1) return {Kind::kCharacter, at(0), 1};
  if (lead.length == 0) return {Kind::kInvalid, kReplacement, 1};

  uint32_t code_point = at(0) & (0xFFu >> (lead.length + 1));
  for (uint8_t i = 1; i < lead.length; ++i) {
    if (i == bytes.size()) return {Kind::kIncomplete, kReplacement, i};
    const uint8_t low = i == 1 ? lead.second_min : 0x80;
    const uint8_t high = i == 1 ? lead.second_max : 0xBF;
    if (at(i) < low || at(i) > high) return {Kind::kInvalid, kReplacement, i};
    code_point = code_point << 6 | (at(i) & 0x3Fu);
  }
  return {Kind::kCharacter, code_point, lead.length};
}

void utf8_append(std::string& out, uint32_t code_point) {
  const auto put = [&](uint32_t byte) { out.push_back(static_cast<char>(byte)); };
  if (code_point < 0x80) {
    put(code_point);
  } else if (code_point < 0x800) {
    put(0xC0 | code_point >> 6);
    put(0x80 | (code_point & 0x3F));
  } else if (code_point < 0x10000) {
    put(0xE0 | code_point >> 12);
    put(0x80 | (code_point >> 6 & 0x3F));
    put(0x80 | (code_point & 0x3F));
  } else {
    put(0xF0 | code_point >> 18);
    put(0x80 | (code_point >> 12 & 0x3F));
    put(0x80 | (code_point >> 6 & 0x3F));
    put(0x80 | (code_point & 0x3F));
  }
}

std::string utf8_repair(std::string_view bytes) {
  std::string out;
  out.reserve(bytes.size());
  while (!bytes.empty()) {
    const Utf8Step step = utf8_step(bytes);
    utf8_append(out, step.code_point);
    bytes.remove_prefix(step.bytes);
  }
  return out;
}

bool utf8_valid(std::string_view bytes) {
  while (!bytes.empty()) {
    const Utf8Step step = utf8_step(bytes);
    if (step.kind != Utf8Step::Kind::kCharacter) return false;
    bytes.remove_prefix(step.bytes);
  }
  return true;
}

}  // namespace gem
