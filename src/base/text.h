// Small text helpers for messages: escaping, sizes, near names.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace gem {

// `text` with every control byte other than newline and tab, and every byte that is not part of
// well-formed UTF-8, written as \xNN. Text from models, files and clients passes through here on
// its way to a terminal or a log.
std::string escape_for_terminal(std::string_view text);

// escape_for_terminal with newlines and tabs escaped too, cut to `max_bytes`: for one-line errors.
std::string quote_for_message(std::string_view text, size_t max_bytes = 80);

// "7.2 GB", "512 MiB" style: decimal for file sizes.
std::string format_bytes(uint64_t bytes);

// The candidate nearest to `name` by edit distance, or empty if none is near enough to suggest.
std::string_view nearest_name(std::string_view name, std::span<const std::string_view> candidates);

}  // namespace gem
