// GEM_CHECK(condition): our own invariants, in every build. A failure is a bug in gem, never a
// user's mistake, and ends the process: continuing would be worse.
#pragma once

namespace gem {

[[noreturn]] void check_failed(const char* condition, const char* file, int line);

}  // namespace gem

#define GEM_CHECK(condition)                           \
  (static_cast<bool>(condition) ? static_cast<void>(0) \
                                : ::gem::check_failed(#condition, __FILE__, __LINE__))
