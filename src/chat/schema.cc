#include "chat/schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>
#include <set>
#include <unordered_map>
#include <utility>

#include "base/text.h"
#include "chat/call_words.h"
#include "chat/schema_simplify.h"

namespace gem {
namespace {

constexpr size_t kMaxNodes = 20000;  // a request of megabytes; what lies beyond is any value
constexpr size_t kMaxForms = 64;     // of one node
constexpr size_t kMaxNotes = 8;
constexpr int kMaxReferenceChain = 64;
constexpr int kMaxAllOfDepth = 16;

constexpr std::array<std::string_view, 16> kFollowed = {
    "type",  "enum",  "const",       "properties", "required", "additionalProperties",
    "items", "anyOf", "oneOf",       "allOf",      "$ref",     "nullable",
    "$defs", "title", "definitions", "description"};
constexpr std::array<std::string_view, 9> kAnnotations = {"default",    "examples", "example",
                                                          "$schema",    "$id",      "$comment",
                                                          "deprecated", "readOnly", "writeOnly"};

TypeSet type_named(std::string_view name) {
  const auto is = [&](std::string_view other) {
    return std::ranges::equal(name, other, [](char a, char b) { return (a | 0x20) == b; });
  };
  if (is("null")) return kNullType;
  if (is("boolean")) return kBooleanType;
  if (is("integer")) return kIntegerType;
  if (is("number")) return kIntegerType | kFractionType;
  if (is("string")) return kStringType;
  if (is("array")) return kArrayType;
  if (is("object")) return kObjectType;
  return kAnyType;
}

TypeSet types_named(const Value& type) {
  if (type.is_string()) return type_named(type.text);
  TypeSet types = 0;
  for (const Value& item : type.items) types |= item.is_string() ? type_named(item.text) : kAnyType;
  return types == 0 ? kAnyType : types;
}

TypeSet type_of(const Value& value) {
  switch (value.kind) {
    case Value::Kind::kNull:
      return kNullType;
    case Value::Kind::kBoolean:
      return kBooleanType;
    case Value::Kind::kNumber:
      return is_integer_text(value.text) ? kIntegerType : kFractionType;
    case Value::Kind::kString:
      return kStringType;
    case Value::Kind::kArray:
      return kArrayType;
    case Value::Kind::kObject:
      return kObjectType;
  }
  return kAnyType;
}

}  // namespace

// Works through a queue instead of recursing: references make schemas as deep as they are long.
class SchemaCompiler {
 public:
  SchemaCompiler(Schema& out, const Value& root) : out_(out), root_(root) {
    out_.nodes_.push_back({.forms = {0}, .types = kAnyType});
    out_.forms_.emplace_back();
    alternatives_.emplace_back();
  }

  void run() {
    if (root_.is_object() && !root_.members.empty()) out_.root_ = node_of(root_, "");
    while (!queue_.empty()) {
      const Pending pending = std::move(queue_.front());
      queue_.pop_front();
      compile(pending);
    }
    for (size_t i = 1; i < out_.nodes_.size(); ++i) flatten(i);
  }

 private:
  struct Pending {
    const Value* schema;
    size_t node;
    std::string path;
  };

  static bool is_followed(std::string_view keyword) {
    return std::ranges::find(kFollowed, keyword) != kFollowed.end() ||
           std::ranges::find(kAnnotations, keyword) != kAnnotations.end();
  }

  void note(const std::string& path, std::string_view keyword) {
    if (out_.unenforced_.size() >= kMaxNotes) return;
    std::string line = path.empty() ? quote_for_message(keyword)
                                    : quote_for_message(path) + ": " + quote_for_message(keyword);
    if (std::ranges::find(out_.unenforced_, line) == out_.unenforced_.end()) {
      out_.unenforced_.push_back(std::move(line));
    }
  }

  const Value* target_of(const Value& schema, const std::string& path) {
    const Value* at = &schema;
    for (int i = 0; i < kMaxReferenceChain; ++i) {
      const Value* reference = at->find("$ref");
      if (reference == nullptr) return at;
      at = reference->is_string() ? resolve_pointer(root_, reference->text) : nullptr;
      if (at == nullptr) break;
    }
    note(path, "$ref");
    return nullptr;
  }

