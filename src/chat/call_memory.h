// The tokens of calls as they were generated, kept by call id.
//
// A client sends a call back as JSON. Written anew from that, it may differ from what the model
// wrote (key order, number spelling, an unusual tokenization), and the cached prefix would end
// there.
#pragma once
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "chat/message.h"
#include "tokenizer/tokenizer.h"

namespace gem {

// What a model wrote in a turn before its first call: at most one thought, then text.
struct Preamble {
  std::string thought;
  std::string text;
  std::vector<TokenId> thought_ids;  // markers included
  std::vector<TokenId> text_ids;
};

class CallMemory {
 public:
  // Forgets the oldest calls beyond `max_tokens` of all calls together.
  explicit CallMemory(size_t max_tokens = 1 << 20) : max_tokens_(max_tokens) {}

  // `ids` run from the call's opener to its closer. `arguments` is the JSON text sent to the
  // client. A call that was not closed (the generation ended first) has no form that history can
  // repeat: it is not kept.
  void remember(const std::string& id, std::string_view name, std::string_view arguments,
                std::span<const TokenId> ids);

  // Keeps what came before the first call of a turn, with that call, which must be remembered.
  void remember_preamble(const std::string& id, Preamble preamble);

  // The tokens of this call, or none if it is unknown or the client changed it.
  std::span<const TokenId> find(const ToolCall& call) const;
  // What came before this call, or nullptr. The caller compares the texts with what the client
  // sent.
  const Preamble* find_preamble(const ToolCall& call) const;

 private:
  struct Entry {
    std::string name;
    Value arguments;
    std::vector<TokenId> ids;
    Preamble preamble;
  };
  static size_t tokens_of(const Entry& entry);
  void forget_oldest();

  std::unordered_map<std::string, Entry> entries_;
  std::deque<std::string> order_;  // oldest first
  size_t tokens_ = 0;
  size_t max_tokens_;
};

}  // namespace gem
