#include "tokenizer/tokenizer.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "tokenizer/bpe.h"
#include "tokenizer/merge_table.h"
#include "tokenizer/vocabulary.h"

namespace gem {
namespace {

constexpr std::string_view kSpaceMarkBytes = "\u2581";

struct Range {
  size_t begin;
  size_t end;
};

bool is_special(TokenClass token_class) {
  return token_class == TokenClass::kVisible || token_class == TokenClass::kControl;
}

void append_with_spaces(std::string_view text, std::string& out) {
  for (size_t mark; (mark = text.find(kSpaceMarkBytes)) != std::string_view::npos;) {
    out.append(text.substr(0, mark)).push_back(' ');
    text.remove_prefix(mark + kSpaceMarkBytes.size());
  }
  out.append(text);
}

}  // namespace

struct Tokenizer::State {
  Vocabulary vocabulary;
  MergeTable merges;
  size_t longest_special_bytes = 0;
  std::vector<TokenId> stop_ids;
  std::vector<TokenId> suppressed_ids;
  std::vector<TokenId> chat_masked_ids;

  State(Vocabulary entries, MergeTable table, const VocabularySource& source);

  bool is_stop(TokenId id) const {
    return std::find(stop_ids.begin(), stop_ids.end(), id) != stop_ids.end();
  }
  std::string_view special_at(std::string_view text) const;
  std::vector<TokenId> encode(std::string_view text, std::span<const Range> trusted) const;
  void append_piece(TokenId id, bool show_control, std::string& out) const;
};

Tokenizer::State::State(Vocabulary entries, MergeTable table, const VocabularySource& source)
    : vocabulary(std::move(entries)), merges(std::move(table)), suppressed_ids(source.suppressed) {
  const SpecialIds& special = vocabulary.special();
  for (const TokenId id :
       {special.eos, special.turn_close, special.tool_response_open, special.turn_open, source.eos})
    if (id >= 0 && !is_stop(id)) stop_ids.push_back(id);

  for (TokenId id = 0; id < vocabulary.size(); ++id) {
    const TokenClass token_class = vocabulary.token_class(id);
    if (is_special(token_class))
      longest_special_bytes = std::max(longest_special_bytes, vocabulary.spelling(id).size());
    if (token_class == TokenClass::kUnused || (token_class == TokenClass::kControl && !is_stop(id)))
      chat_masked_ids.push_back(id);
  }
}

// The special token's spelling that `text`, which starts with '<', starts with; empty if there is
// none.
std::string_view Tokenizer::State::special_at(std::string_view text) const {
  const size_t end = text.substr(0, longest_special_bytes).find_first_of("<>", 1);
  if (end == std::string_view::npos) return {};
  const TokenId id = vocabulary.find(text.substr(0, end + 1));
  return id >= 0 && is_special(vocabulary.token_class(id)) ? text.substr(0, end + 1)
                                                           : std::string_view();
}

// Special tokens are found in the `trusted` ranges only, which are in order and do not touch; the
// text between two of them is one text to BPE, whoever wrote it.
std::vector<TokenId> Tokenizer::State::encode(std::string_view text,
                                              std::span<const Range> trusted) const {
  std::vector<TokenId> ids;
  Bpe bpe(vocabulary, merges);
  size_t done = 0;
  for (const Range& range : trusted) {
    // Cut at the end of the range: a search on into what follows, once a range, would be quadratic.
    const std::string_view readable = text.substr(0, range.end);
    size_t at = range.begin;
    while ((at = readable.find('<', at)) != std::string_view::npos) {
      const std::string_view spelling = special_at(readable.substr(at));
      if (spelling.empty()) {
        ++at;
        continue;
      }
      bpe.encode(text.substr(done, at - done), ids);
      ids.push_back(vocabulary.find(spelling));
      at += spelling.size();
      done = at;
    }
  }
  bpe.encode(text.substr(done), ids);
  return ids;
}

void Tokenizer::State::append_piece(TokenId id, bool show_control, std::string& out) const {
  if (!vocabulary.contains(id)) return;
  switch (vocabulary.token_class(id)) {
    case TokenClass::kText:
      append_with_spaces(vocabulary.spelling(id), out);
      return;
    case TokenClass::kByte:
      out.push_back(vocabulary.byte_value(id));
      return;
    case TokenClass::kControl:
      if (show_control) out.append(vocabulary.spelling(id));
      return;
    case TokenClass::kVisible:
    case TokenClass::kUnused:
      out.append(vocabulary.spelling(id));
      return;
  }
}

Status check_tokenizer_model(std::string_view model) {
  if (model == "gemma4") return {};
  return fail(
      Code::kUnsupported,
      "metadata tokenizer.ggml.model is \"{}\", gem reads \"gemma4\" only: get a Gemma 4 file",
      quote_for_message(model));
}

Result<Tokenizer> Tokenizer::create(const VocabularySource& source) {
  GEM_ASSIGN(Vocabulary vocabulary, Vocabulary::create(source));
  GEM_ASSIGN(MergeTable merges, MergeTable::create(source.merges, vocabulary));
  return Tokenizer(std::make_unique<State>(std::move(vocabulary), std::move(merges), source));
}

Tokenizer::Tokenizer(std::unique_ptr<State> state) : state_(std::move(state)) {}
Tokenizer::Tokenizer(Tokenizer&&) noexcept = default;
Tokenizer& Tokenizer::operator=(Tokenizer&&) noexcept = default;
Tokenizer::~Tokenizer() = default;

std::vector<TokenId> Tokenizer::encode(std::string_view text, bool parse_special) const {
  const Range whole{0, text.size()};
  return state_->encode(text, std::span(&whole, parse_special ? 1 : 0));
}

std::vector<TokenId> Tokenizer::encode(std::span<const Segment> segments) const {
  std::string text;
  std::vector<Range> trusted;
  bool after_trusted = false;
  for (const Segment& segment : segments) {
    const Range range{text.size(), text.size() + segment.text.size()};
    text += segment.text;
    if (segment.trusted && after_trusted)
      trusted.back().end = range.end;
    else if (segment.trusted)
      trusted.push_back(range);
    after_trusted = segment.trusted;
  }
  return state_->encode(text, trusted);
}

std::string Tokenizer::piece(TokenId id, bool show_control) const {
  std::string out;
  state_->append_piece(id, show_control, out);
  return out;
}

std::string Tokenizer::decode(std::span<const TokenId> ids, bool show_control) const {
  std::string out;
  for (const TokenId id : ids) state_->append_piece(id, show_control, out);
  return out;
}

std::string_view Tokenizer::spelling(TokenId id) const {
  return state_->vocabulary.contains(id) ? state_->vocabulary.spelling(id) : std::string_view();
}

TokenId Tokenizer::find(std::string_view spelling) const {
  return state_->vocabulary.find(spelling);
}

TokenClass Tokenizer::token_class(TokenId id) const {
  return state_->vocabulary.contains(id) ? state_->vocabulary.token_class(id) : TokenClass::kUnused;
}

const SpecialIds& Tokenizer::special() const { return state_->vocabulary.special(); }
int32_t Tokenizer::vocabulary_size() const { return state_->vocabulary.size(); }
std::span<const TokenId> Tokenizer::stop_ids() const { return state_->stop_ids; }
bool Tokenizer::is_stop(TokenId id) const { return state_->is_stop(id); }
std::span<const TokenId> Tokenizer::suppressed_ids() const { return state_->suppressed_ids; }
std::span<const TokenId> Tokenizer::chat_masked_ids() const { return state_->chat_masked_ids; }

}  // namespace gem
