#include "tokenizer/bpe.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "base/utf8.h"
#include "tests/support/small_vocabulary.h"

namespace gem {
namespace {

using testing::SmallVocabulary;

// The definition, word for word and on strings: lines and runs of newlines; in each, the pair of
// lowest rank, leftmost first, until there is none. Quadratic.
class Definition {
 public:
  explicit Definition(const VocabularySource& source) {
    for (const std::string_view token : source.tokens)
      ids_.emplace(std::string(token), static_cast<TokenId>(ids_.size()));
    for (const std::string_view merge : source.merges) {
      const size_t space = merge.find(' ', 1);
      ranks_.emplace(
          std::pair(std::string(merge.substr(0, space)), std::string(merge.substr(space + 1))),
          ranks_.size());
    }
  }

  std::vector<TokenId> encode(const std::string& text) const {
    std::vector<TokenId> ids;
    for (size_t begin = 0; begin < text.size();) {
      const bool newlines = text[begin] == '\n';
      const size_t end = std::min(
          newlines ? text.find_first_not_of('\n', begin) : text.find('\n', begin), text.size());
      const std::string run = text.substr(begin, end - begin);
      const auto direct = ids_.find(run);
      if (newlines && run.size() <= 31 && direct != ids_.end())
        ids.push_back(direct->second);
      else
        encode_unit(run, ids);
      begin = end;
    }
    return ids;
  }

 private:
  void encode_unit(std::string_view text, std::vector<TokenId>& ids) const {
    std::vector<std::string> symbols;
    while (!text.empty()) {
      const Utf8Step step = utf8_step(text);
      std::string& symbol = symbols.emplace_back();
      utf8_append(symbol, step.code_point == ' ' ? kSpaceMark : step.code_point);
      text.remove_prefix(step.bytes);
    }
    while (true) {
      size_t best = 0;
      size_t best_rank = SIZE_MAX;
      for (size_t i = 0; i + 1 < symbols.size(); ++i) {
        const auto at = ranks_.find({symbols[i], symbols[i + 1]});
        if (at == ranks_.end() || at->second >= best_rank) continue;
        best = i;
        best_rank = at->second;
      }
      if (best_rank == SIZE_MAX) break;
      symbols[best] += symbols[best + 1];
      symbols.erase(symbols.begin() + static_cast<std::ptrdiff_t>(best) + 1);
    }
    for (const std::string& symbol : symbols) {
      if (const auto at = ids_.find(symbol); at != ids_.end()) {
        ids.push_back(at->second);
        continue;
      }
      for (const char byte : symbol)
        ids.push_back(ids_.at(fmt::format("<0x{:02X}>", static_cast<uint8_t>(byte))));
    }
  }

  std::map<std::string, TokenId> ids_;
  std::map<std::pair<std::string, std::string>, size_t> ranks_;
};

struct Fixture {
  explicit Fixture(const SmallVocabulary& from)
      : source(from.source()),
        vocabulary(*Vocabulary::create(source)),
        merges(*MergeTable::create(source.merges, vocabulary)) {}

  std::vector<TokenId> encode(const std::string& text, size_t window = Bpe::kWindow) const {
    std::vector<TokenId> ids;
    Bpe(vocabulary, merges, window).encode(text, ids);
    return ids;
  }

