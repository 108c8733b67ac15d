#!/usr/bin/env bash
# Lines that the committed fuzz corpora reach, in the sources that each target fuzzes: those that it
# names in a comment "// Covers: src/gguf/reader.cc ...". Fails below 90 % of a target's lines.
#
#   scripts/coverage.sh
set -euo pipefail
cd "$(dirname "$0")/.."

readonly THRESHOLD_PERCENT=90
readonly OUT=build/coverage/report

shopt -s nullglob
targets=()
for source in tests/fuzz/*_fuzz.cc; do targets+=("$(basename "$source" _fuzz.cc)"); done
[ ${#targets[@]} -gt 0 ] || { echo "coverage: tests/fuzz has no targets" >&2; exit 1; }
cmake --preset coverage >/dev/null
cmake --build --preset coverage --target "${targets[@]/#/fuzz_}"
mkdir -p "$OUT"

failed=()
for name in "${targets[@]}"; do
  source="tests/fuzz/${name}_fuzz.cc"
  read -r -a covers <<<"$(sed -n 's|^// Covers: ||p' "$source" | tr '\n' ' ')"
  if [ ${#covers[@]} -eq 0 ]; then
    echo "coverage: $source names no sources in a comment '// Covers: src/...'" >&2
    exit 1
  fi

  LLVM_PROFILE_FILE="$OUT/$name.profraw" "build/coverage/fuzz_$name" -runs=0 -verbosity=0 \
    "tests/fuzz/corpus/$name" >"$OUT/$name.log" 2>&1 || { cat "$OUT/$name.log"; exit 1; }
  llvm-profdata-19 merge -sparse "$OUT/$name.profraw" -o "$OUT/$name.profdata"
  # The columns of a report: name, then count, missed and percent of regions, functions, lines.
  llvm-cov-19 report "build/coverage/fuzz_$name" -instr-profile="$OUT/$name.profdata" \
    -sources "${covers[@]}" >"$OUT/$name.txt"
  for file in "${covers[@]}"; do
    grep -q "$(basename "$file")" "$OUT/$name.txt" ||
      { echo "coverage: fuzz_$name has no code of $file" >&2; exit 1; }
  done
  echo "== $name"
  awk '/^(-|Filename)/ {next} $8 > 0 {printf "  %-32s %5d of %5d lines  %6.2f %%\n", $1, $8 - $9, $8, 100 * ($8 - $9) / $8}' \
    "$OUT/$name.txt"
  awk -v limit=$THRESHOLD_PERCENT '$1 == "TOTAL" {exit !($8 > 0 && 100 * ($8 - $9) >= limit * $8)}' \
    "$OUT/$name.txt" || failed+=("$name")
done
if [ ${#failed[@]} -gt 0 ]; then
  echo "coverage: below $THRESHOLD_PERCENT % of the lines: ${failed[*]}"
  exit 1
fi
echo "coverage: every corpus reaches $THRESHOLD_PERCENT % of its lines"
