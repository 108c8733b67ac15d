#include "chat/render.h"

#include <optional>
#include <utility>

#include "base/text.h"
#include "chat/call_text.h"
#include "chat/declaration.h"
#include "chat/markers.h"
#include "chat/python_text.h"

namespace gem {
namespace {

// History text without the thoughts that a client left in it: of each piece that ends at a
// channel's closer, what precedes the piece's first opener.
std::string without_thoughts(std::string_view text) {
  std::string out;
  while (true) {
    const size_t close = text.find(marker::kChannelClose);
    const std::string_view piece = text.substr(0, close);
    out += piece.substr(0, piece.find(marker::kChannelOpen));
    if (close == std::string_view::npos) return out;
    text.remove_prefix(close + marker::kChannelClose.size());
  }
}

std::string assistant_text(const Message& message) {
  return std::string(python_strip(without_thoughts(message.content())));
}

class Renderer {
 public:
  Renderer(const Conversation& conversation, const RenderOptions& options)
      : messages_(conversation.messages), tools_(conversation.tools), options_(options) {
    for (size_t i = 0; i < messages_.size(); ++i) {
      if (messages_[i].role == Role::kUser) after_last_user_ = i + 1;
    }
  }

  Result<Prompt> run() {
    size_t end = messages_.size();
    if (continues_last()) {
      GEM_TRY(check_continuation());
      --end;
    }
    prompt_.trusted(marker::kBos);
    size_t next = write_system_turn(end);
    while (next < end) {
      const Message& message = messages_[next];
      switch (message.role) {
        case Role::kSystem:
        case Role::kUser:
          write_turn(message);
          ++next;
          break;
        case Role::kAssistant: {
          GEM_ASSIGN(next, write_assistant(next, end));
          break;
        }
        case Role::kTool:
          // A result that follows no call. The template drops it without a word.
          if (!is_official()) {
            return fail(Code::kInvalid,
                        "messages[{}]: a tool result must follow the call it answers", next);
          }
          ++next;
          break;
      }
    }
    if (continues_last()) {
      write_continuation(messages_.back());
    } else if (options_.end == PromptEnd::kGenerate) {
      GEM_TRY(write_generation_opening());
    }
    return std::move(prompt_);
  }

 private:
  enum class Turn : uint8_t {
    kClosed,
    kOpen,          // after a response: the model goes on writing
    kAwaitsResult,  // after a call that has no result
  };

  bool is_official() const { return options_.mode == RenderMode::kOfficial; }

  bool continues_last() const {
    return options_.end != PromptEnd::kHistory && options_.end != PromptEnd::kGenerate;
  }

  Status check_continuation() const {
    const size_t last = messages_.size() - 1;
    if (messages_[last].role != Role::kAssistant) {
      return fail(Code::kInvalid, "messages[{}]: only an assistant message can be continued", last);
    }
    if (!messages_[last].calls.empty()) {
      return fail(Code::kInvalid,
                  "messages[{}]: an assistant message with tool_calls cannot be continued", last);
    }
    if (last > 0 && messages_[last - 1].role == Role::kAssistant) {
      return fail(Code::kInvalid,
                  "messages[{}]: two assistant messages at the end cannot be continued", last);
    }
    return {};
  }

  // Returns the index of the first message that is not part of the system turn.
  size_t write_system_turn(size_t end) {
    const bool has_text = end > 0 && messages_[0].role == Role::kSystem;
    if (!has_text && !options_.thinking && tools_.empty()) return 0;
    open_turn("system");
    if (options_.thinking) {
      prompt_.trusted(marker::kThink);
      prompt_.trusted("\n");
    }
    if (has_text) prompt_.untrusted(python_strip(messages_[0].content()));
    for (const Tool& tool : tools_) {
      if (is_official()) {
        write_declaration_official(prompt_, tool);
      } else {
        write_declaration(prompt_, tool);
      }
    }
    close_turn();
    return has_text ? 1 : 0;
  }

  void open_turn(std::string_view role) {
    prompt_.trusted(marker::kTurnOpen);
    prompt_.trusted(role);
    prompt_.trusted("\n");
  }

  void close_turn() {
    prompt_.trusted(marker::kTurnClose);
    prompt_.trusted("\n");
    turn_ = Turn::kClosed;
  }

  void write_turn(const Message& message) {
    // The template leaves a model turn open that ends in a response.
    if (!is_official() && turn_ != Turn::kClosed) close_turn();
    open_turn(message.role == Role::kUser ? "user" : "system");
    prompt_.untrusted(python_strip(message.content()));
    close_turn();
    follows_assistant_ = false;
    lacks_opening_ = false;
  }

