// Fuzz target of chat requests: JSON text to a rendered prompt in both modes, and the tools'
// schemas to a constraint that draws a call.
//
// Covers: src/chat/value.cc src/chat/message.cc src/chat/request.cc src/chat/render.cc
// Covers: src/chat/declaration.cc src/chat/schema_simplify.cc src/chat/call_text.cc
// Covers: src/chat/prompt.cc src/chat/python_text.cc src/chat/schema.cc
// Covers: src/chat/call_constraint.cc src/chat/call_grammar.cc src/chat/call_memory.cc
#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "base/utf8.h"
#include "chat/call_constraint.h"
#include "chat/parser.h"
#include "chat/render.h"
#include "chat/request.h"
#include "tests/support/chat_output.h"
#include "tests/support/small_vocabulary.h"

namespace gem {
namespace {

using testing::small_tokenizer;

void check_error(const Error& error) {
  GEM_CHECK(error.code() == Code::kInvalid);
  GEM_CHECK(!error.text().empty() && utf8_valid(error.text()));
  GEM_CHECK(
      std::ranges::none_of(error.text(), [](char c) { return (c >= 0 && c < 0x20) || c == 0x7F; }));
}

void check_value(const Value& value) {
  const std::string text = to_json(value);
  const auto again = parse_json(text);
  GEM_CHECK(again && *again == value);
  GEM_CHECK(to_value(nlohmann::ordered_json::parse(text)).has_value());
}

// Turns open and close in turn: nothing in a message became a turn's marker.
void check_turns(const std::vector<TokenId>& ids) {
  const SpecialIds& special = small_tokenizer().special();
  bool is_open = false;
  for (const TokenId id : ids) {
    if (id == special.turn_open || id == special.turn_close) {
      GEM_CHECK(is_open == (id == special.turn_close));
      is_open = !is_open;
    }
  }
  GEM_CHECK(ids.at(0) == special.bos && std::ranges::count(ids, special.bos) == 1);
}

// As if the request's calls had been generated here.
CallMemory memory_of(const Conversation& conversation) {
  const std::vector<TokenId> ids =
      testing::marked_ids(small_tokenizer(), "<|tool_call>f<tool_call|>");
  const std::vector<TokenId> text = {small_tokenizer().find("x")};
  CallMemory memory(16);
  for (const Message& message : conversation.messages) {
    for (const ToolCall& call : message.calls) {
      memory.remember(call.id, call.name, call.arguments, ids);
      memory.remember_preamble(call.id, {.thought = message.reasoning,
                                         .text = message.content(),
                                         .thought_ids = text,
                                         .text_ids = text});
    }
  }
  return memory;
}

void render_both(const ChatRequest& request) {
  const CallMemory memory = memory_of(request.conversation);
  for (const bool thinking : {false, true}) {
    RenderOptions options = {
        .end = request.end, .thinking = thinking, .keeps_all_thoughts = thinking};
    if (const auto prompt = render(request.conversation, options)) {
      const PromptTokens tokens = prompt->encode(small_tokenizer());
      check_turns(tokens.ids);
      GEM_CHECK(tokens.reusable <= tokens.ids.size());
      GEM_CHECK(utf8_valid(prompt->text()));
    } else {
      check_error(prompt.error());
    }
    options.memory = &memory;
    if (const auto prompt = render(request.conversation, options)) {
      check_turns(prompt->encode(small_tokenizer()).ids);
      GEM_CHECK(utf8_valid(prompt->text(small_tokenizer())));
    }
    options.memory = nullptr;
    options.mode = RenderMode::kOfficial;
    if (const auto prompt = render(request.conversation, options)) {
      GEM_CHECK(utf8_valid(prompt->text()));
    } else {
      check_error(prompt.error());
    }
  }
}

bool allows(std::span<const uint32_t> mask, TokenId id) {
  return mask.empty() || (mask[static_cast<size_t>(id) / 32] >> (id % 32) & 1) != 0;
}

// Follows the constraint with tokens that the input chooses; whatever the schemas, the parser can
// read the call.
void draw_call(const ChatRequest& request, std::string_view choices) {
  static const ConstraintVocabulary vocabulary(small_tokenizer());
  const SpecialIds& special = small_tokenizer().special();
  const ToolSet tools(request.conversation.tools);
  GEM_CHECK(utf8_valid(tools.note()));
  CallConstraint constraint(
      vocabulary, tools,
      {.choice = request.tool_choice, .one_call = !request.parallel_tool_calls, .may_think = true});
  OutputParser parser(small_tokenizer(), {}, {.tools = &tools});
  const auto follow = [&](TokenId id) {
    GEM_CHECK(allows(constraint.mask(), id));
    constraint.accept(id);
    for (const OutputEvent& event : parser.push(id)) {
      GEM_CHECK(event.kind != OutputEvent::Kind::kText);
    }
  };
  const std::string opening = "<|channel>thought\nx<channel|><|tool_call>";
  for (const TokenId id : testing::marked_ids(small_tokenizer(), opening)) follow(id);

  const std::vector<TokenId> endings = {special.quote, small_tokenizer().find(":"),
                                        small_tokenizer().find("}"), special.tool_call_close};
  uint32_t state = 1;
  for (size_t i = 0; i < 60 && parser.calls() == 0; ++i) {
    const auto mask = constraint.mask();
    if (mask.empty()) return;
    std::vector<TokenId> allowed;
    for (TokenId id = 0; id < small_tokenizer().vocabulary_size(); ++id) {
      if (allows(mask, id)) allowed.push_back(id);
    }
    state = state * 31 + static_cast<uint8_t>(choices[i % choices.size()]);
    TokenId id = allowed[state % allowed.size()];
    // Strings, keys and objects end at some point.
    for (const TokenId ending : endings) {
      if (i % 4 == 3 && allows(mask, ending)) id = ending;
    }
    follow(id);
  }
  if (parser.calls() > 0) GEM_CHECK(allows(constraint.mask(), special.tool_response_open));
}

void run(std::string_view text) {
  const auto body = parse_json(text);
  if (!body) return check_error(body.error());
  check_value(*body);
  const auto request = parse_chat_request(*body);
  if (!request) return check_error(request.error());
  render_both(*request);
  if (request->reads_calls()) draw_call(*request, text);
}

}  // namespace
}  // namespace gem

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  gem::run({reinterpret_cast<const char*>(data), size});
  return 0;
}
