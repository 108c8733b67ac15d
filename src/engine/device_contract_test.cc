// What device.h promises, checked on every device of this build with the tiny golden model. It
// stands here and not beside a device because it needs the walk.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "device/device.h"
#include "engine/walk.h"
#include "tests/support/tiny_model.h"

namespace gem {
namespace {

constexpr Limits kLimits{.context = 128, .rows = 32, .logits_rows = 32, .top_k = 5};

class DeviceContract : public ::testing::TestWithParam<std::string_view> {
 protected:
  void SetUp() override {
    tiny_ = testing::open_tiny_model();
    ASSERT_NE(tiny_, nullptr);
    tokens_ = testing::golden_tokens("s200");
    device_ = open();
  }

  std::unique_ptr<Device> open() const {
    auto device = make_device({.name = std::string(GetParam())});
    EXPECT_TRUE(device.has_value());
    EXPECT_TRUE((*device)->load(tiny_->plan(), kLimits, KvType::kF32, walk).has_value());
    return std::move(*device);
  }

  // Submits tokens_[length ..] and gives the last wanted row's logits.
  std::vector<float> run(Device& device, BatchKind kind, int32_t count, Want want = Want::kLogits) {
    const int32_t begin = device.length();
    std::vector<Row> rows;
    for (int32_t i = 0; i < count; ++i) {
      rows.push_back({tokens_[static_cast<size_t>(begin + i)], begin + i, want});
    }
    EXPECT_TRUE(device.submit({.kind = kind, .rows = rows, .allowed = {}}).has_value());
    const auto output = device.wait();
    EXPECT_TRUE(output.has_value());
    const auto last = output->logits.empty() ? output->logits : output->logits.last(vocabulary());
    return {last.begin(), last.end()};
  }

  size_t vocabulary() const { return static_cast<size_t>(tiny_->plan().profile.vocabulary); }

