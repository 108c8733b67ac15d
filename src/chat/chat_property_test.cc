// Random conversations: what is rendered is what the parser reads, and history repeats what was
// generated.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "chat/parser.h"
#include "chat/render.h"
#include "tests/support/chat_output.h"
#include "tests/support/goldens.h"
#include "tests/support/small_vocabulary.h"
#include "tests/support/vocabulary.h"

namespace gem {
namespace {

using testing::CollectedOutput;

// What a model may write in one go.
struct Answer {
  std::string thought;
  std::string text;
  std::vector<std::pair<std::string, Value>> calls;
};

class Generator {
 public:
  explicit Generator(uint32_t seed) : random_(seed) {}

  size_t below(size_t limit) { return random_() % limit; }

  // Text of pieces that have a meaning somewhere in the format.
  std::string text(size_t max_pieces) {
    static const std::vector<std::string> kPieces = {"a",
                                                     "Hello",
                                                     " ",
                                                     "\n",
                                                     "\t",
                                                     "\"",
                                                     "'",
                                                     "`",
                                                     "\\",
                                                     "{",
                                                     "}",
                                                     "[",
                                                     "]",
                                                     ",",
                                                     ":",
                                                     "=",
                                                     "call:f{a:1}",
                                                     "\xC3\xA9",
                                                     "\xF0\x9F\x99\x82",
                                                     "\xE3\x80\x80",
                                                     "<|turn>",
                                                     "<turn|>",
                                                     "<|tool_call>",
                                                     "<tool_call|>",
                                                     "<|\"|>",
                                                     "<bos>",
                                                     "<tool_response|>",
                                                     "null",
                                                     "12",
                                                     "-0.5",
                                                     "<|think|>",
                                                     "model\n",
                                                     "\r\n",
                                                     std::string(1, '\0'),
                                                     "\x7F"};
    std::string out;
    for (size_t i = below(max_pieces + 1); i > 0; --i) out += kPieces[below(kPieces.size())];
    return out;
  }

  Value value(int depth) {
    switch (below(depth > 2 ? 5 : 7)) {
      case 0:
        return {};
      case 1:
        return Value::of(below(2) == 0);
      case 2: {
        static const std::vector<std::string> kNumbers = {
            "0", "-7", "12345678901234567890123", "2.5", "1e-7", "1E+22", "0.10"};
        return Value::number(kNumbers[below(kNumbers.size())]);
      }
      case 3:
      case 4:
        return Value::string(text(6));
      case 5: {
        Value array = Value::array();
        for (size_t i = below(4); i > 0; --i) array.items.push_back(value(depth + 1));
        return array;
      }
      default:
        return object(depth + 1);
    }
  }

  Value object(int depth) {
    static const std::vector<std::string> kKeys = {"a",   "B",        "path", "x y", "@t",
                                                   "a.b", "\xC3\xA9", "$",    "9",   "/p"};
    Value object = Value::object();
    for (size_t i = below(5); i > 0; --i) object.set(kKeys[below(kKeys.size())], value(depth));
    return object;
  }

  Answer answer(bool with_thought) {
    Answer answer;
    // Only thoughts before calls are part of history, and only from their first letter on.
    for (size_t i = below(3); i > 0; --i)
      answer.calls.emplace_back(below(2) == 0 ? "f" : "get", object(0));
    if (with_thought && !answer.calls.empty() && below(2) == 0)
      answer.thought = fmt::format("T{}.", text(6));
    // History is trimmed.
    if (answer.calls.empty() || below(2) == 0) answer.text = fmt::format("A{}.", text(6));
    return answer;
  }

