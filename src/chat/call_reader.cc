#include "chat/call_reader.h"

#include <algorithm>
#include <utility>

#include "chat/call_words.h"
#include "chat/markers.h"

namespace gem {
namespace {

bool is_space(char c) { return kCallSpace.find(c) != std::string_view::npos; }

constexpr std::string_view kQuotes = "\xFF\"'`";

bool is_name_byte(char c) { return is_function_name(std::string_view(&c, 1)); }

class Reader {
 public:
  Reader(std::string_view text, CallEnd end)
      : text_(text), end_(end), next_quote_(text.find(kQuoteByte)) {}

  // call:name; leaves the position at what follows.
  bool read_name(std::string& name) {
    skip_space();
    const size_t start = at_;
    if (text_.substr(at_).starts_with("call")) {
      at_ += 4;
      skip_space();
      if (!eat(':')) at_ = start;
    }
    skip_space();
    const size_t first = at_;
    while (at_ < text_.size() && is_name_byte(text_[at_])) ++at_;
    name = text_.substr(first, at_ - first);
    skip_space();
    return is_function_name(name);
  }

  bool at_arguments() const { return peek() == '{' || peek() == '('; }

  bool read_arguments(const Schema& schema, Value& out) {
    schema_ = &schema;
    out = Value::object();
    if (at_ == text_.size()) return end_ == CallEnd::kCloser;
    if (eat('{')) {
      if (!read_members(schema.root(), 1, out)) return false;
    } else if (!eat('(') || !read_keyword_arguments(out)) {
      return false;
    }
    while (eat('}')) skip_space();
    skip_space();
    // A generation that was cut off may end within the closer, spelled by ordinary tokens.
    return marker::kCallClose.starts_with(text_.substr(at_)) &&
           at_ + marker::kCallClose.size() > text_.size();
  }

 private:
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool at_end() const { return at_ >= text_.size(); }
  bool eat(char c) {
    if (at_end() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void skip_space() {
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
  }
  // The first byte at or after `from` that is no white space and one of `bytes`; false at the end.
  bool is_next(size_t from, std::string_view bytes) const {
    const size_t next = text_.find_first_not_of(kCallSpace, from);
    return next != std::string_view::npos && bytes.find(text_[next]) != std::string_view::npos;
  }
  // True where a string can end: before , } ] or at the end.
  bool ends_value(size_t from) const {
    return is_next(from, ",}]") ||
           text_.find_first_not_of(kCallSpace, from) == std::string_view::npos;
  }

  // After '{'. The members up to the closing brace.
  bool read_members(Schema::Index node, int depth, Value& out) {
    if (depth > kMaxJsonDepth) return false;
    while (true) {
      skip_space();
      if (eat('}')) break;
      if (at_end()) {
        if (end_ != CallEnd::kCloser) return false;
        break;
      }
      Value::Member member;
      if (!read_key(member.key)) return false;
      if (!read_value(schema_->property_of(node, member.key), depth, '}', member.value))
        return false;
      out.members.push_back(std::move(member));
      skip_space();
      if (eat(',')) continue;
      if (!at_end() && peek() != '}') return false;
    }
    drop_duplicate_keys(out.members);
    return true;
  }

  bool read_items(Schema::Index node, int depth, Value& out) {
    if (depth > kMaxJsonDepth) return false;
    const Schema::Index items = schema_->items_of(node);
    while (true) {
      skip_space();
      if (eat(']')) return true;
      if (at_end()) return end_ == CallEnd::kCloser;
      if (!read_value(items, depth, ']', out.items.emplace_back())) return false;
      skip_space();
      if (eat(',')) continue;
      if (!at_end() && peek() != ']') return false;
    }
  }

  bool read_key(std::string& key) {
    const char first = peek();
    if (first == kQuoteByte || first == '"' || first == '\'') {
      ++at_;
      const size_t close = text_.find(first, at_);
      if (close == std::string_view::npos) return false;
      key = first == kQuoteByte ? std::string(text_.substr(at_, close - at_))
                                : unescape_json(text_.substr(at_, close - at_));
      at_ = close + 1;
      skip_space();
      return !key.empty() && (eat(':') || eat('='));
    }
    const size_t start = at_;
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '{' || c == '}' || c == kQuoteByte) return false;
      if (c == ':' || (c == '=' && is_next(at_ + 1, kQuotes))) {
        key = trim_call_space(text_.substr(start, at_ - start));
        ++at_;
        return !key.empty();
      }
    }
    return false;
  }

