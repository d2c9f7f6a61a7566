"""Where the user's own files are: never in a benchmark or the current folder."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path


def user_file(name: str, variable: str, env: Mapping[str, str]) -> Path:
    """The file named by `variable`, else `name` in the user's configuration folder.

    The folder is `$XDG_CONFIG_HOME/redline`, by default `~/.config/redline`."""
    if told := env.get(variable):
        return Path(told).expanduser()
    base = env.get("XDG_CONFIG_HOME")
    return (Path(base) if base else Path.home() / ".config") / "redline" / name


def as_written(path: Path) -> str:
    """The path as a user would write it, with `~` for the home folder."""
    home = Path.home()
    return f"~/{path.relative_to(home)}" if path.is_relative_to(home) else str(path)
