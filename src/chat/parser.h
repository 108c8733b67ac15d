// Reads what a model generates: token ids in, thought, text and tool calls out.
//
// Structure is recognised by token id alone, never by spelling, so ordinary tokens cannot forge a
// call and no text is held back for fear of a marker. Every sequence of ids has a result;
// docs/chat.md has the rule for each odd one. Work per token does not grow with the output, but for
// a call's text, which is read once more when the call ends.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "chat/call_memory.h"
#include "chat/call_reader.h"
#include "chat/schema.h"
#include "tokenizer/tokenizer.h"

namespace gem {

struct OutputEvent {
  enum class Kind : uint8_t {
    kThought,     // `text` belongs to the thought
    kText,        // `text` belongs to the answer
    kCallOpened,  // a call of the function `text` has begun. It can still turn out to be
                  // unreadable, unless it is constrained; then its text follows as kText instead of
                  // kCall
    kCall,        // the call of `text` with `arguments`, strict JSON text of an object
    kEnd,         // nothing follows
  };
  Kind kind;
  std::string text;       // valid UTF-8
  std::string arguments;  // kCall
  // kCall: its tokens from opener to closer, for CallMemory; none if the closer was not generated.
  std::vector<TokenId> ids;
};

enum class OutputEnd : uint8_t {
  kStop,         // the model ended its turn, or asks for a call's result
  kCallLimit,    // the one call that was asked for is there
  kThoughtLoop,  // the model opens and closes empty thoughts over and over
  kCut,          // the caller ended it: token limit, context, stop string
};

class OutputParser {
 public:
  struct Options {
    // The tools whose calls are recognised; nullptr: none are, and call markers are text.
    const ToolSet* tools = nullptr;
    bool one_call = false;  // end after the first call
  };

  // `prompt` is what the model continues; its tail says where in a turn the output begins. The
  // tokenizer and the tools must outlive the parser.
  OutputParser(const Tokenizer& tokenizer, std::span<const TokenId> prompt, const Options& options);
  // No calls are recognised.
  OutputParser(const Tokenizer& tokenizer, std::span<const TokenId> prompt);

  // What `id` makes certain. Ids after the end have no events.
  std::vector<OutputEvent> push(TokenId id);
  // The generation is over, if no pushed token has ended it already: by a limit (kCut), which drops
  // a call that is cut off, or by a stop token that was not pushed (kStop).
  std::vector<OutputEvent> finish(OutputEnd reason = OutputEnd::kCut);

  bool has_ended() const { return end_.has_value(); }
  // Of an ended output.
  OutputEnd end() const { return *end_; }
  // kCut came within a call, which is lost.
  bool dropped_call() const { return dropped_call_; }

  int calls() const { return calls_; }
  // What came before the first call, for CallMemory; nothing if it is more than a thought and then
  // text.
  const Preamble* preamble() const { return has_preamble_ ? &preamble_ : nullptr; }
  // Tokens of thoughts, their markers included.
  int64_t thought_tokens() const { return thought_tokens_; }
  // After the end: the thought was never closed.
  bool is_in_thought() const { return state_ == State::kThought || state_ == State::kReopened; }

 private:
  enum class State : uint8_t {
    kStart,       // the first text may be a thought that lacks its opener
    kTurnHeader,  // the model wrote the opening of its own turn once more
    kText,
    kHeader,  // after <|channel>: the name of the channel
    kThought,
    kReopened,  // after <|channel> within a thought
    kCall,
  };

  using Events = std::vector<OutputEvent>;

  void seed(std::span<const TokenId> prompt);
  void add_to_preamble(TokenId id, bool in_thought, std::span<const OutputEvent> events);
  void structure(TokenId id, Events& events);
  void text(std::string_view text, Events& events);
  bool hold_until(std::string_view expected, std::string_view& text);

  void emit_text(std::string_view text, Events& events);
  void emit_thought(std::string_view text, Events& events);
  void open_channel(Events& events);
  void close_channel(Events& events);
  void begin_thought();
  void leave_thought();
  void end_header(Events& events);
  void flush_hold(Events& events);

  void open_call(Events& events);
  void add_to_call(std::string_view text, Events& events);
  void close_call(CallEnd end, bool has_closer, Events& events);
  bool emit_call(CallEnd end, bool has_closer, Events& events);
  void end_output(OutputEnd reason, Events& events);

  const Tokenizer& tokenizer_;
  const SpecialIds& special_;
  Options options_;
  State state_ = State::kStart;
  State after_turn_header_ = State::kStart;
  std::optional<OutputEnd> end_;
  StreamDecoder decoder_;
  std::string hold_;  // text whose place is not certain yet; a few bytes

  bool has_output_ = false;       // something was generated
  bool thought_is_empty_ = true;  // so far nothing but white space
  bool holds_newline_ = false;  // of the thought: the last one before its closer is not part of it
  int empty_thoughts_ = 0;      // in a row
  int64_t thought_tokens_ = 0;

  bool has_preamble_ = true;
  Preamble preamble_;  // complete once a call has begun

  int calls_ = 0;
  bool after_call_ = false;       // no text since the last call
  std::string space_after_call_;  // dropped unless text follows
  std::string call_text_;         // with kQuoteByte
  std::vector<TokenId> call_ids_;
  StringTracker strings_;
  bool call_has_arguments_ = false;  // the name is complete, or will never be
  bool call_is_opened_ = false;      // kCallOpened was emitted
  bool dropped_call_ = false;
};

}  // namespace gem
