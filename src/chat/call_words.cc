#include "chat/call_words.h"

#include <algorithm>
#include <utility>

#include "base/utf8.h"

namespace gem {
namespace {

bool is_json_number(std::string_view text) {
  size_t i = 0;
  const auto digits = [&] {
    const size_t start = i;
    while (i < text.size() && text[i] >= '0' && text[i] <= '9') ++i;
    return i - start;
  };
  if (i < text.size() && text[i] == '-') ++i;
  const size_t first = i;
  const size_t whole = digits();
  if (whole == 0 || (whole > 1 && text[first] == '0')) return false;
  if (i < text.size() && text[i] == '.') {
    ++i;
    if (digits() == 0) return false;
  }
  if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
    ++i;
    if (i < text.size() && (text[i] == '+' || text[i] == '-')) ++i;
    if (digits() == 0) return false;
  }
  return i == text.size();
}

// A JSON number that JSON readers take: one beyond a double's range they refuse.
bool is_readable_number(std::string_view text) {
  return is_json_number(text) && nlohmann::ordered_json::accept(text);
}

// 3.0 and 3.00 as 3.
std::string whole_number(std::string_view number) {
  const size_t point = number.find('.');
  const bool is_whole = point != std::string_view::npos &&
                        number.find_first_not_of('0', point + 1) == std::string_view::npos;
  return std::string(is_whole ? number.substr(0, point) : number);
}

// \uXXXX, or a surrogate pair of them. Returns the bytes used, 0 if it is none.
size_t unescape_unicode(std::string_view text, std::string& out) {
  const auto unit = [&](size_t from) -> int32_t {
    if (text.size() < from + 6 || text[from] != '\\' || text[from + 1] != 'u') return -1;
    int32_t value = 0;
    for (size_t i = from + 2; i < from + 6; ++i) {
      const char c = text[i];
      const int32_t digit = c >= '0' && c <= '9'   ? c - '0'
                            : c >= 'a' && c <= 'f' ? c - 'a' + 10
                            : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                                   : -1;
      if (digit < 0) return -1;
      value = value * 16 + digit;
    }
    return value;
  };
  const int32_t high = unit(0);
  if (high < 0) return 0;
  if (high < 0xD800 || high > 0xDFFF) {
    utf8_append(out, static_cast<uint32_t>(high));
    return 6;
  }
  const int32_t low = unit(6);
  if (high > 0xDBFF || low < 0xDC00 || low > 0xDFFF) {
    utf8_append(out, 0xFFFD);
    return 6;
  }
  utf8_append(out, 0x10000 + (static_cast<uint32_t>(high - 0xD800) << 10) +
                       static_cast<uint32_t>(low - 0xDC00));
  return 12;
}

}  // namespace

std::string_view trim_call_space(std::string_view text) {
  const size_t first = text.find_first_not_of(kCallSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kCallSpace) - first + 1);
}

bool is_key_byte(char byte) {
  constexpr std::string_view kStructure = ":{}[](),=\"'`<>|";
  return static_cast<uint8_t>(byte) >= 0x20 && byte != 0x7F &&
         kStructure.find(byte) == std::string_view::npos;
}

bool is_key_start(char byte) { return byte != ' ' && is_key_byte(byte); }

bool is_call_key(std::string_view key) {
  return !key.empty() && is_key_start(key.front()) && key.back() != ' ' &&
         std::ranges::all_of(key, is_key_byte);
}

Value typed_word(std::string_view word, TypeSet types) {
  if (word == "null" || word == "None" || word == "NULL") return {};
  const bool takes_text = (types & kStringType) != 0;
  if ((types & kBooleanType) != 0 || !takes_text) {
    if (word == "true" || word == "True") return Value::of(true);
    if (word == "false" || word == "False") return Value::of(false);
  }
  if (((types & (kIntegerType | kFractionType)) != 0 || !takes_text) && is_readable_number(word)) {
    const bool wants_integer = (types & kFractionType) == 0 && (types & kIntegerType) != 0;
    return Value::number(wants_integer ? whole_number(word) : std::string(word));
  }
  return Value::string(std::string(word));
}

Value typed_string(std::string text, TypeSet types) {
  if ((types & kStringType) != 0) return Value::string(std::move(text));
  Value word = typed_word(trim_call_space(text), types);
  const bool fits = (word.is(Value::Kind::kBoolean) && (types & kBooleanType) != 0) ||
                    (word.is(Value::Kind::kNumber) &&
                     (types & (is_integer_text(word.text) ? kIntegerType : kFractionType)) != 0) ||
                    (word.is(Value::Kind::kNull) && (types & kNullType) != 0);
  if (fits) return word;
  if ((types & (kArrayType | kObjectType)) != 0) {
    auto json = parse_json(text);
    if (json && ((json->is_array() && (types & kArrayType) != 0) ||
                 (json->is_object() && (types & kObjectType) != 0))) {
      return *std::move(json);
    }
  }
  return Value::string(std::move(text));
}

std::string unescape_json(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      out += text[i];
      continue;
    }
    constexpr std::string_view kEscapes = "\"\\/bfnrt'";
    constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t'";
    const size_t escape = kEscapes.find(text[i + 1]);
    if (escape != std::string_view::npos) {
      out += kMeanings[escape];
      ++i;
    } else if (const size_t used = unescape_unicode(text.substr(i), out); used > 0) {
      i += used - 1;
    } else {
      out += text[i];
    }
  }
  return out;
}

}  // namespace gem
