#include "chat/request.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "base/text.h"

namespace gem {
namespace {

const Value* find_given(const Value& object, std::string_view key) {
  const Value* value = object.find(key);
  return value == nullptr || value->is(Value::Kind::kNull) ? nullptr : value;
}

Result<std::optional<bool>> optional_flag(const Value& object, std::string_view key) {
  const Value* value = find_given(object, key);
  if (value == nullptr) return std::optional<bool>();
  if (!value->is(Value::Kind::kBoolean)) {
    return fail(Code::kInvalid, "{} must be true or false, not {}", key, kind_name(value->kind));
  }
  return std::optional<bool>(value->boolean);
}

Result<ToolChoice> parse_tool_choice(const Value& body, const std::vector<Tool>& tools) {
  using Kind = ToolChoice::Kind;
  const Value* choice = find_given(body, "tool_choice");
  if (choice == nullptr) return ToolChoice();
  if (choice->is_string()) {
    if (choice->text == "auto") return ToolChoice{.kind = Kind::kAuto, .name = {}};
    if (choice->text == "none") return ToolChoice{.kind = Kind::kNone, .name = {}};
    if (choice->text == "required") {
      if (tools.empty())
        return fail(Code::kInvalid, "tool_choice is required, but there are no tools");
      return ToolChoice{.kind = Kind::kRequired, .name = {}};
    }
  }
  const Value* function = choice->find("function");
  const Value* name = function != nullptr ? function->find("name") : nullptr;
  if (name == nullptr || !name->is_string()) {
    return fail(Code::kInvalid, "tool_choice {} is not auto, none, required or a named function",
                quote_for_message(to_json(*choice)));
  }
  if (std::ranges::find(tools, name->text, &Tool::name) == tools.end()) {
    return fail(Code::kInvalid, "tool_choice names '{}', which is not among the tools",
                quote_for_message(name->text));
  }
  return ToolChoice{.kind = Kind::kNamed, .name = name->text};
}

// What reasoning_effort says about thinking. Gemma thinks or does not; it has no levels.
Result<std::optional<bool>> thinking_of_effort(const Value& body) {
  const Value* effort = find_given(body, "reasoning_effort");
  if (effort == nullptr) return std::optional<bool>();
  static constexpr std::array<std::string_view, 5> kOn = {"minimal", "low", "medium", "high",
                                                          "xhigh"};
  if (effort->is_string() && effort->text == "none") return std::optional<bool>(false);
  if (effort->is_string() && std::ranges::find(kOn, effort->text) != kOn.end()) {
    return std::optional<bool>(true);
  }
  return fail(Code::kInvalid,
              "reasoning_effort {} is not none, minimal, low, medium, high or xhigh",
              quote_for_message(to_json(*effort)));
}

Result<std::optional<bool>> parse_thinking(const Value& body) {
  std::optional<bool> flag;
  if (const Value* arguments = find_given(body, "chat_template_kwargs")) {
    if (!arguments->is_object()) {
      return fail(Code::kInvalid, "chat_template_kwargs must be an object, not {}",
                  kind_name(arguments->kind));
    }
    GEM_ASSIGN(flag, optional_flag(*arguments, "enable_thinking"));
  }
  GEM_ASSIGN(const std::optional<bool> effort, thinking_of_effort(body));
  if (flag && effort && *flag != *effort) {
    return fail(Code::kInvalid,
                "chat_template_kwargs.enable_thinking and reasoning_effort contradict each other");
  }
  return flag ? flag : effort;
}

Result<PromptEnd> parse_end(const Value& body, const std::vector<Message>& messages) {
  GEM_ASSIGN(const std::optional<bool> generates, optional_flag(body, "add_generation_prompt"));
  std::optional<PromptEnd> continuation;
  if (const Value* value = find_given(body, "continue_final_message")) {
    const bool is_flag = value->is(Value::Kind::kBoolean);
    if (is_flag && value->boolean) continuation = PromptEnd::kContinue;
    if (value->is_string() && value->text == "content") continuation = PromptEnd::kContinueContent;
    if (value->is_string() && value->text == "reasoning_content") {
      continuation = PromptEnd::kContinueThought;
    }
    if (!continuation && !is_flag) {
      return fail(
          Code::kInvalid,
          "continue_final_message {} is not true, false, \"content\" or \"reasoning_content\"",
          quote_for_message(to_json(*value)));
    }
  }
  if (continuation && generates.value_or(false)) {
    return fail(Code::kInvalid,
                "add_generation_prompt and continue_final_message cannot both be true");
  }
  if (continuation) return *continuation;
  if (generates) return *generates ? PromptEnd::kGenerate : PromptEnd::kHistory;
  return messages.back().role == Role::kAssistant ? PromptEnd::kContinue : PromptEnd::kGenerate;
}

}  // namespace

Result<ChatRequest> parse_chat_request(const Value& body) {
  if (!body.is_object()) {
    return fail(Code::kInvalid, "the request must be a JSON object, not {}", kind_name(body.kind));
  }
  const Value nothing;
  const Value* messages = body.find("messages");
  const Value* tools = body.find("tools");
  if (messages == nullptr) return fail(Code::kInvalid, "messages is missing");
  ChatRequest request;
  GEM_ASSIGN(request.conversation,
             parse_conversation(*messages, tools != nullptr ? *tools : nothing));
  GEM_ASSIGN(request.tool_choice, parse_tool_choice(body, request.conversation.tools));
  GEM_ASSIGN(const std::optional<bool> parallel, optional_flag(body, "parallel_tool_calls"));
  request.parallel_tool_calls = parallel.value_or(true);
  GEM_ASSIGN(request.thinking, parse_thinking(body));
  GEM_ASSIGN(request.end, parse_end(body, request.conversation.messages));
  return request;
}

}  // namespace gem
