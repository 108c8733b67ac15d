#include "chat/declaration.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/support/chat_output.h"

namespace gem {
namespace {

Tool tool_with(const std::string& parameters) {
  auto value = parse_json(parameters);
  EXPECT_TRUE(value) << parameters;
  return {.name = "f", .description = "d", .parameters = value.value_or(Value())};
}

// What stands between the declaration's braces after the description, quotes as ".
std::string declared(const std::string& parameters) {
  Prompt prompt;
  write_declaration(prompt, tool_with(parameters));
  const std::string text = testing::with_plain_quotes(prompt.text());
  const std::string head = "<|tool>declaration:f{description:\"d\"";
  const std::string tail = "}<tool|>";
  EXPECT_TRUE(text.starts_with(head) && text.ends_with(tail)) << text;
  return text.substr(head.size(), text.size() - head.size() - tail.size());
}

std::string declared_property(const std::string& schema) {
  const std::string text = declared(R"({"type":"object","properties":{"p":)" + schema + "}}");
  const std::string head = ",parameters:{properties:{p:{";
  const std::string tail = "}},type:\"OBJECT\"}";
  EXPECT_TRUE(text.starts_with(head) && text.ends_with(tail)) << text;
  return text.substr(head.size(), text.size() - head.size() - tail.size());
}

TEST(Declaration, OmitsMissingParameters) {
  EXPECT_EQ(declared("null"), "");
  EXPECT_EQ(declared("{}"), "");
}

TEST(Declaration, KeepsPropertiesNamedLikeKeywords) {
  EXPECT_EQ(
      declared(
          R"({"type":"object","properties":{"type":{"type":"string"},"description":{"type":"string"},
                "required":{"type":"boolean"},"nullable":{"type":"boolean"},
                "properties":{"type":"object"}},"required":["type"]})"),
      ",parameters:{properties:{description:{type:\"STRING\"},nullable:{type:\"BOOLEAN\"},"
      "properties:{properties:{},type:\"OBJECT\"},required:{type:\"BOOLEAN\"},type:{type:"
      "\"STRING\"}},"
      "required:[\"type\"],type:\"OBJECT\"}");
  EXPECT_EQ(declared_property(R"({"type":"object","properties":{"type":{"type":"string"}}})"),
            "properties:{type:{type:\"STRING\"}},type:\"OBJECT\"");
}

TEST(Declaration, BalancesBracesWithoutAType) {
  EXPECT_EQ(declared(R"({"properties":{"a":{"type":"string"}}})"),
            ",parameters:{properties:{a:{type:\"STRING\"}},type:\"OBJECT\"}");
}

TEST(Declaration, SaysWhatAnAlternativeOrReferenceMeans) {
  EXPECT_EQ(declared_property(R"({"anyOf":[{"type":"string"},{"type":"null"}],"description":"m"})"),
            "description:\"m\",nullable:true,type:\"STRING\"");
  EXPECT_EQ(declared_property(R"({"enum":["a","b"]})"), "enum:[\"a\",\"b\"],type:\"STRING\"");
  EXPECT_EQ(declared(R"({"type":"object","properties":{"p":{"$ref":"#/$defs/X"}},
                "$defs":{"X":{"type":"integer"}}})"),
            ",parameters:{properties:{p:{type:\"INTEGER\"}},type:\"OBJECT\"}");
}

TEST(Declaration, ListsKeywordsOfAnObjectWithoutProperties) {
  EXPECT_EQ(
      declared_property(
          R"({"type":"object","description":"free","additionalProperties":{"type":"string"}})"),
      "description:\"free\",properties:{additionalProperties:{type:\"STRING\"}},type:\"OBJECT\"");
}

TEST(Declaration, WritesNullAsTheCallNotationDoes) {
  EXPECT_EQ(declared_property(R"({"type":"array","items":{"type":"string","enum":["a",null]}})"),
            "items:{enum:[\"a\",null],type:\"STRING\"},type:\"ARRAY\"");
}

TEST(Declaration, TakesSchemasOfAnyShape) {
  for (
      const char* odd :
      {R"({"type":5,"properties":[],"required":{"a":1}})",
       R"({"type":["string",5],"properties":{"a":null,"b":7,"c":[]}})",
       R"({"type":"object","properties":{"a":{"type":"array","items":[{"type":"string"}]}}})",
       R"({"type":"object","required":"a"})",
       R"({"type":"object","properties":{"a":{"type":"array","items":{"properties":7,"type":{}}}}})"}) {
    Prompt prompt;
    write_declaration(prompt, tool_with(odd));
    write_declaration_official(prompt, tool_with(odd));
    EXPECT_FALSE(prompt.text().empty());
  }
}

}  // namespace
}  // namespace gem