  bool at_quote() const { return !at_end() && kQuotes.find(text_[at_]) != std::string_view::npos; }

  // `closer` is that of the container around the value.
  bool read_value(Schema::Index node, int depth, char closer, Value& out) {
    skip_space();
    const TypeSet types = schema_->types_of(node);
    if (at_quote()) {
      std::string text;
      if (!read_string(text)) return false;
      out = typed_string(std::move(text), types);
      return true;
    }
    if (eat('{')) {
      out = Value::object();
      return read_members(node, depth + 1, out);
    }
    if (eat('[')) {
      out = Value::array();
      return read_items(node, depth + 1, out);
    }
    return read_bare(types, closer, out);
  }

  bool read_string(std::string& out) {
    const char quote = text_[at_++];
    return quote == kQuoteByte ? read_marked_string(out) : read_quoted_string(quote, out);
  }

  // After the opening marker. A marker closes the string if the notation can go on behind it. If
  // instead
  // ",key:" stands before it, it opens that key's value, and this string lost its closer before the
  // comma. Any other marker belongs to the text.
  bool read_marked_string(std::string& out) {
    const size_t start = at_;
    for (size_t quote = next_quote(at_); quote != std::string_view::npos;
         quote = next_quote(quote + 1)) {
      if (ends_value(quote + 1) || is_next(quote + 1, ":")) {
        out = spell_quotes(text_.substr(start, quote - start));
        at_ = quote + 1;
        return true;
      }
      if (const size_t comma = key_comma_before(quote, start); comma != std::string_view::npos) {
        out = spell_quotes(text_.substr(start, comma - start));
        at_ = comma;
        return true;
      }
    }
    return false;
  }

  // After the opening quote. Backticks quote raw text, the others know JSON's escapes. As with
  // markers, a quote closes only where a string can end.
  bool read_quoted_string(char quote, std::string& out) {
    const size_t start = at_;
    for (size_t i = at_; i < text_.size(); ++i) {
      if (text_[i] == kQuoteByte) return false;
      if (text_[i] == '\\' && quote != '`') {
        ++i;
      } else if (text_[i] == quote && (ends_value(i + 1) || is_next(i + 1, ")"))) {
        const std::string_view inner = text_.substr(start, i - start);
        out = quote == '`' ? std::string(inner) : unescape_json(inner);
        at_ = i + 1;
        return true;
      }
    }
    return false;
  }

  bool read_bare(TypeSet types, char closer, Value& out) {
    if (const size_t quote = lone_closer(); quote != std::string_view::npos) {
      out = typed_string(std::string(text_.substr(at_, quote - at_)), types);
      at_ = quote + 1;
      return true;
    }
    const size_t start = at_;
    while (at_ < text_.size() && text_[at_] != ',' && text_[at_] != '}' && text_[at_] != closer) {
      if (text_[at_] == '{' || text_[at_] == kQuoteByte) return false;
      ++at_;
    }
    const std::string_view word = trim_call_space(text_.substr(start, at_ - start));
    if (word.empty()) return false;
    out = typed_word(word, types);
    return true;
  }

  // The marker that closes a string whose opener is missing, if this value is one: the next marker
  // stands where strings end, not where they begin, and no ",key:" lies between.
  size_t lone_closer() {
    const size_t quote = next_quote(at_);
    if (quote == std::string_view::npos) return quote;
    if (quote != judged_quote_) {
      judged_quote_ = quote;
      const size_t before = text_.find_last_not_of(kCallSpace, quote - 1);
      constexpr std::string_view kOpening = ":[,={(";
      judged_closes_ = quote > 0 && before != std::string_view::npos &&
                       kOpening.find(text_[before]) == std::string_view::npos &&
                       ends_value(quote + 1);
      judged_key_ = judged_closes_ ? last_key_comma(quote, at_) : std::string_view::npos;
    }
    const bool key_between = judged_key_ != std::string_view::npos && judged_key_ >= at_;
    return judged_closes_ && !key_between ? quote : std::string_view::npos;
  }

