#include "device/cpu/scalar_device.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "base/check.h"
#include "device/cpu/kv_cache.h"
#include "device/cpu/scalar_ops.h"

namespace gem {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

class ScalarDevice final : public Device, private Stages {
 public:
  DeviceInfo info() const override {
    return {.name = "cpu", .detail = "scalar reference", .batch_invariant = true};
  }

  Status load(const Plan& plan, const Limits& limits, KvType kv_type, Walk walk) override;
  int32_t length() const override { return cache_->length(); }
  Status submit(const Batch& batch) override;
  Result<Output> wait() override;
  Status commit(int32_t rows) override;
  Status mark() override;
  Status restore() override { return cache_->restore(); }
  void reset() override;

  size_t save_bytes(KvLayers layers, PositionRange range) const override {
    return cache_->save_bytes(layers, range);
  }
  Status save(KvLayers layers, PositionRange range, std::span<std::byte> out) override;
  Status load(KvLayers layers, PositionRange range, std::span<const std::byte> in) override;

  void set_probe(Probe probe, void* user) override {
    probe_ = probe;
    probe_user_ = user;
  }
  Status read(Tap tap, int32_t row, std::span<float> out) override;
  void set_timing(bool on) override;
  std::span<const StageTime> stage_times() const override { return times_; }

 private:
  void embed() override;
  void qkv(int32_t layer) override;
  void rope_insert(int32_t layer) override;
  void attend(int32_t layer) override;
  void out_proj(int32_t layer) override;
  void mid_norm(int32_t layer) override;
  void gate_up(int32_t layer) override;
  void down(int32_t layer) override;
  void end_norm(int32_t layer) override;
  void logits() override;

  // Runs the body of a stage, times it, and calls the probe.
  template <class Body>
  void stage(Stage stage, int32_t layer, Body body);

  const LayerPlan& facts(int32_t layer) const { return plan_->layers[static_cast<size_t>(layer)]; }
  const Rope& rope(const LayerPlan& layer) const {
    return layer.is_full ? *full_rope_ : *swa_rope_;
  }
  std::span<float> row_of(std::vector<float>& buffer, int32_t row, int32_t width) const {
    return std::span<float>(buffer).subspan(static_cast<size_t>(row) * static_cast<size_t>(width),
                                            static_cast<size_t>(width));
  }
  int32_t rows() const { return static_cast<int32_t>(batch_.rows.size()); }
  float epsilon() const { return plan_->profile.rms_epsilon; }

  void attend_head(int32_t layer, int32_t row, int32_t head);
  void finish_row(size_t wanted, Want want, std::span<float> logits);

  const Plan* plan_ = nullptr;
  Limits limits_;
  Walk walk_ = nullptr;
  std::optional<KvCache> cache_;
  std::optional<Rope> swa_rope_, full_rope_;

  Batch batch_;                        // valid inside submit
  std::vector<float> x_, h_;           // [rows, width]
  std::vector<float> q_, a_;           // [rows, widest query_heads * head_width]
  std::vector<float> branch_;          // [rows, width]: o, then f
  std::vector<float> gate_, u_;        // [rows, ffn_width]
  std::vector<float> wanted_h_;        // [logits_rows, width]
  std::vector<float> logits_;          // [logits_rows, vocabulary]
  std::vector<float> weights_;         // one dequantized matrix row
  std::vector<float> normed_;          // [width]
  std::vector<Candidate> candidates_;  // [vocabulary]: all of one row, before the best are kept

  struct Place {
    size_t place;  // row of wanted_h_ and logits_
    Want want;
  };
  std::vector<Place> places_;  // of the wanted rows, in batch order
  std::vector<int32_t> argmax_;
  std::vector<Candidate> top_;
  size_t logits_rows_out_ = 0;
  int32_t previous_argmax_ = -1;
  int32_t pending_rows_ = 0;  // of the last kVerify batch
  std::optional<Error> error_;

