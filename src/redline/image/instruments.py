"""One instrument a family of measures: what it keeps of a gold, and how it compares a candidate.

A candidate has the gold's frame and regions. An instrument gives no value for a measure that the
regions leave undefined.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from redline.image import quality
from redline.image.fitting import Box, padded_square
from redline.image.names import REGION_OF
from redline.image.profiles import Profile
from redline.image.regions import Regions, masked, square_around

if TYPE_CHECKING:
    from redline.image.perceptual.clip import Clip
    from redline.image.perceptual.dino import Dino
    from redline.image.perceptual.lpips import Features, Lpips

Rgb = NDArray[np.uint8]
Vectors = Mapping[str, NDArray[np.float64]]


@dataclass(frozen=True)
class View:
    """A gold in its frame (height x width x 3, uint8), its regions and the text that goes with
    it."""

    picture: Rgb
    regions: Regions
    text: str | None = None

    def why_not(self, measure: str) -> str | None:
        """Why no candidate can have a measure here; None where one can."""
        region = "FG" if measure == "CLIP_BOX" else REGION_OF.get(measure)
        if measure == "CLIP_TEXT" and self.text is None:
            return "There is no text."
        return self.regions.faults.get(region) if region is not None else None

    def cropped(self, box: Box) -> View:
        """The same, of a part of the frame."""
        return View(self.picture[box.slices], self.regions.cropped(box), self.text)


class Instrument(Protocol):
    """`names` are the measures it makes; below `least` pixels a side is too short for it."""

    @property
    def names(self) -> Collection[str]: ...
    @property
    def least(self) -> int: ...

    def prepare(self, view: View) -> Any:
        """What candidates are compared with."""

    def compare(self, view: View, prepared: Any, candidate: Rgb) -> dict[str, float]:
        """Values by name, of those measures that are defined."""


@dataclass(frozen=True)
class Psnr:
    names: Collection[str]
    least: int = 1

    def prepare(self, view: View) -> None:
        return None

    def compare(self, view: View, prepared: None, candidate: Rgb) -> dict[str, float]:
        found = {}
        for name in self.names:
            region = view.regions.of(REGION_OF[name]) if name in REGION_OF else None
            if name not in REGION_OF or (region is not None and region.any()):
                found[name] = quality.psnr(view.picture, candidate, region)
        return found


@dataclass(frozen=True)
class Ssim:
    names: Collection[str]
    least: int = quality.WINDOW

    def prepare(self, view: View) -> quality.Sums:
        return quality.window_sums(view.picture)

    def compare(self, view: View, prepared: quality.Sums, candidate: Rgb) -> dict[str, float]:
        values = quality.ssim_map(prepared, quality.window_sums(candidate))
        found = {"SSIM": float(values.mean())} if "SSIM" in self.names else {}
        for name in self.names:
            region = view.regions.of(REGION_OF[name]) if name in REGION_OF else None
            value = quality.region_ssim(values, region) if region is not None else None
            if value is not None:
                found[name] = value
        return found


@dataclass(frozen=True)
class LpipsInstrument:
    names: Collection[str]
    net: Lpips
    least: int = 32
    """Below it nothing is left after the pools of a trunk."""

    def _regions(self, view: View) -> Regions | None:
        asked = any(name in REGION_OF for name in self.names)
        return view.regions if asked and view.regions.foreground is not None else None

    def prepare(self, view: View) -> Features:
        return self.net.features(view.picture, self._regions(view))

    def compare(self, view: View, prepared: Features, candidate: Rgb) -> dict[str, float]:
        distances = self.net.distances(prepared, candidate, self._regions(view))
        found = {f"LPIPS_{region}": value for region, value in distances.items()}
        return {name: found[name] for name in self.names if name in found}


@dataclass(frozen=True)
class ClipInstrument:
    names: Collection[str]
    net: Clip
    profile: Profile
    least: int = 1

    def cuts(self, text: str) -> bool:
        """Whether a text is compared, and only its beginning."""
        return "CLIP_TEXT" in self.names and self.net.cuts(text)

    def _vectors(self, view: View, picture: Rgb) -> Vectors:
        """Embeddings by name, made in one batch; a text is compared with the whole picture."""
        regions, views = view.regions, {}
        unmasked = self.profile.clip_bg == "unmasked"
        if {"CLIP_ALL", "CLIP_TEXT"} & set(self.names) or unmasked:
            views["CLIP_ALL"] = picture
        for name in self.names:
            region = regions.of(REGION_OF[name]) if name in REGION_OF else None
            if region is not None and region.any() and not (unmasked and name == "CLIP_BG"):
                views[name] = masked(picture, region)
        box = regions.box
        if "CLIP_BOX" in self.names and box is not None:
            views["CLIP_BOX"] = picture[square_around(box, *picture.shape[:2]).slices]
        vectors = self.net.pictures([padded_square(v) for v in views.values()])
        found = dict(zip(views, vectors, strict=True))
        if unmasked and regions.foreground is not None:
            found["CLIP_BG"] = found["CLIP_ALL"]
        return found

    def prepare(self, view: View) -> Vectors:
        found = dict(self._vectors(view, view.picture))
        if "CLIP_TEXT" in self.names and view.text is not None:
            found["CLIP_TEXT"] = self.net.text(view.text)
        return found

    def compare(self, view: View, prepared: Vectors, candidate: Rgb) -> dict[str, float]:
        mine = dict(self._vectors(view, candidate))
        if "CLIP_TEXT" in prepared:
            mine["CLIP_TEXT"] = mine["CLIP_ALL"]
        return {n: float(mine[n] @ prepared[n]) for n in self.names if n in mine and n in prepared}


@dataclass(frozen=True)
class DinoInstrument:
    net: Dino
    names: Collection[str] = field(default=("DINO",))
    least: int = 1

    def prepare(self, view: View) -> NDArray[np.float64]:
        return self._vector(view.picture)

    def compare(
        self, view: View, prepared: NDArray[np.float64], candidate: Rgb
    ) -> dict[str, float]:
        return {"DINO": float(self._vector(candidate) @ prepared)}

    def _vector(self, picture: Rgb) -> NDArray[np.float64]:
        vector: NDArray[np.float64] = self.net.pictures([padded_square(picture)])[0]
        return vector
