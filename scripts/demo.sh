#!/usr/bin/env bash
# Shows the whole path, from a model file to streamed text, on a small synthetic model:
#
#   scripts/demo.sh BUILD_DIR
#
# The synthetic model has the shape of Gemma 4 and random weights, so its text means nothing; the bundled
# one (models/demo) is a trained toy.
set -euo pipefail
cd "$(dirname "$0")/.."

readonly GEM="${1:-build/release}/gem"
readonly MODEL=build/demo/small.gguf
if [ ! -x "$GEM" ]; then
  echo "demo: $GEM is not there; run 'make demo'" >&2
  exit 1
fi

# Prints the command as a user would type it, then runs it.
show() {
  printf '\n== %s\n' "$1"
  shift
  local word line='$'
  for word in "$@"; do
    case "$word" in *' '*) line+=" \"$word\"" ;; *) line+=" $word" ;; esac
  done
  printf '%s\n' "$line"
  "$@"
}

mkdir -p build/demo
show "A synthetic model: every tensor and key of a real one, small, weights from a seed" \
  "$GEM" synth --profile small -o "$MODEL"
show "What the file is, and the memory that a context takes" \
  "$GEM" inspect "$MODEL"
show "Text to token ids" \
  "$GEM" tokenize "$MODEL" "Hello, world"
show "A prompt, answered on the CPU: random weights, so random words" \
  "$GEM" run "$MODEL" -p "Hello, world" --max-tokens 24 --seed 1
show "A question to the bundled toy model, which was trained to talk about gem" \
  "$GEM" run models/demo/gem-demo-q4_0.gguf -p "What is gem?" --temp 0
if show "A wrong file is named for what it is" "$GEM" inspect README.md; then
  echo "demo: README.md was taken for a model" >&2
  exit 1
fi

cat <<END

That was the whole path. Next, with a Gemma 4 12B or 31B model (GGUF, Q4_0):
  $GEM inspect FILE        is it one that gem runs, and does it fit this machine?
  $GEM run FILE            chat with it
  $GEM run --help          everything that can be set
END
