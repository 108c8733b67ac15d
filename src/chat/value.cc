#include "chat/value.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>
#include <utility>

#include "base/check.h"
#include "base/utf8.h"

namespace gem {
namespace {

using nlohmann::ordered_json;

// Receives nlohmann's parse events, which carry the digits that its DOM would round away.
class Builder {
 public:
  using number_integer_t = ordered_json::number_integer_t;
  using number_unsigned_t = ordered_json::number_unsigned_t;
  using number_float_t = ordered_json::number_float_t;
  using string_t = ordered_json::string_t;
  using binary_t = ordered_json::binary_t;

  bool null() { return add(Value()); }
  bool boolean(bool value) { return add(Value::of(value)); }
  bool number_integer(number_integer_t value) { return add(Value::number(fmt::to_string(value))); }
  bool number_unsigned(number_unsigned_t value) {
    return add(Value::number(fmt::to_string(value)));
  }
  bool number_float(number_float_t, const string_t& digits) { return add(Value::number(digits)); }
  bool string(string_t& text) { return add(Value::string(std::move(text))); }
  bool binary(binary_t&) { return false; }
  bool start_object(size_t) { return open(Value::object()); }
  bool start_array(size_t) { return open(Value::array()); }
  bool key(string_t& text) {
    keys_.back() = std::move(text);
    return true;
  }
  bool end_object() {
    drop_duplicate_keys(open_.back().members);
    return close();
  }
  bool end_array() { return close(); }
  bool parse_error(size_t position, const std::string&, const nlohmann::detail::exception& error) {
    constexpr int kOutOfRange = 406;
    problem_ = error.id == kOutOfRange ? fmt::format("a number near byte {} is too large", position)
                                       : fmt::format("not valid JSON at byte {}", position);
    return false;
  }

  const std::string& problem() const { return problem_; }
  Value take() { return std::move(root_); }

 private:
  bool open(Value container) {
    if (open_.size() == kMaxJsonDepth) {
      problem_ = fmt::format("JSON nested deeper than {} levels", kMaxJsonDepth);
      return false;
    }
    open_.push_back(std::move(container));
    keys_.emplace_back();
    return true;
  }
  bool close() {
    Value done = std::move(open_.back());
    open_.pop_back();
    keys_.pop_back();
    return add(std::move(done));
  }
  bool add(Value value) {
    if (open_.empty()) {
      root_ = std::move(value);
    } else if (open_.back().is_array()) {
      open_.back().items.push_back(std::move(value));
    } else {
      open_.back().members.push_back({std::move(keys_.back()), std::move(value)});
    }
    return true;
  }

