// The walk on the scalar device against the float64 goldens of the tiny model: logits, inner steps,
// hidden states, greedy answers. Bounds: class A of tests/tolerance.h.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <vector>

#include "engine/session.h"
#include "engine/walk.h"
#include "tests/support/tiny_model.h"
#include "tests/tolerance.h"

namespace gem {
namespace {

using testing::golden_index;
using testing::golden_path;
using testing::golden_tokens;
using testing::read_f32;

struct Error2 {
  double max_abs = 0;
  double rms = 0;
};

Error2 difference(std::span<const float> got, std::span<const float> want) {
  EXPECT_EQ(got.size(), want.size());
  Error2 error;
  double squares = 0;
  for (size_t i = 0; i < want.size(); ++i) {
    const double delta = std::abs(static_cast<double>(got[i]) - want[i]);
    // The negation also catches NaN.
    if (!(delta <= error.max_abs)) error.max_abs = delta;
    squares += delta * delta;
  }
  error.rms = std::sqrt(squares / static_cast<double>(want.size()));
  return error;
}

double mean_kl(std::span<const float> got, std::span<const float> want, size_t vocabulary) {
  double total = 0;
  const size_t positions = want.size() / vocabulary;
  for (size_t p = 0; p < positions; ++p) {
    double sum_got = 0, sum_want = 0;
    for (size_t i = p * vocabulary; i < (p + 1) * vocabulary; ++i) {
      sum_got += std::exp(static_cast<double>(got[i]));
      sum_want += std::exp(static_cast<double>(want[i]));
    }
    for (size_t i = p * vocabulary; i < (p + 1) * vocabulary; ++i) {
      const double log_p = want[i] - std::log(sum_want);
      total += std::exp(log_p) * (log_p - (got[i] - std::log(sum_got)));
    }
  }
  return total / static_cast<double>(positions);
}

void expect_class_a(std::span<const float> got, std::span<const float> want, size_t vocabulary) {
  const Error2 error = difference(got, want);
  EXPECT_LE(error.max_abs, testing::kClassA.max_abs);
  EXPECT_LE(error.rms, testing::kClassA.rms);
  EXPECT_LE(mean_kl(got, want, vocabulary), testing::kClassA.mean_kl);
}

void expect_inner(std::span<const float> got, std::span<const float> want,
                  const std::string& what) {
  ASSERT_EQ(got.size(), want.size()) << what;
  for (size_t i = 0; i < want.size(); ++i) {
    const double bound = testing::kClassAInnerAbs + testing::kClassAInnerRel * std::abs(want[i]);
    ASSERT_NEAR(got[i], want[i], bound) << what << " element " << i;
  }
}

class Golden : public ::testing::Test {
 protected:
  void SetUp() override {
    tiny_ = testing::open_tiny_model();
    ASSERT_NE(tiny_, nullptr);
  }

  // A device and a session whose batches have at most `rows` rows.
  void open_session(int32_t rows) {
    auto device = make_device({.name = "cpu", .cpu_isa = "scalar"});
    ASSERT_TRUE(device.has_value());
    device_ = std::move(*device);
    const Limits limits{.context = 512, .rows = rows, .logits_rows = rows, .top_k = 8};
    ASSERT_TRUE(device_->load(tiny_->plan(), limits, KvType::kF32, walk).has_value());
    session_ = std::make_unique<Session>(*device_, limits, tiny_->plan().profile.vocabulary);
  }

  std::vector<float> all_logits(const std::vector<int32_t>& tokens) {
    std::vector<float> logits;
    const Status status = session_->evaluate(tokens, [&](int32_t, std::span<const float> row) {
      logits.insert(logits.end(), row.begin(), row.end());
    });
    EXPECT_TRUE(status.has_value());
    return logits;
  }

  size_t vocabulary() const { return static_cast<size_t>(tiny_->plan().profile.vocabulary); }

