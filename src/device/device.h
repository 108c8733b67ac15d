// The one seam between the engine and a processor.
//
// The engine owns the ORDER of stages (engine/walk.cc). A device owns the WHEN: it may call the
// walk once per batch, once per worker thread, once per shape while recording, or once at load to
// check a program of its own. Stages take a layer number and nothing else: fixed facts are in the
// Plan, what changes per step is in the Batch. A recording of the walk therefore stays valid for
// the life of the plan.
//
// A device holds one loaded model and one timeline of tokens: the K/V of positions 0 .. length()
// - 1.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "model/memory_plan.h"
#include "model/plan.h"

namespace gem {

// One name per stage, the same in code, file names, kernels, tests, profiles and benches.
enum class Stage : uint8_t {
  kEmbed,
  kQkv,
  kRopeInsert,
  kAttend,
  kOutProj,
  kMidNorm,
  kGateUp,
  kDown,
  kEndNorm,
  kLogits,
};
inline constexpr int kStageCount = 10;
std::string_view stage_name(Stage stage);

// Stages enqueue; they return nothing. Their effects are visible after Device::wait. Activations
// are the device's own: x [rows, width] is the residual stream, h the normed copy that the next
// matmul reads. INVARIANT: embed and end_norm publish h for what follows, so no matmul stage begins
// with a norm, and end_norm of a layer fuses with the first norm of the next.
class Stages {
 public:
  virtual ~Stages() = default;
  virtual void embed() = 0;             // tokens -> x, h
  virtual void qkv(int32_t layer) = 0;  // h -> q, k, v
  virtual void rope_insert(
      int32_t layer) = 0;  // head norms, RoPE; k, v become pending rows of the cache
  virtual void attend(int32_t layer) = 0;    // q, committed and pending k, v -> a
  virtual void out_proj(int32_t layer) = 0;  // a -> o
  virtual void mid_norm(int32_t layer) = 0;  // x += norm(o); h = norm(x)
  virtual void gate_up(int32_t layer) = 0;   // h -> u = gelu(Wgate h) * (Wup h)
  virtual void down(int32_t layer) = 0;      // u -> f
  virtual void end_norm(int32_t layer) = 0;  // x = (x + norm(f)) * output_scale; h = norm(x)
  virtual void logits() = 0;                 // h of wanted rows -> argmax, top candidates, logits
};

// A pure function of its arguments.
using Walk = void (*)(const Plan&, Stages&);

enum class Want : uint8_t { kNothing, kArgmax, kTopK, kLogits };

inline constexpr int32_t kPreviousArgmax =
    -1;  // a Row::token: the argmax of the last wanted row of the
         // batch before this one, which the host need not know yet

struct Row {
  int32_t token = 0;     // an id, or kPreviousArgmax
  int32_t position = 0;  // absolute; rows of a batch are consecutive and start at length()
  Want want = Want::kNothing;
};

// Rows of a verification: the sampled root and seven drafts.
inline constexpr int32_t kMaxVerifyRows = 8;

// What a batch is for decides its route and when its K/V are committed.
enum class BatchKind : uint8_t {
  kPrompt,  // committed as it runs
  kDecode,  // one generated token; committed as it runs
  kVerify,  // at most kMaxVerifyRows rows; stays pending until commit()
};

struct Batch {
  BatchKind kind = BatchKind::kPrompt;
  std::span<const Row> rows;  // 1 .. Limits::rows
  std::span<const uint32_t>
      allowed;  // a vocabulary bit mask per wanted row, [wanted, ceil(vocab / 32)],
                // bit i of word w = id 32 w + i; empty: everything is allowed
};

struct Candidate {
  int32_t token;
  float logit;
};

// Results of the latest batch, for its wanted rows in order; valid until the next submit. Ids that
// a mask forbids have logit -infinity and are no candidates. Ties go to the lowest id.
struct Output {
  std::span<const int32_t> argmax;  // [wanted]; -1 if a logit of the row is not finite
  std::span<const Candidate> top;   // [kTopK rows, min(Limits::top_k, vocabulary)], best first;
                                    // tokens are -1 where argmax is
  std::span<const float> logits;    // [kLogits rows, vocabulary]
};

struct Limits {
  int32_t context = 0;      // positions
  int32_t rows = 0;         // of a batch
  int32_t logits_rows = 0;  // wanted rows of a batch
  int32_t top_k = 64;
};

struct DeviceInfo {
  std::string_view name;  // "cpu"
  std::string detail;     // "scalar reference": what else a report should say
  bool batch_invariant;   // prompt and decode routes agree bit for bit, for every batch size
};

enum class KvLayers : uint8_t { kSwa, kFull };

struct PositionRange {
  int32_t begin;
  int32_t end;
};

// What a probe can read after a stage, one row at a time.
enum class Tap : uint8_t {
  kX,       // [width]                      after embed, mid_norm, end_norm
  kH,       // [width]                      after embed, mid_norm, end_norm
  kQ,       // [query_heads * head_width]   after qkv (raw), rope_insert (normed, rotated)
  kK,       // [kv_heads * head_width]      as kQ
  kV,       // [kv_heads * head_width]      as kQ
  kA,       // [query_heads * head_width]   after attend
  kO,       // [width]                      after out_proj
  kU,       // [ffn_width]                  after gate_up
  kF,       // [width]                      after down
  kLogits,  // [vocabulary], row = index among wanted rows; after logits
};

// Time of a span of fused stages of a layer (-1: embed, logits), summed since set_timing(true).
struct StageTime {
  Stage first;
  Stage last;
  int32_t layer;
  double seconds;
  int64_t calls;
};

class Device {
 public:
  virtual ~Device() = default;
  virtual DeviceInfo info() const = 0;

