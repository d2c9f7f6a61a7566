"""What became of every sample of an import."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from redline.bench.faults import Fault


@dataclass(frozen=True)
class ImportReport:
    """`imported` are the ids of the new benchmark's samples, `turns` how many turns they have (0
    for diagrams). `skipped` are not in it, each with the reason: whole samples, or single turns of
    one that is; `unrendered` are in it but do not render on this machine; `notes` are small
    oddities. `origin` is an address that means the data imported for ever, or ""."""

    dest: Path
    imported: tuple[str, ...]
    skipped: tuple[Fault, ...] = ()
    unrendered: tuple[Fault, ...] = ()
    notes: tuple[Fault, ...] = ()
    turns: int = 0
    origin: str = ""