 private:
  std::mt19937 random_;
};

Message user_message(std::string text) {
  Message message;
  message.role = Role::kUser;
  message.parts = {std::move(text)};
  return message;
}

Message answer_message(const CollectedOutput& output, size_t turn) {
  Message message;
  message.role = Role::kAssistant;
  message.reasoning = output.thought;
  message.parts = {output.text};
  for (size_t i = 0; i < output.calls.size(); ++i) {
    const auto& [name, arguments] = output.calls[i];
    message.calls.push_back({.id = fmt::format("call_{}_{}", turn, i),
                             .name = name,
                             .arguments = arguments,
                             .decoded = *parse_json(arguments)});
  }
  return message;
}

CollectedOutput as_output(const Answer& answer) {
  CollectedOutput output;
  output.thought = answer.thought;
  output.text = answer.text;
  for (const auto& [name, arguments] : answer.calls)
    output.calls.emplace_back(name, to_json(arguments));
  return output;
}

std::vector<TokenId> rendered_ids(const Tokenizer& tokenizer, const Conversation& conversation,
                                  const RenderOptions& options, size_t* reusable = nullptr) {
  const auto prompt = render(conversation, options);
  EXPECT_TRUE(prompt) << prompt.error().text();
  if (!prompt) return {};
  const PromptTokens tokens = prompt->encode(tokenizer);
  if (reusable != nullptr) *reusable = tokens.reusable;
  return tokens.ids;
}

bool starts_with(const std::vector<TokenId>& ids, std::span<const TokenId> prefix) {
  return ids.size() >= prefix.size() && std::equal(prefix.begin(), prefix.end(), ids.begin());
}

enum class Tokens { kCanonical, kBytes };

// Plays one conversation: renders a prompt, writes a random answer behind it, reads it with the
// parser, and puts what was read into the history.
void play(const Tokenizer& tokenizer, uint32_t seed, Tokens tokens) {
  SCOPED_TRACE(seed);
  Generator generator(seed);
  const ToolSet tools(std::vector<Tool>{{.name = "f", .description = {}, .parameters = {}}});
  Conversation conversation;
  CallMemory memory;
  RenderOptions options;
  options.thinking = generator.below(2) == 0;
  if (tokens == Tokens::kBytes) options.memory = &memory;
  if (generator.below(2) == 0) {
    Message system = user_message(generator.text(8));
    system.role = Role::kSystem;
    conversation.messages.push_back(system);
  }
  conversation.messages.push_back(user_message(generator.text(8)));

  for (size_t turn = 0; turn < 6; ++turn) {
    size_t reusable = 0;
    options.end = PromptEnd::kGenerate;
    const std::vector<TokenId> prompt = rendered_ids(tokenizer, conversation, options, &reusable);

    // What a model would write: the rest of the history with the answer in it.
    const Answer answer = generator.answer(true);
    Conversation extended = conversation;
    extended.messages.push_back(answer_message(as_output(answer), turn));
    options.end = PromptEnd::kHistory;
    const std::vector<TokenId> history = rendered_ids(tokenizer, extended, options);
    ASSERT_TRUE(starts_with(history, std::span(prompt).first(reusable)));
    std::vector<TokenId> written(history.begin() + static_cast<std::ptrdiff_t>(reusable),
                                 history.end());
    if (tokens == Tokens::kBytes) written = testing::in_byte_tokens(tokenizer, written);

    OutputParser parser(tokenizer, prompt, {.tools = &tools});
    CollectedOutput read;
    for (const TokenId id : written) read.add(parser.push(id));
    read.add(parser.finish(OutputEnd::kStop));
    EXPECT_EQ(read.thought, answer.thought);
    EXPECT_EQ(read.text, answer.text);
    ASSERT_EQ(read.calls.size(), answer.calls.size());
    for (size_t i = 0; i < answer.calls.size(); ++i) {
      EXPECT_EQ(read.calls[i].first, answer.calls[i].first);
      EXPECT_TRUE(*parse_json(read.calls[i].second) == answer.calls[i].second)
          << read.calls[i].second;
    }

    conversation.messages.push_back(answer_message(read, turn));
    const Message& replayed = conversation.messages.back();
    for (size_t i = 0; i < read.calls.size(); ++i) {
      memory.remember(replayed.calls[i].id, read.calls[i].first, read.calls[i].second,
                      read.call_ids[i]);
    }
    if (parser.preamble() != nullptr && !replayed.calls.empty()) {
      memory.remember_preamble(replayed.calls.front().id, *parser.preamble());
    }
    // The replay is what was written, token by token; answers without calls are remembered by
    // nobody.
    const std::vector<TokenId> replay = rendered_ids(tokenizer, conversation, options);
    if (tokens == Tokens::kCanonical || !replayed.calls.empty()) {
      std::vector<TokenId> expected(prompt.begin(),
                                    prompt.begin() + static_cast<std::ptrdiff_t>(reusable));
      expected.insert(expected.end(), written.begin(), written.end());
      EXPECT_EQ(replay, expected);
    }

    for (const ToolCall& call : std::vector<ToolCall>(replayed.calls)) {
      Message result = user_message(generator.text(8));
      result.role = Role::kTool;
      result.call_id = call.id;
      conversation.messages.push_back(result);
    }
    const bool asks_again = answer.calls.empty() || generator.below(3) == 0;
    if (asks_again) conversation.messages.push_back(user_message(generator.text(8)));
    // A new question drops old thoughts; nothing else changes what is already rendered.
    const std::vector<TokenId> next = rendered_ids(tokenizer, conversation, options);
    if (!asks_again) {
      EXPECT_TRUE(starts_with(next, replay));
    }
  }
}

TEST(ChatProperty, ParserReadsWhatTheRendererWrites) {
  for (uint32_t seed = 0; seed < 150; ++seed)
    play(testing::small_tokenizer(), seed, Tokens::kCanonical);
}

TEST(ChatProperty, HistoryRepeatsCallsInUnusualTokens) {
  for (uint32_t seed = 0; seed < 150; ++seed)
    play(testing::small_tokenizer(), seed, Tokens::kBytes);
}

TEST(ChatProperty, HoldsForTheAuthenticVocabulary) {
  GEM_SHARED_OR_SKIP(path, testing::kAuthenticVocabulary);
  const Tokenizer& tokenizer = testing::tokenizer_of_file(path);
  for (uint32_t seed = 1000; seed < 1060; ++seed) play(tokenizer, seed, Tokens::kCanonical);
  for (uint32_t seed = 2000; seed < 2060; ++seed) play(tokenizer, seed, Tokens::kBytes);
}

}  // namespace
}  // namespace gem
