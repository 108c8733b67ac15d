#!/usr/bin/env bash
# gem at the size of the 12B model against the reference engine, on a synthetic model of that size:
#
#   scripts/oracle_12b.sh [MODEL.gguf]     (default: makes a synthetic 12B, 7.2 GB, and removes it)
#
# Uses build/release/gem and builds nothing. One line for each check:
#   memory   a loaded model that nobody has asked anything costs less than 64 MiB of anonymous and less
#            than 64 MiB of file-backed resident memory: weights are mapped, not read
#   answer   a prompt is answered
#   logits   the log-probabilities of the next token agree with the reference's (tests/oracle/rows.mjs)
# Exits 0 if all hold, 1 if one does not, 77 if this machine cannot run it.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1

readonly GEM=build/release/gem
readonly MAX_RESIDENT_KB=$((64 * 1024))
readonly DISK_KB=9000000                # the model, and the reference's packages
readonly REFERENCE_MEMORY_KB=10000000   # the reference repacks all weights: 7.8 GB beside the mapped file
readonly VOCABULARY="${GEM_SHARED_DIR:-../shared}/golden/vocab/ggml-vocab-gemma-4.gguf"
# Readable tokens, of a vocabulary of any size. No BOS: synthetic models give special tokens small rows,
# and the reference's 8-bit activations then err by more than the bound (4.5e-2 with BOS, 3.2e-2 without).
readonly TOKENS=1318,1207,1411,950,1733,1302,644,1999

skip() {
  echo "SKIPPED: $1"
  exit 77
}

failed=0
check() {  # check STATUS NAME TEXT
  if [ "$1" -eq 0 ]; then
    printf 'ok    %-8s %s\n' "$2" "$3"
  else
    printf 'FAIL  %-8s %s\n' "$2" "$3"
    failed=1
  fi
}

if [ $# -gt 1 ]; then
  echo "usage: scripts/oracle_12b.sh [MODEL.gguf]" >&2
  exit 2
fi
if [ ! -x "$GEM" ]; then
  echo "oracle_12b: $GEM is not there; run 'make build'" >&2
  exit 1
fi
readonly TEMPORARY="${TMPDIR:-/var/tmp}"
if [ $# -eq 0 ]; then
  free_kb="$(df --output=avail -k "$TEMPORARY" | tail -n 1)"
  [ "$free_kb" -ge "$DISK_KB" ] ||
    skip "needs 9 GB of disk in $TEMPORARY, $((free_kb / 1000)) MB are free; TMPDIR may name another place"
  memory_kb="$(awk '/^MemAvailable:/ {print $2}' /proc/meminfo)"
  [ "$memory_kb" -ge "$REFERENCE_MEMORY_KB" ] ||
    skip "the reference needs 10 GB of memory, $((memory_kb / 1000)) MB are available"
fi
tests/oracle/ready.sh --install || exit $?

folder="$(mktemp -d "$TEMPORARY/gem-oracle-XXXXXX")" || exit 1
gem_pid=
# shellcheck disable=SC2317  # called by the trap
clean_up() {
  if [ -n "$gem_pid" ]; then kill "$gem_pid" 2>/dev/null; fi
  rm -rf "$folder"
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

if [ $# -eq 1 ]; then
  model="$(realpath -e "$1")" || exit 1
else
  model="$folder/12b.gguf"
  vocabulary=()
  if [ -e "$VOCABULARY" ]; then vocabulary=(--vocab "$VOCABULARY"); fi
  if ! "$GEM" synth --profile 12b -o "$model" ${vocabulary[@]+"${vocabulary[@]}"}; then
    check 1 synth "gem could not make the model"
    exit 1
  fi
fi

# Waits until a process has slept for a second without using the processor: it waits for input.
wait_until_idle() {  # wait_until_idle PID
  local last='' now calm=0
  for _ in $(seq 600); do
    # Fields of /proc/PID/stat after the name: state is the first, utime and stime the 12th and 13th.
    now="$(sed 's/.*) //' "/proc/$1/stat" 2>/dev/null | awk '{print $1, $12 + $13}')"
    [ -n "$now" ] || return 1
    if [ "$now" = "$last" ] && [[ "$now" == S* ]]; then calm=$((calm + 1)); else calm=0; fi
    if [ "$calm" -ge 5 ]; then return 0; fi
    last="$now"
    sleep 0.2
  done
  return 1
}

# The prompt comes through a pipe that stays silent until the memory of the loaded model has been read.
mkfifo "$folder/prompt"
"$GEM" run "$model" - --think off --max-tokens 4 --temperature 0 \
  <"$folder/prompt" >"$folder/answer" 2>"$folder/notes" &
gem_pid=$!
exec 3>"$folder/prompt"
if ! wait_until_idle "$gem_pid"; then
  check 1 memory "gem did not come to wait for a prompt: $(tail -n 1 "$folder/notes")"
elif ! grep -qF "$model" "/proc/$gem_pid/maps"; then
  check 1 memory "gem waits for a prompt, but has not mapped the model"
else
  status="$(cat "/proc/$gem_pid/status")"
  anonymous_kb="$(awk '/^RssAnon:/ {print $2}' <<<"$status")"
  file_kb="$(awk '/^RssFile:/ {print $2}' <<<"$status")"
  [ "${anonymous_kb:-$MAX_RESIDENT_KB}" -lt "$MAX_RESIDENT_KB" ] &&
    [ "${file_kb:-$MAX_RESIDENT_KB}" -lt "$MAX_RESIDENT_KB" ]
  check $? memory "after load: RssAnon ${anonymous_kb:-?} kB, RssFile ${file_kb:-?} kB; each below $MAX_RESIDENT_KB"
fi

# gem may have died: a write must then not end the script.
trap '' PIPE
{ echo "Name three rivers." >&3; } 2>/dev/null
exec 3>&-
trap - PIPE
wait "$gem_pid"
status=$?
gem_pid=
statistics="$(grep -E 'answer [1-9][0-9]* tokens' "$folder/notes" | tail -n 1)"
if [ "$status" -eq 0 ] && [ -n "$statistics" ]; then
  check 0 answer "$statistics"
else
  check 1 answer "exit status $status, $(tail -n 1 "$folder/notes")"
fi

echo "$TOKENS" >"$folder/tokens"
if ! "$GEM" eval "$model" --tokens "$folder/tokens" --logits "$folder/gem.f32" >"$folder/notes" 2>&1; then
  check 1 logits "gem eval: $(tail -n 1 "$folder/notes")"
elif ! reference="$(node tests/oracle/reference_logits.mjs "$model" "$folder/tokens" "$folder/reference.f32")"; then
  check 1 logits "the reference failed"
else
  vocabulary_size="$(node -p 'JSON.parse(process.argv[1]).vocabulary' "$reference")"
  line="$(node tests/oracle/compare.mjs "$folder/gem.f32" "$folder/reference.f32" --vocabulary "$vocabulary_size")"
  check $? logits "$line"
fi
exit "$failed"
