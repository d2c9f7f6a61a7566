"""Originals, golds and instruction pictures of samples as pixels."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Protocol

from redline.bench.sample import DiagramSample
from redline.pixels import encode_png, letterbox, load_picture
from redline.tex.result import Engine, ErrorClass, Render

# A document that asks for what is not here was tried, and this is what came of it.
_LACKING: frozenset[ErrorClass] = frozenset(
    {"missing_package", "missing_library", "missing_file", "missing_font"}
)


class Renders(Protocol):
    """What this room needs of a renderer."""

    def render(
        self, code: str, engine: Engine | None = None, scale: float | None = None
    ) -> Render: ...

    def fingerprint(self) -> str:
        """A digest over what makes pixels beside the document."""


class ReferenceFault(Exception):
    """An original or gold that does not render here; the message is a sentence. `untried` where
    that says nothing of the document: this machine could not run the engine, or not to its end."""

    def __init__(self, message: str, render: Render | None = None) -> None:
        super().__init__(message)
        lacking = render and render.error and render.error.kind in _LACKING
        self.untried = render is not None and render.status == "unavailable" and not lacking


@dataclass(frozen=True)
class References:
    """A sample's original and golds under one engine, at one scale (pixels per point)."""

    engine: Engine
    scale: float
    original: bytes
    golds: tuple[bytes, ...]


def _picture(render: Render, sample: DiagramSample, what: str) -> bytes:
    if render.png is None:
        raise ReferenceFault(
            f"Sample {sample.id}: its {what} does not render here{_said(render)}", render
        )
    return render.png


def _said(render: Render) -> str:
    return f": {render.error.message}" if render.error else ""


def drawn_clean(renderer: Renders, code: str, what: str) -> bytes | None:
    """The picture of a code that compiles without errors, None for one that does not. Raises
    ReferenceFault where this machine can't tell (no sandbox, a package it lacks, out of time)."""
    render = renderer.render(code)
    if render.status == "unavailable":
        raise ReferenceFault(f"{what} does not render here{_said(render)}", render)
    return render.png if render.status == "ok" else None


def references(
    renderer: Renders, sample: DiagramSample, engine: Engine | None = None
) -> References:
    """Render original and golds; the original's page fixes the scale. Raises ReferenceFault."""
    first = renderer.render(sample.code, engine=engine)
    original = _picture(first, sample, "original")
    if first.scale is None:
        raise ReferenceFault(f"Sample {sample.id}: its original has no page size.")
    golds: Sequence[Render] = [
        renderer.render(g, engine=first.engine, scale=first.scale) for g in sample.golds
    ]
    pictures = tuple(_picture(g, sample, f"gold {k}") for k, g in enumerate(golds, start=1))
    return References(first.engine, first.scale, original, pictures)


class InputPictures:
    """Pictures of samples as models get them: PNG, letterboxed to a square of `side` pixels.

    Committed pictures come first; an original without one is rendered. At most `keep` pictures
    are held in memory.
    """

    def __init__(self, renderer: Renders, side: int, keep: int = 64) -> None:
        self._renderer = renderer
        self._side = side
        self._keep = keep
        self._held: OrderedDict[tuple[str, str], bytes] = OrderedDict()
        self._lock = Lock()

    def get(self, sample: DiagramSample, what: str) -> bytes:
        """`what` is "picture" or "instruction". Raises ReferenceFault or PictureError."""
        key = (sample.id, what)
        with self._lock:
            if key in self._held:
                self._held.move_to_end(key)
                return self._held[key]
        data = self.letterboxed(self._bytes(sample, what))
        with self._lock:
            self._held[key] = data
            while len(self._held) > self._keep:
                self._held.popitem(last=False)
        return data

    def rendered(self, sample: DiagramSample, what: str) -> bool:
        """Whether this picture is drawn by the renderer rather than committed."""
        return what == "picture" and sample.picture is None

    def letterboxed(self, png: bytes) -> bytes:
        """The picture padded (and only where it is larger, reduced) to the square."""
        return encode_png(letterbox(load_picture(png).array, self._side)[0])

    def _bytes(self, sample: DiagramSample, what: str) -> bytes:
        path = sample.instruction_picture if what == "instruction" else sample.picture
        if path is not None:
            try:
                return path.read_bytes()
            except OSError as e:
                # Records name no path of the machine.
                raise ReferenceFault(
                    f"Sample {sample.id}: {path.name} can't be read ({e.strerror})"
                ) from e
        if what == "instruction":
            raise ReferenceFault(f"Sample {sample.id} has no drawn instruction.")
        return _picture(self._renderer.render(sample.code), sample, "original")
