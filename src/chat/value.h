// A JSON value as the chat module needs it: objects keep their order, and numbers keep their
// digits, which a double or a 64-bit integer would lose. Reading and writing JSON is nlohmann's
// work.
#pragma once
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace gem {

// Nesting beyond this is refused everywhere: requests, schemas, calls that a model writes.
inline constexpr int kMaxJsonDepth = 64;

struct Value {
  enum class Kind : uint8_t { kNull, kBoolean, kNumber, kString, kArray, kObject };
  struct Member;

  Kind kind = Kind::kNull;
  bool boolean = false;
  std::string
      text;  // kString: its characters, valid UTF-8; kNumber: a JSON number as it was written
  std::vector<Value> items;     // kArray
  std::vector<Member> members;  // kObject: distinct keys in the order of their first appearance

  static Value of(bool boolean);
  static Value string(std::string text);
  static Value number(std::string text);
  static Value array();
  static Value object();

  bool is(Kind other) const { return kind == other; }
  bool is_string() const { return kind == Kind::kString; }
  bool is_array() const { return kind == Kind::kArray; }
  bool is_object() const { return kind == Kind::kObject; }

  // The member's value, or nullptr: also when this is no object.
  const Value* find(std::string_view key) const;
  // Replaces or appends a member; this must be an object.
  void set(std::string_view key, Value value);

  // Equal as JSON: member order and the spelling of numbers (1.0, 1e0) do not matter.
  bool operator==(const Value& other) const;
};

struct Value::Member {
  std::string key;
  Value value;
};

// "null", "a boolean", "a number", "a string", "an array", "an object": for errors.
std::string_view kind_name(Value::Kind kind);

// Reads one JSON text. Ill-formed UTF-8 is replaced by U+FFFD; of duplicate keys the last value
// wins. Returns kInvalid for anything else: a syntax error, a number beyond a double's range, an
// unpaired surrogate escape, deeper nesting than kMaxJsonDepth.
Result<Value> parse_json(std::string_view json);

// For callers that hold a parsed document already. What its reader rounded stays rounded. Returns
// kInvalid for what parse_json would refuse.
Result<Value> to_value(const nlohmann::ordered_json& json);

// Compact JSON text. Numbers are written as they were read.
std::string to_json(const Value& value);
void append_json_string(std::string& out, std::string_view text);

// Keeps the last value of each key, at the place of the first.
void drop_duplicate_keys(std::vector<Value::Member>& members);

// A JSON number without fraction and exponent.
bool is_integer_text(std::string_view number);
// The nearest double of a JSON number, whatever the process's locale.
double number_value(std::string_view number);

}  // namespace gem
