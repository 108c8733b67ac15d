// The tokenizer against ids, pieces and chunks that the reference engine or an independent
// implementation made (../shared/golden/README.md).
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "base/utf8.h"
#include "tests/support/goldens.h"
#include "tests/support/sha256.h"
#include "tests/support/vocabulary.h"
#include "tokenizer/tokenizer.h"

namespace gem {
namespace {

using Ids = std::vector<TokenId>;

std::string from_hex(const std::string& hex) {
  std::string bytes;
  for (size_t i = 0; i + 1 < hex.size(); i += 2)
    bytes.push_back(static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16)));
  return bytes;
}

bool is_special(const Tokenizer& tokenizer, TokenId id) {
  const TokenClass token_class = tokenizer.token_class(id);
  return token_class == TokenClass::kControl || token_class == TokenClass::kVisible;
}

// 32-bit length and bytes of every piece, in order of id.
std::string all_pieces(const Tokenizer& tokenizer, bool show_control) {
  std::string out;
  for (TokenId id = 0; id < tokenizer.vocabulary_size(); ++id) {
    const std::string piece = tokenizer.piece(id, show_control);
    for (int shift = 0; shift < 32; shift += 8)
      out.push_back(static_cast<char>(piece.size() >> shift));
    out += piece;
  }
  return out;
}

std::string random_text(std::mt19937& random, size_t characters) {
  // Where scripts live, so that text is not all of rare characters.
  static constexpr struct {
    uint32_t first, count;
  } kBlocks[] = {{0x20, 0x60},     {0x20, 0x60},       {0x00, 0x20},     {0xA0, 0x260},
                 {0x370, 0x90},    {0x400, 0x60},      {0x5D0, 0x100},   {0x900, 0x80},
                 {0x4E00, 0x5000}, {0x2000, 0x3000},   {0xAC00, 0x2000}, {0x1F300, 0x400},
                 {0xE000, 0x2000}, {0x10000, 0x100000}};
  std::string text;
  while (characters > 0) {
    const auto block = kBlocks[random() % std::size(kBlocks)];
    for (size_t run = 1 + random() % 8; run > 0 && characters > 0; --run, --characters) {
      const uint32_t code_point = block.first + static_cast<uint32_t>(random() % block.count);
      utf8_append(text, code_point == 0x2581 ? 0x2580 : code_point);
    }
  }
  return text;
}

class TokenizerGolden : public ::testing::TestWithParam<const char*> {};

