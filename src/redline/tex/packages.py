"""What the set-up scripts ask: `python -m redline.tex.packages missing|debian|commands`."""

from __future__ import annotations

import sys

from redline.tex.doctor import diagnose, install_lines, packages


def main(asked: str) -> int:
    """Print the names of what is missing on one line, Debian's packages on one line, or the
    command for each system."""
    if asked == "missing":
        print("; ".join(f.name for f in diagnose() if not f.ok and f.mend))
    elif asked == "debian":
        print(*packages()["debian"]["packages"])
    elif asked == "commands":
        print("Install what is missing, then run the same command again:")
        print(install_lines())
    else:
        print(f"missing, debian or commands, not {asked!r}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) == 2 else ""))
