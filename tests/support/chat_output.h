// Collects what an OutputParser says, for comparison.
#pragma once
#include <algorithm>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "chat/parser.h"

namespace gem::testing {

struct CollectedOutput {
  std::string thought;
  std::string text;
  std::vector<std::pair<std::string, std::string>> calls;  // name, arguments
  std::vector<std::string> opened;                         // names
  std::vector<std::vector<TokenId>> call_ids;
  int ends = 0;

  void add(const std::vector<OutputEvent>& events) {
    using Kind = OutputEvent::Kind;
    for (const OutputEvent& event : events) {
      switch (event.kind) {
        case Kind::kThought:
          thought += event.text;
          break;
        case Kind::kText:
          text += event.text;
          break;
        case Kind::kCallOpened:
          opened.push_back(event.text);
          break;
        case Kind::kCall:
          calls.emplace_back(event.text, event.arguments);
          call_ids.push_back(event.ids);
          break;
        case Kind::kEnd:
          ++ends;
          break;
      }
    }
  }

  bool operator==(const CollectedOutput&) const = default;
};

inline std::ostream& operator<<(std::ostream& out, const CollectedOutput& output) {
  out << "thought [" << output.thought << "] text [" << output.text << "]";
  for (const auto& [name, arguments] : output.calls) out << " call " << name << arguments;
  for (const std::string& name : output.opened) out << " opened " << name;
  return out << " ends " << output.ends;
}

// The ids of `text`, which spells special tokens out.
inline std::vector<TokenId> marked_ids(const Tokenizer& tokenizer, std::string_view text) {
  constexpr bool kParseSpecial = true;
  return tokenizer.encode(text, kParseSpecial);
}

// The same output in the smallest tokens: every token of text as byte tokens.
inline std::vector<TokenId> in_byte_tokens(const Tokenizer& tokenizer,
                                           std::span<const TokenId> ids) {
  std::vector<TokenId> out;
  for (const TokenId id : ids) {
    if (tokenizer.token_class(id) != TokenClass::kText) {
      out.push_back(id);
      continue;
    }
    for (const char byte : tokenizer.piece(id)) {
      static constexpr std::string_view kHex = "0123456789ABCDEF";
      const auto value = static_cast<uint8_t>(byte);
      const std::string spelling = {'<', '0', 'x', kHex[value >> 4], kHex[value & 15], '>'};
      out.push_back(tokenizer.find(spelling));
    }
  }
  return out;
}

// `text` with string markers as ", for legible expectations.
inline std::string with_plain_quotes(std::string_view text) {
  constexpr std::string_view kMarker = "<|\"|>";
  std::string out;
  while (!text.empty()) {
    const size_t marker = std::min(text.find(kMarker), text.size());
    out += text.substr(0, marker);
    text.remove_prefix(marker);
    if (text.empty()) break;
    out += '"';
    text.remove_prefix(kMarker.size());
  }
  return out;
}

}  // namespace gem::testing
