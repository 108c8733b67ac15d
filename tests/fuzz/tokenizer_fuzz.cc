// Fuzz target of the tokenizer. The first byte chooses: text over a small vocabulary, cut into
// segments; or that vocabulary changed by instructions (make_tokenizer_corpus.py writes some) and,
// if it is still accepted, the rest of the input as text over it.
//
// Covers: src/tokenizer/bpe.cc src/tokenizer/merge_table.cc src/tokenizer/special_tokens.cc
// Covers: src/tokenizer/spelling_index.cc src/tokenizer/stream_decoder.cc
// Covers: src/tokenizer/tokenizer.cc src/tokenizer/vocabulary.cc
#include <algorithm>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "base/utf8.h"
#include "tests/support/small_vocabulary.h"
#include "tokenizer/bpe.h"
#include "tokenizer/special_tokens.h"
#include "tokenizer/tokenizer.h"

namespace gem {
namespace {

class Input {
 public:
  explicit Input(std::string_view bytes) : bytes_(bytes) {}

  bool empty() const { return bytes_.empty(); }
  uint8_t byte() {
    const uint8_t value = empty() ? 0 : static_cast<uint8_t>(bytes_[0]);
    bytes_.remove_prefix(std::min<size_t>(bytes_.size(), 1));
    return value;
  }
  // Little-endian.
  int32_t number() {
    const int32_t low = byte();
    return low | byte() << 8;
  }
  std::string_view text() { return take(byte()); }
  std::string_view take(size_t size) {
    const std::string_view taken = bytes_.substr(0, size);
    bytes_.remove_prefix(taken.size());
    return taken;
  }
  std::string_view rest() { return take(bytes_.size()); }

 private:
  std::string_view bytes_;
};

// `bytes` as they come back: ill-formed parts replaced, and the mark of a space as a space.
std::string as_decoded(std::string_view bytes) {
  constexpr std::string_view kMark = "\u2581";
  const std::string repaired = utf8_repair(bytes);
  std::string text;
  for (size_t at = 0; at < repaired.size();) {
    const bool mark = std::string_view(repaired).substr(at).starts_with(kMark);
    text.push_back(mark ? ' ' : repaired[at]);
    at += mark ? kMark.size() : 1;
  }
  return text;
}

bool is_special(const Tokenizer& tokenizer, TokenId id) {
  const TokenClass token_class = tokenizer.token_class(id);
  return token_class == TokenClass::kVisible || token_class == TokenClass::kControl;
}

void check_stream(std::string_view bytes) {
  StreamDecoder decoder;
  std::string text;
  for (size_t at = 0, size = 0; at < bytes.size(); at += size, size = (size + 1) % 4)
    text += decoder.push(bytes.substr(at, size));
  text += decoder.flush();
  GEM_CHECK(text == utf8_repair(bytes));
}

void check_text(const Tokenizer& tokenizer, std::string_view text) {
  const std::vector<TokenId> plain = tokenizer.encode(text, false);
  for (const TokenId id : plain) GEM_CHECK(!is_special(tokenizer, id));
  GEM_CHECK(tokenizer.decode(plain) == as_decoded(text));
  const std::vector<TokenId> parsed = tokenizer.encode(text, true);
  GEM_CHECK(tokenizer.decode(parsed, true) == as_decoded(text));
  for (const TokenId id : parsed)
    GEM_CHECK(!is_special(tokenizer, id) || text.find(tokenizer.spelling(id)) != text.npos);
}

// `cuts`: for each segment its length and, in the lowest bit, whether it is trusted.
void check_segments(const Tokenizer& tokenizer, std::string_view text, std::string_view cuts) {
  std::vector<Segment> mixed;
  std::string_view rest = text;
  for (const char cut : cuts) {
    const auto bits = static_cast<uint8_t>(cut);
    mixed.push_back({rest.substr(0, bits / 2), (bits & 1) != 0});
    rest.remove_prefix(mixed.back().text.size());
  }
  mixed.push_back({rest, true});
  std::vector<Segment> trusted = mixed;
  std::vector<Segment> untrusted = mixed;
  for (Segment& segment : trusted) segment.trusted = true;
  for (Segment& segment : untrusted) segment.trusted = false;
  GEM_CHECK(tokenizer.encode(trusted) == tokenizer.encode(text, true));
  GEM_CHECK(tokenizer.encode(untrusted) == tokenizer.encode(text, false));
  GEM_CHECK(tokenizer.decode(tokenizer.encode(mixed), true) == as_decoded(text));
}

void check_lists(const Tokenizer& tokenizer) {
  for (const auto ids :
       {tokenizer.stop_ids(), tokenizer.suppressed_ids(), tokenizer.chat_masked_ids()}) {
    for (const TokenId id : ids) GEM_CHECK(id >= 0 && id < tokenizer.vocabulary_size());
  }
  for (const TokenId id : tokenizer.stop_ids()) GEM_CHECK(tokenizer.is_stop(id));
  for (TokenId id = -1; id <= tokenizer.vocabulary_size(); ++id)
    GEM_CHECK(tokenizer.spelling(id).empty() || tokenizer.find(tokenizer.spelling(id)) == id);
  GEM_CHECK(!check_published_ids(tokenizer));
}

void check_windows(const VocabularySource& source, std::string_view text) {
  const auto vocabulary = Vocabulary::create(source);
  const auto merges = MergeTable::create(source.merges, *vocabulary);
  std::vector<TokenId> whole;
  Bpe(*vocabulary, *merges, text.size() + 1).encode(text, whole);
  for (const size_t window : {size_t{1}, size_t{7}, size_t{32}}) {
    std::vector<TokenId> ids;
    Bpe(*vocabulary, *merges, window).encode(text, ids);
    GEM_CHECK(ids == whole);
  }
}

const testing::SmallVocabulary& small_vocabulary() {
  static const testing::SmallVocabulary vocabulary;
  return vocabulary;
}

// The instructions end where the text begins.
class ChangedVocabulary {
 public:
  explicit ChangedVocabulary(Input& input) : source_(small_vocabulary().source()) {
    while (!input.empty() && apply(input)) {
    }
  }
  const VocabularySource& source() const { return source_; }

