// Result<T>: a value or an Error. Status: success or an Error. Neither may be ignored.
#pragma once
#include <fmt/format.h>

#include <tl/expected.hpp>
#include <utility>

#include "base/error.h"

namespace gem {

template <class T>
class [[nodiscard]] Result : public tl::expected<T, Error> {
 public:
  using tl::expected<T, Error>::expected;
};

using Status = Result<void>;

// fail(Code::kCorrupt, "tensor {} ends at {}", ...): an Error in the form that Result converts
// from.
template <class... Args>
tl::unexpected<Error> fail(Code code, fmt::format_string<Args...> format, Args&&... args) {
  return tl::unexpected<Error>(Error(code, fmt::format(format, std::forward<Args>(args)...)));
}

}  // namespace gem

#define GEM_CONCAT_(a, b) a##b
#define GEM_CONCAT(a, b) GEM_CONCAT_(a, b)

// Returns the error of `expression` from the enclosing function, if it has one.
#define GEM_TRY(expression)                                               \
  do {                                                                    \
    if (auto gem_status = (expression); !gem_status)                      \
      return tl::unexpected<::gem::Error>(std::move(gem_status).error()); \
  } while (false)

// GEM_ASSIGN(auto file, File::open(path)): the value, or return of the error.
#define GEM_ASSIGN(declaration, expression) \
  GEM_ASSIGN_(GEM_CONCAT(gem_result_, __LINE__), declaration, expression)
#define GEM_ASSIGN_(result, declaration, expression)                           \
  auto result = (expression);                                                  \
  if (!result) return tl::unexpected<::gem::Error>(std::move(result).error()); \
  declaration = std::move(*result)
