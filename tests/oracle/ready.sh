#!/usr/bin/env bash
# Exits 0 if the reference engine can run here, else prints "SKIPPED: why" and exits 77.
#
#   tests/oracle/ready.sh [--install]     --install: fetches what package-lock.json names, once
set -euo pipefail
cd "$(dirname "$0")"

skip() {
  echo "SKIPPED: $1"
  exit 77
}

if [ "$(uname -sm)" != "Linux x86_64" ]; then
  skip "the reference engine is pinned for Linux x86-64, this is $(uname -sm)"
fi
command -v node >/dev/null || skip "needs node 20 or later"
major="$(node -p 'process.versions.node.split(".")[0]')"
[ "$major" -ge 20 ] || skip "needs node 20 or later, found $(node --version)"
if [ -e node_modules/node-llama-cpp/package.json ]; then exit 0; fi

readonly FETCH="npm ci --omit=optional --ignore-scripts --no-audit --no-fund"
[ "${1:-}" = --install ] || skip "needs the reference engine: cd tests/oracle && $FETCH"
command -v npm >/dev/null || skip "needs npm"
# Optional packages are builds for other machines, 650 MB of them; install scripts would compile one.
$FETCH >&2 || skip "npm could not fetch the reference engine"
