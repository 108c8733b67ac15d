#include "engine/session.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "engine/walk.h"
#include "tests/support/tiny_model.h"

namespace gem {
namespace {

constexpr int32_t kVocabulary = 16;
constexpr int32_t kContext = 24;

// A device without arithmetic: after token t, token (t + 1) mod 16 is by far the most probable. It
// counts what it is asked for.
class CountingDevice final : public Device {
 public:
  explicit CountingDevice(bool batch_invariant = true) : batch_invariant_(batch_invariant) {}

  DeviceInfo info() const override { return {"counting", "", batch_invariant_}; }
  Status load(const Plan&, const Limits&, KvType, Walk) override { return {}; }
  int32_t length() const override { return static_cast<int32_t>(tokens.size()); }

  Status submit(const Batch& batch) override {
    logits_.clear();
    tiles.push_back(static_cast<int32_t>(batch.rows.size()));
    for (const Row& row : batch.rows) {
      EXPECT_EQ(row.position, length());
      tokens.push_back(row.token);
      (batch.kind == BatchKind::kDecode ? decoded_rows : prompt_rows) += 1;
      if (row.want != Want::kLogits) continue;
      for (int32_t id = 0; id < kVocabulary; ++id) {
        logits_.push_back(id == (row.token + 1) % kVocabulary ? 20.0f : 0.0f);
      }
      if (row.token == poison) logits_.back() = std::numeric_limits<float>::quiet_NaN();
    }
    return {};
  }
  Result<Output> wait() override {
    if (fails) return fail(Code::kDevice, "lost");
    return Output{{}, {}, logits_};
  }
  Status commit(int32_t) override { return {}; }
  Status mark() override {
    mark_ = length();
    return {};
  }
  Status restore() override {
    ++restores;
    tokens.resize(static_cast<size_t>(mark_));
    return {};
  }
  void reset() override {
    ++resets;
    tokens.clear();
  }
  size_t save_bytes(KvLayers, PositionRange) const override { return 0; }
  Status save(KvLayers, PositionRange, std::span<std::byte>) override { return {}; }
  Status load(KvLayers, PositionRange, std::span<const std::byte>) override { return {}; }
  void set_probe(Probe, void*) override {}
  Status read(Tap, int32_t, std::span<float>) override { return {}; }
  void set_timing(bool) override {}
  std::span<const StageTime> stage_times() const override { return {}; }

  std::vector<int32_t> tokens, tiles;
  int32_t prompt_rows = 0, decoded_rows = 0, resets = 0, restores = 0;
  int32_t poison = -1;
  bool fails = false;

 private:
  bool batch_invariant_;
  int32_t mark_ = 0;
  std::vector<float> logits_;
};

struct Answer {
  Result<GenerateResult> result = GenerateResult{};
  std::vector<int32_t> tokens;
};

class SessionTest : public ::testing::Test {
 protected:
  Answer generate(std::vector<int32_t> prompt, GenerateOptions options = {}) {
    options.sampling.temperature = 0;
    Answer answer;
    answer.result = session_.generate(prompt, options, [&](int32_t token) {
      answer.tokens.push_back(token);
      return true;
    });
    return answer;
  }