  std::vector<Value> open_;
  std::vector<std::string> keys_;  // the pending key of each open container
  Value root_;
  std::string problem_;
};

Status convert(const ordered_json& json, int depth, Value& out) {
  if (json.is_structured() && depth == kMaxJsonDepth) {
    return fail(Code::kInvalid, "JSON nested deeper than {} levels", kMaxJsonDepth);
  }
  switch (json.type()) {
    case ordered_json::value_t::boolean:
      out = Value::of(json.get<bool>());
      return {};
    case ordered_json::value_t::number_integer:
    case ordered_json::value_t::number_unsigned:
    case ordered_json::value_t::number_float:
      if (json.is_number_float() && !std::isfinite(json.get<double>())) {
        return fail(Code::kInvalid, "a number that is not finite");
      }
      out = Value::number(json.dump());
      return {};
    case ordered_json::value_t::string:
      out = Value::string(utf8_repair(json.get_ref<const std::string&>()));
      return {};
    case ordered_json::value_t::array:
      out = Value::array();
      for (const ordered_json& item : json) {
        GEM_TRY(convert(item, depth + 1, out.items.emplace_back()));
      }
      return {};
    case ordered_json::value_t::object:
      out = Value::object();
      for (const auto& [key, item] : json.items()) {
        out.members.push_back({utf8_repair(key), Value()});
        GEM_TRY(convert(item, depth + 1, out.members.back().value));
      }
      drop_duplicate_keys(out.members);
      return {};
    default:
      out = Value();
      return {};
  }
}

void write(std::string& out, const Value& value) {
  using Kind = Value::Kind;
  switch (value.kind) {
    case Kind::kNull:
      out += "null";
      return;
    case Kind::kBoolean:
      out += value.boolean ? "true" : "false";
      return;
    case Kind::kNumber:
      out += value.text;
      return;
    case Kind::kString:
      append_json_string(out, value.text);
      return;
    case Kind::kArray:
      out += '[';
      for (size_t i = 0; i < value.items.size(); ++i) {
        if (i > 0) out += ',';
        write(out, value.items[i]);
      }
      out += ']';
      return;
    case Kind::kObject:
      out += '{';
      for (size_t i = 0; i < value.members.size(); ++i) {
        if (i > 0) out += ',';
        append_json_string(out, value.members[i].key);
        out += ':';
        write(out, value.members[i].value);
      }
      out += '}';
      return;
  }
}

}  // namespace

Value Value::of(bool boolean) {
  Value value;
  value.kind = Kind::kBoolean;
  value.boolean = boolean;
  return value;
}

Value Value::string(std::string text) {
  Value value;
  value.kind = Kind::kString;
  value.text = std::move(text);
  return value;
}

Value Value::number(std::string text) {
  Value value;
  value.kind = Kind::kNumber;
  value.text = std::move(text);
  return value;
}

Value Value::array() {
  Value value;
  value.kind = Kind::kArray;
  return value;
}

Value Value::object() {
  Value value;
  value.kind = Kind::kObject;
  return value;
}

const Value* Value::find(std::string_view key) const {
  for (const Member& member : members) {
    if (member.key == key) return &member.value;
  }
  return nullptr;
}

void Value::set(std::string_view key, Value value) {
  GEM_CHECK(is_object());
  for (Member& member : members) {
    if (member.key != key) continue;
    member.value = std::move(value);
    return;
  }
  members.push_back({std::string(key), std::move(value)});
}

bool Value::operator==(const Value& other) const {
  if (kind != other.kind || members.size() != other.members.size()) return false;
  switch (kind) {
    case Kind::kNull:
      return true;
    case Kind::kBoolean:
      return boolean == other.boolean;
    case Kind::kNumber:
      if (text == other.text) return true;
      // Two spellings of integers differ in digits that a double may not hold.
      if (is_integer_text(text) && is_integer_text(other.text)) return false;
      return number_value(text) == number_value(other.text);
    case Kind::kString:
      return text == other.text;
    case Kind::kArray:
      return items == other.items;
    case Kind::kObject: {
      const auto sorted = [](const Value& object) {
        std::vector<const Member*> by_key;
        for (const Member& member : object.members) by_key.push_back(&member);
        std::sort(by_key.begin(), by_key.end(),
                  [](const Member* a, const Member* b) { return a->key < b->key; });
        return by_key;
      };
      return std::ranges::equal(sorted(*this), sorted(other), [](const Member* a, const Member* b) {
        return a->key == b->key && a->value == b->value;
      });
    }
  }
  return false;
}

std::string_view kind_name(Value::Kind kind) {
  switch (kind) {
    case Value::Kind::kNull:
      return "null";
    case Value::Kind::kBoolean:
      return "a boolean";
    case Value::Kind::kNumber:
      return "a number";
    case Value::Kind::kString:
      return "a string";
    case Value::Kind::kArray:
      return "an array";
    case Value::Kind::kObject:
      return "an object";
  }
  return "";
}

Result<Value> parse_json(std::string_view json) {
  Builder builder;
  const bool read = utf8_valid(json) ? ordered_json::sax_parse(json, &builder)
                                     : ordered_json::sax_parse(utf8_repair(json), &builder);
  if (!read) return fail(Code::kInvalid, "{}", builder.problem());
  return builder.take();
}

Result<Value> to_value(const ordered_json& json) {
  Value value;
  GEM_TRY(convert(json, 0, value));
  return value;
}

std::string to_json(const Value& value) {
  std::string out;
  write(out, value);
  return out;
}

void append_json_string(std::string& out, std::string_view text) {
  constexpr bool kEscapeNonAscii = false;
  out += ordered_json(text).dump(-1, ' ', kEscapeNonAscii, ordered_json::error_handler_t::replace);
}

// Sorting instead of searching keeps an object of n members from costing n * n.
void drop_duplicate_keys(std::vector<Value::Member>& members) {
  std::vector<size_t> order(members.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return std::tie(members[a].key, a) < std::tie(members[b].key, b);
  });
  std::vector<bool> dropped(members.size());
  bool any = false;
  for (size_t i = 0; i < order.size();) {
    size_t last = i;
    while (last + 1 < order.size() && members[order[last + 1]].key == members[order[i]].key) ++last;
    if (last > i) {
      members[order[i]].value = std::move(members[order[last]].value);
      for (size_t j = i + 1; j <= last; ++j) dropped[order[j]] = true;
      any = true;
    }
    i = last + 1;
  }
  if (!any) return;
  size_t kept = 0;
  for (size_t i = 0; i < members.size(); ++i) {
    if (dropped[i]) continue;
    if (kept != i) members[kept] = std::move(members[i]);
    ++kept;
  }
  members.resize(kept);
}

bool is_integer_text(std::string_view number) {
  return number.find_first_of(".eE") == std::string_view::npos;
}

double number_value(std::string_view number) {
  const ordered_json json = ordered_json::parse(number, nullptr, false);
  return json.is_number() ? json.get<double>() : 0.0;
}

}  // namespace gem
