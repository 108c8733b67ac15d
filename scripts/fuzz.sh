#!/usr/bin/env bash
# Fuzzes each target of tests/fuzz in turn, under address and undefined behaviour sanitizers:
#
#   scripts/fuzz.sh [SECONDS]        of each target; default 60
#
# New inputs go to a copy of the committed corpus, so the tree stays as it is. What a run finds is kept:
# a crash in build/fuzz/findings, to become a seed and a test, and the grown corpus in build/fuzz/corpus.
set -euo pipefail
cd "$(dirname "$0")/.."

readonly SECONDS_EACH="${1:-60}"
[[ "$SECONDS_EACH" =~ ^[0-9]+$ ]] || { echo "usage: scripts/fuzz.sh [SECONDS]" >&2; exit 2; }

shopt -s nullglob
targets=()
for source in tests/fuzz/*_fuzz.cc; do targets+=("$(basename "$source" _fuzz.cc)"); done
[ ${#targets[@]} -gt 0 ] || { echo "fuzz: tests/fuzz has no targets" >&2; exit 1; }
cmake --preset fuzz >/dev/null
cmake --build --preset fuzz --target "${targets[@]/#/fuzz_}"

failed=()
for name in "${targets[@]}"; do
  mkdir -p "build/fuzz/corpus/$name" build/fuzz/findings
  echo "== fuzz $name for $SECONDS_EACH s"
  # The memory limit: no input may ask for more than its size justifies.
  if ! "build/fuzz/fuzz_$name" -max_total_time="$SECONDS_EACH" -timeout=10 -malloc_limit_mb=256 \
      -verbosity=0 -print_final_stats=1 -artifact_prefix="build/fuzz/findings/$name-" \
      "build/fuzz/corpus/$name" "tests/fuzz/corpus/$name"; then
    failed+=("$name")
  fi
done
if [ ${#failed[@]} -gt 0 ]; then
  echo "fuzz: found something in: ${failed[*]} (build/fuzz/findings)"
  exit 1
fi
echo "fuzz: ${#targets[@]} targets, $SECONDS_EACH s each, nothing found"
