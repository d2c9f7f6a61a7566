"""A benchmark folder while it is read: its files and what was found so far."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from redline.bench.faults import Fault
from redline.bench.named_files import NamedFiles, NameFault
from redline.bench.sample import Sample, Track


@dataclass
class Reading:
    """`toml` is None where benchmark.toml has faults; `track` where it names none. `codes` are
    the codes read so far, by path."""

    files: NamedFiles
    faults: list[Fault] = field(default_factory=list)
    toml: Mapping[str, Any] | None = None
    track: Track | None = None
    samples: list[Sample] = field(default_factory=list)
    codes: dict[str, str] = field(default_factory=dict)

    def add(self, sample: str, where: str, what: str, do: str) -> None:
        self.faults.append(Fault(sample, where, what, do))

    def touch(self, sample: str, where: str, name: str, kind: str) -> Path | None:
        """The place of a named file, looked up and hashed; None where it can't be used, which is
        then a fault of `sample` at `where`."""
        try:
            return self.files.touch(name, kind).path
        except NameFault as e:
            self.add(sample, where, str(e), e.do)
            return None
