# Sourced by the other scripts: runs a command as root where that asks nobody for a password.
can_be_root() { [ "$(id -u)" = 0 ] || sudo -n true 2>/dev/null; }
as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo -n "$@"; fi; }