  // Once. Uploads or maps weights, allocates the cache and every buffer, compiles or selects
  // kernels; nothing allocates after it. `plan` and the file behind it must outlive the device.
  // Returns kNoMemory or kDevice.
  virtual Status load(const Plan& plan, const Limits& limits, KvType kv_type, Walk walk) = 0;

  // Committed positions. A batch that is still running counts as done.
  virtual int32_t length() const = 0;

  // Asynchronous, in order. A batch that breaks the contract above is a bug of the engine's
  // (GEM_CHECK).
  virtual Status submit(const Batch& batch) = 0;
  // Waits for everything submitted: the results of the last batch, or the first error since the
  // last wait. Errors are sticky until reset(); a batch that failed half-way leaves the timeline
  // empty.
  virtual Result<Output> wait() = 0;
  // Commits the first `rows` rows of the last batch, a kVerify one, and drops the others.
  virtual Status commit(int32_t rows) = 0;

  // Remembers the committed state. From here on each SWA slot is saved before its first overwrite,
  // in memory that grows with what is written. A second mark replaces the first.
  virtual Status mark() = 0;
  // Brings back the state of mark(), which stays marked. Returns kNoMemory if the backup could not
  // be kept: the timeline is then reset.
  virtual Status restore() = 0;

  // The empty timeline; clears a sticky error and the mark.
  virtual void reset() = 0;

  // K/V of committed positions in a device-neutral layout: for each SWA or each full layer in
  // order, K then V, each [position, kv_head, head_width] in the cache's element type. SWA ranges
  // must lie in the last `window` positions. save_bytes() sizes `out` and `in`. load writes the
  // positions and sets length() to range.end; the caller loads both kinds of layers before it
  // submits, and the mark is gone.
  virtual size_t save_bytes(KvLayers layers, PositionRange range) const = 0;
  virtual Status save(KvLayers layers, PositionRange range, std::span<std::byte> out) = 0;
  virtual Status load(KvLayers layers, PositionRange range, std::span<const std::byte> in) = 0;

  // Tests and `gem eval` only: runs stage by stage, unfused, and calls `probe` after each stage.
  // read() is legal inside the probe. nullptr ends it.
  using Probe = void (*)(void* user, Stage stage, int32_t layer);
  virtual void set_probe(Probe probe, void* user) = 0;
  virtual Status read(Tap tap, int32_t row, std::span<float> out) = 0;

  virtual void set_timing(bool on) = 0;
  virtual std::span<const StageTime> stage_times() const = 0;
};

// The devices of this build, best first, and the instruction sets of its CPU device.
std::span<const std::string_view> device_names();
std::span<const std::string_view> cpu_isa_names();

struct DeviceOptions {
  std::string name = "auto";     // or one of device_names()
  std::string cpu_isa = "auto";  // or one of cpu_isa_names()
};

// Returns kNotFound, naming what there is.
Result<std::unique_ptr<Device>> make_device(const DeviceOptions& options);

}  // namespace gem
