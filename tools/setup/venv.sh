#!/bin/sh
# Makes the virtual environment; on a bare Debian or Ubuntu the venv module is a package of its own.
set -eu
python=$1 venv=$2

"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || {
    echo "Redline needs Python 3.11 or newer; '$python' is $("$python" -V 2>&1)." >&2
    echo "Run make again with PYTHON=/path/to/python3.11 (or newer)." >&2
    exit 2
}
if "$python" -m venv "$venv" 2>/dev/null; then exit 0; fi
rm -rf "$venv"
. "$(dirname "$0")/as_root.sh"
if command -v apt-get >/dev/null && can_be_root; then
    as_root apt-get update -qq
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq python3-venv
    exec "$python" -m venv "$venv"
fi
echo "'$python -m venv' does not work here. On Debian or Ubuntu: sudo apt-get install python3-venv" >&2
exit 2
