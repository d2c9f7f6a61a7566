"""A benchmark and its samples: what is given, what is asked, what counts as right."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, Literal, TypeVar, overload

from redline.bench.image_sample import ImageSample
from redline.errors import UserError

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


Sample = DiagramSample | ImageSample
Track = Literal["diagram", "image"]
TRACKS: tuple[Track, ...] = ("diagram", "image")
S_co = TypeVar("S_co", bound=Sample, covariant=True)


@dataclass(frozen=True)
class Benchmark(Generic[S_co]):
    """A benchmark folder, read and found well-formed. All samples are of its track."""

    root: Path
    name: str
    version: str
    track: Track
    licence: str
    samples: tuple[S_co, ...]
    hash: str
    description: str = ""
    citation: str = ""
    defaults: Mapping[str, str] = field(default_factory=dict)
    origin: str = ""
    """Where it was imported from, as `hf://OWNER/NAME@COMMIT`; "" where that is not said."""

    def sample_set_hash(self) -> str:
        """SHA-256 over the sorted sample ids: which samples a result is about."""
        return hashlib.sha256("\n".join(sorted(s.id for s in self.samples)).encode()).hexdigest()


@overload
def of_track(
    benchmark: Benchmark[Sample], track: Literal["diagram"]
) -> Benchmark[DiagramSample]: ...
@overload
def of_track(benchmark: Benchmark[Sample], track: Literal["image"]) -> Benchmark[ImageSample]: ...
def of_track(benchmark: Benchmark[Sample], track: Track) -> Benchmark[Any]:
    """The benchmark as one of this track. Raises UserError where it is of the other."""
    if benchmark.track != track:
        raise UserError(
            f"{benchmark.name} is a benchmark of track {benchmark.track}; this needs one of track "
            f"{track}."
        )
    return benchmark
