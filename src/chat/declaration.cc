#include "chat/declaration.h"

#include <algorithm>
#include <array>

#include "chat/call_text.h"
#include "chat/markers.h"
#include "chat/python_text.h"
#include "chat/schema_simplify.h"

namespace gem {
namespace {

bool is_truthy(const Value* value) {
  if (value == nullptr) return false;
  switch (value->kind) {
    case Value::Kind::kNull:
      return false;
    case Value::Kind::kBoolean:
      return value->boolean;
    case Value::Kind::kNumber:
      return number_value(value->text) != 0;
    case Value::Kind::kString:
      return !value->text.empty();
    case Value::Kind::kArray:
      return !value->items.empty();
    case Value::Kind::kObject:
      return !value->members.empty();
  }
  return false;
}

// A type list is printed the way the template's language prints a list of strings.
std::string type_text(const Value* type) {
  if (type == nullptr) return {};
  if (type->is_string()) return ascii_upper(type->text);
  if (!type->is_array()) return {};
  std::string out = "[";
  for (size_t i = 0; i < type->items.size(); ++i) {
    if (i > 0) out += ", ";
    out += '\'' + ascii_upper(type->items[i].text) + '\'';
  }
  return out + "]";
}

class DeclarationWriter {
 public:
  // The template skips properties named like a keyword at every level. That is meant for the
  // fallback below, where the keywords of a schema are listed themselves, and `drops_keyword_names`
  // copies it.
  DeclarationWriter(Prompt& prompt, bool drops_keyword_names)
      : prompt_(prompt), drops_keyword_names_(drops_keyword_names) {
    notation_.quotes_keys = true;
    notation_.null = drops_keyword_names ? "None" : "null";
  }

  void parameters(const Value& schema) {
    const Value* properties = schema.find("properties");
    const Value* type = schema.find("type");
    prompt_.trusted(",parameters:{");
    if (properties != nullptr && is_truthy(properties)) {
      prompt_.trusted("properties:{");
      write_properties(*properties, drops_keyword_names_);
      prompt_.trusted("},");
    }
    if (is_truthy(schema.find("required"))) {
      write_required(*schema.find("required"));
      prompt_.trusted(",");
    }
    // Without a type the template leaves the comma above and one brace too few.
    if (is_truthy(type)) {
      prompt_.trusted("type:");
      prompt_.quoted(type_text(type));
      prompt_.trusted("}");
    }
  }

 private:
  void write_properties(const Value& properties, bool drops_keyword_names) {
    static constexpr std::array<std::string_view, 5> kKeywords = {
        "description", "type", "properties", "required", "nullable"};
    bool first = true;
    for (const Value::Member* member : dictsort(properties)) {
      if (drops_keyword_names && std::ranges::find(kKeywords, member->key) != kKeywords.end())
        continue;
      if (!first) prompt_.trusted(",");
      first = false;
      prompt_.untrusted(member->key);
      prompt_.trusted(":{");
      write_property(member->value);
      prompt_.trusted("}");
    }
  }

  void write_property(const Value& schema) {
    const std::string type = type_text(schema.find("type"));
    const Value* description = schema.find("description");
    if (description != nullptr && description->is_string() && !description->text.empty()) {
      prompt_.trusted("description:");
      prompt_.quoted(description->text);
      prompt_.trusted(",");
    }
    const Value* choices = schema.find("enum");
    if (type == "STRING" && choices != nullptr && choices->is_array() && !choices->items.empty()) {
      prompt_.trusted("enum:");
      write_value(prompt_, *choices, notation_);
      prompt_.trusted(",");
    }
    const Value* items = schema.find("items");
    if (type == "ARRAY" && items != nullptr && items->is_object() && !items->members.empty()) {
      prompt_.trusted("items:{");
      write_items(*items);
      prompt_.trusted("},");
    }
    if (is_truthy(schema.find("nullable"))) prompt_.trusted("nullable:true,");
    if (type == "OBJECT") {
      const Value* properties = schema.find("properties");
      const bool has_properties = properties != nullptr && properties->is_object();
      prompt_.trusted("properties:{");
      // Without properties the template lists the schema's own further keywords in their place.
      write_properties(has_properties ? *properties : schema,
                       drops_keyword_names_ || !has_properties);
      prompt_.trusted("},");
      if (is_truthy(schema.find("required"))) {
        write_required(*schema.find("required"));
        prompt_.trusted(",");
      }
    }
    prompt_.trusted("type:");
    prompt_.quoted(type);
  }

  void write_items(const Value& items) {
    bool first = true;
    for (const Value::Member* member : dictsort(items)) {
      const auto& [key, value] = *member;
      if (value.is(Value::Kind::kNull)) continue;
      if (!first) prompt_.trusted(",");
      first = false;
      if (key == "properties") {
        prompt_.trusted("properties:{");
        write_properties(value, drops_keyword_names_);
        prompt_.trusted("}");
      } else if (key == "required") {
        write_required(value);
      } else if (key == "type") {
        write_items_type(value);
      } else {
        prompt_.untrusted(key);
        prompt_.trusted(":");
        write_value(prompt_, value, notation_);
      }
    }
  }

  void write_items_type(const Value& type) {
    prompt_.trusted("type:");
    if (!type.is_array()) {
      prompt_.quoted(type_text(&type));
      return;
    }
    prompt_.trusted("[");
    for (size_t i = 0; i < type.items.size(); ++i) {
      if (i > 0) prompt_.trusted(",");
      prompt_.quoted(ascii_upper(type.items[i].text));
    }
    prompt_.trusted("]");
  }

  void write_required(const Value& names) {
    prompt_.trusted("required:[");
    for (size_t i = 0; i < names.items.size(); ++i) {
      if (i > 0) prompt_.trusted(",");
      prompt_.quoted(names.items[i].text);
    }
    prompt_.trusted("]");
  }

  Prompt& prompt_;
  bool drops_keyword_names_;
  CallNotation notation_;
};

void write(Prompt& prompt, const Tool& tool, const Value& parameters, bool drops_keyword_names) {
  prompt.trusted(marker::kToolOpen);
  prompt.trusted("declaration:");
  prompt.untrusted(tool.name);
  prompt.trusted("{description:");
  prompt.quoted(tool.description);
  if (is_truthy(&parameters)) DeclarationWriter(prompt, drops_keyword_names).parameters(parameters);
  prompt.trusted("}");
  prompt.trusted(marker::kToolClose);
}

}  // namespace

void write_declaration_official(Prompt& prompt, const Tool& tool) {
  write(prompt, tool, tool.parameters, true);
}

void write_declaration(Prompt& prompt, const Tool& tool) {
  write(prompt, tool, simplify_schema(tool.parameters), false);
}

}  // namespace gem
