#include "model/synth_vocabulary.h"

#include <algorithm>
#include <array>

#include "base/check.h"
#include "base/utf8.h"

namespace gem {
namespace {

constexpr std::string_view kSpace = "\xE2\x96\x81";  // U+2581 stands for a space
constexpr uint32_t kSpaceCodePoint = 0x2581;

// Places in the published vocabulary.
constexpr int32_t kNewlines = 107;       // runs of 1 to 31
constexpr int32_t kSpaces = 138;         // runs of 2 to 31
constexpr int32_t kBytes = 238;          // 256 byte tokens
constexpr int32_t kWords = 494;          // results of merges
constexpr int32_t kCharacters = 236743;  // single characters, the space first
constexpr int32_t kTabs = 255968;        // runs of 1 to 31
constexpr size_t kPublishedRun = 31;

constexpr std::string_view kOnsets = "bcdfghjklmnprstvwz";
constexpr std::string_view kVowels = "aeiou";
constexpr size_t kSyllables = kOnsets.size() * kVowels.size();
// Words of one, two and three syllables come in an order that a step through their number makes:
// the steps have no factor in common with it, so every word comes once.
constexpr std::array<size_t, 3> kWordCount = {kSyllables, kSyllables* kSyllables,
                                              kSyllables* kSyllables* kSyllables};
constexpr std::array<size_t, 3> kWordStep = {7, 3571, 100003};

std::string repeat(std::string_view piece, size_t times) {
  std::string out;
  for (size_t i = 0; i < times; ++i) out += piece;
  return out;
}

std::string syllables(size_t index, size_t count) {
  std::string out;
  for (size_t i = 0; i < count; ++i) {
    const size_t syllable = index % kSyllables;
    index /= kSyllables;
    out += kOnsets[syllable / kVowels.size()];
    out += kVowels[syllable % kVowels.size()];
  }
  return out;
}

// Characters in order of code point, without what has no glyph of its own or is placed elsewhere.
class Characters {
 public:
  std::string next() {
    do {
      ++code_point_;
    } while (!is_plain(code_point_));
    std::string out;
    utf8_append(out, code_point_);
    return out;
  }

 private:
  static bool is_plain(uint32_t c) {
    if (c >= 0x7F && c <= 0xA0) return false;  // controls, no-break space
    if (c == 0xAD || c == kSpaceCodePoint) return false;
    if (c >= 0x300 && c <= 0x36F) return false;    // combining marks
    if (c >= 0x2000 && c <= 0x206F) return false;  // spaces and direction marks among punctuation
    return c < 0xD800 || c > 0xF8FF;               // surrogates, private use
  }

  uint32_t code_point_ = 0x20;
};

class Builder {
 public:
  // A new entry, at the end or at its published id.
  void add(std::string text, TokenType type = TokenType::kNormal) {
    out_.tokens.push_back(std::move(text));
    out_.types.push_back(type);
  }

  void add_merge(std::string_view left, std::string_view right) {
    out_.merges.push_back(fmt::format("{} {}", left, right));
  }

  int32_t size() const { return static_cast<int32_t>(out_.tokens.size()); }

  void add_runs(std::string_view piece, size_t first, size_t last) {
    for (size_t n = first; n <= last; ++n) add(repeat(piece, n));
  }

  // Every way to join two runs into one, longer results first, so that a long run ends as few
  // tokens.
  void add_run_merges(std::string_view piece, size_t longest) {
    for (size_t n = longest; n >= 2; --n) {
      for (size_t left = n - 1; left >= 1; --left) {
        add_merge(repeat(piece, left), repeat(piece, n - left));
      }
    }
  }

  void add_bytes() {
    for (int b = 0; b < 256; ++b) add(fmt::format("<0x{:02X}>", b), TokenType::kByte);
  }

  // `count` entries: each word, and the word with a space in front.
  void add_words(int32_t count) {
    const int32_t end = size() + count;
    for (size_t length = 1; length <= kWordCount.size(); ++length) {
      const size_t words = kWordCount[length - 1];
      for (size_t i = 0; i < words; ++i) {
        if (size() == end) return;
        const std::string word = syllables(i * kWordStep[length - 1] % words, length);
        const size_t last = word.size() - (length == 1 ? 1 : 2);
        add(word);
        add_merge(word.substr(0, last), word.substr(last));
        if (size() == end) return;
        add(fmt::format("{}{}", kSpace, word));
        add_merge(kSpace, word);
      }
    }
    GEM_CHECK(size() == end);  // a vocabulary beyond 1.4 million entries
  }

  void add_placeholder() { add(fmt::format("<unused{}>", placeholders_++)); }

  MadeUpVocabulary take() { return std::move(out_); }