  // The node of a schema, made and queued at its first use: a recursive schema is a loop of nodes.
  Schema::Index node_of(const Value& schema, const std::string& path) {
    if (!schema.is_object()) {
      if (schema.is(Value::Kind::kBoolean) && !schema.boolean) note(path, "false");
      return Schema::kAny;
    }
    const Value* target = target_of(schema, path);
    if (target == nullptr || !target->is_object()) return Schema::kAny;
    const auto [known, is_new] = node_of_.try_emplace(target, out_.nodes_.size());
    if (is_new) {
      if (out_.nodes_.size() == kMaxNodes) {
        node_of_.erase(known);
        note("", fmt::format("what lies beyond {} values", kMaxNodes));
        return Schema::kAny;
      }
      out_.nodes_.emplace_back();
      alternatives_.emplace_back();
      queue_.push_back({target, known->second, path});
    }
    return static_cast<Schema::Index>(known->second);
  }

  void compile(const Pending& pending) {
    for (const char* keyword : {"anyOf", "oneOf"}) {
      const Value* alternatives = pending.schema->find(keyword);
      if (alternatives == nullptr || alternatives->items.empty()) continue;
      // What stands beside the alternatives would have to hold with each of them.
      for (const char* beside : {"properties", "required", "items", "enum", "const", "allOf"}) {
        if (pending.schema->find(beside) != nullptr) note(pending.path, beside);
      }
      for (const Value& alternative : alternatives->items) {
        const Schema::Index node = node_of(alternative, pending.path);  // may move alternatives_
        alternatives_[pending.node].push_back(node);
      }
      return;
    }
    Schema::Form form;
    add_to_form(form, *pending.schema, pending.path, 0);
    out_.nodes_[pending.node].forms = {static_cast<Schema::Index>(out_.forms_.size())};
    out_.forms_.push_back(std::move(form));
  }

  void add_to_form(Schema::Form& form, const Value& schema, const std::string& path, int depth) {
    for (const Value::Member& member : schema.members) {
      if (!is_followed(member.key)) note(path, member.key);
    }
    if (const Value* type = schema.find("type")) {
      form.types = static_cast<TypeSet>(form.types & types_named(*type));
      if (form.types == 0) form.types = kAnyType;
    }
    add_choices(form, schema);
    if (const Value* nullable = schema.find("nullable"); nullable != nullptr && nullable->boolean) {
      form.types |= kNullType;
    }
    add_properties(form, schema, path);
    if (const Value* items = schema.find("items")) form.items = node_of(*items, path + "[]");
    const Value* parts = schema.find("allOf");
    if (parts == nullptr) return;
    for (const Value& part : parts->items) {
      const Value* target = part.is_object() ? target_of(part, path) : nullptr;
      if (target == nullptr || depth == kMaxAllOfDepth || target->find("anyOf") != nullptr ||
          target->find("oneOf") != nullptr) {
        note(path, "allOf");
      } else {
        add_to_form(form, *target, path, depth + 1);
      }
    }
  }

  static void add_choices(Schema::Form& form, const Value& schema) {
    const size_t before = form.choices.size();
    if (const Value* constant = schema.find("const")) form.choices.push_back(*constant);
    if (const Value* choices = schema.find("enum")) {
      form.choices.insert(form.choices.end(), choices->items.begin(), choices->items.end());
    }
    if (form.choices.size() == before) return;
    if (before > 0)
      form.choices.erase(form.choices.begin(),
                         form.choices.begin() + static_cast<std::ptrdiff_t>(before));
    TypeSet types = 0;
    for (const Value& choice : form.choices) types |= type_of(choice);
    // Arrays and objects as choices are not followed: any value of those types will do.
    if (types & (kArrayType | kObjectType)) form.choices.clear();
    const TypeSet common = static_cast<TypeSet>(form.types & types);
    form.types = common != 0 ? common : types;
  }

