#include "tokenizer/spelling_index.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>
#include <vector>

namespace gem {
namespace {

using namespace std::string_literals;

TEST(SpellingIndex, TellsApartWhatDiffersInAnyByteOrInLength) {
  // Lengths on both sides of the eight bytes that a key holds, and zero bytes, which also fill up
  // keys.
  const std::vector<std::string> spellings = {"a",
                                              "a\0"s,
                                              "\0a"s,
                                              "\0"s,
                                              "\0\0"s,
                                              "abcdefgh",
                                              "abcdefg",
                                              "abcdefg\0"s,
                                              "abcdefghi",
                                              "abcdefghj",
                                              "bbcdefghi",
                                              "abcdefghi\0"s,
                                              "abcdefghijklmnopq",
                                              "abcdefghijklmnopr",
                                              std::string(93, 'x'),
                                              std::string(94, 'x')};
  SpellingIndex index(spellings.size());
  for (size_t i = 0; i < spellings.size(); ++i)
    EXPECT_EQ(index.add(spellings[i]), static_cast<TokenId>(i));
  EXPECT_EQ(index.size(), static_cast<int32_t>(spellings.size()));
  for (size_t i = 0; i < spellings.size(); ++i) {
    EXPECT_EQ(index.find(spellings[i]), static_cast<TokenId>(i));
    EXPECT_EQ(index[static_cast<TokenId>(i)], spellings[i]);
  }
  EXPECT_EQ(index.find("b"), -1);
  EXPECT_EQ(index.find(""), -1);
  EXPECT_EQ(index.find("abcdefgh\0"s), -1);
}

TEST(SpellingIndex, GivesTheEarlierIdOfARepeatedSpelling) {
  SpellingIndex index(4);
  EXPECT_EQ(index.add("one"), 0);
  EXPECT_EQ(index.add("a longer one"), 1);
  EXPECT_EQ(index.add("one"), 0);
  EXPECT_EQ(index.add("a longer one"), 1);
  EXPECT_EQ(index.size(), 2);
  EXPECT_EQ(index.add("two"), 2);
}

TEST(SpellingIndex, FindsNothingWhenEmpty) {
  const SpellingIndex index(0);
  EXPECT_EQ(index.find("a"), -1);
  EXPECT_EQ(index.size(), 0);
}

TEST(SpellingIndex, AgreesWithAMapOnRandomSpellings) {
  std::mt19937 random(7);
  std::map<std::string, TokenId> expected;
  std::vector<std::string> all;
  for (int i = 0; i < 20000; ++i) {
    std::string spelling(1 + random() % 12, ' ');
    for (char& c : spelling) c = static_cast<char>("ab\0"[random() % 3]);
    all.push_back(std::move(spelling));
  }
  SpellingIndex index(all.size());
  for (size_t i = 0; i < all.size(); i += 2) {
    const auto [at, added] = expected.try_emplace(all[i], index.size());
    EXPECT_EQ(index.add(all[i]), at->second);
  }
  for (const std::string& spelling : all) {
    const auto at = expected.find(spelling);
    EXPECT_EQ(index.find(spelling), at == expected.end() ? -1 : at->second);
  }
}

}  // namespace
}  // namespace gem
