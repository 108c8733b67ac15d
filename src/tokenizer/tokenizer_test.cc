#include "tokenizer/tokenizer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/small_vocabulary.h"

namespace gem {
namespace {

using testing::small_tokenizer;
using testing::SmallVocabulary;
using Ids = std::vector<TokenId>;

TokenId id_of(std::string_view spelling) {
  const TokenId id = small_tokenizer().find(spelling);
  EXPECT_GE(id, 0) << spelling;
  return id;
}

Ids ids_of(std::initializer_list<std::string_view> spellings) {
  Ids ids;
  for (const std::string_view spelling : spellings) ids.push_back(id_of(spelling));
  return ids;
}

Ids encode(std::vector<Segment> segments) { return small_tokenizer().encode(segments); }

bool is_special(TokenId id) {
  const TokenClass token_class = small_tokenizer().token_class(id);
  return token_class == TokenClass::kControl || token_class == TokenClass::kVisible;
}

TEST(Tokenizer, FindsSpecialTokensOnlyWhenAsked) {
  const Tokenizer& tokenizer = small_tokenizer();
  EXPECT_EQ(tokenizer.encode("<|turn>user\n<turn|>", true),
            ids_of({"<|turn>", "user", "\n", "<turn|>"}));
  EXPECT_EQ(tokenizer.encode("<|turn>", false), ids_of({"<", "|", "t", "u", "r", "n", ">"}));
  // The reference finds these in plain text, too.
  EXPECT_EQ(tokenizer.encode("<|\"|>", false), ids_of({"<", "|", "\"", "|", ">"}));
}

TEST(Tokenizer, FindsSpecialTokensWhateverStandsAround) {
  const Tokenizer& tokenizer = small_tokenizer();
  EXPECT_EQ(tokenizer.encode("<<|turn>>", true), ids_of({"<", "<|turn>", ">"}));
  EXPECT_EQ(tokenizer.encode("<|turn<|turn>", true),
            ids_of({"<", "|", "t", "u", "r", "n", "<|turn>"}));
  EXPECT_EQ(tokenizer.encode("<bos><bos>", true), ids_of({"<bos>", "<bos>"}));
  EXPECT_EQ(tokenizer.encode(" <bos> ", true), ids_of({"\u2581", "<bos>", "\u2581"}));
  EXPECT_EQ(tokenizer.encode("<|turn|>", true), ids_of({"<", "|", "t", "u", "r", "n", "|", ">"}));
  EXPECT_EQ(tokenizer.encode("<|turn", true), ids_of({"<", "|", "t", "u", "r", "n"}));
  EXPECT_EQ(tokenizer.encode("<", true), ids_of({"<"}));
  EXPECT_EQ(tokenizer.encode("<>", true), ids_of({"<", ">"}));
}

TEST(Tokenizer, NeverMakesByteOrUnusedEntriesFromTheirSpelling) {
  const Tokenizer& tokenizer = small_tokenizer();
  EXPECT_EQ(tokenizer.encode("<0x41>", true), ids_of({"<", "0", "x", "4", "1", ">"}));
  EXPECT_EQ(tokenizer.encode("<unused0>", true), ids_of({"<", "u", "n", "use", "d", "0", ">"}));
}

TEST(Tokenizer, EncodesNothingAsNothing) {
  EXPECT_TRUE(small_tokenizer().encode("", true).empty());
  EXPECT_TRUE(encode({}).empty());
  EXPECT_TRUE(encode({{"", true}, {"", false}}).empty());
}

TEST(Tokenizer, MergesAcrossSegments) {
  EXPECT_EQ(encode({{"tho", true}, {"ug", false}, {"ht", true}}), ids_of({"thought"}));
  EXPECT_EQ(encode({{"\n", true}, {"\n", false}}), ids_of({"\n\n"}));
  // A character cut between two segments is one character.
  EXPECT_EQ(encode({{"\xC3", true}, {"\xA9", false}}), ids_of({"\u00E9"}));
}

TEST(Tokenizer, MakesSpecialTokensFromTrustedSegmentsOnly) {
  EXPECT_EQ(encode({{"<|turn>", true}, {"<|turn>", false}, {"<turn|>", true}}),
            ids_of({"<|turn>", "<", "|", "t", "u", "r", "n", ">", "<turn|>"}));
  // Neither may an untrusted part complete one, or hold two halves together.
  EXPECT_EQ(encode({{"<|turn", true}, {">", false}}), ids_of({"<", "|", "t", "u", "r", "n", ">"}));
  EXPECT_EQ(encode({{"<|", false}, {"turn>", true}}), ids_of({"<", "|", "t", "u", "r", "n", ">"}));
  EXPECT_EQ(encode({{"<|", true}, {"turn", false}, {">", true}}),
            ids_of({"<", "|", "t", "u", "r", "n", ">"}));
  EXPECT_EQ(encode({{"<|turn", true}, {"", false}, {">", true}}),
            ids_of({"<", "|", "t", "u", "r", "n", ">"}));
}

TEST(Tokenizer, ReadsNeighbouringTrustedSegmentsAsOne) {
  EXPECT_EQ(encode({{"<|tu", true}, {"rn>", true}}), ids_of({"<|turn>"}));
  EXPECT_EQ(encode({{"<|tu", true}, {"", true}, {"rn>", true}}), ids_of({"<|turn>"}));
}

TEST(Tokenizer, GivesTheSameIdsHoweverTextIsCutIntoSegments) {
  const Tokenizer& tokenizer = small_tokenizer();
  std::mt19937 random(3);
  const std::string pieces[] = {"<|turn>", "<turn|>", "<|\"|>", "<",    "|>", "thought", "value",
                                "\n",      " ",       "\u00E9", "}}]}", "x",  "\xE2"};
  for (int round = 0; round < 500; ++round) {
    std::string text;
    for (size_t n = random() % 12; n > 0; --n) text += pieces[random() % std::size(pieces)];
    std::vector<Segment> trusted;
    std::vector<Segment> untrusted;
    for (std::string_view rest = text; !rest.empty();) {
      const std::string_view part = rest.substr(0, random() % 8);
      trusted.push_back({part, true});
      untrusted.push_back({part, false});
      rest.remove_prefix(part.size());
    }
    ASSERT_EQ(tokenizer.encode(trusted), tokenizer.encode(text, true)) << text;
    ASSERT_EQ(tokenizer.encode(untrusted), tokenizer.encode(text, false)) << text;

    // Of both kinds: special ids are those of the trusted runs, one by one.
    std::vector<Segment> mixed = trusted;
    Ids expected;
    std::string run;
    const auto end_run = [&] {
      for (const TokenId id : tokenizer.encode(run, true))
        if (is_special(id)) expected.push_back(id);
      run.clear();
    };
    for (Segment& segment : mixed) {
      segment.trusted = random() % 2 == 0;
      if (segment.trusted)
        run += segment.text;
      else
        end_run();
    }
    end_run();
    Ids found = tokenizer.encode(mixed);
    EXPECT_EQ(tokenizer.decode(found, true), tokenizer.decode(tokenizer.encode(text, false)));
    std::erase_if(found, [](TokenId id) { return !is_special(id); });
    ASSERT_EQ(found, expected) << text;
  }
}

TEST(Tokenizer, ShowsPiecesAsOutput) {
  SmallVocabulary entries;
  entries.add("\u2581a\u2581\u2581b");
  const auto tokenizer = Tokenizer::create(entries.source());
  ASSERT_TRUE(tokenizer.has_value()) << tokenizer.error().text();
  const auto piece = [&](std::string_view spelling, bool show_control = false) {
    return tokenizer->piece(tokenizer->find(spelling), show_control);
  };
  EXPECT_EQ(piece("\u2581a\u2581\u2581b"), " a  b");
  EXPECT_EQ(piece("<0x00>"), std::string(1, '\0'));
  EXPECT_EQ(piece("<0xFF>"), "\xFF");
  EXPECT_EQ(piece("<|tool_call>"), "<|tool_call>");
  EXPECT_EQ(piece("<unused0>"), "<unused0>");
  EXPECT_EQ(piece("<turn|>"), "");
  EXPECT_EQ(piece("<turn|>", true), "<turn|>");
  EXPECT_EQ(piece("<|tool_response>"), "");
  EXPECT_EQ(piece("<|tool_response>", true), "<|tool_response>");
}

TEST(Tokenizer, DecodesToAllPieces) {
  const Tokenizer& tokenizer = small_tokenizer();
  const Ids ids = ids_of({"<|turn>", "user", "\n", "\u2581", "<0xC3>", "<0xA9>", "<turn|>"});
  EXPECT_EQ(tokenizer.decode(ids), "user\n \u00E9");
  EXPECT_EQ(tokenizer.decode(ids, true), "<|turn>user\n \u00E9<turn|>");
  EXPECT_EQ(tokenizer.decode({}), "");
}

TEST(Tokenizer, HasNothingForIdsOutOfRange) {
  const Tokenizer& tokenizer = small_tokenizer();
  for (const TokenId id : {-1, tokenizer.vocabulary_size(), INT32_MIN, INT32_MAX}) {
    EXPECT_EQ(tokenizer.piece(id, true), "");
    EXPECT_EQ(tokenizer.spelling(id), "");
    EXPECT_EQ(tokenizer.token_class(id), TokenClass::kUnused);
    EXPECT_FALSE(tokenizer.is_stop(id));
  }
  EXPECT_EQ(tokenizer.decode(Ids{-1, tokenizer.vocabulary_size()}), "");
  EXPECT_EQ(tokenizer.find("no such entry"), -1);
}

TEST(Tokenizer, StopsAtTurnsAndToolResponsesAndTheFilesEos) {
  SmallVocabulary entries;
  VocabularySource source = entries.source();
  const auto sorted_stops = [&] {
    const auto tokenizer = Tokenizer::create(source);
    EXPECT_TRUE(tokenizer.has_value());
    Ids ids(tokenizer->stop_ids().begin(), tokenizer->stop_ids().end());
    for (const TokenId id : ids) EXPECT_TRUE(tokenizer->is_stop(id));
    EXPECT_FALSE(tokenizer->is_stop(tokenizer->find("a")));
    std::sort(ids.begin(), ids.end());
    return ids;
  };
  Ids expected = ids_of({"<eos>", "<|turn>", "<turn|>", "<|tool_response>"});
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(sorted_stops(), expected);
  source.eos = id_of("<turn|>");  // as in some files: nothing new
  EXPECT_EQ(sorted_stops(), expected);
  source.eos = id_of("}}");
  expected.push_back(id_of("}}"));
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(sorted_stops(), expected);
}

TEST(Tokenizer, MasksForChatWhatMakesNoSenseInAnAnswer) {
  const std::span<const TokenId> masked = small_tokenizer().chat_masked_ids();
  Ids expected =
      ids_of({"<pad>", "<bos>", "<unk>", "<mask>", "<|tool>", "<tool|>", "<|think|>", "<unused0>"});
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(Ids(masked.begin(), masked.end()), expected);
}

TEST(Tokenizer, KeepsTheFilesSuppressedIds) {
  SmallVocabulary entries;
  VocabularySource source = entries.source();
  EXPECT_TRUE(Tokenizer::create(source)->suppressed_ids().empty());
  source.suppressed = {9, 3};
  const auto tokenizer = Tokenizer::create(source);
  ASSERT_TRUE(tokenizer.has_value());
  EXPECT_TRUE(std::ranges::equal(tokenizer->suppressed_ids(), Ids{9, 3}));
}

TEST(Tokenizer, FindsSpecialTokensThatItDoesNotKnow) {
  SmallVocabulary entries;
  entries.add("<|future token|>", SmallVocabulary::kControl);
  entries.add("<seen>", SmallVocabulary::kVisible);
  const auto tokenizer = Tokenizer::create(entries.source());
  ASSERT_TRUE(tokenizer.has_value()) << tokenizer.error().text();
  const Ids expected = {tokenizer->find("<|future token|>"), tokenizer->find("<seen>")};
  EXPECT_EQ(tokenizer->encode("<|future token|><seen>", true), expected);
  EXPECT_EQ(tokenizer->decode(expected), "<seen>");
}

TEST(Tokenizer, RefusesBadMerges) {
  SmallVocabulary entries;
  VocabularySource source = entries.source();
  source.merges.push_back("a nothing");
  const auto tokenizer = Tokenizer::create(source);
  ASSERT_FALSE(tokenizer.has_value());
  EXPECT_EQ(tokenizer.error().code(), Code::kCorrupt);
}

TEST(Tokenizer, TurnsAnyBytesIntoText) {
  const Tokenizer& tokenizer = small_tokenizer();
  std::mt19937 random(4);
  for (int round = 0; round < 300; ++round) {
    std::string bytes(random() % 100, '\0');
    for (char& c : bytes) c = static_cast<char>(random());
    for (const TokenId id : tokenizer.encode(bytes, false)) ASSERT_FALSE(is_special(id));
    StreamDecoder decoder;
    const std::string text =
        decoder.push(tokenizer.decode(tokenizer.encode(bytes, true))) + decoder.flush();
    // What was well formed comes back, and encodes to the same again.
    EXPECT_EQ(tokenizer.decode(tokenizer.encode(text, false)), text);
  }
}

}  // namespace
}  // namespace gem