  std::unique_ptr<testing::TinyModel> tiny_;
  std::unique_ptr<Device> device_;
  std::unique_ptr<Session> session_;
};

class GoldenLogits : public Golden, public ::testing::WithParamInterface<const char*> {};

TEST_P(GoldenLogits, MatchFloat64) {
  open_session(32);
  const std::vector<float> got = all_logits(golden_tokens(GetParam()));
  expect_class_a(got, read_f32(golden_path(std::string("model/") + GetParam() + ".logits.f64.bin")),
                 vocabulary());
}

TEST_P(GoldenLogits, DoNotDependOnTheTileSize) {
  const std::vector<int32_t> tokens = golden_tokens(GetParam());
  open_session(32);
  const std::vector<float> wide = all_logits(tokens);
  for (const int32_t rows : {1, 7, 8}) {
    open_session(rows);
    EXPECT_EQ(all_logits(tokens), wide) << rows;
  }
}

INSTANTIATE_TEST_SUITE_P(Sequences, GoldenLogits,
                         ::testing::Values("s1", "s7", "s40", "s200", "s300"),
                         [](const auto& sequence) { return std::string(sequence.param); });

// Collects taps of chosen stages, a row after the other.
struct Collector {
  Device* device;
  int32_t rows;
  std::map<std::string, std::vector<float>> seen;