  // The next marker at or after `from`. Remembered, so that many values before a far marker do not
  // each search for it; `from` never goes back behind the last one but to where it still is the
  // next.
  size_t next_quote(size_t from) {
    if (next_quote_ < from) next_quote_ = text_.find(kQuoteByte, from);
    return next_quote_;
  }

  // The comma of ",key:" that ends right before `end`, not before `start`.
  size_t key_comma_before(size_t end, size_t start) const {
    size_t i = end;
    const auto back_over_space = [&] {
      while (i > start && is_space(text_[i - 1])) --i;
    };
    back_over_space();
    if (i == start || text_[i - 1] != ':') return std::string_view::npos;
    --i;
    back_over_space();
    const size_t name_end = i;
    while (i > start && is_name_byte(text_[i - 1])) --i;
    if (i == name_end) return std::string_view::npos;
    back_over_space();
    return i > start && text_[i - 1] == ',' ? i - 1 : std::string_view::npos;
  }

  // The comma of the last ",key:" between `start` and `end`.
  size_t last_key_comma(size_t end, size_t start) const {
    for (size_t colon = end; colon > start; --colon) {
      if (text_[colon - 1] != ':') continue;
      const size_t comma = key_comma_before(colon, start);
      if (comma != std::string_view::npos) return comma;
    }
    return std::string_view::npos;
  }

  // After '('. name="text" pairs, as a call in Python; other values would be a guess.
  bool read_keyword_arguments(Value& out) {
    while (true) {
      skip_space();
      if (eat(')')) return true;
      if (at_end()) return end_ == CallEnd::kCloser;
      const size_t start = at_;
      while (at_ < text_.size() && is_name_byte(text_[at_])) ++at_;
      std::string key(text_.substr(start, at_ - start));
      skip_space();
      if (key.empty() || !eat('=')) return false;
      skip_space();
      std::string text;
      if (!at_quote() || !read_string(text)) return false;
      const TypeSet types = schema_->types_of(schema_->property_of(schema_->root(), key));
      out.members.push_back({std::move(key), typed_string(std::move(text), types)});
      skip_space();
      if (!eat(',') && !at_end() && peek() != ')') return false;
    }
  }

  std::string_view text_;
  CallEnd end_;
  size_t at_ = 0;
  const Schema* schema_ = nullptr;
  size_t next_quote_;
  size_t judged_quote_ = std::string_view::npos;
  size_t judged_key_ = std::string_view::npos;
  bool judged_closes_ = false;
};

}  // namespace

std::string spell_quotes(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    if (c == kQuoteByte) {
      out += marker::kQuote;
    } else {
      out += c;
    }
  }
  return out;
}

std::optional<ReadCall> read_call(std::string_view text, CallEnd end, const ToolSet& tools) {
  static const Schema kNoSchema{Value()};
  Reader reader(text, end);
  ReadCall call;
  if (!reader.read_name(call.name)) return std::nullopt;
  const Schema* schema = tools.find(call.name);
  if (!reader.read_arguments(schema != nullptr ? *schema : kNoSchema, call.arguments)) {
    return std::nullopt;
  }
  return call;
}

std::optional<std::string> read_call_name(std::string_view text) {
  Reader reader(text, CallEnd::kMissing);
  std::string name;
  if (!reader.read_name(name) || !reader.at_arguments()) return std::nullopt;
  return name;
}

void StringTracker::push(char byte) {
  const bool space = is_space(byte);
  if (state_ == State::kAtQuote && !space) {
    constexpr std::string_view kAfterString = ",}]:";
    // A marker that closes nothing is text, or opens the next value after a string without a
    // closer: inside either way.
    state_ = kAfterString.find(byte) != std::string_view::npos ? State::kOutside : State::kInside;
  }
  if (byte == kQuoteByte) {
    constexpr std::string_view kBeforeString = ":[,={(";
    if (state_ == State::kInside) {
      state_ = State::kAtQuote;
    } else if (kBeforeString.find(last_) != std::string_view::npos) {
      state_ = State::kInside;
    }
  }
  if (!space) last_ = byte;
}

}  // namespace gem
