#include "tokenizer/merge_table.h"

#include <algorithm>
#include <bit>
#include <string>

#include "base/text.h"
#include "base/utf8.h"

namespace gem {
namespace {

constexpr size_t kBlock = 64;

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
  for (size_t begin = 0; begin < merges.size(); begin += kBlock)
    GEM_TRY(table.add(merges.subspan(begin, std::min(kBlock, merges.size() - begin)), vocabulary));
  return table;
}

// Step by step for a block of merges, because each step ends in cache misses that then overlap.
Status MergeTable::add(std::span<const std::string_view> merges, const Vocabulary& vocabulary) {
  const size_t first_rank = results_.size();
  const auto refuse = [&](size_t i, std::string_view why) {
    return fail(Code::kCorrupt, "merge {}, \"{}\", {}: get the file again", first_rank + i,
                quote_for_message(merges[i]), why);
  };

  struct {
    std::string_view left, right;
  } parts[kBlock];
  for (size_t i = 0; i < merges.size(); ++i) {
    // A part may start with a space, and has none elsewhere.
    const size_t space = merges[i].find(' ', 1);
    if (space == std::string_view::npos || space + 1 == merges[i].size())
      return refuse(i, "is not two parts and a space");
    parts[i] = {merges[i].substr(0, space), merges[i].substr(space + 1)};
    vocabulary.prefetch(parts[i].left);
    vocabulary.prefetch(parts[i].right);
    const uint32_t bit = border_bit(last_character(parts[i].left), first_character(parts[i].right));
    borders_[bit / 64] |= uint64_t{1} << (bit % 64);
  }

  Slot found[kBlock];
  for (size_t i = 0; i < merges.size(); ++i) {
    const auto [left, right] = parts[i];
    found[i] = {vocabulary.find(left), vocabulary.find(right),
                static_cast<uint32_t>(first_rank + i)};
    const TokenId result = find_result(left, right, vocabulary);
    if (found[i].left < 0 || found[i].right < 0 || result < 0)
      return refuse(i, "has a part or a result that is not a vocabulary entry");
    if (vocabulary.token_class(result) != TokenClass::kText)
      return refuse(i, "would make a special token from plain text");
    results_.push_back(result);
    __builtin_prefetch(&slots_[slot_of(found[i].left, found[i].right, shift_)]);
  }

  for (size_t i = 0; i < merges.size(); ++i) {
    Slot& slot = locate(found[i].left, found[i].right);
    if (slot.rank != kNoRank) return refuse(i, fmt::format("repeats merge {}", slot.rank));
    slot = found[i];
  }
  return {};
}

// Published files list all ways to make an entry one after the other, the entries in order: nearly
// every result is the one before or the next.
TokenId MergeTable::find_result(std::string_view left, std::string_view right,
                                const Vocabulary& vocabulary) const {
  const TokenId before = results_.empty() ? 0 : results_.back();
  for (TokenId id = before; id < before + 2 && vocabulary.contains(id); ++id) {
    const std::string_view text = vocabulary.spelling(id);
    if (text.size() == left.size() + right.size() && text.starts_with(left) &&
        text.ends_with(right))
      return id;
  }
  return vocabulary.find(std::string(left).append(right));
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
