#include "chat/prompt.h"

#include <algorithm>

#include "base/check.h"
#include "chat/markers.h"

namespace gem {

void Prompt::append(std::string_view text, bool is_trusted) {
  GEM_CHECK(!ends_with_empty_thought_);
  if (text.empty()) return;
  const bool extends =
      !pieces_.empty() && pieces_.back().ids.empty() && pieces_.back().is_trusted == is_trusted;
  if (!extends) pieces_.push_back({.text = {}, .is_trusted = is_trusted, .ids = {}});
  pieces_.back().text += text;
}

void Prompt::tokens(std::span<const TokenId> ids) {
  GEM_CHECK(!ends_with_empty_thought_);
  if (ids.empty()) return;
  pieces_.push_back({.text = {}, .is_trusted = false, .ids = {ids.begin(), ids.end()}});
}

void Prompt::quoted(std::string_view text) {
  trusted(marker::kQuote);
  untrusted(text);
  trusted(marker::kQuote);
}

void Prompt::end_with_empty_thought() {
  trusted(marker::kChannelOpen);
  trusted(marker::kThoughtName);
  trusted("\n");
  trusted(marker::kChannelClose);
  ends_with_empty_thought_ = true;
}

PromptTokens Prompt::encode(const Tokenizer& tokenizer) const {
  PromptTokens out;
  std::vector<Segment> segments;
  const auto flush = [&] {
    const std::vector<TokenId> ids = tokenizer.encode(segments);
    out.ids.insert(out.ids.end(), ids.begin(), ids.end());
    segments.clear();
  };
  for (const Piece& piece : pieces_) {
    if (piece.ids.empty()) {
      segments.push_back({piece.text, piece.is_trusted});
    } else {
      flush();
      out.ids.insert(out.ids.end(), piece.ids.begin(), piece.ids.end());
    }
  }
  flush();
  out.reusable = out.ids.size();
  if (ends_with_empty_thought_) {
    const auto opener =
        std::find(out.ids.rbegin(), out.ids.rend(), tokenizer.special().channel_open);
    GEM_CHECK(opener != out.ids.rend());
    out.reusable = static_cast<size_t>(out.ids.rend() - opener) - 1;
  }
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
