// Lists of ids as text.
#pragma once
#include <string_view>
#include <vector>

#include "base/result.h"
#include "tokenizer/tokenizer.h"

namespace gem {

// "2,105, 2364": ids separated by commas and white space. Returns kInvalid, naming what is no id.
Result<std::vector<TokenId>> parse_ids(std::string_view text);

// Returns kInvalid, naming the first id that is not below `vocabulary`.
Status check_ids(const std::vector<TokenId>& ids, int32_t vocabulary);

}  // namespace gem
