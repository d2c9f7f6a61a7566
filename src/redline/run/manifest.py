"""What a run is: the manifest that is written once, when the run begins."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from redline.run.errors import BenchmarkChanged, FolderNewer, ManifestDiffers, NotARun
from redline.run.lines import dumps
from redline.version import __version__

SCHEMA = 1

_IDENTITY = (
    "benchmark",
    "benchmark_hash",
    "sample_set_hash",
    "samples",
    "model",
    "settings",
    "prompts",
    "params",
)


@dataclass(frozen=True)
class Manifest:
    """All that decides what a run measures, and what it was made with.

    `judges` grows when another judge scores the run; nothing else ever changes. A run may go on
    with other `versions` or on another `machine` (each start is in the records); it may not go
    on with another benchmark, sample set, model, settings, prompts or parameters.
    """

    benchmark: str
    benchmark_hash: str
    sample_set_hash: str
    samples: int
    model: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    prompts: Mapping[str, str] = field(default_factory=dict)
    """Name of each prompt file and the SHA-256 of its text."""
    params: Mapping[str, Any] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)
    """Of what else takes part (TeX engines, ...); redline and python are added."""
    machine: Mapping[str, Any] = field(default_factory=lambda: machine())
    created: str = field(default_factory=lambda: now())
    redline: str = __version__
    judges: tuple[Mapping[str, Any], ...] = ()
    schema: int = SCHEMA

    def with_judge(self, judge: Mapping[str, Any]) -> Manifest:
        """This manifest with one judge more; itself if it has that judge already."""
        if any(dict(j) == dict(judge) for j in self.judges):
            return self
        return replace(self, judges=(*self.judges, judge))

    def with_python(self) -> Manifest:
        return replace(self, versions={"python": platform.python_version(), **self.versions})

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def machine() -> dict[str, Any]:
    """Kind of machine, without anything that tells whose it is."""
    return {
        "os": f"{platform.system()} {platform.release()}",
        "cpu": _cpu_model(),
        "cores": os.cpu_count() or 1,
    }


def now() -> str:
    """The time in UTC to the millisecond."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def parse(data: Any, path: Path) -> Manifest:
    """A manifest as run.json holds it. Raises FolderNewer or NotARun."""
    schema = data.get("schema") if isinstance(data, dict) else None
    if not isinstance(schema, int):
        raise NotARun(f"{path} is not the manifest of a run: it names no schema version.")
    if schema > SCHEMA:
        raise FolderNewer(
            f"{path} was written by Redline {data.get('redline', '?')} in form {schema}; this "
            f"Redline ({__version__}) reads forms up to {SCHEMA}. Install a newer Redline."
        )
    try:
        return Manifest(**{**data, "judges": tuple(data.get("judges", ()))})
    except TypeError as error:
        raise NotARun(f"{path} is not a whole manifest ({error}).") from error


def check_same(old: Manifest, new: Manifest, path: Path) -> None:
    """Refuse to go on with a run under another manifest. Raises the sentence."""
    changes = list(_differences(old, new))
    if not changes:
        return
    names = {name for name, _, _ in changes}
    if "benchmark_hash" in names and names <= {"benchmark_hash", "sample_set_hash", "samples"}:
        raise BenchmarkChanged(
            f"The benchmark {old.benchmark!r} has changed since the run in {path} began (hash "
            f"{old.benchmark_hash[:12]} -> {new.benchmark_hash[:12]}). Put the benchmark back as "
            "it was, or start a new run with another --out."
        )
    listed = "; ".join(f"{name}: {_short(a)} -> {_short(b)}" for name, a, b in changes)
    raise ManifestDiffers(
        f"{path} holds a run of something else ({listed}). Repeat the command the run began "
        "with, or start a new run with another --out."
    )


def _differences(old: Manifest, new: Manifest) -> Iterator[tuple[str, Any, Any]]:
    for name in _IDENTITY:
        yield from _walk(name, getattr(old, name), getattr(new, name))


def _walk(name: str, old: Any, new: Any) -> Iterator[tuple[str, Any, Any]]:
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        for key in sorted({*old, *new}, key=str):
            yield from _walk(f"{name}.{key}", old.get(key), new.get(key))
    elif dumps(old) != dumps(new):
        yield name, old, new


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else dumps(value).decode()
    return text if len(text) <= 60 else text[:57] + "..."


def _cpu_model() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()