  CountingDevice device_;
  Session session_{device_, Limits{.context = kContext, .rows = 8, .logits_rows = 8}, kVocabulary};
};

TEST_F(SessionTest, NothingIsEvaluatedAfterAStopToken) {
  const std::vector<int32_t> stops = {7};
  const Answer answer = generate({1, 2, 3}, {.stop_ids = stops});
  ASSERT_TRUE(answer.result.has_value());
  EXPECT_EQ(answer.tokens, (std::vector<int32_t>{4, 5, 6}));
  EXPECT_EQ(answer.result->reason, StopReason::kStopToken);
  EXPECT_EQ(answer.result->stop_token, 7);
  EXPECT_EQ(device_.prompt_rows, 3);
  EXPECT_EQ(device_.decoded_rows, 3);
}

TEST_F(SessionTest, NothingIsEvaluatedAtTheTokenLimit) {
  const Answer answer = generate({1, 2, 3}, {.max_tokens = 4});
  EXPECT_EQ(answer.tokens.size(), 4u);
  EXPECT_EQ(answer.result->reason, StopReason::kMaxTokens);
  EXPECT_EQ(device_.decoded_rows, 3);
}

TEST_F(SessionTest, ZeroTokensEvaluateThePromptOnly) {
  const Answer answer = generate({1, 2, 3}, {.max_tokens = 0});
  EXPECT_TRUE(answer.tokens.empty());
  EXPECT_EQ(answer.result->reason, StopReason::kMaxTokens);
  EXPECT_EQ(device_.prompt_rows, 3);
  EXPECT_EQ(device_.decoded_rows, 0);
}

TEST_F(SessionTest, TokensReachTheSinkBeforeTheyAreEvaluated) {
  GenerateOptions options;
  options.sampling.temperature = 0;
  options.max_tokens = 3;
  std::vector<int32_t> evaluated_at_sink;
  const auto result = session_.generate(std::vector<int32_t>{1, 2}, options, [&](int32_t) {
    evaluated_at_sink.push_back(device_.decoded_rows);
    return true;
  });
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(evaluated_at_sink, (std::vector<int32_t>{0, 1, 2}));
}

TEST_F(SessionTest, AnswerEndsWhereTheContextDoes) {
  const Answer answer = generate(std::vector<int32_t>(kContext - 2, 1));
  EXPECT_EQ(answer.result->reason, StopReason::kContext);
  // Two positions are left, and the token after the last position needs no evaluation.
  EXPECT_EQ(answer.tokens.size(), 3u);
  EXPECT_EQ(device_.length(), kContext);
}

TEST_F(SessionTest, RefusesAPromptLongerThanTheContextWithBothNumbers) {
  const Answer answer = generate(std::vector<int32_t>(kContext + 1, 1));
  ASSERT_FALSE(answer.result.has_value());
  EXPECT_EQ(answer.result.error().code(), Code::kInvalid);
  EXPECT_NE(answer.result.error().text().find("25"), std::string::npos);
  EXPECT_NE(answer.result.error().text().find("24"), std::string::npos);
  EXPECT_EQ(device_.prompt_rows, 0);
}

TEST_F(SessionTest, RefusesEmptyPromptsAndForeignIds) {
  EXPECT_EQ(generate({}).result.error().code(), Code::kInvalid);
  EXPECT_EQ(generate({kVocabulary}).result.error().code(), Code::kInvalid);
  EXPECT_EQ(generate({-1}).result.error().code(), Code::kInvalid);
}

TEST_F(SessionTest, TilesEndAtAbsoluteMultiples) {
  generate({1, 2, 3, 4, 5}, {.max_tokens = 0});
  std::vector<int32_t> longer(20, 9);
  for (int32_t i = 0; i < 5; ++i) longer[static_cast<size_t>(i)] = i + 1;
  generate(longer, {.max_tokens = 0});
  EXPECT_EQ(device_.tiles, (std::vector<int32_t>{5, 3, 8, 4}));
}

TEST_F(SessionTest, AnExtensionPaysForItsNewTokensOnly) {
  const Answer first = generate({1, 2, 3}, {.max_tokens = 3});
  // The last token was shown but not evaluated.
  std::vector<int32_t> next = {1, 2, 3};
  next.insert(next.end(), first.tokens.begin(), first.tokens.end());
  next.push_back(9);
  const Answer second = generate(next, {.max_tokens = 1});
  EXPECT_EQ(second.result->reused_tokens, 5);
  EXPECT_EQ(device_.resets, 0);
  EXPECT_EQ(second.tokens, (std::vector<int32_t>{10}));
}

TEST_F(SessionTest, APromptThatDropsTheAnswerGoesBackToTheMark) {
  generate({1, 2, 3}, {.max_tokens = 3});
  const Answer second = generate({1, 2, 3, 9}, {.max_tokens = 1});
  EXPECT_EQ(second.result->reused_tokens, 3);
  EXPECT_EQ(device_.restores, 1);
  EXPECT_EQ(device_.tokens, (std::vector<int32_t>{1, 2, 3, 9}));
}

TEST_F(SessionTest, AnIdenticalPromptStartsOver) {
  generate({1, 2, 3}, {.max_tokens = 1});
  const Answer second = generate({1, 2, 3}, {.max_tokens = 1});
  EXPECT_EQ(second.result->reused_tokens, 0);
  EXPECT_EQ(second.tokens, (std::vector<int32_t>{4}));
}

TEST_F(SessionTest, AnotherPromptStartsOver) {
  generate({1, 2, 3}, {.max_tokens = 1});
  const Answer second = generate({1, 5, 3, 4}, {.max_tokens = 1});
  EXPECT_EQ(second.result->reused_tokens, 0);
  EXPECT_EQ(device_.tokens, (std::vector<int32_t>{1, 5, 3, 4}));
}

TEST(Session, KeepsNoGeneratedStateOfADeviceWhoseRoutesDiffer) {
  CountingDevice device(false);
  Session session(device, Limits{.context = kContext, .rows = 8, .logits_rows = 1}, kVocabulary);
  GenerateOptions options;
  options.sampling.temperature = 0;
  options.max_tokens = 3;
  const auto keep = [](int32_t) { return true; };
  ASSERT_TRUE(session.generate(std::vector<int32_t>{1, 2, 3}, options, keep).has_value());
  const auto second = session.generate(std::vector<int32_t>{1, 2, 3, 4, 5, 6, 9}, options, keep);
  EXPECT_EQ(second->reused_tokens, 3);
}

TEST_F(SessionTest, CancellingThePromptKeepsItsFinishedTiles) {
  std::atomic<bool> cancel = true;
  const Answer cancelled = generate(std::vector<int32_t>(20, 3), {.cancel = &cancel});
  ASSERT_TRUE(cancelled.result.has_value());
  EXPECT_EQ(cancelled.result->reason, StopReason::kCancelled);
  EXPECT_EQ(device_.prompt_rows, 0);
}

TEST_F(SessionTest, ASinkThatRefusesEndsTheAnswer) {
  GenerateOptions options;
  options.sampling.temperature = 0;
  const auto result =
      session_.generate(std::vector<int32_t>{1}, options, [](int32_t token) { return token != 4; });
  EXPECT_EQ(result->reason, StopReason::kSink);
  EXPECT_EQ(result->generated_tokens, 3);
  EXPECT_EQ(device_.decoded_rows, 2);
}

TEST_F(SessionTest, NonFiniteLogitsStopTheRequestAndLeaveAnEmptyTimeline) {
  device_.poison = 5;
  const Answer answer = generate({1, 2, 3});
  ASSERT_FALSE(answer.result.has_value());
  EXPECT_EQ(answer.result.error().code(), Code::kDevice);
  EXPECT_EQ(answer.tokens, (std::vector<int32_t>{4, 5}));
  EXPECT_TRUE(session_.timeline().empty());
  device_.poison = -1;
  EXPECT_TRUE(generate({1, 2, 3}, {.max_tokens = 1}).result.has_value());
}

TEST_F(SessionTest, ADeviceErrorLeavesAnEmptyTimeline) {
  device_.fails = true;
  EXPECT_EQ(generate({1, 2, 3}).result.error().code(), Code::kDevice);
  EXPECT_TRUE(session_.timeline().empty());
  EXPECT_EQ(device_.resets, 1);
}

// On the real arithmetic: reuse never changes tokens.
TEST(Session, ReusedPrefixesGiveTheTokensOfAFreshSession) {
  const auto tiny = testing::open_tiny_model();
  ASSERT_NE(tiny, nullptr);
  const Limits limits{.context = 256, .rows = 8, .logits_rows = 1};
  const int32_t vocabulary = tiny->plan().profile.vocabulary;
  const auto open = [&] {
    auto device = make_device({.name = "cpu", .cpu_isa = "scalar"});
    EXPECT_TRUE((*device)->load(tiny->plan(), limits, KvType::kF32, walk).has_value());
    return std::move(*device);
  };
  const auto ask = [](Session& session, const std::vector<int32_t>& prompt, float temperature) {
    GenerateOptions options;
    options.sampling = {.temperature = temperature, .seed = 11};
    options.max_tokens = 12;
    std::vector<int32_t> tokens;
    EXPECT_TRUE(session
                    .generate(prompt, options,
                              [&](int32_t token) {
                                tokens.push_back(token);
                                return true;
                              })
                    .has_value());
    return tokens;
  };

  for (const float temperature : {0.0f, 1.0f}) {
    auto device = open();
    Session session(*device, limits, vocabulary);
    // 40 and 200 tokens pass the window of 16 many times.
    std::vector<int32_t> prompt = testing::golden_tokens("s40");
    for (int turn = 0; turn < 4; ++turn) {
      const std::vector<int32_t> answer = ask(session, prompt, temperature);
      auto fresh_device = open();
      Session fresh(*fresh_device, limits, vocabulary);
      EXPECT_EQ(ask(fresh, prompt, temperature), answer) << turn;
      // Odd turns keep the answer in the next prompt, even ones drop it.
      if (turn % 2 == 1) prompt.insert(prompt.end(), answer.begin(), answer.end());
      for (int32_t i = 0; i < 5; ++i) prompt.push_back(300 + 7 * turn + i);
    }
  }
}

}  // namespace
}  // namespace gem
