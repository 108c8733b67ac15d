#include "chat/call_grammar.h"

#include <algorithm>
#include <utility>

#include "chat/call_words.h"

namespace gem {
namespace {

using Mode = CallGrammar::State::Mode;

constexpr std::string_view kHead = "call:";
constexpr int kMaxOpenContainers = kMaxJsonDepth - 2;
// Longer numbers are a model that is stuck in digits. With two more digits of exponent they are far
// from the end of a double's range, where JSON readers refuse a number.
constexpr uint16_t kMaxNumberBytes = 40;
constexpr uint32_t kTrackedKeys = 64;

// The parts of a JSON number. After those marked the number may end.
enum NumberPart : uint8_t {
  kSign,
  kZero,    // may end
  kDigits,  // may end
  kPoint,
  kFractionDigits,  // may end
  kExponent,
  kExponentSign,
  kExponentDigit,   // may end
  kExponentDigits,  // may end, and must
};

bool may_end(uint8_t part) {
  return part == kZero || part == kDigits || part == kFractionDigits || part == kExponentDigit ||
         part == kExponentDigits;
}

bool is_digit(char byte) { return byte >= '0' && byte <= '9'; }

}  // namespace

WordSet::WordSet(std::vector<std::string> words) : words_(std::move(words)) {
  std::ranges::sort(words_);
  words_.erase(std::ranges::unique(words_).begin(), words_.end());
}

WordSet::Range WordSet::narrow(Range range, char byte) const {
  const auto letter = [&](const std::string& word) {
    return word.size() > range.depth ? static_cast<int>(static_cast<uint8_t>(word[range.depth]))
                                     : -1;
  };
  const auto wanted = static_cast<int>(static_cast<uint8_t>(byte));
  const auto first = words_.begin() + range.begin;
  const auto last = words_.begin() + range.end;
  const auto found = std::ranges::equal_range(first, last, wanted, {}, letter);
  return {static_cast<uint32_t>(found.begin() - words_.begin()),
          static_cast<uint32_t>(found.end() - words_.begin()), range.depth + 1};
}

CallGrammar::CallGrammar(const ToolSet& tools, std::optional<std::string_view> only)
    : tools_(tools) {
  std::vector<std::string> names;
  for (const ToolSet::Entry& tool : tools.entries()) {
    if (!only || tool.name == *only) names.push_back(tool.name);
  }
  names_ = WordSet(std::move(names));
  for (uint32_t i = 0; i < names_.size(); ++i) {
    const auto tool = std::ranges::find(tools.entries(), names_.word(i), &ToolSet::Entry::name);
    tools_by_name_.push_back(static_cast<int32_t>(tool - tools.entries().begin()));
  }
}

CallGrammar::State CallGrammar::start() {
  frames_.clear();
  return {};
}

bool CallGrammar::step(State& state, char byte) {
  switch (state.mode) {
    case Mode::kHead:
      if (kHead[state.range.depth] != byte) return false;
      if (++state.range.depth == kHead.size()) {
        state.mode = Mode::kName;
        state.range = names_.all();
      }
      return true;
    case Mode::kName:
      if (byte == '{' && names_.is_complete(state.range)) {
        state.tool = tools_by_name_[state.range.begin];
        state.value = schema(state).root();
        return open(state, false, std::max(plan(state).object, Schema::Index{0}));
      }
      state.range = names_.narrow(state.range, byte);
      return state.range.begin < state.range.end;
    case Mode::kObjectStart:
      if (byte == '}' && may_close_object(state)) {
        close(state);
        return true;
      }
      return step_key_start(state, byte);
    case Mode::kKeyStart:
      return step_key_start(state, byte);
    case Mode::kKey:
      return step_key(state, byte);
    case Mode::kArrayStart:
      if (byte == ']') {
        close(state);
        return true;
      }
      return step_value(state, byte);
    case Mode::kValue:
      return step_value(state, byte);
    case Mode::kString:
      return true;
    case Mode::kChoice:
      state.range = plan(state).strings.narrow(state.range, byte);
      return state.range.begin < state.range.end;
    case Mode::kWord: {
      const WordSet& words = plan(state).words;
      const WordSet::Range next = words.narrow(state.range, byte);
      if (next.begin < next.end) {
        state.range = next;
        return true;
      }
      return words.is_complete(state.range) && step_after_value(state, byte);
    }
    case Mode::kNumber:
      return step_number(state, byte);
    case Mode::kAfterValue:
      return step_after_value(state, byte);
    case Mode::kDone:
      return false;
  }
  return false;
}

bool CallGrammar::allows_quote(const State& state) {
  switch (state.mode) {
    case Mode::kArrayStart:
    case Mode::kValue:
      return plan(state).any_string || !plan(state).strings.empty();
    case Mode::kString:
      return true;
    case Mode::kChoice:
      return plan(state).strings.is_complete(state.range);
    default:
      return false;
  }
}

bool CallGrammar::step_quote(State& state) {
  if (!allows_quote(state)) return false;
  if (state.mode == Mode::kString || state.mode == Mode::kChoice) {
    state.mode = Mode::kAfterValue;
  } else {
    state.mode = plan(state).any_string ? Mode::kString : Mode::kChoice;
    state.range = plan(state).strings.all();
  }
  return true;
}

bool CallGrammar::is_free_key(const State& state) const {
  if (state.mode != Mode::kObjectStart && state.mode != Mode::kKeyStart &&
      state.mode != Mode::kKey) {
    return false;
  }
  const Frame& frame = frames_[static_cast<size_t>(state.frame)];
  return schema(state).form(frame.node).other_properties != Schema::kNone;
}

const Schema& CallGrammar::schema(const State& state) const {
  return tools_.entries()[static_cast<size_t>(state.tool)].schema;
}

uint64_t CallGrammar::key_of(const State& state, Schema::Index index) {
  return uint64_t{static_cast<uint32_t>(state.tool)} << 32 | static_cast<uint32_t>(index);
}

const CallGrammar::Plan& CallGrammar::plan(const State& state) {
  const auto [entry, is_new] = plans_.try_emplace(key_of(state, state.value));
  Plan& plan = entry->second;
  if (!is_new) return plan;

  const Schema& from = schema(state);
  std::vector<std::string> strings;
  std::vector<std::string> words;
  for (const Schema::Index index : from.forms_of(state.value)) {
    const Schema::Form& form = from.form(index);
    for (const Value& choice : form.choices) {
      if (choice.is_string()) {
        strings.push_back(choice.text);
      } else {
        words.push_back(to_json(choice));
      }
    }
    if (form.types & kNullType) words.emplace_back("null");
    if (!form.choices.empty()) continue;
    if (form.types & kBooleanType) words.insert(words.end(), {"true", "false"});
    if (form.types & kStringType) plan.any_string = true;
    if (form.types & kIntegerType) plan.integers = true;
    if (form.types & kFractionType) plan.integers = plan.fractions = true;
    // Of several forms of objects or arrays it is not known which one is meant: anything goes.
    if (form.types & kObjectType) plan.object = plan.object == Schema::kNone ? index : 0;
    if (form.types & kArrayType) {
      plan.items = plan.items == Schema::kNone ? form.items : Schema::kAny;
    }
  }
  plan.strings = WordSet(std::move(strings));
  plan.words = WordSet(std::move(words));
  return plan;
}

const CallGrammar::Keys& CallGrammar::keys(const State& state, Schema::Index form) {
  const auto [entry, is_new] = keys_.try_emplace(key_of(state, form));
  Keys& keys = entry->second;
  if (!is_new) return keys;

  const std::vector<Schema::Property>& properties = schema(state).form(form).properties;
  std::vector<std::string> names;
  for (const Schema::Property& property : properties) {
    if (is_call_key(property.name)) names.push_back(property.name);
  }
  keys.names = WordSet(std::move(names));
  keys.values.resize(keys.names.size(), Schema::kAny);
  for (const Schema::Property& property : properties) {
    for (WordSet::Range range = keys.names.all(); const char byte : property.name) {
      range = keys.names.narrow(range, byte);
      if (range.begin == range.end || range.depth < property.name.size()) continue;
      if (!keys.names.is_complete(range)) continue;
      keys.values[range.begin] = property.value;
      if (property.is_required && range.begin < kTrackedKeys)
        keys.required |= uint64_t{1} << range.begin;
    }
  }
  return keys;
}

bool CallGrammar::has_unused_key(const State& state, WordSet::Range range) {
  const uint64_t used = frames_[static_cast<size_t>(state.frame)].used_keys;
  for (uint32_t i = range.begin; i < range.end; ++i) {
    if (i >= kTrackedKeys || (used >> i & 1) == 0) return true;
  }
  return false;
}

bool CallGrammar::may_close_object(const State& state) {
  const Frame& frame = frames_[static_cast<size_t>(state.frame)];
  return (keys(state, frame.node).required & ~frame.used_keys) == 0;
}

bool CallGrammar::step_key_start(State& state, char byte) {
  const Frame& frame = frames_[static_cast<size_t>(state.frame)];
  state.range = keys(state, frame.node).names.all();
  state.key_bytes = 0;
  state.mode = Mode::kKey;
  return is_key_start(byte) && step_key(state, byte);
}

bool CallGrammar::step_key(State& state, char byte) {
  const Frame frame = frames_[static_cast<size_t>(state.frame)];
  const Keys& known = keys(state, frame.node);
  const Schema::Index other = schema(state).form(frame.node).other_properties;
  if (byte != ':') {
    state.range = known.names.narrow(state.range, byte);
    if (state.key_bytes < UINT16_MAX) ++state.key_bytes;
    if (has_unused_key(state, state.range)) return true;
    return other != Schema::kNone && is_key_byte(byte);
  }
  Frame next = frame;
  const bool is_known =
      known.names.is_complete(state.range) && state.range.depth == state.key_bytes;
  if (is_known) {
    const uint32_t index = state.range.begin;
    const uint64_t bit = index < kTrackedKeys ? uint64_t{1} << index : 0;
    if ((frame.used_keys & bit) != 0) return false;
    next.used_keys |= bit;
    state.value = known.values[index];
  } else if (other != Schema::kNone) {
    state.value = other;
  } else {
    return false;
  }
  state.frame = static_cast<int32_t>(frames_.size());
  frames_.push_back(next);
  state.mode = Mode::kValue;
  return true;
}

bool CallGrammar::step_value(State& state, char byte) {
  const Plan& begin = plan(state);
  if (byte == '{') return begin.object != Schema::kNone && open(state, false, begin.object);
  if (byte == '[') return begin.items != Schema::kNone && open(state, true, begin.items);
  // A number may be a word as well, if it is one of the choices; then it is that.
  const WordSet::Range word = begin.words.narrow(begin.words.all(), byte);
  if (word.begin < word.end) {
    state.mode = Mode::kWord;
    state.range = word;
    return true;
  }
  if (!begin.integers || (byte != '-' && !is_digit(byte))) return false;
  state.mode = Mode::kNumber;
  state.key_bytes = 1;
  state.number_part = byte == '-' ? kSign : byte == '0' ? kZero : kDigits;
  return true;
}

bool CallGrammar::step_number(State& state, char byte) {
  const bool fractions = plan(state).fractions;
  const uint8_t part = state.number_part;
  uint8_t next = part;
  if (is_digit(byte)) {
    switch (part) {
      case kSign:
        next = byte == '0' ? kZero : kDigits;
        break;
      case kZero:
        return false;
      case kPoint:
        next = kFractionDigits;
        break;
      case kExponent:
      case kExponentSign:
        next = kExponentDigit;
        break;
      case kExponentDigit:
        next = kExponentDigits;
        break;
      case kExponentDigits:
        return false;
      default:
        break;
    }
  } else if (byte == '.' && (part == kZero || part == kDigits) && fractions) {
    next = kPoint;
  } else if ((byte == 'e' || byte == 'E') && fractions && may_end(part) && part < kExponent) {
    next = kExponent;
  } else if ((byte == '+' || byte == '-') && part == kExponent) {
    next = kExponentSign;
  } else {
    return may_end(part) && step_after_value(state, byte);
  }
  // A number that is cut short must still be able to end.
  if (state.key_bytes >= kMaxNumberBytes &&
      (may_end(part) || state.key_bytes >= kMaxNumberBytes + 4)) {
    return false;
  }
  ++state.key_bytes;
  state.number_part = next;
  return true;
}

bool CallGrammar::step_after_value(State& state, char byte) {
  const Frame& frame = frames_[static_cast<size_t>(state.frame)];
  if (frame.is_array) {
    if (byte == ']') {
      close(state);
      return true;
    }
    if (byte != ',') return false;
    state.mode = Mode::kValue;
    state.value = frame.node;
    return true;
  }
  if (byte == '}' && may_close_object(state)) {
    close(state);
    return true;
  }
  if (byte != ',') return false;
  const bool takes_others = schema(state).form(frame.node).other_properties != Schema::kNone;
  if (!takes_others && !has_unused_key(state, keys(state, frame.node).names.all())) return false;
  state.mode = Mode::kKeyStart;
  return true;
}

bool CallGrammar::open(State& state, bool is_array, Schema::Index node) {
  int depth = 0;
  for (int32_t at = state.frame; at >= 0; at = frames_[static_cast<size_t>(at)].parent) ++depth;
  if (depth >= kMaxOpenContainers) return false;
  frames_.push_back({.parent = state.frame, .is_array = is_array, .node = node, .used_keys = 0});
  state.frame = static_cast<int32_t>(frames_.size()) - 1;
  state.mode = is_array ? Mode::kArrayStart : Mode::kObjectStart;
  if (is_array) state.value = node;
  return true;
}

void CallGrammar::close(State& state) {
  state.frame = frames_[static_cast<size_t>(state.frame)].parent;
  state.mode = state.frame < 0 ? Mode::kDone : Mode::kAfterValue;
}

}  // namespace gem
