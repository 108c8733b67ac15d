// The K/V of one timeline on the CPU, in f32: rings of exactly the window for SWA layers (position
// p in slot p mod window), whole for full layers. Rows of the running batch are pending until
// committed, so attention reads committed slots and pending rows, and a dropped row never overwrote
// anything.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <vector>

#include "base/result.h"
#include "device/device.h"
#include "model/plan.h"

namespace gem {

class KvCache {
 public:
  // Returns kNoMemory. Memory is reserved, and becomes resident as positions are written.
  static Result<KvCache> create(const Plan& plan, int32_t context, int32_t rows);

  int32_t length() const { return length_; }  // committed positions
  int32_t context() const { return context_; }

  // A batch of `rows` rows begins at position length(). Pending rows of a kVerify batch are kept
  // for all layers, those of other batches for the layer at hand.
  void begin_batch(BatchKind kind, int32_t rows);

  // [rows, kv_heads, head_width] of the running batch.
  std::span<float> pending_k(int32_t layer);
  std::span<float> pending_v(int32_t layer);

  // [kv_heads, head_width] at a visible position: committed or pending.
  const float* k(int32_t layer, int32_t position) const { return at(layer, position, Part::kK); }
  const float* v(int32_t layer, int32_t position) const { return at(layer, position, Part::kV); }

  // Writes the first `rows` pending rows of one layer to its slots; advance() then makes them
  // count, once every layer has them.
  void commit_layer(int32_t layer, int32_t rows);
  void advance(int32_t rows);

  // See Device. mark() copies nothing; restore() gives kNoMemory if the backup could not be kept.
  void mark();
  Status restore();
  void reset();

  size_t save_bytes(KvLayers layers, PositionRange range) const;
  void save(KvLayers layers, PositionRange range, std::span<std::byte> out) const;
  void load(KvLayers layers, PositionRange range, std::span<const std::byte> in);

 private:
  enum class Part : uint8_t { kK, kV };
  struct FreeMemory {
    void operator()(float* memory) const { std::free(memory); }
  };
  using Buffer = std::unique_ptr<float[], FreeMemory>;

  struct Layer {
    bool is_full;
    int32_t kv_width;  // floats of K of one position
    int32_t slots;
    Buffer k, v;                // [slots, kv_width]
    Buffer verify_k, verify_v;  // [kMaxVerifyRows, kv_width]
    std::vector<float> backup;  // K then V of positions mark - window, ..., in order of overwriting
  };

  KvCache() = default;
  const float* at(int32_t layer, int32_t position, Part part) const;
  void back_up(Layer& layer, int32_t position);
  template <class Visit>
  void for_each_span(KvLayers layers, PositionRange range, Visit visit);

  std::vector<Layer> layers_;
  Buffer batch_k_, batch_v_;  // [rows, widest kv_width]
  int32_t context_ = 0;
  int32_t max_rows_ = 0;
  int32_t length_ = 0;
  BatchKind kind_ = BatchKind::kPrompt;
  int32_t batch_rows_ = 0;
  int32_t mark_ = -1;  // length() at mark(), -1 if there is none
  bool backup_lost_ = false;
};

}  // namespace gem