  // Writes the assistant message at `index` and the results that follow it; returns the index after
  // them.
  Result<size_t> write_assistant(size_t index, size_t end) {
    const Message& message = messages_[index];
    // The template never reopens a turn after another assistant message, even one that it closed.
    const bool goes_on = is_official() ? follows_assistant_ : turn_ != Turn::kClosed;
    if (!goes_on) open_turn("model");
    follows_assistant_ = true;
    lacks_opening_ = false;

    const bool in_running_turn = index >= after_last_user_ && !message.calls.empty();
    const bool has_thought =
        !message.reasoning.empty() && (in_running_turn || options_.keeps_all_thoughts);
    const Preamble* generated = preamble_of(message);
    if (generated != nullptr && has_thought && generated->thought == message.reasoning) {
      prompt_.tokens(generated->thought_ids);
    } else if (has_thought) {
      write_thought(message.reasoning);
      prompt_.trusted("\n");
      prompt_.trusted(marker::kChannelClose);
    }
    const std::string text = assistant_text(message);
    if (generated != nullptr && generated->text == message.content()) {
      prompt_.tokens(generated->text_ids);
    } else if (!is_official()) {
      prompt_.untrusted(text);
    }
    for (size_t i = 0; i < message.calls.size(); ++i)
      GEM_TRY(write_call(message.calls[i], index, i));

    size_t next = index + 1;
    for (; next < end && messages_[next].role == Role::kTool && !message.calls.empty(); ++next) {
      GEM_TRY(write_result(messages_[next], message.calls, next));
    }
    const bool has_results = next > index + 1;
    last_with_calls_ = index;

    if (message.calls.empty()) {
      if (is_official()) prompt_.untrusted(text);
      close_turn();
    } else if (!is_official()) {
      turn_ = has_results ? Turn::kOpen : Turn::kAwaitsResult;
    } else {
      // The template puts the text after the results, though the model wrote it before the calls.
      prompt_.untrusted(text);
      if (!has_results) {
        prompt_.trusted(marker::kResponseOpen);
        turn_ = Turn::kAwaitsResult;
      } else if (text.empty()) {
        turn_ = Turn::kOpen;
      } else {
        close_turn();
        lacks_opening_ = true;
      }
    }
    return next;
  }

  // What the model wrote before its calls, if it is remembered.
  const Preamble* preamble_of(const Message& message) const {
    if (options_.memory == nullptr || is_official() || message.calls.empty()) return nullptr;
    return options_.memory->find_preamble(message.calls.front());
  }

  void write_thought(std::string_view thought) {
    prompt_.trusted(marker::kChannelOpen);
    prompt_.trusted(marker::kThoughtName);
    prompt_.trusted("\n");
    prompt_.untrusted(thought);
  }

  Status write_call(const ToolCall& call, size_t message_index, size_t call_index) {
    if (options_.memory != nullptr) {
      if (const auto ids = options_.memory->find(call); !ids.empty()) {
        prompt_.tokens(ids);
        return {};
      }
    }
    prompt_.trusted(marker::kCallOpen);
    prompt_.trusted("call:");
    prompt_.untrusted(call.name);
    if (is_official()) {
      const bool is_usable =
          call.decoded && (call.decoded->is_object() || call.decoded->is_array());
      if (!is_usable) {
        return fail(Code::kInvalid, "messages[{}]: tool_calls[{}]: arguments are not a JSON object",
                    message_index, call_index);
      }
      write_arguments(prompt_, *call.decoded, {.null = "None"});
    } else if (call.decoded && call.decoded->is_object()) {
      write_arguments(prompt_, *call.decoded, {});
    } else if (call.arguments.empty()) {
      prompt_.trusted("{}");
    } else {
      // Agents replay what a model broke, and refusing it would end their session for good.
      prompt_.trusted("{arguments:");
      prompt_.quoted(call.arguments);
      prompt_.trusted("}");
    }
    prompt_.trusted(marker::kCallClose);
    return {};
  }

  Status write_result(const Message& result, const std::vector<ToolCall>& calls, size_t index) {
    const ToolCall* answered = nullptr;
    for (const ToolCall& call : calls) {
      if (call.id == result.call_id) answered = &call;
    }
    std::string name = answered != nullptr ? answered->name : result.name;
    if (answered == nullptr && !is_official() && !result.call_id.empty()) {
      return fail(Code::kInvalid,
                  "messages[{}]: tool_call_id '{}' is no call of the assistant message before it",
                  index, quote_for_message(result.call_id));
    }
    if (name.empty() && !is_official()) {
      return fail(Code::kInvalid, "messages[{}]: a tool result needs the tool_call_id of its call",
                  index);
    }
    if (name.empty()) name = "unknown";
    prompt_.trusted(marker::kResponseOpen);
    prompt_.trusted("response:");
    prompt_.untrusted(name);
    prompt_.trusted("{value:");
    prompt_.quoted(result.content());
    prompt_.trusted("}");
    prompt_.trusted(marker::kResponseClose);
    return {};
  }

  Status write_generation_opening() {
    if (turn_ == Turn::kOpen) return {};
    if (turn_ == Turn::kAwaitsResult) {
      // The template would ask the model to invent the result.
      if (is_official()) return {};
      return fail(Code::kInvalid,
                  "messages[{}]: its tool calls have no results yet: send them first",
                  last_with_calls_);
    }
    open_turn("model");
    // Where the template forgets the opening, the reference server adds it, without the empty
    // thought.
    if (!options_.thinking && !lacks_opening_) prompt_.end_with_empty_thought();
    return {};
  }

  void write_continuation(const Message& message) {
    if (turn_ == Turn::kClosed) open_turn("model");
    std::string text;
    for (size_t i = 0; i < message.parts.size(); ++i) {
      if (i > 0) text += "\n\n";
      text += message.parts[i];
    }
    const bool in_thought =
        options_.end == PromptEnd::kContinueThought ||
        (options_.end == PromptEnd::kContinue && !message.reasoning.empty() && text.empty());
    write_thought(message.reasoning);
    if (in_thought) return;
    prompt_.trusted(marker::kChannelClose);
    prompt_.untrusted(text);
  }

  const std::vector<Message>& messages_;
  const std::vector<Tool>& tools_;
  const RenderOptions& options_;
  Prompt prompt_;
  size_t after_last_user_ = 0;
  size_t last_with_calls_ = 0;
  Turn turn_ = Turn::kClosed;
  bool follows_assistant_ = false;  // the last turn written was a model's
  bool lacks_opening_ = false;      // kOfficial: the model turn was closed by text after results
};

}  // namespace

Result<Prompt> render(const Conversation& conversation, const RenderOptions& options) {
  if (conversation.messages.empty()) return fail(Code::kInvalid, "messages is empty");
  return Renderer(conversation, options).run();
}

}  // namespace gem