  void take(const std::string& name, Tap tap, int32_t width) {
    std::vector<float>& all = seen[name];
    for (int32_t row = 0; row < rows; ++row) {
      std::vector<float> values(static_cast<size_t>(width));
      EXPECT_TRUE(device->read(tap, row, values).has_value());
      all.insert(all.end(), values.begin(), values.end());
    }
  }
};

TEST_F(Golden, InnerStepsMatchFloat64) {
  open_session(32);
  struct Context {
    Collector collector;
    const Plan* plan;
  } context{{device_.get(), 7, {}}, &tiny_->plan()};
  device_->set_probe(
      [](void* user, Stage stage, int32_t layer) {
        auto& [collector, plan] = *static_cast<Context*>(user);
        const int32_t width = plan->profile.width;
        const auto name = [&](const char* what) {
          return "blk" + std::to_string(layer) + "." + what;
        };
        if (stage == Stage::kEmbed) collector.take("blk0.attn_norm", Tap::kH, width);
        if (stage == Stage::kEndNorm) {
          collector.take("layer_out", Tap::kX, width);
          collector.take("blk" + std::to_string(layer + 1) + ".attn_norm", Tap::kH, width);
        }
        if (layer != 0 && layer != 5) return;
        const LayerPlan& facts = plan->layers[static_cast<size_t>(layer)];
        if (stage == Stage::kRopeInsert) {
          collector.take(name("q_rope"), Tap::kQ, facts.query_width());
          collector.take(name("k_rope"), Tap::kK, facts.kv_width());
          collector.take(name("v_norm"), Tap::kV, facts.kv_width());
        }
        if (stage == Stage::kAttend)
          collector.take(name("attn_heads"), Tap::kA, facts.query_width());
        if (stage == Stage::kMidNorm) collector.take(name("attn_residual"), Tap::kX, width);
      },
      &context);
  all_logits(golden_tokens("s7"));
  for (const char* layer : {"blk0", "blk5"}) {
    for (const char* step :
         {"attn_norm", "q_rope", "k_rope", "v_norm", "attn_heads", "attn_residual"}) {
      const std::string name = std::string(layer) + "." + step;
      expect_inner(context.collector.seen[name],
                   read_f32(golden_path("model/s7." + name + ".f64.bin")), name);
    }
  }
  expect_inner(context.collector.seen["layer_out"],
               read_f32(golden_path("model/s7.layer_out.f64.bin")), "layer_out");
}

// The post-final-norm hidden state of a batch's last row, as each batch ends.
struct LastHidden {
  Device* device;
  int32_t last_layer;
  int32_t last_row;
  std::vector<float> values;
};

void take_last_hidden(void* user, Stage stage, int32_t layer) {
  auto* hidden = static_cast<LastHidden*>(user);
  if (stage != Stage::kEndNorm || layer != hidden->last_layer) return;
  EXPECT_TRUE(hidden->device->read(Tap::kH, hidden->last_row, hidden->values).has_value());
}

TEST_F(Golden, LastHiddenStatesMatchFloat64) {
  for (const char* name : {"s1", "s7", "s40", "s200", "s300"}) {
    // One row a batch: the last batch is the last position.
    open_session(1);
    const auto width = static_cast<size_t>(tiny_->plan().profile.width);
    LastHidden hidden{device_.get(), tiny_->plan().layer_count() - 1, 0, std::vector<float>(width)};
    device_->set_probe(take_last_hidden, &hidden);
    all_logits(golden_tokens(name));
    expect_inner(hidden.values,
                 read_f32(golden_path(std::string("model/") + name + ".h_last.f64.bin")), name);
  }
}

class GoldenGreedy : public Golden, public ::testing::WithParamInterface<const char*> {};

TEST_P(GoldenGreedy, TokensLogitsAndHiddenStatesMatchFloat64) {
  open_session(32);
  const auto& golden = golden_index().at("greedy").at(GetParam());
  const auto prompt = golden.at("prompt").get<std::vector<int32_t>>();
  const auto want = golden.at("tokens").get<std::vector<int32_t>>();

  GenerateOptions options;
  options.sampling.temperature = 0;
  options.max_tokens = static_cast<int64_t>(want.size());
  std::vector<int32_t> got;
  const auto result = session_->generate(prompt, options, [&](int32_t token) {
    got.push_back(token);
    return true;
  });
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(got, want);
  EXPECT_EQ(result->reason, StopReason::kMaxTokens);

  // Logits that chose each token: those of the last prompt row and of all tokens but the last.
  std::vector<int32_t> tokens = prompt;
  tokens.insert(tokens.end(), want.begin(), want.end() - 1);
  const std::vector<float> logits = all_logits(tokens);
  const size_t skip = (prompt.size() - 1) * vocabulary();
  expect_class_a(std::span<const float>(logits).subspan(skip),
                 read_f32(golden_path(std::string("model/") + GetParam() + ".logits.f64.bin")),
                 vocabulary());
}

INSTANTIATE_TEST_SUITE_P(Prompts, GoldenGreedy, ::testing::Values("g0", "g1", "g2"),
                         [](const auto& sequence) { return std::string(sequence.param); });

TEST_F(Golden, GreedyHiddenStatesMatchFloat64) {
  for (const char* name : {"g0", "g1", "g2"}) {
    open_session(1);
    const auto& golden = golden_index().at("greedy").at(name);
    auto tokens = golden.at("prompt").get<std::vector<int32_t>>();
    const size_t prompt_size = tokens.size();
    const auto answer = golden.at("tokens").get<std::vector<int32_t>>();
    tokens.insert(tokens.end(), answer.begin(), answer.end() - 1);
    const auto width = static_cast<size_t>(tiny_->plan().profile.width);
    LastHidden hidden{device_.get(), tiny_->plan().layer_count() - 1, 0, std::vector<float>(width)};
    device_->set_probe(take_last_hidden, &hidden);
    std::vector<float> got;
    ASSERT_TRUE(session_
                    ->evaluate(tokens,
                               [&](int32_t position, std::span<const float>) {
                                 if (static_cast<size_t>(position) + 1 >= prompt_size) {
                                   got.insert(got.end(), hidden.values.begin(),
                                              hidden.values.end());
                                 }
                               })
                    .has_value());
    expect_inner(got, read_f32(golden_path(std::string("model/") + name + ".h.f64.bin")), name);
  }
}

TEST_F(Golden, DecodeAndPromptRoutesAgreeBitForBit) {
  open_session(32);
  const std::vector<int32_t> tokens = golden_tokens("s40");
  const std::vector<float> prompted = all_logits(tokens);
  device_->reset();
  std::vector<float> decoded;
  for (size_t i = 0; i < tokens.size(); ++i) {
    const Row row{tokens[i], static_cast<int32_t>(i), Want::kLogits};
    ASSERT_TRUE(device_->submit({.kind = BatchKind::kDecode, .rows = {&row, 1}, .allowed = {}})
                    .has_value());
    const auto output = device_->wait();
    ASSERT_TRUE(output.has_value());
    decoded.insert(decoded.end(), output->logits.begin(), output->logits.end());
  }
  EXPECT_EQ(decoded, prompted);
}

}  // namespace
}  // namespace gem
