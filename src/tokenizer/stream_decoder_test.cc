#include <gtest/gtest.h>

#include <random>
#include <string>

#include "base/utf8.h"
#include "tokenizer/tokenizer.h"

namespace gem {
namespace {

TEST(StreamDecoder, HoldsBackOnlyWhatMayBecomeACharacter) {
  StreamDecoder decoder;
  EXPECT_EQ(decoder.push("a\xF0"), "a");
  EXPECT_EQ(decoder.push("\x9F"), "");
  EXPECT_EQ(decoder.push("\x98"), "");
  EXPECT_EQ(decoder.push("\x80z"), "\U0001F600z");
  EXPECT_EQ(decoder.flush(), "");
}

TEST(StreamDecoder, ReplacesAsSoonAsItIsCertain) {
  StreamDecoder decoder;
  EXPECT_EQ(decoder.push("\xE2\x82"), "");
  EXPECT_EQ(decoder.push("\xE2"), "\uFFFD");  // the first two can no longer be completed
  EXPECT_EQ(decoder.push("\x82\xAC"), "\u20AC");
  EXPECT_EQ(decoder.push("\x80\xC0\xF8"), "\uFFFD\uFFFD\uFFFD");
}

TEST(StreamDecoder, FlushesAnUnfinishedCharacterAsOneReplacement) {
  StreamDecoder decoder;
  EXPECT_EQ(decoder.push("\xF0\x9F\x98"), "");
  EXPECT_EQ(decoder.flush(), "\uFFFD");
  EXPECT_EQ(decoder.flush(), "");
  EXPECT_EQ(decoder.push("\x80"), "\uFFFD");  // nothing is remembered
}

TEST(StreamDecoder, KeepsZeroBytes) {
  StreamDecoder decoder;
  EXPECT_EQ(decoder.push(std::string_view("a\0b", 3)), std::string_view("a\0b", 3));
}

TEST(StreamDecoder, GivesTheSameTextHoweverTheBytesAreCut) {
  std::mt19937 random(5);
  const std::string pieces[] = {"a",    "\u00E9", "\u20AC",   "\U0001F600", "\x80", "\xE2\x82",
                                "\xF0", "\xC0",   "\xED\xA0", "\xF4\x90",   "\n"};
  for (int round = 0; round < 500; ++round) {
    std::string bytes;
    for (size_t n = random() % 20; n > 0; --n) bytes += pieces[random() % std::size(pieces)];
    StreamDecoder decoder;
    std::string text;
    for (std::string_view rest = bytes; !rest.empty();) {
      const size_t size = std::min<size_t>(rest.size(), random() % 4);
      const std::string released = decoder.push(rest.substr(0, size));
      EXPECT_TRUE(utf8_valid(released));
      text += released;
      rest.remove_prefix(size);
    }
    text += decoder.flush();
    ASSERT_EQ(text, utf8_repair(bytes));
  }
}

}  // namespace
}  // namespace gem
