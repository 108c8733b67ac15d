// What the JSON schemas of tools say about each value, as far as gem follows them: to give
// arguments the declared types, and to constrain what a model may write.
//
// Any schema compiles. What gem does not follow is left out, and noted once for the log.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "chat/message.h"
#include "chat/value.h"

namespace gem {

// A set of JSON types. Every integer is a number; kFraction is the rest of the numbers.
enum TypeBit : uint8_t {
  kNullType = 1,
  kBooleanType = 2,
  kIntegerType = 4,
  kFractionType = 8,
  kStringType = 16,
  kArrayType = 32,
  kObjectType = 64,
};
using TypeSet = uint8_t;
inline constexpr TypeSet kAnyType = 127;

class Schema {
 public:
  using Index = int32_t;
  static constexpr Index kAny = 0;  // the node that allows everything
  static constexpr Index kNone = -1;

  struct Property {
    std::string name;
    Index value = kAny;
    bool is_required = false;  // and can be written as a call's key
  };

  // One way for a value to be right: a schema without anyOf and references.
  struct Form {
    TypeSet types = kAnyType;
    std::vector<Value> choices;  // enum or const; empty: any value of the types
    std::vector<Property> properties;
    Index other_properties = kAny;  // the schema of undeclared ones; kNone: there may be none
    Index items = kAny;
  };

  // `parameters` is an object, or null for anything.
  explicit Schema(const Value& parameters);

  Index root() const { return root_; }
  // The forms of a node, at least one: a value is right if it fits any of them.
  const std::vector<Index>& forms_of(Index node) const {
    return nodes_[static_cast<size_t>(node)].forms;
  }
  const Form& form(Index form) const { return forms_[static_cast<size_t>(form)]; }
  // All types that a node allows.
  TypeSet types_of(Index node) const { return nodes_[static_cast<size_t>(node)].types; }

  // The node of a member or of array items, if exactly one form of `node` says so; else kAny.
  Index property_of(Index node, std::string_view name) const;
  Index items_of(Index node) const;

  // "properties.when: pattern" and so on, at most a few.
  const std::vector<std::string>& unenforced() const { return unenforced_; }

 private:
  friend class SchemaCompiler;
  struct Node {
    std::vector<Index> forms;
    TypeSet types = kAnyType;
  };
  std::vector<Node> nodes_;
  std::vector<Form> forms_;
  std::vector<std::string> unenforced_;
  Index root_ = kAny;
};

// The tools of a request, compiled once and shared by parser and constraint.
class ToolSet {
 public:
  struct Entry {
    std::string name;
    Schema schema;
  };

  // Of tools with the same name the first counts.
  explicit ToolSet(const std::vector<Tool>& tools);

  const std::vector<Entry>& entries() const { return entries_; }
  // nullptr for a name that was not offered.
  const Schema* find(std::string_view name) const;
  // One line for the log about what is not enforced, naming tool and path; empty if there is
  // nothing.
  std::string note() const;

 private:
  std::vector<Entry> entries_;
};

}  // namespace gem
