#include "device/cpu/kv_cache.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "base/check.h"
#include "base/text.h"

namespace gem {

Result<KvCache> KvCache::create(const Plan& plan, int32_t context, int32_t rows) {
  KvCache cache;
  cache.context_ = context;
  cache.max_rows_ = rows;
  bool failed = false;
  uint64_t wanted_bytes = 0;
  // calloc maps zero pages: a position costs memory when it is written.
  const auto allocate = [&](int64_t count) {
    wanted_bytes += static_cast<uint64_t>(count) * sizeof(float);
    auto* memory = static_cast<float*>(std::calloc(static_cast<size_t>(count), sizeof(float)));
    failed = failed || memory == nullptr;
    return Buffer(memory);
  };
  int32_t widest = 0;
  for (const LayerPlan& facts : plan.layers) {
    const int32_t kv_width = facts.kv_width();
    const int32_t slots = facts.is_full ? context : facts.window;
    const int64_t floats = static_cast<int64_t>(slots) * kv_width;
    const int64_t verify_floats = static_cast<int64_t>(kMaxVerifyRows) * kv_width;
    cache.layers_.push_back({facts.is_full,
                             kv_width,
                             slots,
                             allocate(floats),
                             allocate(floats),
                             allocate(verify_floats),
                             allocate(verify_floats),
                             {}});
    widest = std::max(widest, kv_width);
  }
  cache.batch_k_ = allocate(static_cast<int64_t>(rows) * widest);
  cache.batch_v_ = allocate(static_cast<int64_t>(rows) * widest);
  if (failed) {
    return fail(Code::kNoMemory, "no memory for a K/V cache of {} ({} tokens); try a smaller --ctx",
                format_bytes(wanted_bytes), context);
  }
  return cache;
}

void KvCache::begin_batch(BatchKind kind, int32_t rows) {
  GEM_CHECK(rows > 0 && rows <= (kind == BatchKind::kVerify ? kMaxVerifyRows : max_rows_));
  GEM_CHECK(length_ + rows <= context_);
  kind_ = kind;
  batch_rows_ = rows;
}

std::span<float> KvCache::pending_k(int32_t layer) {
  Layer& l = layers_[static_cast<size_t>(layer)];
  float* rows = kind_ == BatchKind::kVerify ? l.verify_k.get() : batch_k_.get();
  return {rows, static_cast<size_t>(batch_rows_) * static_cast<size_t>(l.kv_width)};
}

std::span<float> KvCache::pending_v(int32_t layer) {
  Layer& l = layers_[static_cast<size_t>(layer)];
  float* rows = kind_ == BatchKind::kVerify ? l.verify_v.get() : batch_v_.get();
  return {rows, static_cast<size_t>(batch_rows_) * static_cast<size_t>(l.kv_width)};
}

const float* KvCache::at(int32_t layer, int32_t position, Part part) const {
  const Layer& l = layers_[static_cast<size_t>(layer)];
  const auto width = static_cast<size_t>(l.kv_width);
  if (position < length_) {
    const auto slot = static_cast<size_t>(l.is_full ? position : position % l.slots);
    return (part == Part::kK ? l.k : l.v).get() + slot * width;
  }
  const auto row = static_cast<size_t>(position - length_);
  if (kind_ == BatchKind::kVerify) {
    return (part == Part::kK ? l.verify_k : l.verify_v).get() + row * width;
  }
  return (part == Part::kK ? batch_k_ : batch_v_).get() + row * width;
}

void KvCache::commit_layer(int32_t layer, int32_t rows) {
  Layer& l = layers_[static_cast<size_t>(layer)];
  const auto width = static_cast<size_t>(l.kv_width);
  const float* k = pending_k(layer).data();
  const float* v = pending_v(layer).data();
  for (int32_t row = 0; row < rows; ++row) {
    const int32_t position = length_ + row;
    if (!l.is_full) back_up(l, position);
    const auto slot = static_cast<size_t>(l.is_full ? position : position % l.slots);
    std::copy_n(k + static_cast<size_t>(row) * width, width, l.k.get() + slot * width);
    std::copy_n(v + static_cast<size_t>(row) * width, width, l.v.get() + slot * width);
  }
}

void KvCache::advance(int32_t rows) {
  length_ += rows;
  batch_rows_ = 0;
}

void KvCache::back_up(Layer& layer, int32_t position) {
  // Only the first write to a slot after the mark overwrites a marked position, and the slots come
  // up in order, so the backup of a layer is a plain list.
  if (mark_ < 0 || backup_lost_ || position >= mark_ + layer.slots) return;
  const auto width = static_cast<size_t>(layer.kv_width);
  const auto slot = static_cast<size_t>(position % layer.slots);
  const float* k = layer.k.get() + slot * width;
  const float* v = layer.v.get() + slot * width;
  try {
    layer.backup.insert(layer.backup.end(), k, k + width);
    layer.backup.insert(layer.backup.end(), v, v + width);
  } catch (const std::bad_alloc&) {
    // The answer goes on; only going back to the mark is lost.
    backup_lost_ = true;
  }
}

void KvCache::mark() {
  mark_ = length_;
  backup_lost_ = false;
  for (Layer& layer : layers_) layer.backup.clear();
}

Status KvCache::restore() {
  GEM_CHECK(mark_ >= 0);
  if (backup_lost_) {
    reset();
    return fail(Code::kNoMemory, "no memory to go back to position {}", mark_);
  }
  for (Layer& layer : layers_) {
    const auto width = static_cast<size_t>(layer.kv_width);
    const float* saved = layer.backup.data();
    const auto count = static_cast<int32_t>(layer.backup.size() / (2 * width));
    for (int32_t i = 0; i < count; ++i) {
      const auto slot = static_cast<size_t>((mark_ + i) % layer.slots);
      std::copy_n(saved, width, layer.k.get() + slot * width);
      std::copy_n(saved + width, width, layer.v.get() + slot * width);
      saved += 2 * width;
    }
    layer.backup.clear();
  }
  length_ = mark_;
  batch_rows_ = 0;
  return {};
}

void KvCache::reset() {
  length_ = 0;
  batch_rows_ = 0;
  mark_ = -1;
  backup_lost_ = false;
  for (Layer& layer : layers_) layer.backup.clear();
}

template <class Visit>
void KvCache::for_each_span(KvLayers layers, PositionRange range, Visit visit) {
  for (Layer& layer : layers_) {
    if (layer.is_full != (layers == KvLayers::kFull)) continue;
    for (const Buffer* part : {&layer.k, &layer.v}) {
      for (int32_t position = range.begin; position < range.end; ++position) {
        const auto slot = static_cast<size_t>(layer.is_full ? position : position % layer.slots);
        const auto width = static_cast<size_t>(layer.kv_width);
        visit(std::span<float>(part->get() + slot * width, width));
      }
    }
  }
}

size_t KvCache::save_bytes(KvLayers layers, PositionRange range) const {
  size_t floats = 0;
  for (const Layer& layer : layers_) {
    if (layer.is_full == (layers == KvLayers::kFull)) floats += static_cast<size_t>(layer.kv_width);
  }
  return 2 * floats * sizeof(float) * static_cast<size_t>(range.end - range.begin);
}

void KvCache::save(KvLayers layers, PositionRange range, std::span<std::byte> out) const {
  GEM_CHECK(out.size() == save_bytes(layers, range));
  GEM_CHECK(range.begin >= 0 && range.begin <= range.end && range.end <= length_);
  std::byte* to = out.data();
  // for_each_span hands out mutable spans for load's sake; this visitor only reads.
  const_cast<KvCache*>(this)->for_each_span(layers, range, [&](std::span<float> row) {
    std::memcpy(to, row.data(), row.size_bytes());
    to += row.size_bytes();
  });
}

void KvCache::load(KvLayers layers, PositionRange range, std::span<const std::byte> in) {
  GEM_CHECK(in.size() == save_bytes(layers, range));
  GEM_CHECK(range.begin >= 0 && range.begin <= range.end && range.end <= context_);
  const std::byte* from = in.data();
  for_each_span(layers, range, [&](std::span<float> row) {
    std::memcpy(row.data(), from, row.size_bytes());
    from += row.size_bytes();
  });
  length_ = range.end;
  batch_rows_ = 0;
  mark_ = -1;
}

}  // namespace gem
