#include "chat/message.h"

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace gem {
namespace {

constexpr size_t kMaxFunctionNameBytes = 64;

// A member that is there and not null.
const Value* find_given(const Value& object, std::string_view key) {
  const Value* value = object.find(key);
  return value == nullptr || value->is(Value::Kind::kNull) ? nullptr : value;
}

Result<std::string> optional_text(const Value& object, std::string_view key) {
  const Value* value = find_given(object, key);
  if (value == nullptr) return std::string();
  if (!value->is_string()) {
    return fail(Code::kInvalid, "{} must be a string, not {}", key, kind_name(value->kind));
  }
  return value->text;
}

Result<std::string> function_name(const Value& function) {
  const Value* name = find_given(function, "name");
  if (name == nullptr || !name->is_string())
    return fail(Code::kInvalid, "function.name is missing");
  if (!is_function_name(name->text)) {
    return fail(Code::kInvalid, "function name '{}' must be 1 to {} of letters, digits, _ . -",
                quote_for_message(name->text), kMaxFunctionNameBytes);
  }
  return name->text;
}

// The function object of a tool or of a call, which must be {"type":"function","function":{...}}.
Result<const Value*> function_of(const Value& object) {
  if (!object.is_object())
    return fail(Code::kInvalid, "must be an object, not {}", kind_name(object.kind));
  const Value* type = find_given(object, "type");
  if (type == nullptr) return fail(Code::kInvalid, "type is missing: expected \"function\"");
  if (!type->is_string() || type->text != "function") {
    return fail(Code::kInvalid, "type {} is not supported: expected \"function\"",
                quote_for_message(to_json(*type)));
  }
  const Value* function = find_given(object, "function");
  if (function == nullptr || !function->is_object()) {
    return fail(Code::kInvalid, "function is missing");
  }
  return function;
}

Result<Role> parse_role(const Value& message) {
  const Value* role = find_given(message, "role");
  if (role == nullptr) return fail(Code::kInvalid, "role is missing");
  if (role->is_string()) {
    const std::string& name = role->text;
    if (name == "system" || name == "developer") return Role::kSystem;
    if (name == "user") return Role::kUser;
    if (name == "assistant") return Role::kAssistant;
    if (name == "tool" || name == "function") return Role::kTool;
  }
  // Role names end up in the prompt, so an unknown one is never passed on.
  return fail(Code::kInvalid,
              "role {} is unknown: expected system, developer, user, assistant or tool",
              quote_for_message(to_json(*role)));
}

Result<std::string> parse_part(const Value& part) {
  const Value* type = part.find("type");
  if (type == nullptr || !type->is_string()) return fail(Code::kInvalid, "type is missing");
  if (type->text != "text") {
    return fail(Code::kInvalid, "type '{}' is not supported: only text parts are",
                quote_for_message(type->text));
  }
  const Value* text = part.find("text");
  if (text == nullptr || !text->is_string()) return fail(Code::kInvalid, "text is missing");
  return text->text;
}

Result<std::vector<std::string>> parse_content(const Value& content, Role role) {
  std::vector<std::string> parts;
  switch (content.kind) {
    case Value::Kind::kNull:
      return parts;
    case Value::Kind::kString:
      parts.push_back(content.text);
      return parts;
    case Value::Kind::kArray:
      for (size_t i = 0; i < content.items.size(); ++i) {
        auto part = parse_part(content.items[i]);
        if (!part)
          return tl::unexpected(
              std::move(part).error().with_context(fmt::format("content[{}]", i)));
        parts.push_back(*std::move(part));
      }
      return parts;
    case Value::Kind::kObject:
      // Tools that return JSON are often passed on by clients as they are.
      if (role == Role::kTool) {
        parts.push_back(to_json(content));
        return parts;
      }
      break;
    default:
      break;
  }
  return fail(Code::kInvalid, "content must be a string, an array of parts or null, not {}",
              kind_name(content.kind));
}

Result<ToolCall> parse_call(const Value& json) {
  GEM_ASSIGN(const Value* function, function_of(json));
  ToolCall call;
  GEM_ASSIGN(call.id, optional_text(json, "id"));
  GEM_ASSIGN(call.name, function_name(*function));
  const Value* arguments = find_given(*function, "arguments");
  if (arguments == nullptr) return call;
  if (arguments->is_string()) {
    call.arguments = arguments->text;
    if (auto decoded = parse_json(call.arguments)) call.decoded = *std::move(decoded);
  } else if (arguments->is_object()) {
    call.arguments = to_json(*arguments);
    call.decoded = *arguments;
  } else {
    return fail(Code::kInvalid, "arguments must be JSON text or an object, not {}",
                kind_name(arguments->kind));
  }
  return call;
}

Result<Message> parse_message(const Value& json) {
  if (!json.is_object())
    return fail(Code::kInvalid, "must be an object, not {}", kind_name(json.kind));
  Message message;
  GEM_ASSIGN(message.role, parse_role(json));
  const Value* content = json.find("content");
  if (content != nullptr) {
    GEM_ASSIGN(message.parts, parse_content(*content, message.role));
  } else if (message.role != Role::kAssistant) {
    return fail(Code::kInvalid, "content is missing");
  }
  if (message.role == Role::kTool) {
    GEM_ASSIGN(message.call_id, optional_text(json, "tool_call_id"));
    GEM_ASSIGN(message.name, optional_text(json, "name"));
    if (!message.name.empty() && !is_function_name(message.name)) {
      return fail(Code::kInvalid, "name '{}' must be a function name",
                  quote_for_message(message.name));
    }
  }
  if (message.role != Role::kAssistant) return message;

  GEM_ASSIGN(message.reasoning, optional_text(json, "reasoning_content"));
  if (message.reasoning.empty()) {
    GEM_ASSIGN(message.reasoning, optional_text(json, "reasoning"));
  }
  const Value* calls = find_given(json, "tool_calls");
  if (calls != nullptr && !calls->is_array()) {
    return fail(Code::kInvalid, "tool_calls must be an array, not {}", kind_name(calls->kind));
  }
  for (size_t i = 0; calls != nullptr && i < calls->items.size(); ++i) {
    auto call = parse_call(calls->items[i]);
    if (!call)
      return tl::unexpected(std::move(call).error().with_context(fmt::format("tool_calls[{}]", i)));
    message.calls.push_back(*std::move(call));
  }
  if (content == nullptr && message.calls.empty() && message.reasoning.empty()) {
    return fail(Code::kInvalid, "an assistant message needs content or tool_calls");
  }
  return message;
}

Result<Tool> parse_tool(const Value& json) {
  GEM_ASSIGN(const Value* function, function_of(json));
  Tool tool;
  GEM_ASSIGN(tool.name, function_name(*function));
  GEM_ASSIGN(tool.description, optional_text(*function, "description"));
  if (const Value* parameters = find_given(*function, "parameters")) {
    if (!parameters->is_object()) {
      return fail(Code::kInvalid, "parameters must be an object, not {}",
                  kind_name(parameters->kind));
    }
    tool.parameters = *parameters;
  }
  return tool;
}

}  // namespace

std::string Message::content() const {
  std::string text;
  for (const std::string& part : parts) {
    if (!text.empty()) text += '\n';
    text += part;
  }
  return text;
}

bool is_function_name(std::string_view name) {
  const auto allowed = [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.' || c == '-';
  };
  return !name.empty() && name.size() <= kMaxFunctionNameBytes &&
         std::ranges::all_of(name, allowed);
}

Result<Conversation> parse_conversation(const Value& messages, const Value& tools) {
  if (!messages.is_array()) {
    return fail(Code::kInvalid, "messages must be an array, not {}", kind_name(messages.kind));
  }
  if (messages.items.empty())
    return fail(Code::kInvalid, "messages is empty: send at least one message");
  if (!tools.is_array() && !tools.is(Value::Kind::kNull)) {
    return fail(Code::kInvalid, "tools must be an array, not {}", kind_name(tools.kind));
  }
  Conversation conversation;
  for (size_t i = 0; i < messages.items.size(); ++i) {
    auto message = parse_message(messages.items[i]);
    if (!message)
      return tl::unexpected(
          std::move(message).error().with_context(fmt::format("messages[{}]", i)));
    conversation.messages.push_back(*std::move(message));
  }
  for (size_t i = 0; i < tools.items.size(); ++i) {
    auto tool = parse_tool(tools.items[i]);
    if (!tool)
      return tl::unexpected(std::move(tool).error().with_context(fmt::format("tools[{}]", i)));
    conversation.tools.push_back(*std::move(tool));
  }
  return conversation;
}

}  // namespace gem
