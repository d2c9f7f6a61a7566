"""What a rendering gives back."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

Engine = Literal["pdflatex", "lualatex", "xelatex"]

RenderStatus = Literal["ok", "ok_with_errors", "failed", "unavailable"]
"""ok: a non-blank page and no error. ok_with_errors: a non-blank page in spite of TeX errors.
failed: no non-blank page, by the document's fault. unavailable: the machine's fault (a package
or engine it lacks, no sandbox, wall-clock limit): never a model's failure."""

ErrorClass = Literal[
    "missing_package",
    "missing_library",
    "missing_file",
    "missing_font",
    "undefined_command",
    "undefined_environment",
    "unknown_key",
    "unknown_shape",
    "unknown_colour",
    "unclosed_group",
    "missing_number",
    "dimension_too_large",
    "capacity_exceeded",
    "runaway",
    "syntax",
    "no_document",
    "engine_mismatch",
    "no_page",
    "blank_page",
    "page_too_large",
    "bad_pdf",
    "cpu_limit",
    "wall_limit",
    "memory_limit",
    "output_limit",
    "file_limit",
    "process_limit",
    "too_long",
    "sandbox",
    "no_engine",
    "crash",
    "other",
]


@dataclass(frozen=True)
class TexError:
    """The first error of a run: its class, line in the document (1-based) and one-line text."""

    kind: ErrorClass
    message: str
    line: int | None = None


@dataclass(frozen=True)
class Profile:
    """How pages become pixels. Its `name` is part of every cache key and manifest."""

    name: str = "default"
    long_side_px: int = 1024
    max_scale: float = 8.0
    max_side_px: int = 4096
    max_page_pt: float = 14400.0
    max_passes: int = 3

    def with_long_side(self, px: int) -> Profile:
        """This profile with pages fitted to `px` pixels, named after them where that differs."""
        if px == self.long_side_px:
            return self
        return replace(self, name=f"{self.name}-{px}px", long_side_px=px)


@dataclass(frozen=True)
class Limits:
    """Hard limits on one document; the cap on CPU time is the document's fault, the one on
    wall-clock time the machine's."""

    cpu_s: float = 20.0
    wall_s: float = 60.0
    memory_mb: int = 1500
    output_mb: int = 32
    files: int = 64
    processes: int = 16
    source_kb: int = 1024


@dataclass(frozen=True)
class Render:
    """One rendered document. `scale` is pixels per point; sizes are of the first page."""

    status: RenderStatus
    engine: Engine
    error: TexError | None = None
    pages: int = 0
    page_pt: tuple[float, float] | None = None
    size_px: tuple[int, int] | None = None
    scale: float | None = None
    scale_reduced: bool = False
    passes: int = 0
    missing_characters: tuple[str, ...] = ()
    sandboxed: bool = True
    png: bytes | None = None
    pdf: bytes | None = None
    log: str = ""
    seconds: float = 0.0


def described(render: Render) -> dict[str, Any]:
    """What a record or a reader of JSON is told of a render: all but its bytes, its log and the
    time it took, so that the same document always gives the same words."""
    told = asdict(render)
    for name in ("png", "pdf", "log", "seconds"):
        del told[name]
    return told
