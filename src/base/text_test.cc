#include "base/text.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/utf8.h"

namespace gem {
namespace {

TEST(EscapeForTerminal, KeepsTextNewlinesAndTabs) {
  EXPECT_EQ(escape_for_terminal("a\tb\nc äöü 🙂"), "a\tb\nc äöü 🙂");
  EXPECT_EQ(escape_for_terminal(""), "");
}

TEST(EscapeForTerminal, EscapesControlBytes) {
  EXPECT_EQ(escape_for_terminal("\x1b[2J"), "\\x1b[2J");
  EXPECT_EQ(escape_for_terminal("a\rb"), "a\\x0db");
  EXPECT_EQ(escape_for_terminal(std::string_view("\0", 1)), "\\x00");
  EXPECT_EQ(escape_for_terminal("\x7f"), "\\x7f");
}

// U+009B is a control sequence introducer in terminals that take 8-bit controls.
TEST(EscapeForTerminal, EscapesC1Controls) {
  EXPECT_EQ(escape_for_terminal("\u009b31m"), "\\xc2\\x9b31m");
  EXPECT_EQ(escape_for_terminal("\u00a0"), "\u00a0");
}

TEST(EscapeForTerminal, EscapesWhatIsNoUtf8) {
  EXPECT_EQ(escape_for_terminal("a\xff\xe2\x82z"), "a\\xff\\xe2\\x82z");
}

TEST(EscapeForTerminal, LeavesNoControlByteOfAnyByte) {
  for (int i = 0; i < 256; ++i) {
    const std::string text = escape_for_terminal(std::string(1, static_cast<char>(i)));
    EXPECT_TRUE(utf8_valid(text)) << i;
    for (const char c : text) {
      EXPECT_TRUE(static_cast<unsigned char>(c) >= 0x20 || c == '\n' || c == '\t') << i;
      EXPECT_NE(c, '\x7f') << i;
    }
  }
}

TEST(QuoteForMessage, StaysOnOneLine) {
  EXPECT_EQ(quote_for_message("a\tb\nc\r"), "a\\tb\\nc\\x0d");
}

TEST(QuoteForMessage, CutsLongText) {
  EXPECT_EQ(quote_for_message("12345", 5), "12345");
  EXPECT_EQ(quote_for_message("123456", 5), "12345...");
  EXPECT_EQ(quote_for_message(std::string(81, 'a')), std::string(80, 'a') + "...");
}

TEST(QuoteForMessage, CutsBetweenCharacters) {
  EXPECT_EQ(quote_for_message("aäb", 2), "a...");
  EXPECT_EQ(quote_for_message("aäb", 3), "aä...");
  EXPECT_EQ(quote_for_message("🙂🙂", 7), "🙂...");
}

TEST(FormatBytes, ShowsThreeDigits) {
  EXPECT_EQ(format_bytes(0), "0 B");
  EXPECT_EQ(format_bytes(999), "999 B");
  EXPECT_EQ(format_bytes(1000), "1 kB");
  EXPECT_EQ(format_bytes(1234), "1.23 kB");
  EXPECT_EQ(format_bytes(999499), "999 kB");
  EXPECT_EQ(format_bytes(999500), "1 MB");
  EXPECT_EQ(format_bytes(6975879296), "6.98 GB");
  EXPECT_EQ(format_bytes(17651000768), "17.7 GB");
  EXPECT_EQ(format_bytes(uint64_t{1} << 60), "1.15 EB");
  EXPECT_EQ(format_bytes(UINT64_MAX), "18.4 EB");
}

TEST(NearestName, FindsTypingMistakes) {
  const std::vector<std::string_view> names = {"temperature", "top_k", "top_p", "seed"};
  EXPECT_EQ(nearest_name("temprature", names), "temperature");
  EXPECT_EQ(nearest_name("temperatrue", names), "temperature");
  EXPECT_EQ(nearest_name("topk", names), "top_k");
  EXPECT_EQ(nearest_name("sed", names), "seed");
}

TEST(NearestName, SaysNothingAboutDistantNames) {
  const std::vector<std::string_view> names = {"temperature", "top_k"};
  EXPECT_EQ(nearest_name("grammar", names), "");
  EXPECT_EQ(nearest_name("", names), "");
  EXPECT_EQ(nearest_name("x", {}), "");
}

TEST(NearestName, PrefersTheNearest) {
  const std::vector<std::string_view> names = {"attn_k.weight", "attn_q.weight",
                                               "attn_q_norm.weight"};
  EXPECT_EQ(nearest_name("attn_q.weights", names), "attn_q.weight");
}

}  // namespace
}  // namespace gem