TEST_P(TokenizerGolden, EncodesAndDecodesEveryCase) {
  GEM_SHARED_OR_SKIP(vocabulary, testing::kAuthenticVocabulary);
  GEM_SHARED_OR_SKIP(path, std::string("golden/tokenizer/") + GetParam() + ".json");
  const Tokenizer& tokenizer = testing::tokenizer_of_file(vocabulary);
  const auto golden = testing::read_json(path);
  ASSERT_GT(golden["cases"].size(), 20u);
  for (const auto& test : golden["cases"]) {
    SCOPED_TRACE(test["id"].get<std::string>());
    const std::string bytes = from_hex(test["hex"]);
    const Ids parsed = tokenizer.encode(bytes, true);
    const Ids plain = tokenizer.encode(bytes, false);
    EXPECT_TRUE(std::ranges::none_of(plain, [&](TokenId id) { return is_special(tokenizer, id); }));
    if (test.contains("text")) {
      EXPECT_EQ(bytes, test["text"].get<std::string>());
      EXPECT_EQ(parsed, test["ids_special_on"].get<Ids>());
      EXPECT_EQ(plain, test["ids_plain"].get<Ids>());
      EXPECT_EQ(tokenizer.decode(parsed, true), from_hex(test["detok_hex"]));
    } else {
      // The reference is lenient here, gem is strict: ill-formed bytes are as good as U+FFFD.
      EXPECT_EQ(parsed, tokenizer.encode(utf8_repair(bytes), true));
      EXPECT_EQ(tokenizer.decode(plain), utf8_repair(bytes));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Topics, TokenizerGolden,
                         ::testing::Values("bytes", "code", "combining", "emoji", "long",
                                           "lookalike", "mixed", "multilingual", "numbers",
                                           "special", "whitespace"),
                         [](const auto& test) { return std::string(test.param); });

TEST(TokenizerTiny, EncodesAsTheReference) {
  const Tokenizer& tokenizer =
      testing::tokenizer_of_file(testing::golden_path(testing::kTinyModel));
  const auto golden = testing::read_json(testing::golden_path("model/tokenizer.json"));
  ASSERT_GT(golden["cases"].size(), 5u);
  for (const auto& test : golden["cases"]) {
    Ids ids = {tokenizer.special().bos};  // the reference was told to add it
    const Ids text_ids = tokenizer.encode(test["text"].get<std::string>(), true);
    ids.insert(ids.end(), text_ids.begin(), text_ids.end());
    EXPECT_EQ(ids, test["ids"].get<Ids>()) << test["text"];
    for (size_t i = 0; i < ids.size(); ++i)
      EXPECT_EQ(tokenizer.spelling(ids[i]), test["pieces"][i].get<std::string>());
  }
}

TEST(TokenizerPublished, HasThePiecesOfTheReference) {
  GEM_SHARED_OR_SKIP(vocabulary, testing::kAuthenticVocabulary);
  GEM_SHARED_OR_SKIP(path, "golden/tokenizer/detok-stream.json");
  const Tokenizer& tokenizer = testing::tokenizer_of_file(vocabulary);
  const auto golden = testing::read_json(path)["all_pieces"];
  ASSERT_EQ(tokenizer.vocabulary_size(), golden["n"].get<int32_t>());
  EXPECT_EQ(testing::sha256(all_pieces(tokenizer, true)),
            golden["sha256_all_pieces_specials_rendered"].get<std::string>());
  EXPECT_EQ(testing::sha256(all_pieces(tokenizer, false)),
            golden["sha256_all_pieces_controls_hidden"].get<std::string>());
}

TEST(TokenizerPublished, StreamsTextAsSoonAsItIsCertain) {
  GEM_SHARED_OR_SKIP(vocabulary, testing::kAuthenticVocabulary);
  GEM_SHARED_OR_SKIP(path, "golden/tokenizer/detok-stream.json");
  const Tokenizer& tokenizer = testing::tokenizer_of_file(vocabulary);
  const auto golden = testing::read_json(path);
  ASSERT_GT(golden["cases"].size(), 10u);
  for (const auto& test : golden["cases"]) {
    SCOPED_TRACE(test["name"].get<std::string>());
    StreamDecoder decoder;
    const Ids ids = test["ids"].get<Ids>();
    for (size_t i = 0; i < ids.size(); ++i) {
      EXPECT_EQ(tokenizer.piece(ids[i]), from_hex(test["pieces_hex"][i]));
      EXPECT_EQ(decoder.push(tokenizer.piece(ids[i])),
                test["recommended_chunks"][i].get<std::string>());
    }
    EXPECT_EQ(decoder.flush(), test["recommended_flush"].get<std::string>());
  }
}

TEST(TokenizerPublished, HasTheRolesOfThePublishedIds) {
  GEM_SHARED_OR_SKIP(vocabulary, testing::kAuthenticVocabulary);
  const Tokenizer& tokenizer = testing::tokenizer_of_file(vocabulary);
  Ids stops(tokenizer.stop_ids().begin(), tokenizer.stop_ids().end());
  std::sort(stops.begin(), stops.end());
  EXPECT_EQ(stops, (Ids{1, 50, 105, 106}));
  EXPECT_FALSE(tokenizer.is_stop(212));  // </s>
  EXPECT_TRUE(tokenizer.suppressed_ids().empty());

  const std::span<const TokenId> masked = tokenizer.chat_masked_ids();
  const auto is_masked = [&](TokenId id) { return std::ranges::binary_search(masked, id); };
  for (const TokenId id : {0, 2, 3, 4, 5, 46, 47, 98, 255999, 256000, 258880, 258884})
    EXPECT_TRUE(is_masked(id)) << id;
  for (const TokenId id : {1, 48, 49, 50, 51, 52, 100, 101, 105, 106, 107, 168, 238, 9259})
    EXPECT_FALSE(is_masked(id)) << id;
  for (TokenId id = 0; id < tokenizer.vocabulary_size(); ++id) {
    const std::string_view spelling = tokenizer.spelling(id);
    EXPECT_EQ(tokenizer.token_class(id) == TokenClass::kUnused,
              spelling == "[multimodal]" || spelling.starts_with("<unused"))
        << spelling;
  }
}

TEST(TokenizerPublished, GivesTextBack) {
  GEM_SHARED_OR_SKIP(vocabulary, testing::kAuthenticVocabulary);
  const Tokenizer& tokenizer = testing::tokenizer_of_file(vocabulary);
  std::mt19937 random(1);
  for (int i = 0; i < 400; ++i) {
    const std::string text = random_text(random, random() % 200);
    ASSERT_EQ(tokenizer.decode(tokenizer.encode(text, false)), text);
  }
}

TEST(TokenizerPublished, GivesTheSpellingOfAnyTokensBack) {
  GEM_SHARED_OR_SKIP(vocabulary, testing::kAuthenticVocabulary);
  const Tokenizer& tokenizer = testing::tokenizer_of_file(vocabulary);
  std::mt19937 random(2);
  const auto ids = static_cast<uint32_t>(tokenizer.vocabulary_size());
  for (int i = 0; i < 400; ++i) {
    // Text that looks like special, unused and byte entries, and like every other entry.
    std::string text;
    for (size_t n = random() % 30; n > 0; --n)
      text += tokenizer.spelling(static_cast<TokenId>(random() % (random() % 2 ? ids : 300)));
    const std::string spaced = tokenizer.decode(tokenizer.encode(text, false));
    ASSERT_EQ(tokenizer.encode(spaced, false), tokenizer.encode(text, false));
    ASSERT_EQ(tokenizer.decode(tokenizer.encode(text, true), true), spaced);
  }
}

TEST(TokenizerPublished, EncodesLongLinesAsItsLinesCutIntoSegments) {
  GEM_SHARED_OR_SKIP(vocabulary, testing::kAuthenticVocabulary);
  const Tokenizer& tokenizer = testing::tokenizer_of_file(vocabulary);
  std::mt19937 random(3);
  for (int i = 0; i < 5; ++i) {
    const std::string text = random_text(random, 3000);
    std::vector<Segment> segments;
    for (std::string_view rest = text; !rest.empty();) {
      segments.push_back({rest.substr(0, random() % 50), random() % 2 == 0});
      rest.remove_prefix(segments.back().text.size());
    }
    ASSERT_EQ(tokenizer.encode(segments), tokenizer.encode(text, false));
  }
}

}  // namespace
}  // namespace gem
