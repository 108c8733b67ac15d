#include "base/utf8.h"

#include <gtest/gtest.h>

namespace gem {
namespace {

using Kind = Utf8Step::Kind;

bool is_surrogate(uint32_t code_point) { return code_point >= 0xD800 && code_point < 0xE000; }

TEST(Utf8, RoundTripsEveryScalarValue) {
  for (uint32_t code_point = 0; code_point <= 0x10FFFF; ++code_point) {
    if (is_surrogate(code_point)) continue;
    std::string bytes;
    utf8_append(bytes, code_point);
    const Utf8Step step = utf8_step(bytes);
    ASSERT_EQ(step.kind, Kind::kCharacter) << code_point;
    ASSERT_EQ(step.code_point, code_point);
    ASSERT_EQ(step.bytes, bytes.size()) << code_point;
    // Every proper part of a character is incomplete, not wrong: the rest may still come.
    for (size_t size = 1; size < bytes.size(); ++size) {
      const Utf8Step part = utf8_step(std::string_view(bytes).substr(0, size));
      ASSERT_EQ(part.kind, Kind::kIncomplete) << code_point;
      ASSERT_EQ(part.bytes, size) << code_point;
      ASSERT_EQ(part.code_point, 0xFFFDu) << code_point;
    }
  }
}

TEST(Utf8, HasTheExpectedForms) {
  const auto form = [](uint32_t code_point) {
    std::string bytes;
    utf8_append(bytes, code_point);
    return bytes;
  };
  EXPECT_EQ(form(0x24), "$");
  EXPECT_EQ(form(0xE4), "ä");
  EXPECT_EQ(form(0x20AC), "€");
  EXPECT_EQ(form(0x1F642), "🙂");
}

// Of all sequences of four bytes, exactly the forms of the scalar values are characters: a count
// over the first two bytes, with continuation bytes behind them, covers every rule of the table.
TEST(Utf8, AcceptsNothingButScalarValues) {
  size_t two = 0, three = 0, four = 0;
  for (unsigned lead = 0x80; lead <= 0xFF; ++lead) {
    for (unsigned second = 0; second <= 0xFF; ++second) {
      const std::string bytes = {static_cast<char>(lead), static_cast<char>(second), '\x80',
                                 '\x80'};
      const Utf8Step step = utf8_step(bytes);
      if (step.kind != Kind::kCharacter) continue;
      ASSERT_FALSE(is_surrogate(step.code_point));
      ASSERT_LE(step.code_point, 0x10FFFFu);
      ASSERT_GE(step.code_point, step.bytes == 2 ? 0x80u : step.bytes == 3 ? 0x800u : 0x10000u);
      two += step.bytes == 2;
      three += step.bytes == 3;
      four += step.bytes == 4;
    }
  }
  // Code points with all-zero low bits, over the free bits of the first two bytes.
  EXPECT_EQ(two, (0x800u - 0x80u));
  EXPECT_EQ(three, (0x10000u - 0x800u - 0x800u) / 64);
  EXPECT_EQ(four, (0x110000u - 0x10000u) / 4096);
}

struct Malformed {
  const char* what;
  std::string_view bytes;
  uint8_t invalid;  // length of the ill-formed part
};

TEST(Utf8, RejectsTheMaximalIllFormedPart) {
  const Malformed cases[] = {
      {"a lone continuation byte", "\x80", 1},
      {"an overlong slash of two bytes", "\xC0\xAF", 1},
      {"an overlong slash of three bytes", "\xE0\x80\xAF", 1},
      {"an overlong slash of four bytes", "\xF0\x80\x80\xAF", 1},
      {"a high surrogate", "\xED\xA0\x80", 1},
      {"a low surrogate", "\xED\xBF\xBF", 1},
      {"above U+10FFFF", "\xF4\x90\x80\x80", 1},
      {"a lead byte of no sequence", "\xF5\x80\x80\x80", 1},
      {"0xFF", "\xFF", 1},
      {"a character broken off by a letter", "\xE2\x82z", 2},
      {"a character broken off by a lead byte", "\xF0\x9F\x99\xC3\xA4", 3},
      {"a lead byte before a letter", "\xC3z", 1},
  };
  for (const Malformed& wrong : cases) {
    const Utf8Step step = utf8_step(wrong.bytes);
    EXPECT_EQ(step.kind, Kind::kInvalid) << wrong.what;
    EXPECT_EQ(step.bytes, wrong.invalid) << wrong.what;
    EXPECT_EQ(step.code_point, 0xFFFDu) << wrong.what;
    EXPECT_FALSE(utf8_valid(wrong.bytes)) << wrong.what;
  }
}

TEST(Utf8, RepairsByOneReplacementAPart) {
  EXPECT_EQ(utf8_repair("plain äöü"), "plain äöü");
  EXPECT_EQ(utf8_repair(""), "");
  EXPECT_EQ(utf8_repair("a\xFFz"), "a\uFFFDz");
  EXPECT_EQ(utf8_repair("\xE2\x82z"), "\uFFFDz");
  EXPECT_EQ(utf8_repair("\xE2\x82"), "\uFFFD");                  // cut at the end: one part
  EXPECT_EQ(utf8_repair("\xED\xA0\x80"), "\uFFFD\uFFFD\uFFFD");  // a surrogate: three
  EXPECT_EQ(utf8_repair("\xF0\x80\x80"), "\uFFFD\uFFFD\uFFFD");  // overlong: three
  EXPECT_TRUE(utf8_valid(utf8_repair("\xF4\x90\xFF\xC3\xE2\x82")));
}

TEST(Utf8, ValidatesWholeTexts) {
  EXPECT_TRUE(utf8_valid(""));
  EXPECT_TRUE(utf8_valid("grün 模型 🙂"));
  EXPECT_TRUE(utf8_valid(std::string_view("nul\0", 4)));
  EXPECT_FALSE(utf8_valid("cut \xF0\x9F\x99"));
  EXPECT_FALSE(utf8_valid("latin1 \xE4"));
}

}  // namespace
}  // namespace gem
