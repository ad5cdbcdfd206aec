#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs Python where there is none; scripts/warplock calls it with its own arguments.
# All other set-up is Python (setup.py).
set -eu
packages="python3 python3-venv"
# What setup.py would install next, for messages: all that `warplock setup` needs.
more="gcc g++ meson pkg-config verilator ninja-build make ccache"
more="$more zlib1g-dev libzstd-dev libdeflate-dev"
as_root=
[ "$(id -u)" = 0 ] || as_root=sudo

refuse() {
    message="python3 (3.11 or newer) is missing and $1; install all that is needed with:"
    message="$message ${as_root:+$as_root }apt-get install -y --no-install-recommends"
    message="$message $packages $more"
    scripts=$(cd "$(dirname "$0")/../.." && pwd)
    message="$message && ${WARPLOCK_NO_SETUP:+WARPLOCK_NO_SETUP= }$scripts/warplock setup"
    echo "warplock: $message" >&2
    [ -z "$json" ] ||
        printf '{"error":{"status":"NO_TOOL","code":26,"message":"%s"}}\n' "$message"
    exit 26
}

json=
refused=${WARPLOCK_NO_SETUP:+WARPLOCK_NO_SETUP}
for argument in "$@"; do
    [ "$argument" != --json ] || json=1
    [ "$argument" != --no-setup ] || refused=${refused:---no-setup}
done
[ -z "$refused" ] || refuse "set-up is refused ($refused)"
command -v apt-get >/dev/null || refuse "this is no Debian or Ubuntu"
[ -z "$as_root" ] || command -v sudo >/dev/null || refuse "this needs root or sudo"

echo "warplock: installing $packages with apt-get" >&2
log=$(mktemp)
trap 'rm -f "$log"' EXIT
apt() { $as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq "$@" >>"$log" 2>&1; }
# $packages is a list.
# shellcheck disable=SC2086
if ! apt install -y --no-install-recommends $packages; then
    if ! apt update || ! apt install -y --no-install-recommends $packages; then
        tail -n 5 "$log" >&2
        refuse "apt-get failed"
    fi
fi
