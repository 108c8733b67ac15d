#include "tokenizer/vocabulary.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>

#include "tests/support/small_vocabulary.h"

namespace gem {
namespace {

using testing::SmallVocabulary;

Vocabulary small() {
  static const SmallVocabulary entries;
  auto vocabulary = Vocabulary::create(entries.source());
  EXPECT_TRUE(vocabulary.has_value()) << vocabulary.error().text();
  return *std::move(vocabulary);
}

// Changes a source that would be accepted, and expects it to be refused in one line with `words`.
void expect_refused(Code code, const std::string& words,
                    const std::function<void(VocabularySource&)>& change) {
  static const SmallVocabulary entries;
  VocabularySource source = entries.source();
  change(source);
  const auto vocabulary = Vocabulary::create(source);
  ASSERT_FALSE(vocabulary.has_value()) << words;
  const std::string& text = vocabulary.error().text();
  EXPECT_EQ(vocabulary.error().code(), code) << text;
  EXPECT_NE(text.find(words), std::string::npos) << text;
  EXPECT_EQ(text.find('\n'), std::string::npos) << text;
}

size_t index_of(const VocabularySource& source, std::string_view spelling) {
  const auto at = std::find(source.tokens.begin(), source.tokens.end(), spelling);
  EXPECT_NE(at, source.tokens.end());
  return static_cast<size_t>(at - source.tokens.begin());
}

TEST(Vocabulary, ClassifiesBySpellingAndType) {
  const Vocabulary vocabulary = small();
  const auto class_of = [&](std::string_view spelling) {
    return vocabulary.token_class(vocabulary.find(spelling));
  };
  EXPECT_EQ(class_of("a"), TokenClass::kText);
  EXPECT_EQ(class_of("thought"), TokenClass::kText);
  EXPECT_EQ(class_of("<0x41>"), TokenClass::kByte);
  EXPECT_EQ(class_of("<|turn>"), TokenClass::kControl);
  EXPECT_EQ(class_of("<|tool_call>"), TokenClass::kVisible);
  // User-defined in the files, but it ends generation and is no text.
  EXPECT_EQ(class_of("<|tool_response>"), TokenClass::kControl);
  EXPECT_EQ(class_of("<unused0>"), TokenClass::kUnused);
}

TEST(Vocabulary, FindsSpecialIdsBySpelling) {
  const Vocabulary vocabulary = small();
  const SpecialIds& special = vocabulary.special();
  EXPECT_EQ(vocabulary.spelling(special.turn_open), "<|turn>");
  EXPECT_EQ(vocabulary.spelling(special.turn_close), "<turn|>");
  EXPECT_EQ(vocabulary.spelling(special.quote), "<|\"|>");
  EXPECT_EQ(vocabulary.spelling(special.eos), "<eos>");
}

TEST(Vocabulary, LacksOptionalSpecialTokens) {
  SmallVocabulary entries;
  VocabularySource source = entries.source();
  source.tokens[index_of(source, "<|channel>")] = "renamed";
  source.token_types[index_of(source, "renamed")] = SmallVocabulary::kNormal;
  const auto vocabulary = Vocabulary::create(source);
  ASSERT_TRUE(vocabulary.has_value()) << vocabulary.error().text();
  EXPECT_EQ(vocabulary->special().channel_open, -1);
  EXPECT_GE(vocabulary->special().channel_close, 0);
}

TEST(Vocabulary, TakesEosAsControlAlsoIfTypedNormal) {
  SmallVocabulary entries;
  VocabularySource source = entries.source();
  source.token_types[index_of(source, "<eos>")] = SmallVocabulary::kNormal;
  const auto vocabulary = Vocabulary::create(source);
  ASSERT_TRUE(vocabulary.has_value()) << vocabulary.error().text();
  EXPECT_EQ(vocabulary->token_class(vocabulary->special().eos), TokenClass::kControl);
}

TEST(Vocabulary, FindsCharactersOfEveryLength) {
  SmallVocabulary entries;
  entries.add("\u4E2D");
  entries.add("\U0001F600");
  entries.add("\U0001F602");
  const auto vocabulary = Vocabulary::create(entries.source());
  ASSERT_TRUE(vocabulary.has_value()) << vocabulary.error().text();
  EXPECT_EQ(vocabulary->character('a'), vocabulary->find("a"));
  EXPECT_EQ(vocabulary->character(0xE9), vocabulary->find("\u00E9"));
  EXPECT_EQ(vocabulary->character(0x4E2D), vocabulary->find("\u4E2D"));
  EXPECT_EQ(vocabulary->character(0x1F600), vocabulary->find("\U0001F600"));
  EXPECT_EQ(vocabulary->character(0x1F602), vocabulary->find("\U0001F602"));
  for (const uint32_t absent : {0x0u, 0xFFu, 0x4E2Eu, 0xFFFFu, 0x10000u, 0x1F601u, 0x10FFFFu})
    EXPECT_EQ(vocabulary->character(absent), -1) << absent;
}

TEST(Vocabulary, LooksUpASpaceAsTheMark) {
  SmallVocabulary entries;
  entries.add(" ");  // cannot be reached
  const auto vocabulary = Vocabulary::create(entries.source());
  ASSERT_TRUE(vocabulary.has_value()) << vocabulary.error().text();
  EXPECT_EQ(vocabulary->character(' '), vocabulary->find("\u2581"));
  EXPECT_EQ(vocabulary->character(kSpaceMark), vocabulary->find("\u2581"));
}

TEST(Vocabulary, HasAnEntryForEveryByte) {
  const Vocabulary vocabulary = small();
  for (int byte = 0; byte < 256; ++byte) {
    const TokenId id = vocabulary.byte(static_cast<uint8_t>(byte));
    EXPECT_EQ(vocabulary.token_class(id), TokenClass::kByte);
    EXPECT_EQ(vocabulary.byte_value(id), static_cast<char>(byte));
  }
}

TEST(Vocabulary, KnowsRunsOfNewlines) {
  const Vocabulary vocabulary = small();
  EXPECT_EQ(vocabulary.newlines(1), vocabulary.find("\n"));
  EXPECT_EQ(vocabulary.newlines(2), vocabulary.find("\n\n"));
  EXPECT_EQ(vocabulary.newlines(3), -1);
  EXPECT_EQ(vocabulary.newlines(Vocabulary::kMaxNewlineRun), -1);
}

TEST(Vocabulary, RefusesAnotherTokenizer) {
  expect_refused(Code::kUnsupported, "is \"llama\", gem reads \"gemma4\" only",
                 [](VocabularySource& source) { source.model = "llama"; });
  expect_refused(Code::kUnsupported, "is \"\\x1b[2J\"",
                 [](VocabularySource& source) { source.model = "\x1b[2J"; });
}

TEST(Vocabulary, RefusesListsOfDifferentLength) {
  expect_refused(Code::kCorrupt, "token_type has",
                 [](VocabularySource& source) { source.token_types.pop_back(); });
  expect_refused(Code::kCorrupt, "token_type has 0 entries",
                 [](VocabularySource& source) { source.token_types.clear(); });
}

TEST(Vocabulary, RefusesNoEntriesAtAll) {
  expect_refused(Code::kCorrupt, "has no <bos>", [](VocabularySource& source) {
    source.tokens.clear();
    source.token_types.clear();
  });
}

TEST(Vocabulary, RefusesEmptyAndRepeatedEntries) {
  expect_refused(Code::kCorrupt, "is empty",
                 [](VocabularySource& source) { source.tokens[index_of(source, "a")] = ""; });
  expect_refused(Code::kCorrupt, "are both \"b\"",
                 [](VocabularySource& source) { source.tokens[index_of(source, "a")] = "b"; });
  expect_refused(Code::kCorrupt, "are both \"<|turn>\"", [](VocabularySource& source) {
    source.tokens[index_of(source, "<|think|>")] = "<|turn>";
  });
}

TEST(Vocabulary, RefusesTypesThatDoNotFit) {
  const auto with_type = [](const char* spelling, int32_t type) {
    return [=](VocabularySource& source) { source.token_types[index_of(source, spelling)] = type; };
  };
  // A special token as text could not be told from what a user writes.
  expect_refused(Code::kCorrupt, "\"<|turn>\", has type 1", with_type("<|turn>", 1));
  expect_refused(Code::kCorrupt, "\"<bos>\", has type 6", with_type("<bos>", 6));
  // Text as a special token would not have the form that the scan relies on.
  expect_refused(Code::kCorrupt, "\"thought\", has type 3", with_type("thought", 3));
  expect_refused(Code::kCorrupt, "\"<\", has type 4", with_type("<", 4));
  expect_refused(Code::kCorrupt, "\"a\", has type 6", with_type("a", 6));
  expect_refused(Code::kCorrupt, "\"a\", has type 2", with_type("a", 2));
  for (const int32_t type : {-1, 0, 7, INT32_MIN, INT32_MAX})
    expect_refused(Code::kCorrupt, "\"a\", has type", with_type("a", type));
}

TEST(Vocabulary, RefusesSpecialTokensThatCouldOverlap) {
  for (const char* spelling : {"<a<b>", "<a>b>", "a>", "<a", "<>>", "a<b>"}) {
    expect_refused(Code::kCorrupt, "has type 3", [=](VocabularySource& source) {
      source.tokens[index_of(source, "<mask>")] = spelling;
    });
  }
}

TEST(Vocabulary, RefusesMissingTurnTokens) {
  for (const std::string spelling : {"<bos>", "<eos>", "<|turn>", "<turn|>"}) {
    expect_refused(Code::kCorrupt, "has no " + spelling, [=](VocabularySource& source) {
      source.tokens[index_of(source, spelling)] = "<another>";
    });
  }
}

TEST(Vocabulary, RefusesAnIncompleteByteFallback) {
  for (const char* instead : {"<0x4a>", "<0x100>", "<0x4G>", "(0x4A)", "0x4A"}) {
    expect_refused(Code::kCorrupt, "has type 6", [=](VocabularySource& source) {
      source.tokens[index_of(source, "<0x4A>")] = instead;
    });
  }
  expect_refused(Code::kCorrupt, "has no byte entry <0x4A>", [](VocabularySource& source) {
    source.token_types[index_of(source, "<0x4A>")] = SmallVocabulary::kNormal;
  });
}

TEST(Vocabulary, RefusesIdsOutOfRange) {
  const auto words = " is 100000, the vocabulary has ids 0 to";
  expect_refused(Code::kCorrupt, "bos_token_id" + std::string(words),
                 [](VocabularySource& source) { source.bos = 100000; });
  expect_refused(Code::kCorrupt, "eos_token_id" + std::string(words),
                 [](VocabularySource& source) { source.eos = 100000; });
  expect_refused(Code::kCorrupt, "unknown_token_id is -2",
                 [](VocabularySource& source) { source.unknown = -2; });
  expect_refused(Code::kCorrupt, "padding_token_id" + std::string(words),
                 [](VocabularySource& source) { source.padding = 100000; });
  expect_refused(Code::kCorrupt, "suppress_tokens lists -1",
                 [](VocabularySource& source) { source.suppressed = {0, -1}; });
  expect_refused(Code::kCorrupt, "suppress_tokens lists 100000",
                 [](VocabularySource& source) { source.suppressed = {100000}; });
}

TEST(Vocabulary, RefusesAnotherBosThanItsOwn) {
  expect_refused(Code::kCorrupt, "bos_token_id is 0, but <bos> is entry 2",
                 [](VocabularySource& source) { source.bos = 0; });
}

}  // namespace
}  // namespace gem
