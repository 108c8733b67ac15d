#include "engine/session.h"

#include <algorithm>
#include <array>
#include <chrono>

#include "base/check.h"

namespace gem {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

bool strictly_extends(std::span<const int32_t> longer, std::span<const int32_t> shorter) {
  return longer.size() > shorter.size() &&
         std::equal(shorter.begin(), shorter.end(), longer.begin());
}

bool is_set(const std::atomic<bool>* flag) {
  return flag != nullptr && flag->load(std::memory_order_relaxed);
}

}  // namespace

std::string_view stop_reason_name(StopReason reason) {
  static constexpr std::array<std::string_view, 5> kNames = {
      "stop token", "token limit", "context full", "stopped", "cancelled"};
  return kNames.at(static_cast<size_t>(reason));
}

Session::Session(Device& device, const Limits& limits, int32_t vocabulary)
    : device_(device), limits_(limits), vocabulary_(vocabulary) {}

Status Session::check_tokens(std::span<const int32_t> tokens) const {
  if (tokens.empty()) return fail(Code::kInvalid, "the prompt is empty");
  if (tokens.size() > static_cast<size_t>(limits_.context)) {
    return fail(Code::kInvalid,
                "the prompt has {} tokens, more than the context of {}; raise --ctx or shorten it",
                tokens.size(), limits_.context);
  }
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i] < 0 || tokens[i] >= vocabulary_) {
      return fail(Code::kInvalid, "token {} of the prompt is {}, outside the vocabulary of {}", i,
                  tokens[i], vocabulary_);
    }
  }
  return {};
}

// Brings the device to the longest valid prefix of `prompt`; its length.
Result<int32_t> Session::resume(std::span<const int32_t> prompt) {
  const std::span<const int32_t> all(timeline_);
  // Only a device whose two routes agree may keep generated positions as if they had been a prompt.
  if (device_.info().batch_invariant && strictly_extends(prompt, all)) {
    return static_cast<int32_t>(all.size());
  }
  if (marked_ > 0 && strictly_extends(prompt, all.first(static_cast<size_t>(marked_)))) {
    if (device_.restore()) {
      timeline_.resize(static_cast<size_t>(marked_));
      return marked_;
    }
  }
  reset();
  return 0;
}

// Evaluates tokens at the end of the timeline, in tiles that end at absolute multiples of the tile
// size, so that a row's tile does not depend on where the prompt was resumed.
Status Session::run_prompt(std::span<const int32_t> tokens, Want last, Want others,
                           const LogitsSink& sink, const std::atomic<bool>* cancel) {
  while (!tokens.empty()) {
    if (is_set(cancel)) return fail(Code::kCancelled, "cancelled");
    const auto position = static_cast<int32_t>(timeline_.size());
    const auto count =
        std::min(tokens.size(), static_cast<size_t>(limits_.rows - position % limits_.rows));
    rows_.clear();
    for (size_t i = 0; i < count; ++i) {
      const Want want = i + 1 == tokens.size() ? last : others;
      rows_.push_back({tokens[i], position + static_cast<int32_t>(i), want});
    }
    GEM_TRY(device_.submit({.kind = BatchKind::kPrompt, .rows = rows_, .allowed = {}}));
    GEM_ASSIGN(const Output output, device_.wait());
    timeline_.insert(timeline_.end(), tokens.begin(),
                     tokens.begin() + static_cast<std::ptrdiff_t>(count));

    int32_t shown = 0;
    const auto vocabulary = static_cast<size_t>(vocabulary_);
    for (const Row& row : rows_) {
      if (row.want != Want::kLogits) continue;
      sink(row.position,
           output.logits.subspan(static_cast<size_t>(shown++) * vocabulary, vocabulary));
    }
    tokens = tokens.subspan(count);
  }
  return {};
}

Result<GenerateResult> Session::generate(std::span<const int32_t> prompt,
                                         const GenerateOptions& options, const TokenSink& sink) {
  GEM_TRY(check_tokens(prompt));
  GEM_TRY(options.sampling.validate(vocabulary_));
  Result<GenerateResult> result = run(prompt, options, sink);
  if (!result) reset();
  return result;
}

Result<GenerateResult> Session::run(std::span<const int32_t> prompt, const GenerateOptions& options,
                                    const TokenSink& sink) {
  const Clock::time_point begin = Clock::now();
  GenerateResult result;
  result.prompt_tokens = static_cast<int32_t>(prompt.size());
  GEM_ASSIGN(result.reused_tokens, resume(prompt));

  const Status prompted = run_prompt(
      prompt.subspan(static_cast<size_t>(result.reused_tokens)), Want::kLogits, Want::kNothing,
      [this](int32_t, std::span<const float> logits) {
        logits_.assign(logits.begin(), logits.end());
      },
      options.cancel);
  if (!prompted && prompted.error().code() == Code::kCancelled) {
    // The tiles that are done stay, for the retry.
    marked_ = -1;
    result.reason = StopReason::kCancelled;
    result.prompt_seconds = seconds_since(begin);
    return result;
  }
  GEM_TRY(prompted);
  GEM_TRY(device_.mark());
  marked_ = static_cast<int32_t>(timeline_.size());

  Sampler sampler(options.sampling, vocabulary_, options.masked_ids);
  result.prompt_seconds = seconds_since(begin);
  const Clock::time_point decode_begin = Clock::now();
  while (true) {
    const auto position = static_cast<int32_t>(timeline_.size());
    if (is_set(options.cancel)) {
      result.reason = StopReason::kCancelled;
      break;
    }
    if (options.max_tokens >= 0 && result.generated_tokens >= options.max_tokens) {
      result.reason = StopReason::kMaxTokens;
      break;
    }
    GEM_ASSIGN(const int32_t token, sampler.sample(logits_, timeline_, position));
    if (std::ranges::find(options.stop_ids, token) != options.stop_ids.end()) {
      result.reason = StopReason::kStopToken;
      result.stop_token = token;
      break;
    }
    ++result.generated_tokens;
    if (!sink(token)) {
      result.reason = StopReason::kSink;
      break;
    }
    if (result.generated_tokens == options.max_tokens) {
      result.reason = StopReason::kMaxTokens;
      break;
    }
    if (position == limits_.context) {
      result.reason = StopReason::kContext;
      break;
    }
    const Row row{token, position, Want::kLogits};
    GEM_TRY(device_.submit({.kind = BatchKind::kDecode, .rows = {&row, 1}, .allowed = {}}));
    GEM_ASSIGN(const Output output, device_.wait());
    timeline_.push_back(token);
    ++result.decoded_tokens;
    logits_.assign(output.logits.begin(), output.logits.end());
  }
  result.decode_seconds = seconds_since(decode_begin);
  return result;
}

Status Session::evaluate(std::span<const int32_t> tokens, const LogitsSink& sink) {
  GEM_TRY(check_tokens(tokens));
  reset();
  Status done = run_prompt(tokens, Want::kLogits, Want::kLogits, sink, nullptr);
  if (!done) reset();
  return done;
}

void Session::reset() {
  device_.reset();
  timeline_.clear();
  marked_ = -1;
}

}  // namespace gem
