#!/usr/bin/env bash
# clang-tidy (.clang-tidy) on the sources, tests aside:
#
#   scripts/tidy.sh [FILE...]        default: everything in src/
set -euo pipefail
cd "$(dirname "$0")/.."

# Its own folder, configured for clang: gcc's flags are not all known to clang-tidy.
cmake -S . -B build/tidy -G Ninja -DCMAKE_CXX_COMPILER=clang++-19 -DGEM_TESTS=OFF >/dev/null
if [ $# -eq 0 ]; then mapfile -t files < <(find src -name '*.cc' ! -name '*_test.cc' | sort); else files=("$@"); fi
# Findings come on stdout; stderr only counts what other people's headers suppressed.
printf '%s\n' "${files[@]}" | xargs -P 2 -n 1 clang-tidy-19 -p build/tidy --quiet 2>/dev/null
echo "clang-tidy: ${#files[@]} files clean"
