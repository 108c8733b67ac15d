#include "device/cpu/kv_cache.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

namespace gem {
namespace {

constexpr int32_t kWindow = 4;
constexpr int32_t kContext = 32;

// One SWA layer and one full layer, one float of K and V a position.
Plan two_layers() {
  Plan plan;
  plan.layers.resize(2);
  plan.layers[0] = {
      .is_full = false, .head_width = 1, .query_heads = 1, .kv_heads = 1, .window = kWindow};
  plan.layers[1] = {.is_full = true, .head_width = 1, .query_heads = 1, .kv_heads = 1};
  return plan;
}

KvCache make_cache(int32_t rows = 8) {
  auto cache = KvCache::create(two_layers(), kContext, rows);
  EXPECT_TRUE(cache.has_value());
  return std::move(*cache);
}

// K of position p is p + 100 * layer + salt, V its negative.
void fill_pending(KvCache& cache, int32_t rows, float salt) {
  for (int32_t layer = 0; layer < 2; ++layer) {
    for (int32_t row = 0; row < rows; ++row) {
      const auto value = static_cast<float>(cache.length() + row + 100 * layer) + salt;
      cache.pending_k(layer)[static_cast<size_t>(row)] = value;
      cache.pending_v(layer)[static_cast<size_t>(row)] = -value;
    }
    // Batches other than kVerify share one pending buffer: a layer is committed before the next is
    // filled.
    cache.commit_layer(layer, rows);
  }
}

void append(KvCache& cache, int32_t rows, float salt = 0) {
  cache.begin_batch(BatchKind::kPrompt, rows);
  fill_pending(cache, rows, salt);
  cache.advance(rows);
}

void expect_window(const KvCache& cache, float salt_from_mark, int32_t mark) {
  for (int32_t p = std::max(0, cache.length() - kWindow); p < cache.length(); ++p) {
    const float salt = p >= mark ? salt_from_mark : 0;
    EXPECT_EQ(*cache.k(0, p), static_cast<float>(p) + salt) << p;
    EXPECT_EQ(*cache.v(0, p), -(static_cast<float>(p) + salt)) << p;
  }
  for (int32_t p = 0; p < cache.length(); ++p) {
    const float salt = p >= mark ? salt_from_mark : 0;
    EXPECT_EQ(*cache.k(1, p), static_cast<float>(p) + 100 + salt) << p;
  }
}

TEST(KvCache, RingHoldsExactlyTheLastWindowPositions) {
  KvCache cache = make_cache();
  for (const int32_t rows : {3, 1, 6, 8, 1}) {
    append(cache, rows);
    expect_window(cache, 0, kContext);
  }
  EXPECT_EQ(cache.length(), 19);
}

TEST(KvCache, PendingRowsAreVisibleBeyondTheCommittedOnes) {
  KvCache cache = make_cache();
  append(cache, 6);
  cache.begin_batch(BatchKind::kVerify, 3);
  for (int32_t row = 0; row < 3; ++row) {
    cache.pending_k(0)[static_cast<size_t>(row)] = static_cast<float>(1000 + row);
  }
  EXPECT_EQ(*cache.k(0, 5), 5.0f);
  EXPECT_EQ(*cache.k(0, 6), 1000.0f);
  EXPECT_EQ(*cache.k(0, 8), 1002.0f);
  // The ring still has the oldest visible position, whose slot the pending rows would take.
  EXPECT_EQ(*cache.k(0, 2), 2.0f);
}

TEST(KvCache, DroppedVerifyRowsLeaveEqualRingContents) {
  KvCache plain = make_cache();
  append(plain, 7);
  append(plain, 2);

  KvCache verified = make_cache();
  append(verified, 7);
  verified.begin_batch(BatchKind::kVerify, 5);
  for (int32_t layer = 0; layer < 2; ++layer) {
    for (int32_t row = 0; row < 5; ++row) {
      const auto value = static_cast<float>(7 + row + 100 * layer);
      verified.pending_k(layer)[static_cast<size_t>(row)] = value;
      verified.pending_v(layer)[static_cast<size_t>(row)] = -value;
    }
  }
  for (int32_t layer = 0; layer < 2; ++layer) verified.commit_layer(layer, 2);
  verified.advance(2);

  ASSERT_EQ(verified.length(), plain.length());
  for (const KvLayers layers : {KvLayers::kSwa, KvLayers::kFull}) {
    const PositionRange range{layers == KvLayers::kSwa ? 5 : 0, 9};
    std::vector<std::byte> a(plain.save_bytes(layers, range)), b(a.size());
    plain.save(layers, range, a);
    verified.save(layers, range, b);
    EXPECT_EQ(a, b);
  }
}

TEST(KvCache, RestoreBringsBackTheMarkedRing) {
  for (const int32_t before : {0, 2, 3, 4, 5, 9}) {
    for (const int32_t after : {1, 2, 3, 4, 5, 7, 11}) {
      KvCache cache = make_cache(16);
      if (before > 0) append(cache, before);
      cache.mark();
      for (int32_t i = 0; i < after; ++i) append(cache, 1, 0.5f);
      expect_window(cache, 0.5f, before);
      ASSERT_TRUE(cache.restore().has_value());
      EXPECT_EQ(cache.length(), before);
      expect_window(cache, 0, kContext);
      // The mark holds for a second answer.
      append(cache, 3, 0.25f);
      ASSERT_TRUE(cache.restore().has_value());
      expect_window(cache, 0, kContext);
    }
  }
}

TEST(KvCache, SavedSpansLoadIntoAnotherCache) {
  KvCache from = make_cache(16);
  append(from, 11);
  KvCache to = make_cache();
  const PositionRange ring{7, 11};
  const PositionRange all{0, 11};
  std::vector<std::byte> swa(from.save_bytes(KvLayers::kSwa, ring));
  std::vector<std::byte> full(from.save_bytes(KvLayers::kFull, all));
  EXPECT_EQ(swa.size(), 2u * 4u * sizeof(float));
  EXPECT_EQ(full.size(), 2u * 11u * sizeof(float));
  from.save(KvLayers::kSwa, ring, swa);
  from.save(KvLayers::kFull, all, full);
  // Layout: K of every position, then V.
  float third_k = 0;
  std::memcpy(&third_k, swa.data() + 2 * sizeof(float), sizeof third_k);
  EXPECT_EQ(third_k, 9.0f);

  to.load(KvLayers::kSwa, ring, swa);
  to.load(KvLayers::kFull, all, full);
  EXPECT_EQ(to.length(), 11);
  expect_window(to, 0, kContext);
}

TEST(KvCache, RefusesAContextThatNoMemoryHolds) {
  Plan plan = two_layers();
  plan.layers[1].kv_heads = 1 << 20;
  plan.layers[1].head_width = 1 << 10;
  const auto cache = KvCache::create(plan, 1 << 20, 1);
  ASSERT_FALSE(cache.has_value());
  EXPECT_EQ(cache.error().code(), Code::kNoMemory);
}

}  // namespace
}  // namespace gem
