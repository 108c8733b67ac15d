#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/utf8.h"

namespace gem {
namespace {

bool is_control(uint32_t code_point) {
  // C0, DEL and C1: the last are control sequences too, in terminals that accept 8-bit controls.
  return code_point < 0x20 || (code_point >= 0x7F && code_point < 0xA0);
}

std::string escape(std::string_view text, bool keep_layout) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Utf8Step step = utf8_step(text);
    const std::string_view bytes = text.substr(0, step.bytes);
    const bool layout = bytes == "\n" || bytes == "\t";
    const bool plain = step.kind == Utf8Step::Kind::kCharacter && !is_control(step.code_point);
    if (plain || (layout && keep_layout)) {
      out += bytes;
    } else if (bytes == "\n") {
      out += "\\n";
    } else if (bytes == "\t") {
      out += "\\t";
    } else {
      for (const char c : bytes) out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    }
    text.remove_prefix(step.bytes);
  }
  return out;
}

size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string escape_for_terminal(std::string_view text) { return escape(text, true); }

std::string quote_for_message(std::string_view text, size_t max_bytes) {
  if (text.size() <= max_bytes) return escape(text, false);
  size_t cut = max_bytes;
  while (cut > 0 && (static_cast<unsigned char>(text[cut]) & 0xC0) == 0x80) --cut;
  return escape(text.substr(0, cut), false) + "...";
}

std::string format_bytes(uint64_t bytes) {
  static constexpr const char* kUnits[] = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
  double value = static_cast<double>(bytes);
  size_t unit = 0;
  while (value >= 999.5 && unit + 1 < std::size(kUnits)) {
    value /= 1000;
    ++unit;
  }
  return unit == 0 ? fmt::format("{} B", bytes) : fmt::format("{:.3g} {}", value, kUnits[unit]);
}

std::string_view nearest_name(std::string_view name, std::span<const std::string_view> candidates) {
  std::string_view best;
  size_t best_distance = std::max<size_t>(1, name.size() / 3) + 1;
  for (const std::string_view candidate : candidates) {
    const size_t distance = edit_distance(name, candidate);
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

}  // namespace gem
