// Which tokens a model may generate next, so that its tool calls are well formed.
//
// After a call's opener only "call:", an offered name and arguments after the tool's schema can
// follow: string markers where a string must stand, declared keys, required keys, enums. Where a
// call is required, nothing else can come before it but a thought. Everything that a schema says
// beyond that is not enforced, and never an error (ToolSet::note).
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "chat/call_grammar.h"
#include "chat/request.h"
#include "chat/vocabulary_trie.h"

namespace gem {

// Shared by all constraints on one vocabulary: about 9 MB for 262,144 tokens.
class ConstraintVocabulary {
 public:
  // The tokenizer must outlive it.
  explicit ConstraintVocabulary(const Tokenizer& tokenizer);

  using Mask = std::vector<uint32_t>;  // bit i of word w = id 32 w + i, as Batch::allowed

  const Tokenizer& tokenizer() const { return tokenizer_; }
  const VocabularyTrie& trie() const { return trie_; }
  const Mask& text() const { return text_; }            // any text: what a string may hold
  const Mask& key_start() const { return key_start_; }  // the first of an undeclared key's tokens
  const Mask& key() const { return key_; }              // further ones
  const Mask& thought() const { return thought_; }      // text, and what ends a thought

  static void allow(Mask& mask, TokenId id) {
    if (id >= 0) mask[static_cast<size_t>(id) / 32] |= uint32_t{1} << (id % 32);
  }

 private:
  const Tokenizer& tokenizer_;
  VocabularyTrie trie_;
  Mask text_;
  Mask key_start_;
  Mask key_;
  Mask thought_;
};

class CallConstraint {
 public:
  struct Options {
    ToolChoice choice;
    bool one_call = false;    // parallel_tool_calls: false
    bool may_think = false;   // a thought may come before a required call
    bool in_thought = false;  // the prompt ends in an open thought
  };

  // Both must outlive the constraint. `tools` holds at least one tool.
  CallConstraint(const ConstraintVocabulary& vocabulary, const ToolSet& tools,
                 const Options& options);

  // The tokens allowed next, one bit each; empty: all are. Valid until the next call of a member.
  std::span<const uint32_t> mask();

  // Follows a generated token. One that was not allowed ends the constraint for this call.
  void accept(TokenId id);

 private:
  enum class State : uint8_t {
    kFree,       // auto: text and thoughts
    kMustCall,   // a call is required; perhaps a thought first
    kInThought,  // before a required call
    kInCall,
    kAfterCall,
  };

  void search();

  const ConstraintVocabulary& vocabulary_;
  Options options_;
  CallGrammar grammar_;
  CallGrammar::State state_;
  State place_ = State::kFree;
  bool may_think_ = false;
  ConstraintVocabulary::Mask mask_;
  std::vector<CallGrammar::State> path_;  // of search(), by depth
};

}  // namespace gem
