// What a model may write between a call's opener and closer, byte by byte: "call:", an offered
// name, and arguments in the call notation that follow the tool's schema as far as it is compiled.
//
// A state is a small value: a search through the vocabulary copies it freely.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "chat/schema.h"

namespace gem {

// Sorted distinct words, followed letter by letter.
class WordSet {
 public:
  // The words that begin with what was followed so far; empty: none does.
  struct Range {
    uint32_t begin = 0;
    uint32_t end = 0;
    uint32_t depth = 0;  // bytes followed
  };

  WordSet() = default;
  explicit WordSet(std::vector<std::string> words);

  bool empty() const { return words_.empty(); }
  const std::string& word(uint32_t index) const { return words_[index]; }
  uint32_t size() const { return static_cast<uint32_t>(words_.size()); }
  Range all() const { return {0, size(), 0}; }
  Range narrow(Range range, char byte) const;
  // The range holds a word that is followed to its end: the range's first.
  bool is_complete(Range range) const {
    return range.begin < range.end && words_[range.begin].size() == range.depth;
  }

 private:
  std::vector<std::string> words_;
};

class CallGrammar {
 public:
  struct State {
    enum class Mode : uint8_t {
      kHead,         // within "call:"
      kName,         // within the function's name
      kObjectStart,  // after '{'
      kKeyStart,     // after ',' in an object
      kKey,          // within a key
      kArrayStart,   // after '['
      kValue,        // where a value must begin
      kString,       // within a string
      kChoice,       // within a string that must be one of some
      kWord,         // within a word without quotes
      kNumber,       // within a number
      kAfterValue,
      kDone,  // after the last '}'
    };
    Mode mode = Mode::kHead;
    uint8_t number_part = 0;  // kNumber
    uint16_t key_bytes = 0;   // kKey, kNumber: bytes so far
    int32_t tool = -1;
    int32_t frame = -1;       // the innermost open container
    Schema::Index value = 0;  // kValue to kNumber: the node of the value
    WordSet::Range range;     // kHead to kWord
  };

  // `only` limits the names to one. `tools` must outlive the grammar.
  CallGrammar(const ToolSet& tools, std::optional<std::string_view> only);

  // The state after the opener. Forgets the containers of earlier states.
  State start();
  // Follows one byte of text; false, with `state` undefined, if it is not allowed.
  bool step(State& state, char byte);
  // Follows the string marker.
  bool step_quote(State& state);

  bool allows_quote(const State& state);
  bool is_done(const State& state) const { return state.mode == State::Mode::kDone; }
  // Any text is allowed.
  bool is_free_string(const State& state) const { return state.mode == State::Mode::kString; }
  // A key of the model's own choice goes on or may begin.
  bool is_free_key(const State& state) const;

  // Containers that steps opened since are forgotten: for searches that only try.
  size_t frames() const { return frames_.size(); }
  void forget_frames(size_t keep) { frames_.resize(keep); }

 private:
  // An open container. Never changed, so that states can share it: writing a key makes a new one.
  struct Frame {
    int32_t parent;
    bool is_array;
    Schema::Index node;  // kObject: the form; of an array: the node of its items
    uint64_t
        used_keys;  // bit i: the i-th key of the form's sorted keys; further ones are not tracked
  };

  // The keys of a form, sorted, with their properties.
  struct Keys {
    WordSet names;
    std::vector<Schema::Index> values;  // by name
    uint64_t required = 0;              // as used_keys
  };

  // How a value of a node may begin.
  struct Plan {
    bool any_string = false;
    WordSet strings;  // if not any_string
    WordSet words;    // true, false, null, and choices that are numbers
    bool integers = false;
    bool fractions = false;
    Schema::Index object = Schema::kNone;  // a form
    Schema::Index items = Schema::kNone;   // a node
  };

  const Schema& schema(const State& state) const;
  const Plan& plan(const State& state);
  const Keys& keys(const State& state, Schema::Index form);
  static uint64_t key_of(const State& state, Schema::Index index);

  bool step_key_start(State& state, char byte);
  bool step_key(State& state, char byte);
  bool step_value(State& state, char byte);
  bool step_number(State& state, char byte);
  bool step_after_value(State& state, char byte);
  bool open(State& state, bool is_array, Schema::Index node);
  void close(State& state);
  bool has_unused_key(const State& state, WordSet::Range range);
  bool may_close_object(const State& state);

  const ToolSet& tools_;
  WordSet names_;
  std::vector<int32_t> tools_by_name_;
  std::vector<Frame> frames_;
  std::unordered_map<uint64_t, Plan> plans_;  // by tool and node, made when first needed
  std::unordered_map<uint64_t, Keys> keys_;   // by tool and form
};

}  // namespace gem
