// A conversation as the chat format sees it, and how it is read from OpenAI's `messages` and
// `tools`.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "chat/value.h"

namespace gem {

enum class Role : uint8_t { kSystem, kUser, kAssistant, kTool };

struct ToolCall {
  std::string id;  // empty: the client sent none
  std::string name;
  std::string arguments;         // as the client sent them: JSON text, or what was meant to be
  std::optional<Value> decoded;  // nothing if `arguments` is no JSON
};

struct Message {
  Role role = Role::kUser;
  std::vector<std::string> parts;  // the content; a plain string is one part, null is none
  std::string reasoning;           // kAssistant
  std::vector<ToolCall> calls;     // kAssistant
  std::string call_id;             // kTool; empty: none
  std::string name;                // kTool; empty: none

  // The parts, one to a line.
  std::string content() const;
};

struct Tool {
  std::string name;
  std::string description;
  Value parameters;  // an object, or null for none
};

struct Conversation {
  std::vector<Message> messages;
  std::vector<Tool> tools;
};

// Reads `messages` (an array) and `tools` (an array, or null). Unknown members are ignored. Returns
// kInvalid, naming the index at fault, for roles and shapes outside the contract in docs/chat.md;
// arguments of old calls are never at fault.
Result<Conversation> parse_conversation(const Value& messages, const Value& tools);

// A function name that can stand in a prompt: 1 to 64 of A-Z a-z 0-9 _ . -
bool is_function_name(std::string_view name);

}  // namespace gem
