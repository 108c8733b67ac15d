#!/usr/bin/env bash
# Runs the tests of a build folder, names every skip, and ends with a line of totals:
#
#   scripts/run_tests.sh BUILD_DIR [ctest options]
#
# Fails on a failed test, on no test at all, and, with CI set, on a skip that tests/expected_skips.txt
# does not list.
set -uo pipefail
cd "$(dirname "$0")/.."

if [ $# -lt 1 ] || [ ! -d "$1" ]; then
  echo "usage: scripts/run_tests.sh BUILD_DIR [ctest options]; '${1:-}' is not a folder" >&2
  exit 2
fi
readonly BUILD="$(cd "$1" && pwd)"
shift
readonly RESULTS="$BUILD/test_results.xml"

# Tests of what happens without memory ask for more than AddressSanitizer would give.
export ASAN_OPTIONS="${ASAN_OPTIONS:-allocator_may_return_null=1}"

rm -f "$RESULTS"
ctest --test-dir "$BUILD" --parallel 2 --output-on-failure --no-tests=error \
  --output-junit "$RESULTS" "$@"
readonly CTEST_STATUS=$?
exec python3 scripts/report_tests.py --results "$RESULTS" --ctest-status "$CTEST_STATUS" \
  --expected-skips tests/expected_skips.txt
