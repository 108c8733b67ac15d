# One source of truth for compiler flags: every target links gem_flags.
add_library(gem_flags INTERFACE)
target_compile_features(gem_flags INTERFACE cxx_std_20)
target_include_directories(gem_flags INTERFACE ${PROJECT_SOURCE_DIR}/src)
# Option structs are filled by designated initializers, and leaving out a field means its default.
target_compile_options(gem_flags INTERFACE -Wall -Wextra -Wshadow -Wconversion
                                           -Wno-missing-field-initializers)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # gcc 12 sees overlaps in the assignment of short strings that cannot be (GCC bug 105651).
  target_compile_options(gem_flags INTERFACE -Wno-restrict)
endif()
if(GEM_WERROR)
  target_compile_options(gem_flags INTERFACE -Werror)
endif()

# Contraction would make a sum depend on the compiler's choice of fma; kernels ask for it by name.
target_compile_options(gem_flags INTERFACE -ffp-contract=off)

if(CMAKE_BUILD_TYPE STREQUAL "Release" AND NOT GEM_SANITIZE)
  target_compile_options(gem_flags INTERFACE -O3 -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3)
endif()
target_compile_definitions(gem_flags INTERFACE _GLIBCXX_ASSERTIONS)
if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
  target_link_options(gem_flags INTERFACE -Wl,-z,relro,-z,now)
endif()

if(GEM_SANITIZE STREQUAL "address")
  target_compile_options(gem_flags INTERFACE -fsanitize=address,undefined -fno-sanitize-recover=all
                                             -fno-omit-frame-pointer)
  target_link_options(gem_flags INTERFACE -fsanitize=address,undefined)
elseif(GEM_SANITIZE STREQUAL "thread")
  target_compile_options(gem_flags INTERFACE -fsanitize=thread -fno-omit-frame-pointer)
  target_link_options(gem_flags INTERFACE -fsanitize=thread)
elseif(GEM_SANITIZE)
  message(FATAL_ERROR "GEM_SANITIZE is address, thread or empty, not ${GEM_SANITIZE}")
endif()
if(GEM_FUZZ)
  # Without this in the libraries, libFuzzer sees no coverage but the target's own and searches blindly.
  target_compile_options(gem_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()
if(GEM_COVERAGE)
  target_compile_options(gem_flags INTERFACE -fprofile-instr-generate -fcoverage-mapping)
  target_link_options(gem_flags INTERFACE -fprofile-instr-generate)
endif()
