#include "model/synth_vocabulary.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <unordered_set>

#include "tests/support/synthetic_model.h"
#include "tokenizer/special_tokens.h"
#include "tokenizer/tokenizer.h"

namespace gem {
namespace {

MadeUpVocabulary made_up(const Profile& profile) {
  auto vocabulary = make_up_vocabulary(profile);
  EXPECT_TRUE(vocabulary) << vocabulary.error().text();
  return std::move(vocabulary).value();
}

Profile small_profile() { return *find_profile(synthetic_profiles(), "small"); }
Profile published_profile() { return *find_profile(published_profiles(), "12b"); }

// What the tokenizer relies on in any vocabulary.
class MadeUpVocabularies : public ::testing::TestWithParam<Profile> {
 protected:
  std::unordered_set<std::string_view> entries() const {
    return {vocabulary_.tokens.begin(), vocabulary_.tokens.end()};
  }

  const MadeUpVocabulary vocabulary_ = made_up(GetParam());
};

TEST_P(MadeUpVocabularies, HaveAsManyDistinctEntriesAsTheProfileSays) {
  EXPECT_EQ(vocabulary_.tokens.size(), static_cast<size_t>(GetParam().vocabulary));
  EXPECT_EQ(vocabulary_.types.size(), vocabulary_.tokens.size());
  const auto distinct = entries();
  EXPECT_EQ(distinct.size(), vocabulary_.tokens.size());
  EXPECT_FALSE(distinct.contains(""));
}

TEST_P(MadeUpVocabularies, HaveAllSpecialTokensWithTheirTypes) {
  for (const SpecialToken& special : special_tokens()) {
    const auto found =
        std::find(vocabulary_.tokens.begin(), vocabulary_.tokens.end(), special.spelling);
    ASSERT_NE(found, vocabulary_.tokens.end()) << special.spelling;
    EXPECT_EQ(vocabulary_.types[static_cast<size_t>(found - vocabulary_.tokens.begin())],
              special.stored_type);
  }
}

TEST_P(MadeUpVocabularies, HaveAllBytesInARow) {
  const auto first = std::find(vocabulary_.tokens.begin(), vocabulary_.tokens.end(), "<0x00>");
  ASSERT_GE(vocabulary_.tokens.end() - first, 256);
  for (int b = 0; b < 256; ++b) {
    EXPECT_EQ(first[b], fmt::format("<0x{:02X}>", b));
    EXPECT_EQ(vocabulary_.types[static_cast<size_t>(first - vocabulary_.tokens.begin() + b)],
              TokenType::kByte);
  }
}

TEST_P(MadeUpVocabularies, HaveEveryPrintableAsciiCharacterAndTheSpace) {
  const auto known = entries();
  for (char c = '!'; c <= '~'; ++c) EXPECT_TRUE(known.contains(std::string(1, c))) << c;
  EXPECT_TRUE(known.contains("\u2581"));
  EXPECT_FALSE(known.contains(" "));
}

TEST_P(MadeUpVocabularies, MergesJoinEntriesToEntries) {
  const auto known = entries();
  std::unordered_set<std::string_view> seen;
  for (const std::string& merge : vocabulary_.merges) {
    EXPECT_TRUE(seen.insert(merge).second) << merge;
    const size_t space = merge.find(' ', 1);
    ASSERT_NE(space, std::string::npos) << merge;
    const std::string left = merge.substr(0, space), right = merge.substr(space + 1);
    EXPECT_TRUE(known.contains(left)) << merge;
    EXPECT_TRUE(known.contains(right)) << merge;
    EXPECT_TRUE(known.contains(left + right)) << merge;
  }
  EXPECT_GT(seen.size(), 10u);
}

TEST_P(MadeUpVocabularies, MakeATokenizerThatKeepsText) {
  VocabularySource source;
  source.model = "gemma4";
  source.tokens.assign(vocabulary_.tokens.begin(), vocabulary_.tokens.end());
  for (const TokenType type : vocabulary_.types) {
    source.token_types.push_back(static_cast<int32_t>(type));
  }
  source.merges.assign(vocabulary_.merges.begin(), vocabulary_.merges.end());
  const auto tokenizer = Tokenizer::create(source);
  ASSERT_TRUE(tokenizer) << tokenizer.error().text();
  EXPECT_EQ(check_published_ids(*tokenizer).has_value(), GetParam().fixed_special_ids);

  const std::string text = "bade  kilo na\u00EFve\r\n\n\n\t\t 42 <|turn> \U0001F600";
  const std::vector<TokenId> ids = tokenizer->encode(text, false);
  EXPECT_EQ(tokenizer->decode(ids), text);
  // Merges are found: a syllable is one token, not two letters.
  EXPECT_EQ(tokenizer->encode("ba", false).size(), 1u);
}

INSTANTIATE_TEST_SUITE_P(Profiles, MadeUpVocabularies,
                         ::testing::Values(testing::toy_profile(), small_profile(),
                                           published_profile()),
                         [](const auto& instance) { return instance.param.name; });

TEST(MadeUpVocabulary, HasThePublishedIds) {
  const MadeUpVocabulary vocabulary = made_up(published_profile());
  for (const SpecialToken& special : special_tokens()) {
    EXPECT_EQ(vocabulary.tokens[static_cast<size_t>(special.published_id)], special.spelling);
  }
  EXPECT_EQ(vocabulary.tokens[107], "\n");
  EXPECT_EQ(vocabulary.tokens[106 + 31], std::string(31, '\n'));
  EXPECT_EQ(vocabulary.tokens[138], "\u2581\u2581");
  EXPECT_EQ(vocabulary.tokens[238], "<0x00>");
  EXPECT_EQ(vocabulary.tokens[493], "<0xFF>");
  EXPECT_EQ(vocabulary.tokens[236743], "\u2581");
  EXPECT_EQ(vocabulary.tokens[236744], "!");
  EXPECT_EQ(vocabulary.tokens[255968], "\t");
  EXPECT_EQ(vocabulary.tokens[255967 + 31], std::string(31, '\t'));
}

TEST(MadeUpVocabulary, RefusesAProfileWithoutRoom) {
  Profile profile = testing::toy_profile();
  profile.vocabulary = 379;
  const auto vocabulary = make_up_vocabulary(profile);
  ASSERT_FALSE(vocabulary);
  EXPECT_EQ(vocabulary.error().code(), Code::kInvalid);
  EXPECT_EQ(vocabulary.error().text(),
            "profile toy has 379 vocabulary entries; a made-up vocabulary needs at least 380");
}

TEST(MadeUpVocabulary, ReadableTokensAreWordsAndCharacters) {
  for (const char* token : {"ba", "\u2581ba", "<", "<<", "\n", "\u2581", "a>"}) {
    EXPECT_TRUE(is_readable_token(token, TokenType::kNormal)) << token;
  }
  for (const char* token :
       {"<unused7>", "</td>", "[multimodal]", "\n\n", "\t\t\t", "\u2581\u2581"}) {
    EXPECT_FALSE(is_readable_token(token, TokenType::kNormal)) << token;
  }
  EXPECT_FALSE(is_readable_token("ba", TokenType::kControl));
  EXPECT_FALSE(is_readable_token("<0x41>", TokenType::kByte));
  EXPECT_FALSE(is_readable_token("<|\"|>", TokenType::kUserDefined));
}

}  // namespace
}  // namespace gem
