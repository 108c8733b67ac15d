#include "chat/parser.h"

#include <algorithm>
#include <utility>

#include "chat/call_words.h"
#include "chat/markers.h"

namespace gem {
namespace {

using Kind = OutputEvent::Kind;

constexpr std::string_view kThoughtHeader = "thought\n";
constexpr std::string_view kTurnName = "model\n";
// A channel's name is a word on the first line. What is longer is no name.
constexpr size_t kMaxHeaderBytes = 64;
// Models get stuck in opening and closing thoughts up to the token limit. A handful of empty
// thoughts in a row was seen to end by itself.
constexpr int kMaxEmptyThoughts = 8;

bool is_blank(std::string_view text) { return trim_call_space(text).empty(); }

// One word, as a channel's name.
bool is_channel_name(std::string_view text) {
  return trim_call_space(text).find_first_of(kCallSpace) == std::string_view::npos;
}

}  // namespace

OutputParser::OutputParser(const Tokenizer& tokenizer, std::span<const TokenId> prompt,
                           const Options& options)
    : tokenizer_(tokenizer), special_(tokenizer.special()), options_(options) {
  seed(prompt);
}

OutputParser::OutputParser(const Tokenizer& tokenizer, std::span<const TokenId> prompt)
    : OutputParser(tokenizer, prompt, Options()) {}

void OutputParser::seed(std::span<const TokenId> prompt) {
  const auto is_landmark = [&](TokenId id) {
    return id == special_.channel_open || id == special_.channel_close ||
           id == special_.turn_open || id == special_.turn_close ||
           id == special_.tool_response_close;
  };
  const auto last = std::find_if(prompt.rbegin(), prompt.rend(), is_landmark);
  if (last == prompt.rend()) return;
  const std::string tail =
      tokenizer_.decode(prompt.last(static_cast<size_t>(last - prompt.rbegin())));
  if (*last == special_.channel_open && tail.starts_with(marker::kThoughtName)) {
    // A continuation of an open thought.
    state_ = State::kThought;
    thought_is_empty_ = is_blank(std::string_view(tail).substr(marker::kThoughtName.size()));
  } else if (*last == special_.channel_close) {
    // The empty thought that says not to think, or a continuation of an answer.
    state_ = State::kText;
  }
}

std::vector<OutputEvent> OutputParser::push(TokenId id) {
  Events events;
  if (end_) return events;
  if (state_ == State::kCall) call_ids_.push_back(id);
  const auto is_thinking = [&] { return is_in_thought() || state_ == State::kHeader; };
  const bool closes_thought = is_thinking() && id == special_.channel_close;

  const bool is_structure = tokenizer_.is_stop(id) || id == special_.turn_open ||
                            tokenizer_.token_class(id) == TokenClass::kVisible;
  if (is_structure) {
    if (const std::string rest = decoder_.flush(); !rest.empty()) text(rest, events);
    if (!end_) structure(id, events);
  } else if (const std::string ready = decoder_.push(tokenizer_.piece(id)); !ready.empty()) {
    text(ready, events);
  }
  const bool in_thought = is_thinking() || closes_thought;
  if (in_thought) ++thought_tokens_;
  add_to_preamble(id, in_thought, events);
  has_output_ = true;
  return events;
}

void OutputParser::add_to_preamble(TokenId id, bool in_thought,
                                   std::span<const OutputEvent> events) {
  for (const OutputEvent& event : events) {
    if (calls_ > 0) break;
    if (event.kind == Kind::kThought) preamble_.thought += event.text;
    if (event.kind == Kind::kText) preamble_.text += event.text;
  }
  if (calls_ > 0 || state_ == State::kCall || end_) return;
  const bool reopens = in_thought && !preamble_.text_ids.empty();
  const bool goes_on = in_thought && !preamble_.thought_ids.empty() && id == special_.channel_open;
  // Also a thought that the prompt began, or that has no opener.
  const bool lacks_opener =
      in_thought && preamble_.thought_ids.empty() && id != special_.channel_open;
  if (reopens || goes_on || lacks_opener) has_preamble_ = false;
  (in_thought ? preamble_.thought_ids : preamble_.text_ids).push_back(id);
}

std::vector<OutputEvent> OutputParser::finish(OutputEnd reason) {
  Events events;
  if (end_) return events;
  if (const std::string rest = decoder_.flush(); !rest.empty()) text(rest, events);
  end_output(reason, events);
  return events;
}

void OutputParser::structure(TokenId id, Events& events) {
  if (id == special_.turn_open && !has_output_ && state_ != State::kThought) {
    after_turn_header_ = state_;
    state_ = State::kTurnHeader;
    return;
  }
  if (id == special_.turn_open || tokenizer_.is_stop(id)) {
    end_output(OutputEnd::kStop, events);
    return;
  }
  if (state_ == State::kCall) {
    if (id == special_.quote) {
      add_to_call(std::string_view(&kQuoteByte, 1), events);
    } else if (id == special_.tool_call_close && !strings_.is_inside()) {
      close_call(CallEnd::kCloser, true, events);
    } else if (id == special_.tool_call_open && !strings_.is_inside()) {
      // The call before it was not closed.
      call_ids_.pop_back();
      close_call(CallEnd::kMissing, false, events);
      if (!end_) open_call(events);
    } else {
      add_to_call(tokenizer_.piece(id), events);
    }
    return;
  }
  const bool reads_calls = options_.tools != nullptr;
  if (id == special_.channel_open) {
    open_channel(events);
  } else if (id == special_.channel_close) {
    close_channel(events);
  } else if (id == special_.tool_call_open && reads_calls) {
    open_call(events);
  } else if (id != special_.tool_call_close || !reads_calls) {
    text(tokenizer_.piece(id), events);
  }
}

// Text of ordinary tokens, or of special ones that have no function where they stand.
void OutputParser::text(std::string_view text, Events& events) {
  while (!text.empty() && !end_) {
    switch (state_) {
      case State::kStart:
        if (!hold_until(kThoughtHeader, text)) return;
        if (hold_ == kThoughtHeader) {
          begin_thought();
        } else {
          state_ = State::kText;
          emit_text(std::exchange(hold_, {}), events);
        }
        break;
      case State::kTurnHeader:
        if (!hold_until(kTurnName, text)) return;
        if (hold_ == kTurnName) {
          hold_.clear();
          state_ = after_turn_header_;
        } else {
          end_output(OutputEnd::kStop, events);
        }
        break;
      case State::kText:
        emit_text(text, events);
        return;
      case State::kHeader: {
        if (!hold_until(marker::kThoughtName, text)) return;
        if (hold_ == marker::kThoughtName) {
          begin_thought();
          break;
        }
        const size_t line = std::min(text.find('\n'), text.size());
        hold_ += text.substr(0, line);
        text.remove_prefix(line);
        if (text.empty() && hold_.size() <= kMaxHeaderBytes) return;
        if (!text.empty() && is_channel_name(hold_)) text.remove_prefix(1);
        end_header(events);
        break;
      }
      case State::kThought:
        emit_thought(text, events);
        return;
      case State::kReopened:
        if (!hold_until(kThoughtHeader, text)) return;
        state_ = State::kThought;
        if (hold_ != kThoughtHeader) emit_thought(hold_, events);
        hold_.clear();
        break;
      case State::kCall:
        add_to_call(text, events);
        return;
    }
  }
}

// Moves text to the hold while the hold can become `expected`. False if that is open yet.
bool OutputParser::hold_until(std::string_view expected, std::string_view& text) {
  while (expected.starts_with(hold_) && hold_ != expected) {
    if (text.empty()) return false;
    if (expected[hold_.size()] != text.front()) return true;
    hold_ += text.front();
    text.remove_prefix(1);
  }
  return true;
}

void OutputParser::emit_text(std::string_view text, Events& events) {
  if (text.empty()) return;
  if (after_call_) {
    space_after_call_ += text;
    if (is_blank(text)) return;
    after_call_ = false;
    empty_thoughts_ = 0;
    events.push_back({Kind::kText, std::exchange(space_after_call_, {}), {}, {}});
    return;
  }
  if (!is_blank(text)) empty_thoughts_ = 0;
  events.push_back({Kind::kText, std::string(text), {}, {}});
}

void OutputParser::emit_thought(std::string_view text, Events& events) {
  if (thought_is_empty_) {
    text.remove_prefix(std::min(text.find_first_not_of(kCallSpace), text.size()));
    if (text.empty()) return;
    thought_is_empty_ = false;
  }
  std::string out;
  if (std::exchange(holds_newline_, false)) out += '\n';
  if (text.ends_with('\n')) {
    holds_newline_ = true;
    text.remove_suffix(1);
  }
  out += text;
  if (!out.empty()) events.push_back({Kind::kThought, std::move(out), {}, {}});
}

void OutputParser::begin_thought() {
  hold_.clear();
  state_ = State::kThought;
  thought_is_empty_ = true;
  holds_newline_ = false;
}

void OutputParser::leave_thought() {
  state_ = State::kText;
  holds_newline_ = false;
  empty_thoughts_ = thought_is_empty_ ? empty_thoughts_ + 1 : 0;
}

void OutputParser::open_channel(Events& events) {
  if (state_ == State::kHeader) {
    end_header(events);
  } else {
    flush_hold(events);
  }
  if (state_ == State::kThought) {
    state_ = State::kReopened;
    return;
  }
  state_ = State::kHeader;
}

void OutputParser::close_channel(Events& events) {
  if (state_ == State::kHeader) {
    end_header(events);
    return;
  }
  flush_hold(events);
  if (state_ != State::kThought) return;
  leave_thought();
  if (empty_thoughts_ == kMaxEmptyThoughts) end_output(OutputEnd::kThoughtLoop, events);
}

// The line after a channel's opener was not "thought". A name is dropped; anything else is the
// answer.
void OutputParser::end_header(Events& events) {
  state_ = State::kText;
  const std::string header = std::exchange(hold_, {});
  if (!is_channel_name(header) || header.size() > kMaxHeaderBytes) emit_text(header, events);
}

// Held text that did not become what it was held for is what its state says.
void OutputParser::flush_hold(Events& events) {
  const std::string held = std::exchange(hold_, {});
  if (state_ == State::kReopened) {
    state_ = State::kThought;
    if (held != marker::kThoughtName) emit_thought(held, events);
  } else if (state_ == State::kStart || state_ == State::kTurnHeader) {
    const bool was_text = state_ == State::kStart;
    state_ = State::kText;
    if (was_text) emit_text(held, events);
  }
}

void OutputParser::open_call(Events& events) {
  if (state_ == State::kHeader) {
    end_header(events);
  } else {
    flush_hold(events);
  }
  if (state_ == State::kThought) leave_thought();
  state_ = State::kCall;
  call_text_.clear();
  call_ids_ = {special_.tool_call_open};
  strings_ = StringTracker();
  call_has_arguments_ = false;
  call_is_opened_ = false;
}

void OutputParser::add_to_call(std::string_view text, Events& events) {
  call_text_ += text;
  for (const char c : text) strings_.push(c);
  if (call_has_arguments_ || text.find_first_of("{(") == std::string_view::npos) return;
  call_has_arguments_ = true;
  if (auto name = read_call_name(call_text_)) {
    call_is_opened_ = true;
    events.push_back({Kind::kCallOpened, *std::move(name), {}, {}});
  }
}

bool OutputParser::emit_call(CallEnd end, bool has_closer, Events& events) {
  auto call = read_call(call_text_, end, *options_.tools);
  if (!call) return false;
  if (!call_is_opened_) events.push_back({Kind::kCallOpened, call->name, {}, {}});
  std::vector<TokenId> ids;
  if (has_closer) ids = std::move(call_ids_);
  events.push_back({Kind::kCall, std::move(call->name), to_json(call->arguments), std::move(ids)});
  ++calls_;
  after_call_ = true;
  space_after_call_.clear();
  return true;
}

void OutputParser::close_call(CallEnd end, bool has_closer, Events& events) {
  state_ = State::kText;
  if (emit_call(end, has_closer, events)) {
    if (options_.one_call) end_output(OutputEnd::kCallLimit, events);
    return;
  }
  // Nothing that the model wrote is lost.
  has_preamble_ = false;
  emit_text(std::string(marker::kCallOpen) + spell_quotes(call_text_) +
                std::string(has_closer ? marker::kCallClose : ""),
            events);
}

void OutputParser::end_output(OutputEnd reason, Events& events) {
  switch (state_) {
    case State::kCall:
      if (reason == OutputEnd::kStop) {
        close_call(CallEnd::kMissing, false, events);
      } else {
        dropped_call_ = !emit_call(CallEnd::kMissing, false, events);
      }
      break;
    case State::kHeader:
      end_header(events);
      break;
    default:
      flush_hold(events);
  }
  if (end_) return;
  end_ = reason;
  events.push_back({Kind::kEnd, {}, {}, {}});
}

}  // namespace gem
