"""A sample of a benchmark: what is given, what is asked, what counts as right."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

EditType = Literal["ADD", "REMOVE", "UPDATE", "LAYOUT", "STRUCTURE"]
EDIT_TYPES: tuple[EditType, ...] = ("ADD", "REMOVE", "UPDATE", "LAYOUT", "STRUCTURE")
DrawnWith = Literal["pen", "tool"]
DRAWN_WITH: tuple[DrawnWith, ...] = ("pen", "tool")


@dataclass(frozen=True)
class DiagramSample:
    """A diagram, an instruction drawn on it and/or written, and the accepted edited codes.

    Codes have `\\n` line ends whatever the files have. Paths are absolute and lie inside the
    benchmark folder; None where the sample has no such file. `picture`, `overlay` and
    `instruction_picture` share one size in pixels. A line without `source_id` gets one from its
    original code, so that samples over one source share it.
    """

    id: str
    edit_type: EditType
    operations: int
    code: str
    golds: tuple[str, ...]
    instruction: str
    subtypes: tuple[str, ...] = ()
    drawn_with: DrawnWith | None = None
    picture: Path | None = None
    gold_picture: Path | None = None
    overlay: Path | None = None
    instruction_picture: Path | None = None
    scene: Path | None = None
    origin: str = ""
    source_id: str = ""
    licence: str = ""
    instruction_model: str | None = None
    gold_model: str | None = None
    annotator: str | None = None
    ratings: tuple[Mapping[str, Any], ...] = ()
    files: Mapping[str, Path] = field(default_factory=dict)
    """Every file the sample names, by its path relative to the folder."""
    gold_templates: tuple[str, ...] = ()
    """The golds with their holes (bench.holes), one for each gold in order; or none."""
    result_description: str = ""

    @property
    def conditions(self) -> tuple[str, ...]:
        """The conditions the sample can be run under: it has what they show."""
        drawn = self.instruction_picture is not None
        written = bool(self.instruction)
        return (
            (("visual",) if drawn else ())
            + (("text",) if written else ())
            + (("visual+text",) if drawn and written else ())
            + (("verbalized", "visual+verbalized") if drawn else ())
        )


@dataclass(frozen=True)
class Benchmark:
    """A benchmark folder, read and found well-formed."""

    root: Path
    name: str
    version: str
    track: Literal["diagram", "image"]
    licence: str
    samples: tuple[DiagramSample, ...]
    hash: str
    description: str = ""
    citation: str = ""
    defaults: Mapping[str, str] = field(default_factory=dict)

    def sample_set_hash(self) -> str:
        """SHA-256 over the sorted sample ids: which samples a result is about."""
        return hashlib.sha256("\n".join(sorted(s.id for s in self.samples)).encode()).hexdigest()
