#include "tokenizer/merge_table.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/small_vocabulary.h"

namespace gem {
namespace {

using testing::SmallVocabulary;

Vocabulary vocabulary_of(const SmallVocabulary& entries) {
  auto vocabulary = Vocabulary::create(entries.source());
  EXPECT_TRUE(vocabulary.has_value()) << vocabulary.error().text();
  return *std::move(vocabulary);
}

void expect_refused(std::vector<std::string_view> merges, const std::string& words) {
  static const SmallVocabulary entries;
  static const Vocabulary vocabulary = vocabulary_of(entries);
  // Behind a full block of good ones, so that ranks in messages must count all.
  const auto good = entries.source().merges;
  merges.insert(merges.begin(), good.begin(), good.end());
  const auto table = MergeTable::create(merges, vocabulary);
  ASSERT_FALSE(table.has_value()) << words;
  EXPECT_EQ(table.error().code(), Code::kCorrupt);
  EXPECT_EQ(table.error().text().find("merge " + std::to_string(merges.size() - 1) + ", "), 0u)
      << table.error().text();
  EXPECT_NE(table.error().text().find(words), std::string::npos) << table.error().text();
}

TEST(MergeTable, GivesRankAndResultOfEveryMerge) {
  SmallVocabulary entries;
  entries.add_merge("\u2581", "a");
  entries.add_merge("\u2581a", "b");
  const Vocabulary vocabulary = vocabulary_of(entries);
  const VocabularySource source = entries.source();
  const auto table = MergeTable::create(source.merges, vocabulary);
  ASSERT_TRUE(table.has_value()) << table.error().text();
  ASSERT_EQ(table->size(), static_cast<int32_t>(source.merges.size()));
  for (uint32_t rank = 0; rank < source.merges.size(); ++rank) {
    const std::string merge(source.merges[rank]);
    const size_t space = merge.find(' ');
    const std::string left = merge.substr(0, space);
    const std::string right = merge.substr(space + 1);
    EXPECT_EQ(table->rank(vocabulary.find(left), vocabulary.find(right)), rank);
    EXPECT_EQ(table->result(rank), vocabulary.find(left + right));
  }
  EXPECT_EQ(table->rank(vocabulary.find("a"), vocabulary.find("b")), MergeTable::kNoRank);
  EXPECT_EQ(table->rank(~0x4E2D, vocabulary.find("b")), MergeTable::kNoRank);
}

TEST(MergeTable, KnowsWhichCharactersAMergeCanJoin) {
  SmallVocabulary entries;
  entries.add_merge("\u00E9", "a");
  const Vocabulary vocabulary = vocabulary_of(entries);
  const auto table = MergeTable::create(entries.source().merges, vocabulary);
  ASSERT_TRUE(table.has_value()) << table.error().text();
  EXPECT_TRUE(table->may_join(0xE9, 'a'));
  EXPECT_TRUE(table->may_join('h', 'o'));  // "th" + "o" of "thought"
  // Might be true for any one pair by chance; for these it is not.
  EXPECT_FALSE(table->may_join('a', 0xE9));
  EXPECT_FALSE(table->may_join('q', 'z'));
}

TEST(MergeTable, IsEmptyWithoutMerges) {
  const SmallVocabulary entries;
  const Vocabulary vocabulary = vocabulary_of(entries);
  const auto table = MergeTable::create({}, vocabulary);
  ASSERT_TRUE(table.has_value());
  EXPECT_EQ(table->rank(vocabulary.find("t"), vocabulary.find("h")), MergeTable::kNoRank);
}

TEST(MergeTable, SplitsAtTheFirstSpaceThatIsNotTheFirstByte) {
  SmallVocabulary entries;
  entries.add(" ");
  entries.add_merge(" ", "a");
  const Vocabulary vocabulary = vocabulary_of(entries);
  const auto table = MergeTable::create(entries.source().merges, vocabulary);
  ASSERT_TRUE(table.has_value()) << table.error().text();
  EXPECT_NE(table->rank(vocabulary.find(" "), vocabulary.find("a")), MergeTable::kNoRank);
}

TEST(MergeTable, RefusesWhatIsNotTwoParts) {
  for (const char* merge : {"", " ", "a", "ab", " a", "a "})
    expect_refused({merge}, "is not two parts and a space");
}

TEST(MergeTable, RefusesPartsAndResultsThatAreNoEntries) {
  for (const char* merge : {"a qq", "qq a", "a b", "a  b", "\xFF a", "a \x1b"})
    expect_refused({merge}, "has a part or a result that is not a vocabulary entry");
}

TEST(MergeTable, RefusesToMakeSpecialTokens) {
  SmallVocabulary entries;
  for (const char* text : {"turn|>", "unused0>", "0x41>"}) entries.add(text);
  const Vocabulary vocabulary = vocabulary_of(entries);
  for (const char* merge : {"< turn|>", "< unused0>", "< 0x41>"}) {
    const std::string_view merges[] = {merge};
    const auto table = MergeTable::create(merges, vocabulary);
    ASSERT_FALSE(table.has_value()) << merge;
    EXPECT_NE(table.error().text().find("would make a special token"), std::string::npos);
  }
}

TEST(MergeTable, RefusesRepetition) {
  expect_refused({"t h"}, "repeats merge 0");
  expect_refused({"a b"}, "not a vocabulary entry");
}

}  // namespace
}  // namespace gem