  std::unique_ptr<testing::TinyModel> tiny_;
  std::vector<int32_t> tokens_;
  std::unique_ptr<Device> device_;
};

TEST_P(DeviceContract, WantsDecideWhatComesOut) {
  const std::vector<Row> rows = {{tokens_[0], 0, Want::kTopK},
                                 {tokens_[1], 1, Want::kNothing},
                                 {tokens_[2], 2, Want::kLogits},
                                 {tokens_[3], 3, Want::kArgmax},
                                 {tokens_[4], 4, Want::kLogits}};
  ASSERT_TRUE(
      device_->submit({.kind = BatchKind::kPrompt, .rows = rows, .allowed = {}}).has_value());
  const auto output = device_->wait();
  ASSERT_TRUE(output.has_value());
  ASSERT_EQ(output->argmax.size(), 4u);
  ASSERT_EQ(output->top.size(), 5u);
  ASSERT_EQ(output->logits.size(), 2 * vocabulary());

  const std::vector<float> logits(output->logits.begin(), output->logits.end());
  const std::vector<int32_t> argmax(output->argmax.begin(), output->argmax.end());
  const std::vector<Candidate> top(output->top.begin(), output->top.end());
  EXPECT_TRUE(std::is_sorted(top.begin(), top.end(), [](const Candidate& a, const Candidate& b) {
    return a.logit > b.logit;
  }));
  EXPECT_EQ(top.front().token, argmax[0]);
  const auto best = [&](size_t row) {
    const auto begin = logits.begin() + static_cast<std::ptrdiff_t>(row * vocabulary());
    return static_cast<int32_t>(
        std::max_element(begin, begin + static_cast<std::ptrdiff_t>(vocabulary())) - begin);
  };
  EXPECT_EQ(argmax[1], best(0));
  EXPECT_EQ(argmax[3], best(1));

  // The rows' own logits, one at a time, say the same.
  auto single = open();
  for (int32_t row = 0; row < 5; ++row) {
    const std::vector<float> alone = run(*single, BatchKind::kPrompt, 1);
    if (row == 2) {
      EXPECT_TRUE(std::equal(alone.begin(), alone.end(), logits.begin()));
    }
    if (row == 0) {
      EXPECT_EQ(alone[static_cast<size_t>(top[0].token)], top[0].logit);
    }
    if (row == 3) {
      EXPECT_EQ(argmax[2], std::max_element(alone.begin(), alone.end()) - alone.begin());
    }
  }
}

TEST_P(DeviceContract, MasksForbidIdsRowByRow) {
  run(*device_, BatchKind::kPrompt, 8, Want::kNothing);
  const size_t words = (vocabulary() + 31) / 32;
  std::vector<uint32_t> allowed(2 * words, 0);
  const std::vector<int32_t> only = {7, 300};
  for (const int32_t id : only) allowed[static_cast<size_t>(id) / 32] |= 1u << (id % 32);
  std::fill_n(allowed.begin() + static_cast<std::ptrdiff_t>(words), words, ~0u);
  const std::vector<Row> rows = {{tokens_[8], 8, Want::kLogits}, {tokens_[9], 9, Want::kTopK}};
  ASSERT_TRUE(
      device_->submit({.kind = BatchKind::kVerify, .rows = rows, .allowed = allowed}).has_value());
  const auto output = device_->wait();
  ASSERT_TRUE(output.has_value());
  for (size_t id = 0; id < vocabulary(); ++id) {
    const bool is_allowed = id == 7 || id == 300;
    EXPECT_EQ(std::isfinite(output->logits[id]), is_allowed) << id;
  }
  EXPECT_EQ(output->argmax[0], output->logits[7] >= output->logits[300] ? 7 : 300);
  EXPECT_TRUE(std::isfinite(output->top.back().logit));
}

TEST_P(DeviceContract, PreviousArgmaxFeedsTheNextBatch) {
  run(*device_, BatchKind::kPrompt, 20, Want::kArgmax);
  const auto output = device_->wait();
  const int32_t chosen = output->argmax.back();
  const Row chained{kPreviousArgmax, 20, Want::kLogits};
  ASSERT_TRUE(device_->submit({.kind = BatchKind::kDecode, .rows = {&chained, 1}, .allowed = {}})
                  .has_value());
  const auto got = device_->wait();
  ASSERT_TRUE(got.has_value());
  const std::vector<float> with_chain(got->logits.begin(), got->logits.end());

  auto other = open();
  run(*other, BatchKind::kPrompt, 20);
  tokens_[20] = chosen;
  EXPECT_EQ(run(*other, BatchKind::kDecode, 1), with_chain);
}

TEST_P(DeviceContract, VerifiedRowsEqualDecodedRowsWhateverIsDropped) {
  // 30 positions pass the window of 16, so rings have wrapped.
  for (const int32_t accepted : {0, 1, 3, 8}) {
    auto plain = open();
    run(*plain, BatchKind::kPrompt, 30);
    for (int32_t i = 0; i < accepted; ++i) run(*plain, BatchKind::kDecode, 1);
    const std::vector<float> want = run(*plain, BatchKind::kDecode, 1);

    auto verified = open();
    run(*verified, BatchKind::kPrompt, 30);
    run(*verified, BatchKind::kVerify, kMaxVerifyRows);
    EXPECT_EQ(verified->length(), 30);
    ASSERT_TRUE(verified->commit(accepted).has_value());
    EXPECT_EQ(verified->length(), 30 + accepted);
    EXPECT_EQ(run(*verified, BatchKind::kDecode, 1), want) << accepted;
  }
}

TEST_P(DeviceContract, RestoreContinuesAsIfNothingHadHappened) {
  for (const int32_t answer : {1, 15, 16, 17, 40}) {
    auto plain = open();
    run(*plain, BatchKind::kPrompt, 20);
    const std::vector<float> want = run(*plain, BatchKind::kPrompt, 3);

    auto restored = open();
    run(*restored, BatchKind::kPrompt, 20);
    ASSERT_TRUE(restored->mark().has_value());
    for (int32_t i = 0; i < answer; ++i) run(*restored, BatchKind::kDecode, 1);
    ASSERT_TRUE(restored->restore().has_value());
    EXPECT_EQ(restored->length(), 20);
    EXPECT_EQ(run(*restored, BatchKind::kPrompt, 3), want) << answer;
  }
}

TEST_P(DeviceContract, SavedTimelinesContinueOnAnotherDevice) {
  run(*device_, BatchKind::kPrompt, 32);
  run(*device_, BatchKind::kPrompt, 9);
  const int32_t length = device_->length();
  const PositionRange ring{length - tiny_->plan().profile.window, length};
  const PositionRange all{0, length};
  std::vector<std::byte> swa(device_->save_bytes(KvLayers::kSwa, ring));
  std::vector<std::byte> full(device_->save_bytes(KvLayers::kFull, all));
  ASSERT_TRUE(device_->save(KvLayers::kSwa, ring, swa).has_value());
  ASSERT_TRUE(device_->save(KvLayers::kFull, all, full).has_value());
  const std::vector<float> want = run(*device_, BatchKind::kDecode, 1);

  auto other = open();
  run(*other, BatchKind::kPrompt, 5);
  ASSERT_TRUE(other->load(KvLayers::kSwa, ring, swa).has_value());
  ASSERT_TRUE(other->load(KvLayers::kFull, all, full).has_value());
  EXPECT_EQ(other->length(), length);
  EXPECT_EQ(run(*other, BatchKind::kDecode, 1), want);
}

TEST_P(DeviceContract, ProbesSeeEveryStageInOrder) {
  struct Seen {
    std::vector<std::pair<Stage, int32_t>> stages;
  } seen;
  device_->set_probe(
      [](void* user, Stage stage, int32_t layer) {
        static_cast<Seen*>(user)->stages.push_back({stage, layer});
      },
      &seen);
  run(*device_, BatchKind::kPrompt, 2);
  const auto layers = static_cast<size_t>(tiny_->plan().layer_count());
  ASSERT_EQ(seen.stages.size(), 2 + 8 * layers);
  EXPECT_EQ(seen.stages.front().first, Stage::kEmbed);
  EXPECT_EQ(seen.stages[1], (std::pair{Stage::kQkv, 0}));
  EXPECT_EQ(seen.stages.back().first, Stage::kLogits);
  device_->set_probe(nullptr, nullptr);
  run(*device_, BatchKind::kPrompt, 1);
  EXPECT_EQ(seen.stages.size(), 2 + 8 * layers);
}

TEST_P(DeviceContract, TimesCoverEveryStageOfEveryLayer) {
  device_->set_timing(true);
  run(*device_, BatchKind::kPrompt, 2);
  run(*device_, BatchKind::kDecode, 1);
  double total = 0;
  std::vector<int> stages_of_layer(static_cast<size_t>(tiny_->plan().layer_count()), 0);
  for (const StageTime& time : device_->stage_times()) {
    EXPECT_EQ(time.calls, 2);
    EXPECT_GE(time.seconds, 0);
    total += time.seconds;
    const int span = static_cast<int>(time.last) - static_cast<int>(time.first) + 1;
    if (time.layer >= 0) stages_of_layer[static_cast<size_t>(time.layer)] += span;
  }
  EXPECT_GT(total, 0);
  for (const int stages : stages_of_layer) EXPECT_EQ(stages, 8);
}

TEST_P(DeviceContract, ResetForgetsEverything) {
  const std::vector<float> want = run(*device_, BatchKind::kPrompt, 20);
  run(*device_, BatchKind::kPrompt, 12);
  device_->reset();
  EXPECT_EQ(device_->length(), 0);
  EXPECT_EQ(run(*device_, BatchKind::kPrompt, 20), want);
}

INSTANTIATE_TEST_SUITE_P(Devices, DeviceContract,
                         ::testing::ValuesIn(device_names().begin(), device_names().end()),
                         [](const auto& device) { return std::string(device.param); });

TEST(MakeDevice, UnknownNamesListWhatThereIs) {
  const auto device = make_device({.name = "tpu"});
  ASSERT_FALSE(device.has_value());
  EXPECT_EQ(device.error().code(), Code::kNotFound);
  EXPECT_NE(device.error().text().find("cpu"), std::string::npos);
  const auto isa = make_device({.cpu_isa = "sse9"});
  ASSERT_FALSE(isa.has_value());
  EXPECT_NE(isa.error().text().find("scalar"), std::string::npos);
}

TEST(ScalarDevice, RefusesOtherCacheTypesByName) {
  const auto tiny = testing::open_tiny_model();
  auto device = make_device({.cpu_isa = "scalar"});
  const Status loaded = (*device)->load(tiny->plan(), kLimits, KvType::kF16Full, walk);
  ASSERT_FALSE(loaded.has_value());
  EXPECT_EQ(loaded.error().code(), Code::kUnsupported);
  EXPECT_NE(loaded.error().text().find("f16-full"), std::string::npos);
}

// A model whose output norm is not finite makes logits that are not.
TEST(ScalarDevice, LogitsThatAreNotFiniteHaveNoArgmax) {
  const auto tiny = testing::open_tiny_model();
  Plan plan = tiny->plan();
  std::vector<float> norm(plan.output_norm.begin(), plan.output_norm.end());
  norm[3] = std::numeric_limits<float>::quiet_NaN();
  plan.output_norm = norm;
  auto device = make_device({.cpu_isa = "scalar"});
  ASSERT_TRUE((*device)->load(plan, kLimits, KvType::kF32, walk).has_value());
  const Row row{5, 0, Want::kTopK};
  ASSERT_TRUE((*device)
                  ->submit({.kind = BatchKind::kPrompt, .rows = {&row, 1}, .allowed = {}})
                  .has_value());
  const auto output = (*device)->wait();
  ASSERT_TRUE(output.has_value());
  EXPECT_EQ(output->argmax[0], -1);
  EXPECT_EQ(output->top[0].token, -1);

  const Row next{kPreviousArgmax, 1, Want::kArgmax};
  EXPECT_FALSE((*device)
                   ->submit({.kind = BatchKind::kDecode, .rows = {&next, 1}, .allowed = {}})
                   .has_value());
  EXPECT_FALSE((*device)->wait().has_value());
  EXPECT_EQ((*device)->length(), 0);
  (*device)->reset();
  EXPECT_TRUE((*device)->wait().has_value());
}

}  // namespace
}  // namespace gem
