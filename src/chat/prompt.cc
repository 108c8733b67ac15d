#include "chat/prompt.h"

#include <utility>

#include "base/check.h"
#include "chat/markers.h"

namespace gem {

void Prompt::append(std::string_view text, bool is_trusted) {
  GEM_CHECK(empty_thought_ == kNone);
  if (text.empty()) return;
  const bool extends =
      !pieces_.empty() && pieces_.back().ids.empty() && pieces_.back().is_trusted == is_trusted;
  if (!extends) pieces_.push_back({.text = {}, .is_trusted = is_trusted, .ids = {}});
  pieces_.back().text += text;
}

void Prompt::tokens(std::span<const TokenId> ids) {
  GEM_CHECK(empty_thought_ == kNone);
  if (ids.empty()) return;
  pieces_.push_back({.text = {}, .is_trusted = false, .ids = {ids.begin(), ids.end()}});
}

void Prompt::quoted(std::string_view text) {
  trusted(marker::kQuote);
  untrusted(text);
  trusted(marker::kQuote);
}

void Prompt::end_with_empty_thought() {
  std::string stub(marker::kChannelOpen);
  stub.append(marker::kThoughtName).append("\n").append(marker::kChannelClose);
  GEM_CHECK(empty_thought_ == kNone);
  empty_thought_ = pieces_.size();
  pieces_.push_back({.text = std::move(stub), .is_trusted = true, .ids = {}});
}

PromptTokens Prompt::encode(const Tokenizer& tokenizer) const {
  PromptTokens out;
  std::vector<Segment> segments;
  const auto flush = [&] {
    const std::vector<TokenId> ids = tokenizer.encode(segments);
    out.ids.insert(out.ids.end(), ids.begin(), ids.end());
    segments.clear();
  };
  for (size_t i = 0; i < pieces_.size(); ++i) {
    const Piece& piece = pieces_[i];
    if (i == empty_thought_) {
      // It begins with a special token, so nothing merges across this border.
      flush();
      out.reusable = out.ids.size();
    }
    if (piece.ids.empty()) {
      segments.push_back({piece.text, piece.is_trusted});
    } else {
      flush();
      out.ids.insert(out.ids.end(), piece.ids.begin(), piece.ids.end());
    }
  }
  flush();
  if (empty_thought_ == kNone) out.reusable = out.ids.size();
  return out;
}

std::string Prompt::text(const Tokenizer& tokenizer) const {
  std::string out;
  for (const Piece& piece : pieces_) {
    constexpr bool kShowControl = true;
    out += piece.ids.empty() ? piece.text : tokenizer.decode(piece.ids, kShowControl);
  }
  return out;
}

std::string Prompt::text() const {
  std::string out;
  for (const Piece& piece : pieces_) {
    GEM_CHECK(piece.ids.empty());
    out += piece.text;
  }
  return out;
}

}  // namespace gem
