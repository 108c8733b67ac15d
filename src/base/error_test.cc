#include "base/error.h"

#include <gtest/gtest.h>

#include <string>

#include "base/check.h"
#include "base/log.h"
#include "base/result.h"

namespace gem {
namespace {

struct Row {
  Code code;
  std::string_view name;
  int http_status;
  int exit_code;
};

TEST(ErrorTable, MapsEveryCode) {
  const Row rows[] = {
      {Code::kInvalid, "invalid", 400, 2},
      {Code::kNotFound, "not_found", 404, 3},
      {Code::kUnsupported, "unsupported", 400, 4},
      {Code::kCorrupt, "corrupt", 400, 5},
      {Code::kIo, "io", 500, 6},
      {Code::kNoMemory, "no_memory", 503, 7},
      {Code::kDevice, "device", 500, 8},
      {Code::kCancelled, "cancelled", 499, 130},
      {Code::kBusy, "busy", 503, 9},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(code_info(row.code).name, row.name);
    EXPECT_EQ(code_info(row.code).http_status, row.http_status) << row.name;
    EXPECT_EQ(code_info(row.code).exit_code, row.exit_code) << row.name;
  }
}

TEST(Error, TakesContextInFront) {
  const Error error =
      Error(Code::kCorrupt, "is cut").with_context("tensor \"a\"").with_context("m.gguf");
  EXPECT_EQ(error.text(), "m.gguf: tensor \"a\": is cut");
  EXPECT_EQ(error.code(), Code::kCorrupt);
}

Status fails() { return fail(Code::kBusy, "{} of {}", 1, 2); }
Result<int> gives(int value) { return value; }

Result<int> sums_or_fails(bool wanted) {
  GEM_ASSIGN(const int a, gives(1));
  GEM_ASSIGN(const int b, gives(2));
  if (wanted) GEM_TRY(fails());
  return a + b;
}

TEST(Result, CarriesValuesAndErrorsThroughTheMacros) {
  EXPECT_EQ(sums_or_fails(false).value(), 3);
  const auto failed = sums_or_fails(true);
  ASSERT_FALSE(failed.has_value());
  EXPECT_EQ(failed.error().text(), "1 of 2");
  EXPECT_EQ(failed.error().code(), Code::kBusy);
}

TEST(CheckDeathTest, EndsTheProcessWithThePlace) {
  GEM_CHECK(1 + 1 == 2);
  EXPECT_DEATH(GEM_CHECK(1 + 1 == 3),
               "gem: internal error: 1 \\+ 1 == 3 does not hold \\(.*error_test.cc:[0-9]+\\)");
}

TEST(Log, WritesOneEscapedLine) {
  ::testing::internal::CaptureStderr();
  log("read {} of {}", 3, "\x1b[2J");
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "gem: read 3 of \\x1b[2J\n");
}

}  // namespace
}  // namespace gem
