// Renders a conversation as a Gemma 4 prompt.
//
// Nothing that a message, a tool or a result says can become a special token: only text that this
// file and its helpers write themselves is trusted.
#pragma once
#include "chat/call_memory.h"
#include "chat/message.h"
#include "chat/prompt.h"

namespace gem {

enum class RenderMode : uint8_t {
  kGem,       // the official format without its losses (docs/chat.md lists every difference)
  kOfficial,  // byte for byte what the published template prints
};

// What the prompt ends with.
enum class PromptEnd : uint8_t {
  kHistory,   // nothing: the conversation as it is
  kGenerate,  // the opening of a model turn, unless one is open
  kContinue,  // the last message, an assistant's, left open: its text, or its thought if it has
              // a thought and no text
  kContinueContent,  // the same, always its text
  kContinueThought,  // the same, always its thought
};

struct RenderOptions {
  RenderMode mode = RenderMode::kGem;
  PromptEnd end = PromptEnd::kGenerate;
  bool thinking = true;
  bool keeps_all_thoughts = false;  // instead of those of the running turn's calls only
  const CallMemory* memory = nullptr;
};

// Returns kInvalid, naming the message, for what cannot be rendered: arguments that are no JSON
// object (kOfficial), a result without its call or calls without results at the end (kGem), a
// continuation of something other than an assistant's text.
Result<Prompt> render(const Conversation& conversation, const RenderOptions& options);

}  // namespace gem
