#include "cli/tokens.h"

#include <charconv>

#include "base/text.h"

namespace gem {

Result<std::vector<TokenId>> parse_ids(std::string_view text) {
  constexpr std::string_view kSeparators = ", \t\r\n";
  std::vector<TokenId> ids;
  while (true) {
    const size_t begin = text.find_first_not_of(kSeparators);
    if (begin == std::string_view::npos) break;
    text.remove_prefix(begin);
    const std::string_view word = text.substr(0, text.find_first_of(kSeparators));
    TokenId id = 0;
    const auto parsed = std::from_chars(word.data(), word.data() + word.size(), id);
    if (parsed.ec != std::errc() || parsed.ptr != word.data() + word.size() || id < 0) {
      return fail(Code::kInvalid, "'{}' is not a token id; expected numbers separated by commas",
                  quote_for_message(word));
    }
    ids.push_back(id);
    text.remove_prefix(word.size());
  }
  if (ids.empty()) return fail(Code::kInvalid, "no token ids given");
  return ids;
}

Status check_ids(const std::vector<TokenId>& ids, int32_t vocabulary) {
  for (const TokenId id : ids) {
    if (id >= vocabulary) {
      return fail(Code::kInvalid, "token id {} is outside the vocabulary of {}", id, vocabulary);
    }
  }
  return {};
}

}  // namespace gem
