#!/usr/bin/env bash
# A newcomer's machine: makes a minimal Debian 12 with git, make and g++ in a folder of its own, clones
# this repository's HEAD into it, and runs `make demo` and `make test` there. Needs root and debootstrap,
# 6 GB of disk until it ends, and Debian's mirror. Ends with one line of summary.
#
#   scripts/check_bare_debian.sh
#
# GEM_DEBIAN_MIRROR  default: the mirror that this machine uses, or deb.debian.org
# GEM_KEEP_BARE=1    keep the folder if something fails, and name it
set -euo pipefail
cd "$(dirname "$0")/.."

readonly NEEDED_GB=6
readonly MAX_TEST_MINUTES=60

fail() {
  echo "bare Debian 12: failed: $1"
  exit 1
}

[ "$(id -u)" -eq 0 ] || fail "must run as root"
command -v debootstrap >/dev/null || fail "needs debootstrap: apt-get install debootstrap"
readonly PARENT="$(cd "${TMPDIR:-/var/tmp}" && pwd)"
free_gb=$(($(df --output=avail -k "$PARENT" | tail -1) / 1024 / 1024))
[ "$free_gb" -ge "$NEEDED_GB" ] || fail "$PARENT has $free_gb GB free, $NEEDED_GB are needed (TMPDIR names another place)"

mirror="${GEM_DEBIAN_MIRROR:-}"
if [ -z "$mirror" ]; then
  mirror="$(cat /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null |
    grep -Eom1 'https?://[^ ]+/debian/?( |$)' | tr -d ' ' || true)"
fi
readonly MIRROR="${mirror:-http://deb.debian.org/debian}"

ROOT="$(mktemp -d "$PARENT/gem-bare-debian-XXXXXX")"
readonly ROOT
chmod 755 "$ROOT"  # apt downloads as a user of its own

clean_up() {
  local status=$?
  umount "$ROOT/proc" 2>/dev/null || true
  # A mount that stays would make rm reach outside.
  if grep -q " $ROOT/" /proc/mounts; then
    echo "bare Debian 12: something is still mounted below $ROOT: not removed" >&2
  elif [ "$status" -ne 0 ] && [ -n "${GEM_KEEP_BARE:-}" ]; then
    echo "bare Debian 12: kept $ROOT" >&2
  else
    rm -rf --one-file-system "$ROOT"
  fi
}
trap clean_up EXIT

inside() {
  env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/ LANG=C.UTF-8 TERM=dumb \
    timeout --foreground "${MAX_TEST_MINUTES}m" chroot "$ROOT" "$@"
}

echo "bare Debian 12: debootstrap from $MIRROR into $ROOT"
debootstrap --variant=minbase --include=git,make,g++,ca-certificates bookworm "$ROOT" "$MIRROR" \
  >"$ROOT.log" 2>&1 || { tail -5 "$ROOT.log"; rm -f "$ROOT.log"; fail "debootstrap"; }
rm -f "$ROOT.log"
mount -t proc proc "$ROOT/proc"
cp /etc/resolv.conf "$ROOT/etc/resolv.conf"
cat >"$ROOT/etc/apt/sources.list" <<END
deb $MIRROR bookworm main
deb $MIRROR bookworm-updates main
deb ${MIRROR%/debian*}/debian-security bookworm-security main
END
# Only proxies matter here: other settings of this machine are its own business.
grep -rhsi 'Acquire::.*Proxy' /etc/apt/apt.conf /etc/apt/apt.conf.d >"$ROOT/etc/apt/apt.conf.d/90proxy" || true
git clone -q --no-hardlinks . "$ROOT/gem"

seconds_demo=$SECONDS
inside make -C /gem demo </dev/null || fail "make demo"
seconds_demo=$((SECONDS - seconds_demo))
seconds_test=$SECONDS
inside make -C /gem test </dev/null | tee "$ROOT/test.log" || fail "make test"
seconds_test=$((SECONDS - seconds_test))
totals="$(grep -E '^[0-9]+ passed, [0-9]+ failed$' "$ROOT/test.log" | tail -1)"
skipped="$(grep -E '^[0-9]+ skipped$' "$ROOT/test.log" | tail -1)"
disk_mb="$(du -sxm "$ROOT" | cut -f1)"
echo "bare Debian 12: make demo works ($seconds_demo s), make test works ($seconds_test s): $totals, $skipped; $disk_mb MB used and freed"