 private:
  bool apply(Input& input) {
    const size_t entries = std::max<size_t>(source_.tokens.size(), 1);
    switch (input.byte() % 10) {
      case 0:
        return false;
      case 1:
        source_.token_types.push_back(input.byte());
        source_.tokens.push_back(input.text());
        return true;
      case 2:
        if (const size_t at = static_cast<size_t>(input.number()) % entries;
            at < source_.tokens.size())
          source_.tokens[at] = input.text();
        return true;
      case 3:
        if (const size_t at = static_cast<size_t>(input.number()) % entries;
            at < source_.token_types.size())
          source_.token_types[at] = static_cast<int8_t>(input.byte());
        return true;
      case 4:
        source_.merges.push_back(input.text());
        return true;
      case 5:
        add_merge(input);
        return true;
      case 6:
        set_id(input);
        return true;
      case 7:
        source_.model = input.text();
        return true;
      case 8:
        source_.tokens.resize(std::min(source_.tokens.size(), static_cast<size_t>(input.number())));
        return true;
      default:
        source_.token_types.resize(source_.tokens.size());
        source_.merges.resize(std::min(source_.merges.size(), static_cast<size_t>(input.number())));
        return true;
    }
  }

  // A merge of two entries before all others, so that it outranks those that made its parts.
  void add_merge(Input& input) {
    if (source_.tokens.empty()) return;
    const auto part = [&] {
      return source_.tokens[static_cast<size_t>(input.number()) % source_.tokens.size()];
    };
    const std::string_view left = part();
    const std::string_view right = part();
    source_.tokens.push_back(made_.emplace_back(std::string(left).append(right)));
    source_.token_types.push_back(testing::SmallVocabulary::kNormal);
    source_.merges.insert(source_.merges.begin(),
                          made_.emplace_back(std::string(left).append(" ").append(right)));
  }

  void set_id(Input& input) {
    const uint8_t which = input.byte();
    const TokenId id = input.number() - 1;
    switch (which % 5) {
      case 0:
        source_.bos = id;
        return;
      case 1:
        source_.eos = id;
        return;
      case 2:
        source_.unknown = id;
        return;
      case 3:
        source_.padding = id;
        return;
      default:
        source_.suppressed.push_back(id);
        return;
    }
  }

  VocabularySource source_;
  std::deque<std::string> made_;
};

void check_changed(Input& input) {
  const ChangedVocabulary changed(input);
  const auto tokenizer = Tokenizer::create(changed.source());
  if (!tokenizer) {
    const std::string& text = tokenizer.error().text();
    GEM_CHECK(!text.empty());
    // Whatever the file contains, the message is one line without control bytes.
    GEM_CHECK(std::ranges::none_of(text, [](char c) { return (c >= 0 && c < 0x20) || c == 0x7F; }));
    return;
  }
  check_lists(*tokenizer);
  const std::string_view text = input.rest();
  check_text(*tokenizer, text);
  check_windows(changed.source(), text);
}

}  // namespace
}  // namespace gem

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  gem::Input input({reinterpret_cast<const char*>(data), size});
  if (input.byte() % 2 == 0) {
    const std::string_view cuts = input.text();
    const std::string_view text = input.rest();
    const gem::Tokenizer& tokenizer = gem::testing::small_tokenizer();
    gem::check_text(tokenizer, text);
    gem::check_segments(tokenizer, text, cuts);
    gem::check_stream(text);
  } else {
    gem::check_changed(input);
  }
  return 0;
}