 private:
  MadeUpVocabulary out_;
  int placeholders_ = 0;
};

// The published layout, placeholders where the real vocabulary has entries without a part in gem.
MadeUpVocabulary published_layout() {
  Builder out;
  auto special = special_tokens().begin();
  const auto pad_to = [&](int32_t id) {
    while (out.size() < id) {
      if (special != special_tokens().end() && special->published_id == out.size()) {
        out.add(std::string(special->spelling), special->stored_type);
        ++special;
      } else {
        out.add_placeholder();
      }
    }
  };
  pad_to(kNewlines);
  out.add_runs("\n", 1, kPublishedRun);
  GEM_CHECK(out.size() == kSpaces);
  out.add_runs(kSpace, 2, kPublishedRun);
  pad_to(kBytes);
  out.add_bytes();
  GEM_CHECK(out.size() == kWords);
  for (const std::string_view piece : {std::string_view("\n"), kSpace, std::string_view("\t")}) {
    out.add_run_merges(piece, kPublishedRun);
  }
  out.add_words(kCharacters - kWords);
  out.add(std::string(kSpace));
  Characters characters;
  while (out.size() < kTabs) out.add(characters.next());
  out.add_runs("\t", 1, kPublishedRun);
  pad_to(kPublishedVocabularySize);
  return out.take();
}

// For small vocabularies: everything that is needed, then words.
Result<MadeUpVocabulary> compact_layout(const Profile& profile) {
  constexpr int32_t kRoomy = 1024;  // entries from which on long runs are affordable
  const size_t longest = profile.vocabulary >= kRoomy ? kPublishedRun : 2;
  Builder out;
  for (const SpecialToken& special : special_tokens()) {
    out.add(std::string(special.spelling), special.stored_type);
  }
  for (const std::string_view piece : {std::string_view("\n"), kSpace, std::string_view("\t")}) {
    out.add_runs(piece, 1, longest);
    out.add_run_merges(piece, longest);
  }
  out.add_bytes();
  Characters characters;
  for (char c = '!'; c <= '~'; ++c) out.add(characters.next());
  if (out.size() > profile.vocabulary) {
    return fail(Code::kInvalid,
                "profile {} has {} vocabulary entries; a made-up vocabulary needs at least {}",
                profile.name, profile.vocabulary, out.size());
  }
  out.add_words(profile.vocabulary - out.size());
  return out.take();
}

uint32_t id_of(const MadeUpVocabulary& vocabulary, std::string_view token) {
  const auto found = std::find(vocabulary.tokens.begin(), vocabulary.tokens.end(), token);
  GEM_CHECK(found != vocabulary.tokens.end());
  return static_cast<uint32_t>(found - vocabulary.tokens.begin());
}

}  // namespace

Result<MadeUpVocabulary> make_up_vocabulary(const Profile& profile) {
  if (profile.fixed_special_ids) {
    GEM_CHECK(profile.vocabulary == kPublishedVocabularySize);
    return published_layout();
  }
  return compact_layout(profile);
}

void add_tokenizer_keys(const MadeUpVocabulary& vocabulary, gguf::Writer& writer) {
  constexpr float kUnusedScore = -1000.0f;  // the tokenizer goes by merges alone
  const std::vector<std::string_view> tokens(vocabulary.tokens.begin(), vocabulary.tokens.end());
  const std::vector<std::string_view> merges(vocabulary.merges.begin(), vocabulary.merges.end());
  std::vector<int32_t> types;
  types.reserve(vocabulary.types.size());
  for (const TokenType type : vocabulary.types) types.push_back(static_cast<int32_t>(type));

  writer.add_string("tokenizer.ggml.model", "gemma4");
  writer.add_string_array("tokenizer.ggml.tokens", tokens);
  writer.add_f32_array("tokenizer.ggml.scores", std::vector<float>(tokens.size(), kUnusedScore));
  writer.add_i32_array("tokenizer.ggml.token_type", types);
  writer.add_string_array("tokenizer.ggml.merges", merges);
  writer.add_u32("tokenizer.ggml.bos_token_id", id_of(vocabulary, "<bos>"));
  writer.add_u32("tokenizer.ggml.eos_token_id", id_of(vocabulary, "<eos>"));
  writer.add_u32("tokenizer.ggml.unknown_token_id", id_of(vocabulary, "<unk>"));
  writer.add_u32("tokenizer.ggml.padding_token_id", id_of(vocabulary, "<pad>"));
  writer.add_u32("tokenizer.ggml.mask_token_id", id_of(vocabulary, "<mask>"));
  const int32_t suppressed[] = {static_cast<int32_t>(id_of(vocabulary, "<audio|>")),
                                static_cast<int32_t>(id_of(vocabulary, "<image|>"))};
  writer.add_i32_array("tokenizer.ggml.suppress_tokens", suppressed);
  writer.add_bool("tokenizer.ggml.add_space_prefix", false);
  writer.add_bool("tokenizer.ggml.add_bos_token", true);
  writer.add_string("tokenizer.chat_template",
                    "{{ bos_token }}{% for message in messages %}<|turn>{{ message.role }}\n"
                    "{{ message.content }}<turn|>\n{% endfor %}"
                    "{% if add_generation_prompt %}<|turn>model\n{% endif %}");
}

bool is_readable_token(std::string_view token, TokenType type) {
  if (type != TokenType::kNormal) return false;
  // <unusedN>, <table> and [multimodal] are normal by type.
  const bool tag = token.size() > 2 && token.starts_with('<') && token.ends_with('>');
  if (tag || token == "[multimodal]") return false;
  for (const std::string_view space : {std::string_view("\n"), kSpace, std::string_view("\t")}) {
    if (token.size() > space.size() && token == repeat(space, token.size() / space.size())) {
      return false;
    }
  }
  return true;
}

}  // namespace gem
