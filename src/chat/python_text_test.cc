#include "chat/python_text.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace gem {
namespace {

TEST(PythonText, StripsUnicodeWhiteSpaceAtBothEnds) {
  EXPECT_EQ(python_strip(" \t\n a b \r\f\v"), "a b");
  EXPECT_EQ(python_strip("\xC2\xA0\xE3\x80\x80x\xE2\x80\xA8\xC2\x85\x1C\x1F"), "x");
  EXPECT_EQ(python_strip(" \n"), "");
  EXPECT_EQ(python_strip(""), "");
  // Zero-width space and BOM are no white space, nor is an ill-formed byte.
  EXPECT_EQ(python_strip("\xE2\x80\x8Bx\xEF\xBB\xBF"), "\xE2\x80\x8Bx\xEF\xBB\xBF");
  EXPECT_EQ(python_strip(" \x80x\xA0 "), "\x80x\xA0");
}

TEST(PythonText, LowersLettersOfAllScripts) {
  EXPECT_EQ(python_lower("AZaz09_"), "azaz09_");
  EXPECT_EQ(python_lower("\xC3\x84\xD0\x96\xCE\xA9"), "\xC3\xA4\xD0\xB6\xCF\x89");
  EXPECT_EQ(python_lower("\xC3\x97"), "\xC3\x97");                  // a sign among letters
  EXPECT_EQ(python_lower("\xC4\x80\xC4\x81"), "\xC4\x81\xC4\x81");  // alternating cases
  EXPECT_EQ(python_lower("\xC4\xB0"), "i\xCC\x87");                 // one letter that becomes two
  EXPECT_EQ(python_lower("\xF0\x90\x90\x80"), "\xF0\x90\x90\xA8");  // beyond U+FFFF
}

// The right column was printed by Python 3.
TEST(PythonText, PrintsNumbersAsPython) {
  for (const auto& [json, python] : std::initializer_list<std::pair<const char*, const char*>>{
           {"0.0", "0.0"},
           {"-0.0", "-0.0"},
           {"1e-7", "1e-07"},
           {"1e22", "1e+22"},
           {"1e16", "1e+16"},
           {"1e15", "1000000000000000.0"},
           {"123456789.125", "123456789.125"},
           {"2.0", "2.0"},
           {"0.1", "0.1"},
           {"1e-5", "1e-05"},
           {"0.0001", "0.0001"},
           {"1.5E-3", "0.0015"},
           {"3.14159265358979", "3.14159265358979"},
           {"1e300", "1e+300"},
           {"5e-324", "5e-324"},
           {"1.7976931348623157e308", "1.7976931348623157e+308"},
           {"12345678901234567.0", "1.2345678901234568e+16"},
           {"1E2", "100.0"},
           {"100000000000000000000.0", "1e+20"},
           {"123456789012345678901234567890", "123456789012345678901234567890"},
           {"-0", "0"},
           {"-7", "-7"}}) {
    EXPECT_EQ(python_number(json), python) << json;
  }
}

TEST(PythonText, SortsKeysWithoutCase) {
  const auto object = parse_json(R"({"b":0,"A":0,"a2":0,"B":0,"_":0,"10":0,"\u00c4":0,"z":0})");
  ASSERT_TRUE(object);
  std::string keys;
  for (const Value::Member* member : dictsort(*object)) keys += member->key + " ";
  EXPECT_EQ(keys, "10 _ A a2 b B z \xC3\x84 ");
}

}  // namespace
}  // namespace gem
