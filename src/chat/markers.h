// The spellings of the special tokens that the chat format is made of (docs/chat.md).
#pragma once
#include <string_view>

namespace gem::marker {

inline constexpr std::string_view kBos = "<bos>";
inline constexpr std::string_view kTurnOpen = "<|turn>";
inline constexpr std::string_view kTurnClose = "<turn|>";
inline constexpr std::string_view kThink = "<|think|>";
inline constexpr std::string_view kChannelOpen = "<|channel>";
inline constexpr std::string_view kChannelClose = "<channel|>";
inline constexpr std::string_view kToolOpen = "<|tool>";
inline constexpr std::string_view kToolClose = "<tool|>";
inline constexpr std::string_view kCallOpen = "<|tool_call>";
inline constexpr std::string_view kCallClose = "<tool_call|>";
inline constexpr std::string_view kResponseOpen = "<|tool_response>";
inline constexpr std::string_view kResponseClose = "<tool_response|>";
inline constexpr std::string_view kQuote = "<|\"|>";

// The word that names the thought channel, after kChannelOpen.
inline constexpr std::string_view kThoughtName = "thought";

}  // namespace gem::marker
