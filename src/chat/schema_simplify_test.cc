#include "chat/schema_simplify.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

namespace gem {
namespace {

Value parse(const std::string& json) {
  auto value = parse_json(json);
  EXPECT_TRUE(value) << json;
  return value.value_or(Value());
}

// The simplified schema of the property p of an object.
std::string simplified(const std::string& property, const std::string& definitions = "{}") {
  const Value out = simplify_schema(parse(R"({"type":"object","properties":{"p":)" + property +
                                          R"(},"$defs":)" + definitions + "}"));
  return to_json(*out.find("properties")->find("p"));
}

TEST(SchemaSimplify, LeavesPlainSchemasAlone) {
  const std::string plain =
      R"({"type":"object","properties":{"a":{"type":"array","items":{"type":"string"}}},"required":["a"]})";
  EXPECT_EQ(to_json(simplify_schema(parse(plain))), plain);
  EXPECT_EQ(to_json(simplify_schema(parse("{}"))), "{}");
  EXPECT_EQ(to_json(simplify_schema(Value())), "null");
}

TEST(SchemaSimplify, TakesParametersWithoutTypeAsAnObject) {
  EXPECT_EQ(to_json(simplify_schema(parse(R"({"required":["a"]})"))),
            R"({"required":["a"],"type":"object"})");
}

TEST(SchemaSimplify, ResolvesLocalReferences) {
  const std::string definitions =
      R"({"X":{"type":"string","description":"x"},"a/b~c":{"type":"integer"}})";
  EXPECT_EQ(simplified(R"({"$ref":"#/$defs/X"})", definitions),
            R"({"type":"string","description":"x"})");
  EXPECT_EQ(simplified(R"({"$ref":"#/$defs/X","description":"mine"})", definitions),
            R"({"type":"string","description":"mine"})");
  EXPECT_EQ(simplified(R"({"$ref":"#/$defs/a~1b~0c"})", definitions), R"({"type":"integer"})");
  EXPECT_EQ(simplified(R"({"type":"array","items":{"$ref":"#/$defs/X"}})", definitions),
            R"({"type":"array","items":{"type":"string","description":"x"}})");
}

TEST(SchemaSimplify, LeavesReferencesItCannotResolve) {
  for (const char* reference : {R"({"$ref":"#/$defs/none"})", R"({"$ref":"https://x.org/y"})",
                                R"({"$ref":7})", R"({"$ref":"#x"})"}) {
    EXPECT_EQ(simplified(reference), reference);
  }
}

TEST(SchemaSimplify, ResolvesARecursiveSchemaOnce) {
  const std::string tree = R"({"N":{"type":"object","properties":{"next":{"$ref":"#/$defs/N"}}}})";
  EXPECT_EQ(simplified(R"({"$ref":"#/$defs/N"})", tree),
            R"({"type":"object","properties":{"next":{"$ref":"#/$defs/N"}}})");
}

TEST(SchemaSimplify, BoundsWhatReferencesGrowTo) {
  // Each level uses the next one twice: 2^40 schemas if they were all resolved.
  std::string definitions = "{";
  for (int i = 0; i < 40; ++i) {
    definitions += fmt::format(
        R"("{}":{{"type":"object","properties":{{"a":{{"$ref":"#/$defs/{}"}},"b":{{"$ref":"#/$defs/{}"}}}}}},)",
        i, i + 1, i + 1);
  }
  EXPECT_LT(simplified(R"({"$ref":"#/$defs/0"})", definitions + R"("40":{}})").size(), 100000u);
}

TEST(SchemaSimplify, TakesTheOneAlternativeBesideNull) {
  EXPECT_EQ(simplified(R"({"anyOf":[{"type":"string"},{"type":"null"}],"description":"d"})"),
            R"({"type":"string","nullable":true,"description":"d"})");
  EXPECT_EQ(simplified(R"({"oneOf":[{"const":null},{"type":"integer"}]})"),
            R"({"type":"integer","nullable":true})");
  EXPECT_EQ(simplified(R"({"oneOf":[{"type":"integer"}]})"), R"({"type":"integer"})");
  EXPECT_EQ(simplified(R"({"anyOf":[{"$ref":"#/$defs/X"},{"type":"null"}]})",
                       R"({"X":{"type":"number"}})"),
            R"({"type":"number","nullable":true})");
  const std::string two = R"({"anyOf":[{"type":"string"},{"type":"integer"}]})";
  EXPECT_EQ(simplified(two), two);
}

TEST(SchemaSimplify, InfersAMissingType) {
  EXPECT_EQ(simplified(R"({"enum":["a","b"]})"), R"({"enum":["a","b"],"type":"string"})");
  EXPECT_EQ(simplified(R"({"enum":[1,2.5]})"), R"({"enum":[1,2.5],"type":"number"})");
  EXPECT_EQ(simplified(R"({"enum":[1,null]})"), R"({"enum":[1,null],"type":"integer"})");
  EXPECT_EQ(simplified(R"({"enum":[1,"a"]})"), R"({"enum":[1,"a"]})");
  EXPECT_EQ(simplified(R"({"const":true})"), R"({"const":true,"type":"boolean"})");
  EXPECT_EQ(simplified(R"({"properties":{}})"), R"({"properties":{},"type":"object"})");
  EXPECT_EQ(simplified(R"({"items":{}})"), R"({"items":{},"type":"array"})");
  EXPECT_EQ(simplified(R"({"description":"d"})"), R"({"description":"d"})");
  EXPECT_EQ(simplified("true"), "true");
}

TEST(SchemaPointer, WalksObjectsAndArrays) {
  const Value root = parse(R"({"a":[{"b":1}],"":{"c":2}})");
  EXPECT_EQ(resolve_pointer(root, "#"), &root);
  EXPECT_EQ(to_json(*resolve_pointer(root, "#/a/0/b")), "1");
  EXPECT_EQ(to_json(*resolve_pointer(root, "#//c")), "2");
  for (const char* wrong : {"", "/a", "#/a/1", "#/a/x", "#/a/0x", "#/a/-1", "#/z", "#a"}) {
    EXPECT_EQ(resolve_pointer(root, wrong), nullptr) << wrong;
  }
}

}  // namespace
}  // namespace gem
