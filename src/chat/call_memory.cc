#include "chat/call_memory.h"

#include <utility>

namespace gem {

void CallMemory::remember(const std::string& id, std::string_view name, std::string_view arguments,
                          std::span<const TokenId> ids) {
  if (id.empty() || ids.empty() || ids.size() > max_tokens_ || entries_.contains(id)) return;
  auto decoded = parse_json(arguments);
  if (!decoded) return;
  entries_.emplace(id, Entry{.name = std::string(name),
                             .arguments = *std::move(decoded),
                             .ids = {ids.begin(), ids.end()}});
  order_.push_back(id);
  tokens_ += ids.size();
  while (tokens_ > max_tokens_) {
    const auto oldest = entries_.find(order_.front());
    tokens_ -= oldest->second.ids.size();
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

}  // namespace gem
