#include "chat/schema_simplify.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gem {
namespace {

// A reference may be used many times and hold references itself, so resolving can grow
// exponentially. No tool in the field comes near.
constexpr int kMaxResolvedReferences = 256;
constexpr int kMaxNesting = 24;

bool is_null_schema(const Value& schema) {
  const Value* type = schema.find("type");
  if (type != nullptr) return type->is_string() && type->text == "null";
  const Value* constant = schema.find("const");
  return constant != nullptr && constant->is(Value::Kind::kNull);
}

// The type that all values share; nulls aside.
std::optional<std::string> common_type(const std::vector<const Value*>& values) {
  std::optional<std::string> common;
  for (const Value* value : values) {
    std::string type;
    switch (value->kind) {
      case Value::Kind::kNull:
        continue;
      case Value::Kind::kBoolean:
        type = "boolean";
        break;
      case Value::Kind::kNumber:
        type = is_integer_text(value->text) ? "integer" : "number";
        break;
      case Value::Kind::kString:
        type = "string";
        break;
      case Value::Kind::kArray:
        type = "array";
        break;
      case Value::Kind::kObject:
        type = "object";
        break;
    }
    const bool both_numbers = common && (*common == "integer" || *common == "number") &&
                              (type == "integer" || type == "number");
    if (both_numbers && *common != type) type = "number";
    if (common && *common != type && !both_numbers) return std::nullopt;
    common = type;
  }
  return common;
}

std::optional<std::string> inferred_type(const Value& schema) {
  std::vector<const Value*> values;
  if (const Value* constant = schema.find("const")) values.push_back(constant);
  if (const Value* choices = schema.find("enum")) {
    for (const Value& choice : choices->items) values.push_back(&choice);
  }
  if (!values.empty()) return common_type(values);
  if (const Value* properties = schema.find("properties"); properties && properties->is_object()) {
    return "object";
  }
  if (schema.find("items") != nullptr) return "array";
  return std::nullopt;
}

class Simplifier {
 public:
  explicit Simplifier(const Value& root) : root_(root) {}

  Value simplify(const Value& schema, int depth) {
    if (!schema.is_object() || depth > kMaxNesting) return schema;
    Value out = schema;
    const size_t references_before = open_.size();
    resolve(out);
    choose_alternative(out);
    // The alternative may itself be a reference.
    resolve(out);
    if (out.find("type") == nullptr) {
      if (auto type = inferred_type(out)) out.set("type", Value::string(*type));
    }
    for (auto& [key, value] : out.members) {
      if (key == "properties" && value.is_object()) {
        for (Value::Member& property : value.members) {
          property.value = simplify(property.value, depth + 1);
        }
      } else if (key == "items" || key == "additionalProperties") {
        value = simplify(value, depth + 1);
      }
    }
    open_.resize(references_before);
    return out;
  }

 private:
  // Puts the target in place of a reference; what stands beside the reference wins.
  void resolve(Value& schema) {
    while (const Value* reference = schema.find("$ref")) {
      if (!reference->is_string() || resolved_ == kMaxResolvedReferences) return;
      const Value* target = resolve_pointer(root_, reference->text);
      if (target == nullptr || !target->is_object()) return;
      if (std::ranges::find(open_, target) != open_.end()) return;
      open_.push_back(target);
      ++resolved_;
      Value merged = *target;
      for (Value::Member& member : schema.members) {
        if (member.key != "$ref") merged.set(member.key, std::move(member.value));
      }
      schema = std::move(merged);
    }
  }

  static void choose_alternative(Value& schema) {
    for (const char* keyword : {"anyOf", "oneOf"}) {
      const Value* alternatives = schema.find(keyword);
      if (alternatives == nullptr || !alternatives->is_array()) continue;
      const Value* chosen = nullptr;
      size_t others = 0;
      for (const Value& alternative : alternatives->items) {
        if (is_null_schema(alternative)) continue;
        chosen = &alternative;
        ++others;
      }
      if (others != 1 || !chosen->is_object()) continue;
      Value merged = *chosen;
      if (alternatives->items.size() > 1) merged.set("nullable", Value::of(true));
      for (Value::Member& member : schema.members) {
        if (member.key != keyword) merged.set(member.key, std::move(member.value));
      }
      schema = std::move(merged);
      return;
    }
  }

  const Value& root_;
  std::vector<const Value*> open_;  // targets being expanded: meeting one again is a recursion
  int resolved_ = 0;
};

}  // namespace

Value simplify_schema(const Value& parameters) {
  if (!parameters.is_object() || parameters.members.empty()) return parameters;
  Value out = Simplifier(parameters).simplify(parameters, 0);
  if (const Value* type = out.find("type"); type == nullptr || type->is(Value::Kind::kNull)) {
    out.set("type", Value::string("object"));
  }
  return out;
}

const Value* resolve_pointer(const Value& root, std::string_view reference) {
  if (!reference.starts_with('#')) return nullptr;
  reference.remove_prefix(1);
  const Value* at = &root;
  while (!reference.empty()) {
    if (reference.front() != '/') return nullptr;
    const size_t end = std::min(reference.find('/', 1), reference.size());
    std::string step(reference.substr(1, end - 1));
    reference.remove_prefix(end);
    for (size_t i = step.find('~'); i != std::string::npos && i + 1 < step.size();
         i = step.find('~', i + 1)) {
      step.replace(i, 2, step[i + 1] == '1' ? "/" : "~");
    }
    if (at->is_array()) {
      size_t index = 0;
      const auto [rest, error] = std::from_chars(step.data(), step.data() + step.size(), index);
      if (error != std::errc() || rest != step.data() + step.size()) return nullptr;
      if (index >= at->items.size()) return nullptr;
      at = &at->items[index];
    } else {
      at = at->find(step);
      if (at == nullptr) return nullptr;
    }
  }
  return at;
}

}  // namespace gem
