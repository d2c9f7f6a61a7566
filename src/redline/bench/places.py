"""Where benchmarks lie: bundled ones by name, others by path; and where derived pictures go."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from redline.bench.faults import did_you_mean
from redline.bench.folder import TOML
from redline.bench.sample import Benchmark, Sample
from redline.bench.values import safe_name
from redline.errors import UserError


def bundled() -> dict[str, Path]:
    """The benchmarks that come with the package, by name: `mini-diagram` for mini/diagram."""
    mini = Path(__file__).parents[1] / "mini"
    return {f"mini-{t.parent.name}": t.parent for t in sorted(mini.glob(f"*/{TOML}"))}


def find(name_or_path: str | Path) -> Path:
    """The folder of a benchmark: a bundled one's name, else a path to a folder with a
    benchmark.toml (or to that file). A bundled name wins over a folder of that name here; write
    `./NAME` for the folder. Raises UserError where there is none."""
    known = bundled()
    text = str(name_or_path)
    if isinstance(name_or_path, str) and text in known:
        return known[text]
    path = Path(text).expanduser()
    if path.name == TOML and path.is_file():
        return path.parent
    if path.is_dir():
        if (path / TOML).is_file():
            return path
        raise UserError(
            f"{text} is a folder, but no benchmark: it has no {TOML}. "
            "Bundled are: " + (", ".join(known) or "none") + "."
        )
    if path.exists():
        raise UserError(f"{text} is a file; name a benchmark's folder.")
    raise UserError(
        f"There is no benchmark {text!r}{did_you_mean(text, known)}: it is neither bundled "
        f"({', '.join(known) or 'none are'}) nor a folder here."
    )


def cache_root(env: Mapping[str, str] | None = None) -> Path:
    """Where derived things are kept: $REDLINE_CACHE, else the XDG cache folder of the user."""
    env = os.environ if env is None else env
    if told := env.get("REDLINE_CACHE"):
        return Path(told)
    return Path(env.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "redline"


def derived_picture_dir(benchmark: Benchmark[Sample], profile_name: str) -> Path:
    """The cache folder for pictures made from this benchmark's codes under a render profile; not
    created here. Its path follows from the benchmark's hash, so pictures of an older version are
    never taken for the new one's, and nothing in it changes the hash. Raises ValueError for a
    profile name that is unsafe as a folder's."""
    if not safe_name(profile_name):
        raise ValueError(f"The render profile {profile_name!r} can't name a folder.")
    return cache_root() / "pictures" / benchmark.hash / profile_name
