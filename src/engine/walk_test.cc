#include "engine/walk.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "tests/support/tiny_model.h"

namespace gem {
namespace {

using Step = std::pair<Stage, int32_t>;

// Writes down what the walk asks for: what a device does that records a program.
class Recorder final : public Stages {
 public:
  void embed() override { steps.push_back({Stage::kEmbed, -1}); }
  void qkv(int32_t layer) override { steps.push_back({Stage::kQkv, layer}); }
  void rope_insert(int32_t layer) override { steps.push_back({Stage::kRopeInsert, layer}); }
  void attend(int32_t layer) override { steps.push_back({Stage::kAttend, layer}); }
  void out_proj(int32_t layer) override { steps.push_back({Stage::kOutProj, layer}); }
  void mid_norm(int32_t layer) override { steps.push_back({Stage::kMidNorm, layer}); }
  void gate_up(int32_t layer) override { steps.push_back({Stage::kGateUp, layer}); }
  void down(int32_t layer) override { steps.push_back({Stage::kDown, layer}); }
  void end_norm(int32_t layer) override { steps.push_back({Stage::kEndNorm, layer}); }
  void logits() override { steps.push_back({Stage::kLogits, -1}); }

  std::vector<Step> steps;
};

void play(std::span<const Step> steps, Stages& stages) {
  for (const auto& [stage, layer] : steps) {
    switch (stage) {
      case Stage::kEmbed:
        stages.embed();
        break;
      case Stage::kQkv:
        stages.qkv(layer);
        break;
      case Stage::kRopeInsert:
        stages.rope_insert(layer);
        break;
      case Stage::kAttend:
        stages.attend(layer);
        break;
      case Stage::kOutProj:
        stages.out_proj(layer);
        break;
      case Stage::kMidNorm:
        stages.mid_norm(layer);
        break;
      case Stage::kGateUp:
        stages.gate_up(layer);
        break;
      case Stage::kDown:
        stages.down(layer);
        break;
      case Stage::kEndNorm:
        stages.end_norm(layer);
        break;
      case Stage::kLogits:
        stages.logits();
        break;
    }
  }
}

TEST(Walk, OrdersEightStagesALayerBetweenEmbedAndLogits) {
  Plan plan;
  plan.layers.resize(2);
  Recorder recorder;
  walk(plan, recorder);
  std::vector<Step> want = {{Stage::kEmbed, -1}};
  for (const int32_t layer : {0, 1}) {
    for (const Stage stage : {Stage::kQkv, Stage::kRopeInsert, Stage::kAttend, Stage::kOutProj,
                              Stage::kMidNorm, Stage::kGateUp, Stage::kDown, Stage::kEndNorm}) {
      want.push_back({stage, layer});
    }
  }
  want.push_back({Stage::kLogits, -1});
  EXPECT_EQ(recorder.steps, want);
}

// A toy device of the recording kind: it asks for the walk once, at load, and afterwards only plays
// what it wrote down. The scalar device does its arithmetic, and is handed the player as if it were
// the walk.
class ReplayDevice {
 public:
  static int walks;

  static void counted_walk(const Plan& plan, Stages& stages) {
    ++walks;
    walk(plan, stages);
  }

  Status load(const Plan& plan, const Limits& limits) {
    Recorder recorder;
    counted_walk(plan, recorder);
    recording() = recorder.steps;
    GEM_ASSIGN(inner_, make_device({.name = "cpu", .cpu_isa = "scalar"}));
    return inner_->load(plan, limits, KvType::kF32,
                        [](const Plan&, Stages& stages) { play(recording(), stages); });
  }
  Device& inner() { return *inner_; }

 private:
  // A Walk is a plain function, so what it plays cannot be a member.
  static std::vector<Step>& recording() {
    static std::vector<Step> steps;
    return steps;
  }

  std::unique_ptr<Device> inner_;
};
int ReplayDevice::walks = 0;

std::vector<float> run_batches(Device& device, const std::vector<int32_t>& tokens) {
  std::vector<float> logits;
  int32_t position = 0;
  // A prompt tile, single decode steps, and a verification of which two rows are kept.
  const auto submit = [&](BatchKind kind, int32_t count) {
    std::vector<Row> rows;
    for (int32_t i = 0; i < count; ++i) {
      rows.push_back({tokens[static_cast<size_t>(position + i)], position + i, Want::kLogits});
    }
    EXPECT_TRUE(device.submit({.kind = kind, .rows = rows, .allowed = {}}).has_value());
    const auto output = device.wait();
    EXPECT_TRUE(output.has_value());
    logits.insert(logits.end(), output->logits.begin(), output->logits.end());
    position = device.length();
  };
  submit(BatchKind::kPrompt, 24);
  submit(BatchKind::kDecode, 1);
  submit(BatchKind::kVerify, 5);
  EXPECT_TRUE(device.commit(2).has_value());
  EXPECT_EQ(device.length(), 27);
  position = device.length();
  submit(BatchKind::kDecode, 1);
  return logits;
}

TEST(Walk, RecordedOnceReplaysBitForBit) {
  const auto tiny = testing::open_tiny_model();
  ASSERT_NE(tiny, nullptr);
  const std::vector<int32_t> tokens = testing::golden_tokens("s40");
  const Limits limits{.context = 64, .rows = 32, .logits_rows = 32, .top_k = 8};

  auto direct = make_device({.name = "cpu", .cpu_isa = "scalar"});
  ASSERT_TRUE(direct.has_value());
  ASSERT_TRUE((*direct)->load(tiny->plan(), limits, KvType::kF32, walk).has_value());
  const std::vector<float> want = run_batches(**direct, tokens);

  ReplayDevice::walks = 0;
  ReplayDevice replay;
  ASSERT_TRUE(replay.load(tiny->plan(), limits).has_value());
  EXPECT_EQ(run_batches(replay.inner(), tokens), want);
  EXPECT_EQ(ReplayDevice::walks, 1);
}

}  // namespace
}  // namespace gem
