#!/bin/sh
# Installs TeX Live's parts and the sandbox where they are missing and it may; else says how.
set -eu
here=$(dirname "$0")
. "$here/as_root.sh"
python=.venv/bin/python

missing=$("$python" -m redline.tex.packages missing) || exit $?
[ -z "$missing" ] && exit 0
echo "Missing for rendering: $missing" >&2

if command -v apt-get >/dev/null && can_be_root; then
    echo "Installing TeX Live's parts and bubblewrap with apt (about 700 MB) ..." >&2
    as_root apt-get update -qq
    # shellcheck disable=SC2046  # one word a package is meant
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
        $("$python" -m redline.tex.packages debian)
    missing=$("$python" -m redline.tex.packages missing)
    [ -z "$missing" ] && exit 0
    echo "Still missing after the installation: $missing" >&2
    exit 2
fi
"$python" -m redline.tex.packages commands >&2
exit 2