  VocabularySource source;
  Vocabulary vocabulary;
  MergeTable merges;
};

// Merges of random entries over three letters in random order, so that many outrank those that make
// their parts: the order of merging matters as much as it can.
SmallVocabulary random_merges(std::mt19937& random, size_t count) {
  std::vector<std::string> entries = {"x", "y", "z"};
  std::vector<std::pair<std::string, std::string>> merges;
  while (merges.size() < count) {
    const std::pair merge(entries[random() % entries.size()], entries[random() % entries.size()]);
    if (merge.first.size() + merge.second.size() > 9) continue;
    if (std::find(merges.begin(), merges.end(), merge) != merges.end()) continue;
    merges.push_back(merge);
    entries.push_back(merge.first + merge.second);
  }
  std::shuffle(merges.begin(), merges.end(), random);
  SmallVocabulary vocabulary;
  for (const auto& [left, right] : merges) vocabulary.add_merge(left, right);
  return vocabulary;
}

std::string random_text(std::mt19937& random, std::string_view letters, size_t length) {
  std::string text(length, ' ');
  for (char& c : text) c = letters[random() % letters.size()];
  return text;
}

TEST(Bpe, FollowsTheDefinitionWhateverTheMergesAndTheWindow) {
  constexpr size_t kWindows[] = {1, 2, 3, 5, 16, 40, 1024};
  std::mt19937 random(11);
  for (int round = 0; round < 40; ++round) {
    const SmallVocabulary entries = random_merges(random, 5 + random() % 40);
    const Fixture fixture(entries);
    const Definition definition(fixture.source);
    for (int i = 0; i < 8; ++i) {
      // Two letters make more repetition, one makes nothing but ties.
      const std::string letters = std::string("xyz").substr(random() % 3);
      const std::string text = random_text(random, letters, random() % 160);
      const std::vector<TokenId> expected = definition.encode(text);
      for (const size_t window : kWindows)
        ASSERT_EQ(fixture.encode(text, window), expected) << text << ", window " << window;
    }
  }
}

TEST(Bpe, FollowsTheDefinitionBeyondOneWindow) {
  std::mt19937 random(12);
  const SmallVocabulary entries = random_merges(random, 60);
  const Fixture fixture(entries);
  const Definition definition(fixture.source);
  const std::string text = random_text(random, "xyz", 2 * Bpe::kWindow + 100);
  EXPECT_EQ(fixture.encode(text), definition.encode(text));
}

TEST(Bpe, FollowsTheDefinitionInTextOfAllKinds) {
  std::mt19937 random(13);
  SmallVocabulary entries = random_merges(random, 30);
  entries.add_merge("\u2581", "x");
  entries.add_merge("\u2581", "\u2581");
  entries.add_merge("\u00E9", "\u00E9");
  entries.add("\uFFFD");
  entries.add_merge("\uFFFD", "\uFFFD");
  for (size_t length = 3; length <= 33; ++length)
    entries.add_merge(std::string(length - 1, '\n'), "\n");
  const Fixture fixture(entries);
  const Definition definition(fixture.source);
  const std::string pieces[] = {"x",       "y",       " ",      "\n",       "\n\n\n",
                                "\u00E9",  "\u4E2D",  "\u2581", "\r",       "\t",
                                "thought", "<|turn>", "\xFF",   "\xE4\xB8", std::string(1, '\0')};
  for (int i = 0; i < 300; ++i) {
    std::string text;
    for (size_t n = random() % 40; n > 0; --n) text += pieces[random() % std::size(pieces)];
    ASSERT_EQ(fixture.encode(text), definition.encode(text)) << text;
  }
}

TEST(Bpe, TakesShortRunsOfNewlinesWhole) {
  // Here merging would give the same entry another way, or none at all: "\n\n\n" has no merge.
  SmallVocabulary entries;
  entries.add("\n\n\n");
  const Fixture fixture(entries);
  const TokenId one = fixture.vocabulary.find("\n");
  const TokenId two = fixture.vocabulary.find("\n\n");
  EXPECT_EQ(fixture.encode("\n\n\n"), std::vector<TokenId>{fixture.vocabulary.find("\n\n\n")});
  EXPECT_EQ(fixture.encode(std::string(5, '\n')), (std::vector<TokenId>{two, two, one}));
}

TEST(Bpe, WritesCharactersWithoutEntryAsBytes) {
  const SmallVocabulary entries;
  const Fixture fixture(entries);
  const auto bytes = [&](std::string_view text) {
    std::vector<TokenId> ids;
    for (const char c : text) ids.push_back(fixture.vocabulary.byte(static_cast<uint8_t>(c)));
    return ids;
  };
  for (const char* text : {"\r", "\u00A0", "\u4E2D", "\U0001F600", "\U0010FFFF"})
    EXPECT_EQ(fixture.encode(text), bytes(text)) << text;
}

TEST(Bpe, ReplacesEachMaximalIllFormedSubpart) {
  SmallVocabulary entries;
  entries.add("\uFFFD");
  const Fixture fixture(entries);
  const TokenId replacement = fixture.vocabulary.find("\uFFFD");
  const struct {
    const char* bytes;
    size_t replacements;
  } cases[] = {
      {"\xFF", 1},         {"\x80\x80", 2},     {"\xE2\x82", 1},         {"\xC0\xAF", 2},
      {"\xED\xA0\x80", 3}, {"\xF0\x9F\x98", 1}, {"\xF4\x90\x80\x80", 4}, {"\xE2\xE2\x82", 2},
      {"\xF5\x80", 2}};
  for (const auto& [bytes, replacements] : cases)
    EXPECT_EQ(fixture.encode(bytes), std::vector<TokenId>(replacements, replacement));
  EXPECT_EQ(fixture.encode("\xE2\x82"
                           "a"),
            (std::vector<TokenId>{replacement, fixture.vocabulary.find("a")}));
}

TEST(Bpe, EncodesTextsOneAfterTheOther) {
  const SmallVocabulary entries;
  const Fixture fixture(entries);
  Bpe bpe(fixture.vocabulary, fixture.merges);
  std::vector<TokenId> ids;
  bpe.encode("tho", ids);
  bpe.encode("", ids);
  bpe.encode("ught", ids);  // no merge across calls
  std::vector<TokenId> expected = fixture.encode("tho");
  const std::vector<TokenId> second = fixture.encode("ught");
  expected.insert(expected.end(), second.begin(), second.end());
  EXPECT_EQ(ids, expected);
  EXPECT_NE(ids, fixture.encode("thought"));
}

}  // namespace
}  // namespace gem