  void add_properties(Schema::Form& form, const Value& schema, const std::string& path) {
    const Value* properties = schema.find("properties");
    if (properties != nullptr && properties->is_object()) {
      for (const Value::Member& member : properties->members) {
        const std::string below = path.empty() ? member.key : path + "." + member.key;
        form.properties.push_back({member.key, node_of(member.value, below), false});
        if (!is_call_key(member.key)) note(below, "name");
      }
      // A schema that lists properties means these, although JSON Schema would allow more.
      if (!form.properties.empty()) form.other_properties = Schema::kNone;
    }
    if (const Value* other = schema.find("additionalProperties")) {
      const bool is_false = other->is(Value::Kind::kBoolean) && !other->boolean;
      form.other_properties = is_false ? Schema::kNone : node_of(*other, path + ".*");
    }
    if (schema.find("patternProperties") != nullptr) form.other_properties = Schema::kAny;
    const Value* required = schema.find("required");
    if (required == nullptr) return;
    std::set<std::string_view> names;
    for (const Value& name : required->items) names.insert(name.text);
    for (Schema::Property& property : form.properties) {
      if (names.contains(property.name) && is_call_key(property.name)) property.is_required = true;
    }
  }

  // Replaces a node's alternatives by the forms that they lead to.
  void flatten(size_t node) {
    if (!alternatives_[node].empty()) {
      std::set<size_t> seen;
      std::vector<size_t> open = {node};
      std::vector<Schema::Index> forms;
      while (!open.empty() && forms.size() <= kMaxForms) {
        const size_t at = open.back();
        open.pop_back();
        if (!seen.insert(at).second) continue;
        if (alternatives_[at].empty()) {
          forms.insert(forms.end(), out_.nodes_[at].forms.begin(), out_.nodes_[at].forms.end());
        }
        // Backwards, so that forms come out in the given order.
        for (size_t i = alternatives_[at].size(); i-- > 0;) {
          open.push_back(static_cast<size_t>(alternatives_[at][i]));
        }
      }
      if (forms.empty() || forms.size() > kMaxForms) forms = {0};
      flattened_.emplace_back(node, std::move(forms));
    }
    if (node + 1 < out_.nodes_.size()) return;
    for (auto& [index, forms] : flattened_) out_.nodes_[index].forms = std::move(forms);
    for (Schema::Node& each : out_.nodes_) {
      each.types = 0;
      for (const Schema::Index form : each.forms) each.types |= out_.form(form).types;
    }
  }

  Schema& out_;
  const Value& root_;
  std::unordered_map<const Value*, size_t> node_of_;
  std::vector<std::vector<Schema::Index>> alternatives_;  // by node
  std::vector<std::pair<size_t, std::vector<Schema::Index>>> flattened_;
  std::deque<Pending> queue_;
};

Schema::Schema(const Value& parameters) { SchemaCompiler(*this, parameters).run(); }

Schema::Index Schema::property_of(Index node, std::string_view name) const {
  Index found = kNone;
  for (const Index index : forms_of(node)) {
    const Form& each = form(index);
    if ((each.types & kObjectType) == 0) continue;
    if (found != kNone) return kAny;
    found = each.other_properties == kNone ? kAny : each.other_properties;
    for (const Property& property : each.properties) {
      if (property.name == name) found = property.value;
    }
  }
  return found == kNone ? kAny : found;
}

Schema::Index Schema::items_of(Index node) const {
  Index found = kNone;
  for (const Index index : forms_of(node)) {
    if ((form(index).types & kArrayType) == 0) continue;
    if (found != kNone) return kAny;
    found = form(index).items;
  }
  return found == kNone ? kAny : found;
}

ToolSet::ToolSet(const std::vector<Tool>& tools) {
  for (const Tool& tool : tools) {
    if (find(tool.name) == nullptr) entries_.push_back({tool.name, Schema(tool.parameters)});
  }
}

const Schema* ToolSet::find(std::string_view name) const {
  for (const Entry& entry : entries_) {
    if (entry.name == name) return &entry.schema;
  }
  return nullptr;
}

std::string ToolSet::note() const {
  std::string out;
  for (const Entry& entry : entries_) {
    if (entry.schema.unenforced().empty()) continue;
    out += out.empty() ? "schemas followed in part, not enforced: " : "; ";
    out += fmt::format("{} ({})", entry.name, fmt::join(entry.schema.unenforced(), ", "));
  }
  return out;
}

}  // namespace gem
