#include "model/memory_plan.h"

#include <gtest/gtest.h>

namespace gem {
namespace {

const Profile& k12b() { return *find_profile(published_profiles(), "12b"); }
const Profile& k31b() { return *find_profile(published_profiles(), "31b"); }

TEST(MemoryPlan, KvAt131072TokensInTheCapacityModeIsExact) {
  EXPECT_EQ(kv_bytes(k31b(), KvType::kF16Full, 131072), 12'415'139'840u);
  EXPECT_EQ(kv_bytes(k12b(), KvType::kF16Full, 131072), 2'818'572'288u);
}

TEST(MemoryPlan, SnapshotIsTheRingsAlone) {
  EXPECT_EQ(swa_ring_bytes(k12b(), KvType::kF32), 671'088'640u);
  EXPECT_EQ(swa_ring_bytes(k31b(), KvType::kF32), 1'677'721'600u);
  EXPECT_EQ(swa_ring_bytes(k12b(), KvType::kF16), 335'544'320u);
  EXPECT_EQ(swa_ring_bytes(k31b(), KvType::kF16Full), 1'677'721'600u);
}

TEST(MemoryPlan, RingsDoNotGrowWithTheContext) {
  for (const KvType type : {KvType::kF32, KvType::kF16, KvType::kF16Full}) {
    EXPECT_EQ(kv_bytes(k12b(), type, 0), swa_ring_bytes(k12b(), type));
  }
}

// Of K and V at f16, all full layers together: 16 KiB a token for 12B, 80 KiB for 31B.
TEST(MemoryPlan, ATokenCostsTheFullLayersOnly) {
  EXPECT_EQ(kv_bytes(k12b(), KvType::kF16, 5) - kv_bytes(k12b(), KvType::kF16, 4), 16u << 10);
  EXPECT_EQ(kv_bytes(k31b(), KvType::kF16, 5) - kv_bytes(k31b(), KvType::kF16, 4), 80u << 10);
  EXPECT_EQ(kv_bytes(k31b(), KvType::kF32, 5) - kv_bytes(k31b(), KvType::kF32, 4), 160u << 10);
}

TEST(MemoryPlan, ScratchDependsOnRowsAndNotOnTheContext) {
  const MemoryPlan little = plan_memory(k12b(), 7, KvType::kF32, 256, 512, 1);
  const MemoryPlan large = plan_memory(k12b(), 7, KvType::kF32, 262144, 512, 1);
  EXPECT_EQ(little.scratch_bytes, large.scratch_bytes);
  // 3 * 3840 + 2 * 16 * 512 + 2 * 8 * 256 + 2 * 15360 values a row.
  EXPECT_EQ(scratch_bytes(k12b(), 2, 0), 2u * 62'720u * 4u);
  EXPECT_EQ(scratch_bytes(k12b(), 0, 3), 3u * 262'144u * 4u);
}

TEST(MemoryPlan, LargestContextFitsAndTheNextStepDoesNot) {
  constexpr uint64_t kWeights = 17'629'839'360, kBudget = 24'000'000'000;
  for (const KvType type : {KvType::kF32, KvType::kF16, KvType::kF16Full}) {
    const int64_t tokens = largest_context(k31b(), kWeights, type, 512, 8, kBudget);
    EXPECT_GT(tokens, 0);
    EXPECT_EQ(tokens % 256, 0);
    EXPECT_LE(plan_memory(k31b(), kWeights, type, tokens, 512, 8).total_bytes(), kBudget);
    EXPECT_GT(plan_memory(k31b(), kWeights, type, tokens + 256, 512, 8).total_bytes(), kBudget);
  }
}

TEST(MemoryPlan, LargestContextStopsAtTheModelsOwn) {
  EXPECT_EQ(largest_context(k12b(), 0, KvType::kF16, 1, 1, uint64_t{1} << 50), 262144);
}

TEST(MemoryPlan, NoContextFitsWhereTheWeightsDoNot) {
  EXPECT_EQ(largest_context(k12b(), 1000, KvType::kF16, 1, 1, 999), 0);
}

TEST(MemoryPlan, RefusalNamesTheLargestContextThatFits) {
  constexpr uint64_t kWeights = 17'629'839'360, kBudget = 24'000'000'000;
  const Status status = check_memory(k31b(), kWeights, KvType::kF16Full, 131072, 512, 8, kBudget);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code(), Code::kNoMemory);
  const int64_t largest = largest_context(k31b(), kWeights, KvType::kF16Full, 512, 8, kBudget);
  EXPECT_TRUE(status.error().text().ends_with("the largest context that fits is " +
                                              std::to_string(largest)))
      << status.error().text();
  EXPECT_TRUE(check_memory(k31b(), kWeights, KvType::kF16Full, largest, 512, 8, kBudget));
}

TEST(MemoryPlan, RefusalSaysWhenNoContextFits) {
  const Status status = check_memory(k12b(), 7'200'768'000, KvType::kF32, 256, 1, 1, 1'000'000'000);
  ASSERT_FALSE(status);
  EXPECT_TRUE(status.error().text().ends_with("no context fits")) << status.error().text();
}

TEST(MemoryPlan, KvTypesHaveTheNamesOfTheOption) {
  EXPECT_EQ(kv_type_name(KvType::kF32), "f32");
  EXPECT_EQ(kv_type_name(KvType::kF16), "f16");
  EXPECT_EQ(kv_type_name(KvType::kF16Full), "f16-full");
}

}  // namespace
}  // namespace gem
