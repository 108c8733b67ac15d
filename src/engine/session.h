// One timeline of tokens on a device: evaluates prompts, generates, and keeps what it has evaluated
// so that a prompt which continues it pays for its new tokens only.
#pragma once
#include <atomic>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "device/device.h"
#include "engine/sampler.h"

namespace gem {

enum class StopReason : uint8_t {
  kStopToken,  // the model ended its answer
  kMaxTokens,  // GenerateOptions::max_tokens
  kContext,    // the context is full
  kSink,       // the sink returned false
  kCancelled,  // GenerateOptions::cancel
};
std::string_view stop_reason_name(StopReason reason);

struct GenerateOptions {
  SamplingOptions sampling;
  int64_t max_tokens = -1;                    // -1: until a stop token or the end of the context
  std::span<const int32_t> stop_ids;          // end the answer; not given to the sink
  std::span<const int32_t> masked_ids;        // never sampled
  const std::atomic<bool>* cancel = nullptr;  // looked at before every tile and token
};

struct GenerateResult {
  StopReason reason = StopReason::kStopToken;
  int32_t stop_token = -1;       // with kStopToken
  int32_t prompt_tokens = 0;     // all of the prompt
  int32_t reused_tokens = 0;     // of these, found in the timeline
  int32_t generated_tokens = 0;  // given to the sink
  int32_t decoded_tokens = 0;    // of these, evaluated
  double prompt_seconds = 0;     // until the first token was sampled
  double decode_seconds = 0;
};

// Gets every generated token as soon as it is final, before it is evaluated. False ends the answer.
using TokenSink = std::function<bool(int32_t token)>;

class Session {
 public:
  // `device` is loaded with `limits` and outlives the session.
  Session(Device& device, const Limits& limits, int32_t vocabulary);

  // Continues from the longest valid state: all of the timeline or the end of the last prompt, if
  // `prompt` strictly extends it; else from nothing. Returns kInvalid for an empty prompt, ids out
  // of range, sampling options out of range, and a prompt longer than the context; kDevice for
  // logits that are not finite. After an error of the device the timeline is empty.
  Result<GenerateResult> generate(std::span<const int32_t> prompt, const GenerateOptions& options,
                                  const TokenSink& sink);

  // Evaluates `tokens` from an empty timeline and hands out the logits [vocabulary] of each
  // position, in order.
  using LogitsSink = std::function<void(int32_t position, std::span<const float> logits)>;
  Status evaluate(std::span<const int32_t> tokens, const LogitsSink& sink);

  // The evaluated tokens.
  std::span<const int32_t> timeline() const { return timeline_; }
  int32_t context() const { return limits_.context; }

 private:
  Status check_tokens(std::span<const int32_t> tokens) const;
  Result<int32_t> resume(std::span<const int32_t> prompt);
  Status run_prompt(std::span<const int32_t> tokens, Want last, Want others, const LogitsSink& sink,
                    const std::atomic<bool>* cancel);
  Result<GenerateResult> run(std::span<const int32_t> prompt, const GenerateOptions& options,
                             const TokenSink& sink);
  void reset();

  Device& device_;
  Limits limits_;
  int32_t vocabulary_;
  std::vector<int32_t> timeline_;
  int32_t marked_ = -1;        // positions at the device's mark: the end of the last prompt
  std::vector<Row> rows_;      // scratch
  std::vector<float> logits_;  // of the row that the next token is sampled from
};

}  // namespace gem
