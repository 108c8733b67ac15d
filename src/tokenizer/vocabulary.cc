#include "tokenizer/vocabulary.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>

#include "base/text.h"
#include "base/utf8.h"
#include "tokenizer/special_tokens.h"

namespace gem {
namespace {

constexpr size_t kBasicCharacters = 0x10000;
constexpr size_t kAhead = 16;  // entries from the request for memory to its use

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// "<0x41>" is 0x41.
std::optional<uint8_t> parse_byte(std::string_view spelling) {
  if (spelling.size() != 6 || !spelling.starts_with("<0x") || spelling[5] != '>') return {};
  const int high = hex_digit(spelling[3]);
  const int low = hex_digit(spelling[4]);
  if (high < 0 || low < 0) return {};
  return static_cast<uint8_t>(high << 4 | low);
}

// Entries of the published vocabulary that no text and no template makes: "<unused12>",
// "[multimodal]".
bool is_unused(std::string_view spelling) {
  if (spelling == "[multimodal]") return true;
  constexpr std::string_view kPrefix = "<unused";
  if (!spelling.starts_with(kPrefix) || !spelling.ends_with('>')) return false;
  const std::string_view number =
      spelling.substr(kPrefix.size(), spelling.size() - kPrefix.size() - 1);
  return !number.empty() && number.find_first_not_of("0123456789") == std::string_view::npos;
}

// Spellings of this form cannot overlap and none is the start of another, so that one pass from
// left to right finds the same ones as the reference's pass for each token.
bool has_special_form(std::string_view spelling) {
  return spelling.size() >= 2 && spelling.front() == '<' && spelling.back() == '>' &&
         spelling.find_first_of("<>", 1) == spelling.size() - 1;
}

// Files type some special tokens differently: <eos> as normal, <unk> as unknown. Their spelling
// decides.
bool is_special_type(std::string_view spelling, TokenType type) {
  return type == TokenType::kControl || type == TokenType::kUserDefined ||
         (type == TokenType::kNormal && spelling == "<eos>") ||
         (type == TokenType::kUnknown && spelling == "<unk>");
}

// What an entry is, by its spelling and the file's type; nothing if the two do not fit.
std::optional<TokenClass> classify(std::string_view spelling, TokenType type) {
  if (const SpecialToken* token = spelling[0] == '<' ? find_special_token(spelling) : nullptr)
    return is_special_type(spelling, type) ? std::optional(token->token_class) : std::nullopt;
  switch (type) {
    case TokenType::kNormal:
      return is_unused(spelling) ? TokenClass::kUnused : TokenClass::kText;
    case TokenType::kControl:
      return has_special_form(spelling) ? std::optional(TokenClass::kControl) : std::nullopt;
    case TokenType::kUserDefined:
      return has_special_form(spelling) ? std::optional(TokenClass::kVisible) : std::nullopt;
    case TokenType::kByte:
      return parse_byte(spelling) ? std::optional(TokenClass::kByte) : std::nullopt;
    case TokenType::kUnused:
      return TokenClass::kUnused;
    case TokenType::kUnknown:
      return std::nullopt;
  }
  return std::nullopt;
}

// The file's own ids for roles, where it gives them. gem goes by spelling; a file that names
// another entry was converted for a model that gem does not know.
Status check_roles(const VocabularySource& source, const Vocabulary& vocabulary) {
  const struct {
    const char* key;
    TokenId id;
  } roles[] = {{"bos", source.bos},
               {"eos", source.eos},
               {"unknown", source.unknown},
               {"padding", source.padding}};
  for (const auto& role : roles) {
    if (role.id != -1 && !vocabulary.contains(role.id))
      return fail(
          Code::kCorrupt,
          "tokenizer.ggml.{}_token_id is {}, the vocabulary has ids 0 to {}: get the file again",
          role.key, role.id, vocabulary.size() - 1);
  }
  const TokenId bos = vocabulary.special().bos;
  if (source.bos != -1 && source.bos != bos)
    return fail(
        Code::kCorrupt,
        "tokenizer.ggml.bos_token_id is {}, but <bos> is entry {}: the file was not converted "
        "for Gemma 4",
        source.bos, bos);
  for (const TokenId id : source.suppressed) {
    if (!vocabulary.contains(id))
      return fail(
          Code::kCorrupt,
          "tokenizer.ggml.suppress_tokens lists {}, the vocabulary has ids 0 to {}: get the file "
          "again",
          id, vocabulary.size() - 1);
  }
  return {};
}

}  // namespace

Result<Vocabulary> Vocabulary::create(const VocabularySource& source) {
  GEM_TRY(check_tokenizer_model(source.model));
  if (source.tokens.size() > static_cast<size_t>(std::numeric_limits<TokenId>::max()))
    return fail(Code::kCorrupt,
                "tokenizer.ggml.tokens has {} entries, more than ids: get the file again",
                source.tokens.size());
  if (source.token_types.size() != source.tokens.size())
    return fail(
        Code::kCorrupt,
        "tokenizer.ggml.token_type has {} entries, tokenizer.ggml.tokens has {}: get the file "
        "again",
        source.token_types.size(), source.tokens.size());

  Vocabulary vocabulary(source.tokens.size());
  vocabulary.classes_.reserve(source.tokens.size());
  vocabulary.bytes_.fill(-1);
  for (size_t i = 0; i < source.tokens.size(); ++i) {
    if (i + kAhead < source.tokens.size()) vocabulary.prefetch(source.tokens[i + kAhead]);
    GEM_TRY(vocabulary.add_entry(source.tokens[i], source.token_types[i]));
  }

  for (const SpecialToken& token : special_tokens())
    if (token.member != nullptr)
      vocabulary.special_.*token.member = vocabulary.find(token.spelling);
  GEM_TRY(vocabulary.check_complete());
  GEM_TRY(check_roles(source, vocabulary));

  vocabulary.index_characters();
  vocabulary.index_newlines();
  return vocabulary;
}

Status Vocabulary::add_entry(std::string_view spelling, int32_t type) {
  const TokenId id = size();
  if (spelling.empty())
    return fail(Code::kCorrupt, "vocabulary entry {} is empty: get the file again", id);
  const std::optional<TokenClass> token_class = classify(spelling, static_cast<TokenType>(type));
  if (!token_class)
    return fail(
        Code::kCorrupt,
        "vocabulary entry {}, \"{}\", has type {}, which does not fit its spelling: the file was "
        "not converted for Gemma 4",
        id, quote_for_message(spelling), type);
  if (const TokenId added = index_.add(spelling); added != id)
    return fail(Code::kCorrupt,
                "vocabulary entries {} and {} are both \"{}\", all must differ: get the file again",
                added, id, quote_for_message(spelling));
  classes_.push_back(*token_class);
  if (*token_class == TokenClass::kByte) bytes_[*parse_byte(spelling)] = id;
  return {};
}

Status Vocabulary::check_complete() const {
  for (const std::string_view needed : {"<bos>", "<eos>", "<|turn>", "<turn|>"}) {
    if (find(needed) < 0)
      return fail(Code::kCorrupt,
                  "the vocabulary has no {}, which every prompt needs: get a Gemma 4 file", needed);
  }
  const auto missing = std::find(bytes_.begin(), bytes_.end(), -1);
  if (missing != bytes_.end())
    return fail(
        Code::kCorrupt,
        "the vocabulary has no byte entry <0x{:02X}>, all 256 are needed: get the file again",
        missing - bytes_.begin());
  return {};
}

void Vocabulary::index_characters() {
  basic_characters_.assign(kBasicCharacters, -1);
  for (TokenId id = 0; id < size(); ++id) {
    const std::string_view text = spelling(id);
    if (text.size() > 4 || token_class(id) != TokenClass::kText) continue;
    const Utf8Step step = utf8_step(text);
    if (step.kind != Utf8Step::Kind::kCharacter || step.bytes != text.size()) continue;
    if (step.code_point < kBasicCharacters)
      basic_characters_[step.code_point] = id;
    else
      other_characters_.emplace_back(step.code_point, id);
  }
  // An entry for U+0020 itself could not be reached: its place is the mark's.
  basic_characters_[' '] = basic_characters_[kSpaceMark];
  std::sort(other_characters_.begin(), other_characters_.end());
}

void Vocabulary::index_newlines() {
  newlines_.fill(-1);
  for (size_t length = 1; length <= kMaxNewlineRun; ++length) {
    const TokenId id = find(std::string(length, '\n'));
    if (id >= 0 && token_class(id) == TokenClass::kText) newlines_[length] = id;
  }
}

TokenId Vocabulary::character(uint32_t code_point) const {
  if (code_point < kBasicCharacters) return basic_characters_[code_point];
  const auto at = std::lower_bound(other_characters_.begin(), other_characters_.end(),
                                   std::pair<uint32_t, TokenId>(code_point, -1));
  return at != other_characters_.end() && at->first == code_point ? at->second : -1;
}

char Vocabulary::byte_value(TokenId id) const {
  return static_cast<char>(parse_byte(spelling(id)).value());
}

}  // namespace gem
