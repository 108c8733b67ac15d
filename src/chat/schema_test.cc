#include "chat/schema.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

namespace gem {
namespace {

Schema compile(const std::string& json) {
  auto value = parse_json(json);
  EXPECT_TRUE(value) << json;
  return Schema(value.value_or(Value()));
}

// The types of the property p.
TypeSet types_of(const std::string& property, const std::string& definitions = "{}") {
  const Schema schema = compile(R"({"type":"object","properties":{"p":)" + property +
                                R"(},"$defs":)" + definitions + "}");
  return schema.types_of(schema.property_of(schema.root(), "p"));
}

TEST(Schema, KnowsTheTypes) {
  EXPECT_EQ(types_of(R"({"type":"string"})"), kStringType);
  EXPECT_EQ(types_of(R"({"type":"Integer"})"), kIntegerType);
  EXPECT_EQ(types_of(R"({"type":"number"})"), kIntegerType | kFractionType);
  EXPECT_EQ(types_of(R"({"type":["string","null"]})"), kStringType | kNullType);
  EXPECT_EQ(types_of(R"({"type":"integer","nullable":true})"), kIntegerType | kNullType);
  EXPECT_EQ(types_of(R"({"enum":["a",1]})"), kStringType | kIntegerType);
  EXPECT_EQ(types_of(R"({"const":null})"), kNullType);
  EXPECT_EQ(types_of(R"({"anyOf":[{"type":"string"},{"type":"array"}]})"),
            kStringType | kArrayType);
  EXPECT_EQ(types_of(R"({"allOf":[{"type":["string","integer"]},{"type":["integer","null"]}]})"),
            kIntegerType);
  EXPECT_EQ(types_of("{}"), kAnyType);
  EXPECT_EQ(types_of("true"), kAnyType);
  EXPECT_EQ(types_of(R"({"type":"strange"})"), kAnyType);
}

TEST(Schema, FollowsReferencesAndRecursion) {
  EXPECT_EQ(
      types_of(R"({"$ref":"#/$defs/A"})", R"({"A":{"$ref":"#/$defs/B"},"B":{"type":"boolean"}})"),
      kBooleanType);
  // Loops of references alone mean nothing.
  EXPECT_EQ(types_of(R"({"$ref":"#/$defs/A"})", R"({"A":{"$ref":"#/$defs/A"}})"), kAnyType);
  EXPECT_EQ(types_of(R"({"$ref":"#/$defs/A"})",
                     R"({"A":{"anyOf":[{"$ref":"#/$defs/A"},{"type":"null"}]}})"),
            kNullType);
  const Schema tree = compile(R"({"type":"object","properties":{"left":{"anyOf":[{"type":"string"},
      {"$ref":"#"}]},"items":{"type":"array","items":{"$ref":"#"}}}})");
  const Schema::Index left = tree.property_of(tree.root(), "left");
  EXPECT_EQ(tree.types_of(left), kStringType | kObjectType);
  EXPECT_EQ(tree.property_of(left, "left"), left);
  EXPECT_EQ(tree.items_of(tree.property_of(tree.root(), "items")), tree.root());
}

TEST(Schema, ClosesObjectsThatListProperties) {
  const auto other = [](const std::string& json) {
    const Schema schema = compile(json);
    return schema.form(schema.forms_of(schema.root())[0]).other_properties;
  };
  EXPECT_EQ(other(R"({"properties":{"a":{}}})"), Schema::kNone);
  EXPECT_EQ(other(R"({"properties":{}})"), Schema::kAny);
  EXPECT_EQ(other(R"({"type":"object","additionalProperties":false})"), Schema::kNone);
  EXPECT_EQ(other(R"({"properties":{"a":{}},"additionalProperties":true})"), Schema::kAny);
  EXPECT_EQ(other(R"({"properties":{"a":{}},"patternProperties":{"^x":{}}})"), Schema::kAny);
}

TEST(Schema, NotesWhatItDoesNotFollow) {
  const Schema schema = compile(R"({"type":"object","title":"t","properties":{
      "a":{"type":"string","pattern":"(?=.*a)b","maxLength":65536,"description":"d"},
      "b":{"type":"array","maxItems":10000,"items":{"type":"string","format":"date-time"}},
      "c":{"$ref":"https://example.org/x"},"d":{"not":{}}}})");
  EXPECT_EQ(schema.unenforced(),
            (std::vector<std::string>{"c: $ref", "a: pattern", "a: maxLength", "b: maxItems",
                                      "d: not", "b[]: format"}));
}

TEST(Schema, NotesAFewOnly) {
  std::string properties;
  for (int i = 0; i < 100; ++i) properties += fmt::format(R"("p{}":{{"pattern":"x"}},)", i);
  EXPECT_EQ(compile(R"({"properties":{)" + properties + R"("q":{}}})").unenforced().size(), 8u);
}

TEST(Schema, TakesHugeSchemasQuickly) {
  std::string properties;
  for (int i = 0; i < 25000; ++i) {
    properties +=
        fmt::format(R"("p{}":{{"type":"object","properties":{{"a":{{"type":"string"}}}}}},)", i);
  }
  const Schema schema = compile(R"({"type":"object","properties":{)" + properties + R"("q":{}}})");
  EXPECT_EQ(schema.types_of(schema.property_of(schema.root(), "p0")), kObjectType);
  // Beyond the limit anything goes, and that is noted.
  EXPECT_EQ(schema.types_of(schema.property_of(schema.root(), "p24999")), kAnyType);
  EXPECT_EQ(schema.unenforced(), std::vector<std::string>{"what lies beyond 20000 values"});
}

TEST(Schema, TakesLongChainsOfReferences) {
  std::string definitions = "{";
  for (int i = 0; i < 5000; ++i) {
    definitions += fmt::format(
        R"("{}":{{"type":"object","properties":{{"n":{{"$ref":"#/$defs/{}"}}}}}},)", i, i + 1);
  }
  EXPECT_EQ(types_of(R"({"$ref":"#/$defs/0"})", definitions + R"("5000":{}})"), kObjectType);
}

TEST(ToolSet, FindsToolsAndCollectsNotes) {
  const Tool plain{.name = "plain", .description = {}, .parameters = {}};
  const Tool odd{.name = "odd",
                 .description = {},
                 .parameters = *parse_json(R"({"properties":{"a":{"minimum":1}}})")};
  const ToolSet set({plain, odd, plain});
  EXPECT_EQ(set.entries().size(), 2u);
  EXPECT_NE(set.find("odd"), nullptr);
  EXPECT_EQ(set.find("none"), nullptr);
  EXPECT_EQ(set.note(), "schemas followed in part, not enforced: odd (a: minimum)");
  EXPECT_EQ(ToolSet({plain}).note(), "");
}

}  // namespace
}  // namespace gem
