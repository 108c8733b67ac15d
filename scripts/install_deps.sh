#!/usr/bin/env bash
# Installs what gem needs and this machine lacks, and nothing else: when nothing is missing it changes
# nothing and asks for no password. Everything comes from the system's own packages.
#
#   scripts/install_deps.sh [build|test|dev]     (default: build; each set contains the one before)
set -euo pipefail

# set | how it is found | Debian and Ubuntu | Homebrew (-: comes with the Mac; ?: Linux only)
readonly TABLE='
build | cmd:c++                  | g++                 | -
build | cmd:cmake                | cmake               | cmake
build | cmd:ninja                | ninja-build         | ninja
build | cmd:pkg-config           | pkg-config          | pkgconf
build | header:fmt/format.h      | libfmt-dev          | fmt
build | header:CLI/CLI.hpp       | libcli11-dev        | cli11
build | header:nlohmann/json.hpp | nlohmann-json3-dev  | nlohmann-json
build | header:tl/expected.hpp   | libexpected-dev     | tl-expected
build | header:histedit.h        | libedit-dev         | -
test  | cmd:python3              | python3             | python3
test  | header:gtest/gtest.h     | libgtest-dev        | googletest
dev   | cmd:clang++-19           | clang-19            | ?
dev   | cmd:clang-format-19      | clang-format-19     | ?
dev   | cmd:clang-tidy-19        | clang-tidy-19       | ?
dev   | runtime:asan             | libclang-rt-19-dev  | ?
dev   | cmd:llvm-cov-19          | llvm-19             | ?
dev   | header:benchmark/benchmark.h | libbenchmark-dev | google-benchmark
'

die() {
  echo "install_deps: $1" >&2
  exit 1
}

readonly WANTED="${1:-build}"
case "$WANTED" in
  build) readonly SETS='build' ;;
  test) readonly SETS='build test' ;;
  dev) readonly SETS='build test dev' ;;
  *) die "no set '$WANTED'; there are build, test and dev" ;;
esac
readonly SYSTEM="$(uname -s)"

# Preprocesses one #include: works for any compiler and any place that its search path names.
has_header() {
  local prefix=()
  if [ "$SYSTEM" = Darwin ] && command -v brew >/dev/null; then prefix=(-I "$(brew --prefix)/include"); fi
  echo "#if !__has_include(<$1>)
#error missing
#endif" | "${CXX:-c++}" -std=c++20 ${prefix[@]+"${prefix[@]}"} -E -x c++ - >/dev/null 2>&1
}

is_present() {
  local kind="${1%%:*}" what="${1#*:}"
  case "$kind" in
    cmd)
      if [ "$what" = c++ ]; then what="${CXX:-c++}"; fi
      command -v "$what" >/dev/null ;;
    header) has_header "$what" ;;
    runtime)
      command -v clang++-19 >/dev/null &&
        compgen -G "$(clang++-19 -print-resource-dir)/lib/*/libclang_rt.$what*.a" >/dev/null ;;
  esac
}

missing=()
while IFS='|' read -r set probe debian brew; do
  read -r set probe debian brew <<<"$set $probe $debian $brew"
  [[ " $SETS " == *" $set "* ]] || continue
  is_present "$probe" && continue
  if [ "$SYSTEM" = Darwin ]; then missing+=("$probe $brew"); else missing+=("$probe $debian"); fi
done < <(grep -v '^$' <<<"$TABLE")
if [ ${#missing[@]} -eq 0 ]; then exit 0; fi

packages=()
for entry in "${missing[@]}"; do packages+=("${entry#* }"); done

if [ "$SYSTEM" = Darwin ]; then
  for entry in "${missing[@]}"; do
    case "${entry#* }" in
      -) die "${entry%% *} is missing; it comes with Apple's tools: run xcode-select --install" ;;
      \?) die "${entry%% *} is missing; the '$WANTED' set is for Linux: on a Mac use 'test'" ;;
    esac
  done
  command -v brew >/dev/null || die "Homebrew (https://brew.sh) is missing; gem needs: ${packages[*]}"
  echo "install_deps: brew install ${packages[*]}"
  exec brew install "${packages[@]}"
fi

if ! command -v apt-get >/dev/null; then
  {
    echo "install_deps: this system has neither apt-get nor Homebrew. Please install, by the names that it uses:"
    for entry in "${missing[@]}"; do printf '  %-28s (Debian: %s)\n' "${entry%% *}" "${entry#* }"; done
  } >&2
  exit 1
fi

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || die "not root and no sudo; as root: apt-get install ${packages[*]}"
  as_root=(sudo)
fi
echo "install_deps: apt-get install ${packages[*]}"
${as_root[@]+"${as_root[@]}"} apt-get update -qq
${as_root[@]+"${as_root[@]}"} env DEBIAN_FRONTEND=noninteractive \
  apt-get install -y -qq --no-install-recommends "${packages[@]}"
