#include "tokenizer/merge_table.h"

#include <algorithm>
#include <bit>
#include <string>

#include "base/text.h"
#include "base/utf8.h"

namespace gem {
namespace {

size_t slot_of(int32_t left, int32_t right, int shift) {
  const uint64_t key =
      uint64_t{static_cast<uint32_t>(left)} << 32 | uint64_t{static_cast<uint32_t>(right)};
  return key * 0x9E3779B97F4A7C15u >> shift;
}

uint32_t first_character(std::string_view text) { return utf8_step(text).code_point; }

uint32_t last_character(std::string_view text) {
  size_t start = text.size() - 1;
  while (start > 0 && (static_cast<uint8_t>(text[start]) & 0xC0) == 0x80) --start;
  return utf8_step(text.substr(start)).code_point;
}

}  // namespace

MergeTable::MergeTable(size_t count)
    : slots_(std::bit_ceil(std::max<size_t>(2 * count, 2))),
      shift_(64 - std::countr_zero(slots_.size())),
      borders_((size_t{1} << kBorderBits) / 64) {
  results_.reserve(count);
}

Result<MergeTable> MergeTable::create(std::span<const std::string_view> merges,
                                      const Vocabulary& vocabulary) {
  if (merges.size() >= kNoRank)
    return fail(Code::kCorrupt,
                "tokenizer.ggml.merges has {} entries, more than ranks: get the file again",
                merges.size());
  MergeTable table(merges.size());
  std::string joined;
  for (uint32_t rank = 0; rank < merges.size(); ++rank) {
    const std::string_view merge = merges[rank];
    // The parts themselves may start with a space, but hold no other.
    const size_t space = merge.find(' ', 1);
    if (space == std::string_view::npos || space + 1 == merge.size())
      return fail(Code::kCorrupt,
                  "merge {}, \"{}\", is not two parts and a space: get the file again", rank,
                  quote_for_message(merge));
    const std::string_view left_text = merge.substr(0, space);
    const std::string_view right_text = merge.substr(space + 1);
    joined.assign(left_text).append(right_text);

    const TokenId left = vocabulary.find(left_text);
    const TokenId right = vocabulary.find(right_text);
    const TokenId result = vocabulary.find(joined);
    if (left < 0 || right < 0 || result < 0)
      return fail(
          Code::kCorrupt,
          "merge {}, \"{}\", needs \"{}\", which is not a vocabulary entry: get the file again",
          rank, quote_for_message(merge),
          quote_for_message(left < 0    ? left_text
                            : right < 0 ? right_text
                                        : joined));
    if (vocabulary.token_class(result) != TokenClass::kText)
      return fail(
          Code::kCorrupt,
          "merge {}, \"{}\", would make a special token from plain text: get the file again", rank,
          quote_for_message(merge));

    Slot& slot = table.locate(left, right);
    if (slot.rank != kNoRank)
      return fail(Code::kCorrupt, "merges {} and {} are both \"{}\": get the file again", slot.rank,
                  rank, quote_for_message(merge));
    slot = {left, right, rank};
    table.results_.push_back(result);
    const uint32_t bit = border_bit(last_character(left_text), first_character(right_text));
    table.borders_[bit / 64] |= uint64_t{1} << (bit % 64);
  }
  return table;
}

MergeTable::Slot& MergeTable::locate(TokenId left, TokenId right) {
  size_t at = slot_of(left, right, shift_);
  while (slots_[at].rank != kNoRank && (slots_[at].left != left || slots_[at].right != right))
    at = (at + 1) & (slots_.size() - 1);
  return slots_[at];
}

uint32_t MergeTable::rank(int32_t left, int32_t right) const {
  return const_cast<MergeTable*>(this)->locate(left, right).rank;
}

}  // namespace gem
