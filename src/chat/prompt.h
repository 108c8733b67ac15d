// A prompt under construction: text of the chat format itself, which may hold special tokens; text
// of other people, which never does, whatever it spells; and tokens that a model once generated.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tokenizer/tokenizer.h"

namespace gem {

struct PromptTokens {
  std::vector<TokenId> ids;
  // Ids before the closed empty thought that a generation prompt may end with. Later requests
  // render this history without it, so what is meant for reuse ends here. ids.size() if there is
  // none.
  size_t reusable = 0;
};

class Prompt {
 public:
  void trusted(std::string_view text) { append(text, true); }
  void untrusted(std::string_view text) { append(text, false); }
  // Tokens as generated. No text merges across their ends: they begin where a generation began or
  // at a special token, and end at one.
  void tokens(std::span<const TokenId> ids);
  // The text between string markers.
  void quoted(std::string_view text);
  // Ends the prompt with the closed empty thought; nothing may follow.
  void end_with_empty_thought();

  PromptTokens encode(const Tokenizer& tokenizer) const;
  // The text that a model would see spelled out; for people and tests. Trusted and other text look
  // alike.
  std::string text(const Tokenizer& tokenizer) const;
  // As above for a prompt without generated tokens.
  std::string text() const;

 private:
  struct Piece {
    std::string text;
    bool is_trusted = false;
    std::vector<TokenId> ids;  // instead of text
  };
  void append(std::string_view text, bool is_trusted);

  std::vector<Piece> pieces_;
  static constexpr size_t kNone = SIZE_MAX;
  size_t empty_thought_ = kNone;  // index of its piece, the last one
};

}  // namespace gem
