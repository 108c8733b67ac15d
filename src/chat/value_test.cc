#include "chat/value.h"

#include <gtest/gtest.h>

#include <string>

namespace gem {
namespace {

Value parse(std::string_view json) {
  auto value = parse_json(json);
  EXPECT_TRUE(value) << json << ": " << value.error().text();
  return value.value_or(Value());
}

std::string nested(size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); }

TEST(Value, KeepsDigitsThatNoDoubleHolds) {
  for (const char* number : {"123456789012345678901234567890", "-9223372036854775809", "0.1",
                             "18446744073709551616", "1e-7", "1.50", "1E+2"}) {
    EXPECT_EQ(to_json(parse(number)), number);
  }
}

TEST(Value, KeepsTheOrderOfMembers) {
  EXPECT_EQ(to_json(parse(R"({"b":1,"a":[true,null],"c":{}})")),
            R"({"b":1,"a":[true,null],"c":{}})");
}

TEST(Value, TakesTheLastOfDuplicateKeysAtTheFirstPlace) {
  EXPECT_EQ(to_json(parse(R"({"a":1,"b":2,"a":3,"a":4})")), R"({"a":4,"b":2})");
}

TEST(Value, ReplacesIllFormedUtf8) {
  EXPECT_EQ(parse("\"a\xFF\xE2\x82z\"").text, "a\xEF\xBF\xBD\xEF\xBF\xBDz");
}

TEST(Value, RefusesDeepNestingAndTakesTheLimit) {
  EXPECT_TRUE(parse_json(nested(kMaxJsonDepth)));
  const auto deep = parse_json(nested(kMaxJsonDepth + 1));
  ASSERT_FALSE(deep);
  EXPECT_EQ(deep.error().code(), Code::kInvalid);
  EXPECT_EQ(deep.error().text(), "JSON nested deeper than 64 levels");
  EXPECT_FALSE(parse_json(std::string(1 << 20, '[')));
}

TEST(Value, RefusesWhatIsNoJson) {
  for (const char* text : {"", " ", "{", "nul", "'a'", "{\"a\":1,}", "01", "1.", "NaN", "[1] 2",
                           "\"\\uD800\"", "\"a", "1e999"}) {
    const auto value = parse_json(text);
    ASSERT_FALSE(value) << text;
    EXPECT_EQ(value.error().code(), Code::kInvalid);
  }
  EXPECT_EQ(parse_json("1e999").error().text(), "a number near byte 5 is too large");
}

TEST(Value, ReadsAParsedDocument) {
  const auto document =
      nlohmann::ordered_json::parse(R"({"z":[1,-2,2.5,"x",null,false],"a":1e300})");
  const auto value = to_value(document);
  ASSERT_TRUE(value);
  EXPECT_EQ(to_json(*value), R"({"z":[1,-2,2.5,"x",null,false],"a":1e+300})");
  EXPECT_FALSE(to_value(nlohmann::ordered_json(std::numeric_limits<double>::infinity())));
  EXPECT_FALSE(to_value(nlohmann::ordered_json::parse(nested(kMaxJsonDepth + 1))));
}

TEST(Value, EscapesAsJsonDoes) {
  EXPECT_EQ(to_json(Value::string("a\"\\\n\x01\x7F\xC3\xA9/")),
            "\"a\\\"\\\\\\n\\u0001\x7F\xC3\xA9/\"");
}

TEST(Value, ComparesAsJson) {
  EXPECT_TRUE(parse(R"({"a":1,"b":2.0})") == parse(R"({"b":2e0,"a":1})"));
  EXPECT_FALSE(parse(R"({"a":1})") == parse(R"({"a":"1"})"));
  EXPECT_FALSE(parse(R"({"a":1})") == parse(R"({"b":1})"));
  EXPECT_FALSE(parse("[1,2]") == parse("[2,1]"));
  // Two integers that are the same double.
  EXPECT_FALSE(parse("9007199254740993") == parse("9007199254740992"));
}

TEST(Value, SetReplacesOrAppends) {
  Value object = parse(R"({"a":1})");
  object.set("a", Value::of(true));
  object.set("b", Value());
  EXPECT_EQ(to_json(object), R"({"a":true,"b":null})");
  EXPECT_EQ(object.find("c"), nullptr);
}

}  // namespace
}  // namespace gem
