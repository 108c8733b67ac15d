#include "tokenizer/special_tokens.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/support/goldens.h"
#include "tests/support/small_vocabulary.h"
#include "tests/support/vocabulary.h"

namespace gem {
namespace {

TEST(SpecialTokens, AreDistinctAndOfTheFormThatTheScanNeeds) {
  std::set<std::string_view> spellings;
  std::set<TokenId> ids;
  for (const SpecialToken& entry : special_tokens()) {
    EXPECT_TRUE(spellings.insert(entry.spelling).second) << entry.spelling;
    EXPECT_TRUE(ids.insert(entry.published_id).second) << entry.spelling;
    EXPECT_EQ(entry.spelling.find_last_of('<'), 0u) << entry.spelling;
    EXPECT_EQ(entry.spelling.find_first_of('>'), entry.spelling.size() - 1) << entry.spelling;
    EXPECT_EQ(find_special_token(entry.spelling), &entry);
  }
  EXPECT_EQ(spellings.size(), 24u);
  EXPECT_EQ(find_special_token("<table>"), nullptr);
  EXPECT_EQ(find_special_token(""), nullptr);
}

TEST(SpecialTokens, AcceptThePublishedVocabulary) {
  GEM_SHARED_OR_SKIP(path, testing::kAuthenticVocabulary);
  const Status status = check_published_ids(testing::tokenizer_of_file(path));
  EXPECT_TRUE(status.has_value()) << status.error().text();
}

TEST(SpecialTokens, RefuseAnotherVocabulary) {
  const Status status = check_published_ids(testing::small_tokenizer());
  ASSERT_FALSE(status.has_value());
  EXPECT_EQ(status.error().code(), Code::kCorrupt);
  EXPECT_NE(status.error().text().find("Gemma 4 has 262144"), std::string::npos)
      << status.error().text();
}

}  // namespace
}  // namespace gem
