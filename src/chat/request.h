// The members of a chat request that decide its prompt and how its output is read.
#pragma once
#include <optional>
#include <string>

#include "base/result.h"
#include "chat/message.h"
#include "chat/render.h"

namespace gem {

struct ToolChoice {
  enum class Kind : uint8_t { kAuto, kNone, kRequired, kNamed };
  Kind kind = Kind::kAuto;
  std::string name;  // kNamed: one of the tools offered
};

struct ChatRequest {
  Conversation conversation;
  ToolChoice tool_choice;
  bool parallel_tool_calls = true;
  std::optional<bool> thinking;  // nothing: the request leaves it to the server
  PromptEnd end = PromptEnd::kGenerate;

  // Calls are recognised in the output.
  bool reads_calls() const {
    return !conversation.tools.empty() && tool_choice.kind != ToolChoice::Kind::kNone;
  }
};

// Reads messages, tools, tool_choice, parallel_tool_calls, chat_template_kwargs.enable_thinking,
// reasoning_effort, add_generation_prompt and continue_final_message; other members are the
// caller's. A last message of an assistant is continued unless add_generation_prompt says
// otherwise. Returns kInvalid, naming the member at fault.
Result<ChatRequest> parse_chat_request(const Value& body);

}  // namespace gem
