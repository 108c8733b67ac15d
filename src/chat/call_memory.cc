#include "chat/call_memory.h"

#include <utility>

namespace gem {

void CallMemory::remember(const std::string& id, std::string_view name, std::string_view arguments,
                          std::span<const TokenId> ids) {
  if (id.empty() || ids.empty() || ids.size() > max_tokens_ || entries_.contains(id)) return;
  auto decoded = parse_json(arguments);
  if (!decoded) return;
  const auto [entry, is_new] = entries_.emplace(id, Entry{.name = std::string(name),
                                                          .arguments = *std::move(decoded),
                                                          .ids = {ids.begin(), ids.end()},
                                                          .preamble = {}});
  order_.push_back(id);
  tokens_ += tokens_of(entry->second);
  forget_oldest();
}

void CallMemory::remember_preamble(const std::string& id, Preamble preamble) {
  const auto entry = entries_.find(id);
  if (entry == entries_.end()) return;
  tokens_ -= tokens_of(entry->second);
  entry->second.preamble = std::move(preamble);
  tokens_ += tokens_of(entry->second);
  forget_oldest();
}

size_t CallMemory::tokens_of(const Entry& entry) {
  return entry.ids.size() + entry.preamble.thought_ids.size() + entry.preamble.text_ids.size();
}

void CallMemory::forget_oldest() {
  while (tokens_ > max_tokens_) {
    const auto oldest = entries_.find(order_.front());
    tokens_ -= tokens_of(oldest->second);
    entries_.erase(oldest);
    order_.pop_front();
  }
}

std::span<const TokenId> CallMemory::find(const ToolCall& call) const {
  const auto entry = entries_.find(call.id);
  if (entry == entries_.end()) return {};
  const Entry& known = entry->second;
  if (known.name != call.name || !call.decoded || !(known.arguments == *call.decoded)) return {};
  return known.ids;
}

const Preamble* CallMemory::find_preamble(const ToolCall& call) const {
  const auto entry = entries_.find(call.id);
  return entry != entries_.end() ? &entry->second.preamble : nullptr;
}

}  // namespace gem
