// Text <-> ids, exactly as the Gemma 4 tokenizer does it (docs/tokenizer.md).
//
// A newline run and the text between newline runs are the units of BPE; there is no word splitting
// and no normalisation. Encoding is total: it never fails, whatever the bytes.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace gem {

using TokenId = int32_t;

// The numbers are those of tokenizer.ggml.token_type.
enum class TokenType : int32_t {
  kNormal = 1,
  kUnknown = 2,
  kControl = 3,
  kUserDefined = 4,
  kUnused = 5,
  kByte = 6,
};

// What a tokenizer is built from, as a model file stores it. Views must stay valid as long as the
// tokenizer: they usually point into the mapped file.
struct VocabularySource {
  std::string_view model;                // tokenizer.ggml.model
  std::vector<std::string_view> tokens;  // tokenizer.ggml.tokens
  std::vector<int32_t> token_types;      // tokenizer.ggml.token_type
  std::vector<std::string_view> merges;  // tokenizer.ggml.merges, "left right", rank = index
  TokenId bos = -1;
  TokenId eos = -1;
  TokenId unknown = -1;
  TokenId padding = -1;
  std::vector<TokenId> suppressed;  // tokenizer.ggml.suppress_tokens
};

// kUnsupported, naming `model`, unless it is the tokenizer that gem implements: "gemma4". Files of
// others may have merges and scores, too.
Status check_tokenizer_model(std::string_view model);

// Ids with a meaning of their own, found by spelling. Every vocabulary has eos, bos and the two of
// turns; the others are -1 in a vocabulary without them, which no published one is.
struct SpecialIds {
  TokenId pad, eos, bos, unk, mask;
  TokenId tool_open, tool_close;                    // <|tool> <tool|>
  TokenId tool_call_open, tool_call_close;          // <|tool_call> <tool_call|>
  TokenId tool_response_open, tool_response_close;  // <|tool_response> <tool_response|>
  TokenId quote;                                    // <|"|>
  TokenId think;                                    // <|think|>
  TokenId channel_open, channel_close;              // <|channel> <channel|>
  TokenId turn_open, turn_close;                    // <|turn> <turn|>
};

enum class TokenClass : uint8_t {
  kText,     // a piece of text
  kByte,     // one byte, <0x00> to <0xFF>
  kVisible,  // special, and its spelling is part of raw output (<|tool_call> and its kin)
  kControl,  // special, and has no text in output
  kUnused,   // never to be sampled: <unusedN>, [multimodal]; also ids out of range
};

// A stretch of a prompt. Special tokens are recognised only in trusted text: what the chat template
// itself writes.
struct Segment {
  std::string_view text;
  bool trusted;
};

class Tokenizer {
 public:
  // Returns kCorrupt or kUnsupported, naming what is wrong: another tokenizer model, a special
  // token that is missing or repeated, an incomplete byte fallback, a merge that names no entry.
  static Result<Tokenizer> create(const VocabularySource& source);

  Tokenizer(Tokenizer&&) noexcept;
  Tokenizer& operator=(Tokenizer&&) noexcept;
  ~Tokenizer();

  // `parse_special` recognises the special tokens' spellings; without it nothing in `text` can
  // become one. No BOS is added. Cost is O(n log n) in the bytes of the longest line.
  std::vector<TokenId> encode(std::string_view text, bool parse_special) const;

  // Segments are joined before BPE, so that text on both sides of a border merges as it does in one
  // string; only trusted segments are scanned for special tokens. Neighbouring trusted segments
  // count as one; an untrusted segment between them, even an empty one, keeps them apart.
  std::vector<TokenId> encode(std::span<const Segment> segments) const;

  // The bytes that `id` adds to the output: empty for control tokens unless `show_control`. Text
  // tokens have U+2581 replaced by a space. Empty for ids out of range.
  std::string piece(TokenId id, bool show_control = false) const;

  // All pieces joined. Not necessarily valid UTF-8: see StreamDecoder.
  std::string decode(std::span<const TokenId> ids, bool show_control = false) const;

  // The entry's own spelling in the vocabulary; empty for ids out of range.
  std::string_view spelling(TokenId id) const;
  // The id of an exact vocabulary spelling, or -1.
  TokenId find(std::string_view spelling) const;
  TokenClass token_class(TokenId id) const;

  const SpecialIds& special() const;
  int32_t vocabulary_size() const;

  // <eos>, <turn|>, <|tool_response>, <|turn> (the model would go on as somebody else), and the
  // file's own eos id.
  std::span<const TokenId> stop_ids() const;
  bool is_stop(TokenId id) const;
  // The file's suppress_tokens: never sampled, in any mode.
  std::span<const TokenId> suppressed_ids() const;
  // Ids that make no sense in a chat answer (chat format, section 8): pad, bos, unk, mask,
  // <|think|>,
  // <|tool>, <tool|>, media tokens, <unusedN>, [multimodal].
  std::span<const TokenId> chat_masked_ids() const;

 private:
  struct State;
  explicit Tokenizer(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// Bytes in, valid UTF-8 out: holds back at most three bytes of an unfinished character, and
// replaces what can no longer become one by U+FFFD as soon as that is certain.
class StreamDecoder {
 public:
  // The text that `bytes` completes; may be empty.
  std::string push(std::string_view bytes);
  // What is still held back, as one U+FFFD; at the end of generation or at a structural token.
  std::string flush();

 private:
  std::string pending_;
};

}  // namespace gem