  int32_t probed_layer_ = 0;  // of the stage that ran last
  Probe probe_ = nullptr;
  void* probe_user_ = nullptr;
  bool timing_ = false;
  std::vector<StageTime> times_;
};

Status ScalarDevice::load(const Plan& plan, const Limits& limits, KvType kv_type, Walk walk) {
  GEM_CHECK(plan_ == nullptr && limits.rows > 0 && limits.logits_rows > 0);
  if (kv_type != KvType::kF32) {
    return fail(Code::kUnsupported, "the scalar CPU device keeps K/V in f32, not in {}",
                kv_type_name(kv_type));
  }
  GEM_ASSIGN(cache_, KvCache::create(plan, limits.context, limits.rows));

  const LayerPlan& swa = plan.layers.front();
  const LayerPlan& full = plan.layers.back();
  swa_rope_.emplace(swa.head_width, swa.rope_base, swa.rope_factors);
  full_rope_.emplace(full.head_width, full.rope_base, full.rope_factors);

  const auto width = static_cast<size_t>(plan.profile.width);
  const auto ffn_width = static_cast<size_t>(plan.profile.ffn_width);
  const auto vocabulary = static_cast<size_t>(plan.profile.vocabulary);
  const auto query_width = static_cast<size_t>(std::max(swa.query_width(), full.query_width()));
  const auto row_count = static_cast<size_t>(limits.rows);
  const auto logits_rows = static_cast<size_t>(limits.logits_rows);
  try {
    for (auto* buffer : {&x_, &h_, &branch_}) buffer->resize(row_count * width);
    for (auto* buffer : {&q_, &a_}) buffer->resize(row_count * query_width);
    for (auto* buffer : {&gate_, &u_}) buffer->resize(row_count * ffn_width);
    wanted_h_.resize(logits_rows * width);
    logits_.resize(logits_rows * vocabulary);
    weights_.resize(std::max({width, ffn_width, query_width}));
    normed_.resize(width);
    candidates_.reserve(vocabulary);
    argmax_.reserve(logits_rows);
    top_.reserve(logits_rows * static_cast<size_t>(limits.top_k));
  } catch (const std::bad_alloc&) {
    return fail(Code::kNoMemory, "no memory for the activations of {} rows", limits.rows);
  }
  plan_ = &plan;
  limits_ = limits;
  walk_ = walk;
  return {};
}

Status ScalarDevice::submit(const Batch& batch) {
  GEM_CHECK(pending_rows_ == 0);
  GEM_CHECK(!batch.rows.empty() && batch.rows.size() <= static_cast<size_t>(limits_.rows));
  for (size_t r = 0; r < batch.rows.size(); ++r) {
    GEM_CHECK(batch.rows[r].position == cache_->length() + static_cast<int32_t>(r));
  }
  if (batch.rows.front().token == kPreviousArgmax && previous_argmax_ < 0) {
    reset();
    error_ = Error(Code::kDevice, "the batch before had no finite logits to continue from");
  }
  if (error_) return tl::unexpected<Error>(*error_);
  batch_ = batch;
  cache_->begin_batch(batch.kind, rows());
  walk_(*plan_, *this);
  if (batch.kind == BatchKind::kVerify) {
    pending_rows_ = rows();
  } else {
    cache_->advance(rows());
  }
  previous_argmax_ = argmax_.empty() ? -1 : argmax_.back();
  batch_ = {};
  return {};
}

Result<Output> ScalarDevice::wait() {
  if (error_) return tl::unexpected<Error>(*error_);
  const auto vocabulary = static_cast<size_t>(plan_->profile.vocabulary);
  return Output{.argmax = argmax_,
                .top = top_,
                .logits = std::span<const float>(logits_).first(logits_rows_out_ * vocabulary)};
}

Status ScalarDevice::commit(int32_t rows) {
  GEM_CHECK(rows >= 0 && rows <= pending_rows_);
  for (int32_t layer = 0; layer < plan_->layer_count(); ++layer) cache_->commit_layer(layer, rows);
  cache_->advance(rows);
  pending_rows_ = 0;
  return {};
}

Status ScalarDevice::mark() {
  cache_->mark();
  return {};
}

void ScalarDevice::reset() {
  cache_->reset();
  pending_rows_ = 0;
  previous_argmax_ = -1;
  error_.reset();
}

Status ScalarDevice::save(KvLayers layers, PositionRange range, std::span<std::byte> out) {
  cache_->save(layers, range, out);
  return {};
}

Status ScalarDevice::load(KvLayers layers, PositionRange range, std::span<const std::byte> in) {
  cache_->load(layers, range, in);
  pending_rows_ = 0;
  return {};
}

template <class Body>
void ScalarDevice::stage(Stage stage, int32_t layer, Body body) {
  if (!timing_) {
    body();
  } else {
    const auto begin = std::chrono::steady_clock::now();
    body();
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
    const auto entry = std::find_if(times_.begin(), times_.end(), [&](const StageTime& time) {
      return time.first == stage && time.layer == layer;
    });
    entry->seconds += elapsed.count();
    ++entry->calls;
  }
  if (probe_ == nullptr) return;
  if (layer >= 0) probed_layer_ = layer;
  probe_(probe_user_, stage, layer);
}

void ScalarDevice::set_timing(bool on) {
  timing_ = on;
  if (!on) return;
  times_.clear();
  times_.push_back({Stage::kEmbed, Stage::kEmbed, -1, 0, 0});
  for (int32_t layer = 0; layer < plan_->layer_count(); ++layer) {
    for (int s = static_cast<int>(Stage::kQkv); s <= static_cast<int>(Stage::kEndNorm); ++s) {
      times_.push_back({static_cast<Stage>(s), static_cast<Stage>(s), layer, 0, 0});
    }
  }
  times_.push_back({Stage::kLogits, Stage::kLogits, -1, 0, 0});
}

void ScalarDevice::embed() {
  stage(Stage::kEmbed, -1, [&] {
    const int32_t width = plan_->profile.width;
    const float scale = std::sqrt(static_cast<float>(width));
    for (int32_t row = 0; row < rows(); ++row) {
      int32_t token = batch_.rows[static_cast<size_t>(row)].token;
      if (token == kPreviousArgmax) token = previous_argmax_;
      GEM_CHECK(token >= 0 && token < plan_->profile.vocabulary);
      const auto x = row_of(x_, row, width);
      gguf::dequantize(plan_->token_table.type, plan_->token_table.row(token), x);
      for (float& value : x) value *= scale;
      rms_norm(x, plan_->layers.front().attn_norm, epsilon(), row_of(h_, row, width));
    }
  });
}

void ScalarDevice::qkv(int32_t layer) {
  stage(Stage::kQkv, layer, [&] {
    const LayerPlan& l = facts(layer);
    matmul(l.q, h_, rows(), q_, weights_);
    matmul(l.k, h_, rows(), cache_->pending_k(layer), weights_);
    if (l.v_is_k) {
      std::ranges::copy(cache_->pending_k(layer), cache_->pending_v(layer).begin());
    } else {
      matmul(l.v, h_, rows(), cache_->pending_v(layer), weights_);
    }
  });
}

void ScalarDevice::rope_insert(int32_t layer) {
  stage(Stage::kRopeInsert, layer, [&] {
    const LayerPlan& l = facts(layer);
    const auto head_width = static_cast<size_t>(l.head_width);
    const auto norm_heads = [&](std::span<float> heads, Vector weight) {
      for (size_t at = 0; at < heads.size(); at += head_width) {
        const auto head = heads.subspan(at, head_width);
        rms_norm(head, weight, epsilon(), head);
      }
    };
    const auto kv_width = static_cast<size_t>(l.kv_width());
    for (int32_t row = 0; row < rows(); ++row) {
      const int32_t position = batch_.rows[static_cast<size_t>(row)].position;
      const auto q = row_of(q_, row, l.query_width());
      const auto k =
          cache_->pending_k(layer).subspan(static_cast<size_t>(row) * kv_width, kv_width);
      const auto v =
          cache_->pending_v(layer).subspan(static_cast<size_t>(row) * kv_width, kv_width);
      norm_heads(q, l.q_norm);
      norm_heads(k, l.k_norm);
      norm_heads(v, {});
      rope(l).rotate(q, position);
      rope(l).rotate(k, position);
    }
  });
}

void ScalarDevice::attend(int32_t layer) {
  stage(Stage::kAttend, layer, [&] {
    for (int32_t row = 0; row < rows(); ++row) {
      for (int32_t head = 0; head < facts(layer).query_heads; ++head) attend_head(layer, row, head);
    }
    if (batch_.kind != BatchKind::kVerify) cache_->commit_layer(layer, rows());
  });
}

// softmax(q . k) v over the visible positions in ascending order, the maximum kept as it goes, so
// that scratch does not grow with the context.
void ScalarDevice::attend_head(int32_t layer, int32_t row, int32_t head) {
  const LayerPlan& l = facts(layer);
  const auto head_width = static_cast<size_t>(l.head_width);
  const auto q =
      row_of(q_, row, l.query_width()).subspan(static_cast<size_t>(head) * head_width, head_width);
  const auto a =
      row_of(a_, row, l.query_width()).subspan(static_cast<size_t>(head) * head_width, head_width);
  const size_t kv_head = static_cast<size_t>(head / l.group()) * head_width;
  const int32_t position = batch_.rows[static_cast<size_t>(row)].position;
  const int32_t first = l.is_full ? 0 : std::max(0, position - l.window + 1);

  std::ranges::fill(a, 0.0f);
  float maximum = -kInfinity;
  double total = 0;
  for (int32_t j = first; j <= position; ++j) {
    const float score = dot(q, {cache_->k(layer, j) + kv_head, head_width});
    if (score > maximum) {
      const float shrink = std::exp(maximum - score);
      total *= shrink;
      for (float& value : a) value *= shrink;
      maximum = score;
    }
    const float weight = std::exp(score - maximum);
    total += weight;
    const float* v = cache_->v(layer, j) + kv_head;
    for (size_t i = 0; i < head_width; ++i) a[i] += weight * v[i];
  }
  const auto scale = static_cast<float>(1.0 / total);
  for (float& value : a) value *= scale;
}

void ScalarDevice::out_proj(int32_t layer) {
  stage(Stage::kOutProj, layer, [&] { matmul(facts(layer).out, a_, rows(), branch_, weights_); });
}

void ScalarDevice::mid_norm(int32_t layer) {
  stage(Stage::kMidNorm, layer, [&] {
    const LayerPlan& l = facts(layer);
    const int32_t width = plan_->profile.width;
    for (int32_t row = 0; row < rows(); ++row) {
      const auto x = row_of(x_, row, width);
      rms_norm(row_of(branch_, row, width), l.post_attn_norm, epsilon(), normed_);
      for (size_t i = 0; i < x.size(); ++i) x[i] += normed_[i];
      rms_norm(x, l.ffn_norm, epsilon(), row_of(h_, row, width));
    }
  });
}

void ScalarDevice::gate_up(int32_t layer) {
  stage(Stage::kGateUp, layer, [&] {
    const LayerPlan& l = facts(layer);
    matmul(l.gate, h_, rows(), gate_, weights_);
    matmul(l.up, h_, rows(), u_, weights_);
    const size_t count = static_cast<size_t>(rows()) * static_cast<size_t>(l.gate.rows);
    for (size_t i = 0; i < count; ++i) u_[i] = gelu(gate_[i]) * u_[i];
  });
}

void ScalarDevice::down(int32_t layer) {
  stage(Stage::kDown, layer, [&] { matmul(facts(layer).down, u_, rows(), branch_, weights_); });
}

void ScalarDevice::end_norm(int32_t layer) {
  stage(Stage::kEndNorm, layer, [&] {
    const LayerPlan& l = facts(layer);
    const int32_t width = plan_->profile.width;
    const bool is_last = layer + 1 == plan_->layer_count();
    const Vector next_norm = is_last ? plan_->output_norm : facts(layer + 1).attn_norm;
    for (int32_t row = 0; row < rows(); ++row) {
      const auto x = row_of(x_, row, width);
      rms_norm(row_of(branch_, row, width), l.post_ffn_norm, epsilon(), normed_);
      for (size_t i = 0; i < x.size(); ++i) x[i] = (x[i] + normed_[i]) * l.output_scale;
      rms_norm(x, next_norm, epsilon(), row_of(h_, row, width));
    }
  });
}

void ScalarDevice::logits() {
  stage(Stage::kLogits, -1, [&] {
    const auto vocabulary = static_cast<size_t>(plan_->profile.vocabulary);
    argmax_.clear();
    top_.clear();
    logits_rows_out_ =
        static_cast<size_t>(std::ranges::count(batch_.rows, Want::kLogits, &Row::want));

    // Output::logits shows the head of the buffer, so rows that want logits take the first places.
    size_t next_shown = 0;
    size_t next_hidden = logits_rows_out_;
    places_.clear();
    for (int32_t row = 0; row < rows(); ++row) {
      const Want want = batch_.rows[static_cast<size_t>(row)].want;
      if (want == Want::kNothing) continue;
      const size_t place = want == Want::kLogits ? next_shown++ : next_hidden++;
      places_.push_back({place, want});
      GEM_CHECK(place < static_cast<size_t>(limits_.logits_rows));
      const int32_t width = plan_->profile.width;
      std::ranges::copy(row_of(h_, row, width),
                        row_of(wanted_h_, static_cast<int32_t>(place), width).begin());
    }
    if (places_.empty()) return;

    matmul(plan_->token_table, wanted_h_, static_cast<int32_t>(places_.size()), logits_, weights_);
    for (size_t wanted = 0; wanted < places_.size(); ++wanted) {
      finish_row(wanted, places_[wanted].want,
                 std::span<float>(logits_).subspan(places_[wanted].place * vocabulary, vocabulary));
    }
  });
}

// Softcap, mask, argmax and the best candidates of one row of raw logits.
void ScalarDevice::finish_row(size_t wanted, Want want, std::span<float> logits) {
  const size_t mask_words = (logits.size() + 31) / 32;
  const auto allowed = batch_.allowed.empty()
                           ? std::span<const uint32_t>()
                           : batch_.allowed.subspan(wanted * mask_words, mask_words);
  int32_t best = -1;
  bool finite = true;
  for (size_t id = 0; id < logits.size(); ++id) {
    logits[id] = softcap(logits[id], plan_->profile.softcap);
    finite = finite && std::isfinite(logits[id]);
    if (!allowed.empty() && (allowed[id / 32] >> (id % 32) & 1u) == 0) logits[id] = -kInfinity;
    if (logits[id] > (best < 0 ? -kInfinity : logits[static_cast<size_t>(best)])) {
      best = static_cast<int32_t>(id);
    }
  }
  argmax_.push_back(finite ? best : -1);
  if (want != Want::kTopK) return;

  if (!finite) {
    top_.insert(top_.end(), std::min(logits.size(), static_cast<size_t>(limits_.top_k)), {-1, 0});
    return;
  }
  candidates_.clear();
  for (size_t id = 0; id < logits.size(); ++id) {
    candidates_.push_back({static_cast<int32_t>(id), logits[id]});
  }
  const auto count = std::min(candidates_.size(), static_cast<size_t>(limits_.top_k));
  const auto middle = candidates_.begin() + static_cast<std::ptrdiff_t>(count);
  std::partial_sort(candidates_.begin(), middle, candidates_.end(),
                    [](const Candidate& a, const Candidate& b) {
                      return a.logit != b.logit ? a.logit > b.logit : a.token < b.token;
                    });
  top_.insert(top_.end(), candidates_.begin(), middle);
}

Status ScalarDevice::read(Tap tap, int32_t row, std::span<float> out) {
  const Profile& profile = plan_->profile;
  const auto pick = [&](std::span<const float> buffer, size_t width) {
    GEM_CHECK(out.size() == width);
    std::ranges::copy(buffer.subspan(static_cast<size_t>(row) * width, width), out.begin());
  };
  const auto width = static_cast<size_t>(profile.width);
  const LayerPlan& layer = facts(probed_layer_);
  switch (tap) {
    case Tap::kX:
      pick(x_, width);
      break;
    case Tap::kH:
      pick(h_, width);
      break;
    case Tap::kQ:
      pick(q_, static_cast<size_t>(layer.query_width()));
      break;
    case Tap::kK:
      pick(cache_->pending_k(probed_layer_), static_cast<size_t>(layer.kv_width()));
      break;
    case Tap::kV:
      pick(cache_->pending_v(probed_layer_), static_cast<size_t>(layer.kv_width()));
      break;
    case Tap::kA:
      pick(a_, static_cast<size_t>(layer.query_width()));
      break;
    case Tap::kO:
    case Tap::kF:
      pick(branch_, width);
      break;
    case Tap::kU:
      pick(u_, static_cast<size_t>(profile.ffn_width));
      break;
    case Tap::kLogits:
      row = static_cast<int32_t>(places_[static_cast<size_t>(row)].place);
      pick(logits_, static_cast<size_t>(profile.vocabulary));
      break;
  }
  return {};
}

}  // namespace

std::unique_ptr<Device> make_scalar_device() { return std::make_unique<ScalarDevice>(); }

}  // namespace gem
