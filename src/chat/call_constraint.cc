#include "chat/call_constraint.h"

#include <algorithm>

#include "base/check.h"
#include "chat/call_words.h"

namespace gem {
namespace {

using Mask = ConstraintVocabulary::Mask;
using Kind = ToolChoice::Kind;

// Longer keys are a model that is stuck.
constexpr uint16_t kMaxFreeKeyBytes = 128;

size_t mask_words(int32_t vocabulary_size) {
  return (static_cast<size_t>(vocabulary_size) + 31) / 32;
}

// Allows the tokens whose bytes all satisfy their predicate.
template <class First, class Rest>
void allow_texts(const VocabularyTrie& trie, Mask& mask, First first, Rest rest) {
  const auto nodes = trie.nodes();
  for (uint32_t i = 0; i < nodes.size();) {
    const VocabularyTrie::Node& node = nodes[i];
    const char byte = static_cast<char>(node.byte);
    if (node.depth == 0 ? !first(byte) : !rest(byte)) {
      i = node.end;
      continue;
    }
    ConstraintVocabulary::allow(mask, node.token);
    ++i;
  }
}

std::optional<std::string_view> only_name(const ToolChoice& choice) {
  if (choice.kind != Kind::kNamed) return std::nullopt;
  return choice.name;
}

}  // namespace

ConstraintVocabulary::ConstraintVocabulary(const Tokenizer& tokenizer)
    : tokenizer_(tokenizer), trie_(tokenizer) {
  const int32_t size = tokenizer.vocabulary_size();
  const auto any = [](char) { return true; };
  for (Mask* mask : {&text_, &key_start_, &key_}) mask->assign(mask_words(size), 0);
  allow_texts(trie_, text_, any, any);
  // Further byte tokens, which the trie leaves out, spell text as well.
  for (TokenId id = 0; id < size; ++id) {
    if (tokenizer.token_class(id) == TokenClass::kByte) allow(text_, id);
  }
  for (const TokenId id : tokenizer.suppressed_ids()) {
    text_[static_cast<size_t>(id) / 32] &= ~(uint32_t{1} << (id % 32));
  }
  allow_texts(trie_, key_start_, is_key_start, is_key_byte);
  allow_texts(trie_, key_, is_key_byte, is_key_byte);
  allow(text_, tokenizer.special().quote);

  thought_ = text_;
  allow(thought_, tokenizer.special().channel_close);
  allow(thought_, tokenizer.special().tool_call_open);
}

CallConstraint::CallConstraint(const ConstraintVocabulary& vocabulary, const ToolSet& tools,
                               const Options& options)
    : vocabulary_(vocabulary),
      options_(options),
      grammar_(tools, only_name(options.choice)),
      may_think_(options.may_think),
      mask_(mask_words(vocabulary.tokenizer().vocabulary_size())),
      path_(vocabulary.trie().max_depth() + 1) {
  GEM_CHECK(!tools.entries().empty());
  GEM_CHECK(options.choice.kind != Kind::kNone);
  if (options.choice.kind != Kind::kAuto) {
    place_ = options.in_thought ? State::kInThought : State::kMustCall;
  }
  if (options.choice.kind == Kind::kNamed) options_.one_call = true;
}

std::span<const uint32_t> CallConstraint::mask() {
  const SpecialIds& special = vocabulary_.tokenizer().special();
  const auto allow = [&](TokenId id) { ConstraintVocabulary::allow(mask_, id); };
  switch (place_) {
    case State::kFree:
      return {};
    case State::kInThought:
      return vocabulary_.thought();
    case State::kMustCall:
      std::ranges::fill(mask_, 0);
      allow(special.tool_call_open);
      if (may_think_) allow(special.channel_open);
      return mask_;
    case State::kAfterCall:
      std::ranges::fill(mask_, 0);
      for (const TokenId id : vocabulary_.tokenizer().stop_ids()) allow(id);
      if (!options_.one_call) allow(special.tool_call_open);
      return mask_;
    case State::kInCall:
      if (grammar_.is_free_string(state_)) return vocabulary_.text();
      search();
      // A schema can ask for what cannot be written, such as an endless nesting. Then it is not
      // enforced.
      if (std::ranges::all_of(mask_, [](uint32_t word) { return word == 0; })) {
        place_ = State::kFree;
        return {};
      }
      return mask_;
  }
  return {};
}

void CallConstraint::search() {
  const SpecialIds& special = vocabulary_.tokenizer().special();
  const bool is_free_key = grammar_.is_free_key(state_);
  const bool is_in_key = state_.mode == CallGrammar::State::Mode::kKey;
  if (!is_free_key || (is_in_key && state_.key_bytes >= kMaxFreeKeyBytes)) {
    std::ranges::fill(mask_, 0);
  } else {
    mask_ = is_in_key ? vocabulary_.key() : vocabulary_.key_start();
  }
  if (grammar_.allows_quote(state_)) ConstraintVocabulary::allow(mask_, special.quote);
  if (grammar_.is_done(state_)) ConstraintVocabulary::allow(mask_, special.tool_call_close);

  const size_t frames = grammar_.frames();
  const auto nodes = vocabulary_.trie().nodes();
  path_[0] = state_;
  for (uint32_t i = 0; i < nodes.size();) {
    const VocabularyTrie::Node& node = nodes[i];
    const char byte = static_cast<char>(node.byte);
    // Tokens within a key of the model's choice are allowed already; going through all would be
    // slow. Those that also end the key are given up for that.
    const bool is_known = is_free_key && node.depth == 0 && is_key_byte(byte);
    CallGrammar::State& state = path_[node.depth + 1] = path_[node.depth];
    if (is_known || !grammar_.step(state, byte)) {
      i = node.end;
      continue;
    }
    ConstraintVocabulary::allow(mask_, node.token);
    ++i;
  }
  grammar_.forget_frames(frames);
}

void CallConstraint::accept(TokenId id) {
  const SpecialIds& special = vocabulary_.tokenizer().special();
  switch (place_) {
    case State::kFree:
    case State::kMustCall:
    case State::kInThought:
    case State::kAfterCall:
      if (id == special.tool_call_open) {
        state_ = grammar_.start();
        place_ = State::kInCall;
      } else if (place_ == State::kMustCall && id == special.channel_open) {
        may_think_ = false;
        place_ = State::kInThought;
      } else if (place_ == State::kInThought && id == special.channel_close) {
        place_ = State::kMustCall;
      }
      return;
    case State::kInCall:
      break;
  }
  if (id == special.tool_call_close && grammar_.is_done(state_)) {
    place_ = State::kAfterCall;
    return;
  }
  bool fits = true;
  if (id == special.quote) {
    fits = grammar_.step_quote(state_);
  } else {
    const std::string text = vocabulary_.tokenizer().piece(id);
    fits = !text.empty();
    for (const char byte : text) fits = fits && grammar_.step(state_, byte);
  }
  if (!fits) place_ = State::kFree;
}

}  // namespace gem
