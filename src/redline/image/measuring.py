"""All figures of candidates against one gold; what concerns the gold is computed once for all."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from redline.image import fitting
from redline.image.figures import Fault, Figures, Kind, Unusable
from redline.image.fitting import Size
from redline.image.inputs import Source, compared, read_mask_of, read_picture, size_of
from redline.image.instruments import ClipInstrument, Rgb, View
from redline.image.names import STANDARD, family, long_name
from redline.image.networks import Dtype, find, open_instruments
from redline.image.profiles import CORRECTED, Profile
from redline.image.regions import Regions
from redline.pixels import Mask


@dataclass(frozen=True)
class Prepared:
    """What each instrument keeps of a gold (None where it is too small for it). `undefined`: what
    no candidate can have, with the reason; `fixed`: what every candidate gets by the profile."""

    view: View
    kept: tuple[Any, ...]
    undefined: Mapping[str, str]
    fixed: Mapping[str, float]


@dataclass(frozen=True)
class GoldSide:
    """A gold with its mask, ready for candidates. With LPIPS it holds features of hundreds of
    megabytes: keep few at a time. `frame` is width and height of what is compared."""

    prepared: Prepared
    frame: Size
    sizes: Mapping[str, Size]
    warnings: tuple[str, ...]
    notes: tuple[str, ...]


class Measurer:
    """Measures candidates against golds by one profile. Safe to share between threads.

    `absent` names the measures that were asked for and can't be had here, each with a sentence;
    they are left out, never replaced. `measures` are the others.
    """

    def __init__(
        self,
        profile: Profile = CORRECTED,
        measures: Sequence[str] = STANDARD,
        *,
        weights_dir: Path | None = None,
        trunk: str = "vgg",
        dtype: Dtype = "fp32",
    ) -> None:
        """Loads the networks that `measures` need, where their weights are on this machine.

        Sets torch to one thread in this process. Raises UserError for an unknown measure or
        trunk, weights that are damaged, or `bf16` on a processor without it.
        """
        self.profile = profile
        self._trunk = trunk
        self._dtype: Dtype = dtype
        self._weights, self.absent = find(measures, weights_dir, trunk)
        self.measures = tuple(n for n in measures if n not in self.absent)
        self._instruments = open_instruments(self._weights, self.measures, profile, trunk, dtype)

    def identity(self) -> dict[str, Any]:
        """All that the figures depend on beside the pictures, JSON-able, for a stage's digest.
        Reads the weights once more, to hash them."""
        packages = ["numpy", "pillow", *(["torch", "transformers"] if self._weights else [])]
        hashes = [w.sha256 for _, w in sorted(self._weights.items())]
        return {
            "profile": asdict(self.profile),
            "measures": self.long_names(),
            "weights": {file: sha256 for found in hashes for file, sha256 in found.items()},
            "versions": {p: importlib.metadata.version(p) for p in packages},
        }

    def long_names(self) -> dict[str, str]:
        """The long name of every measure, by its short one. Where weights are not the published
        ones it says so: the same network with other weights is another measure."""
        names = {}
        for name in self.measures:
            weights, marks = self._weights.get(family(name)), list[str]()
            if weights is not None and self._dtype != "fp32":
                marks.append(self._dtype)
            if weights is not None and not weights.published:
                marks.append(f"weights {weights.digest[:8]}")
            names[name] = long_name(name, self.profile, self._trunk, marks)
        return names

    def gold_side(
        self,
        source: Source | None,
        gold: Source,
        mask: Source | Mask | None,
        text: str | None = None,
    ) -> GoldSide:
        """Prepare a gold. `source`, the picture before the edit, is only looked at for its size;
        `text` (an instruction or a caption) is what CLIP_TEXT compares candidates with.

        Raises Unusable for a picture or mask that can't be read, or a mask of another size.
        """
        picture = read_picture(gold, "gold")
        sizes = {"gold": size_of(picture)}
        notes = [f"Gold: {n}" for n in picture.notes]
        warnings: list[str] = []
        if source is not None:
            before = read_picture(source, "source")
            sizes["source"] = size_of(before)
            notes += [f"Source: {n}" for n in before.notes]
            warnings += compared("gold", sizes["gold"], "source", sizes["source"])
        frame = fitting.frame_of(sizes["gold"], self.profile)
        foreground = None
        if mask is not None:
            read = read_mask_of(sizes["gold"], mask)
            notes += [f"Mask: {n}" for n in read.notes]
            foreground = fitting.resize_mask(read.array, frame)
        if text is not None and any(
            isinstance(i, ClipInstrument) and i.cuts(text) for i in self._instruments
        ):
            notes.append("Text: its end is beyond what CLIP reads and was cut off.")
        array = fitting.resize(picture.array, frame, self.profile)
        prepared = self._prepare(View(array, Regions(foreground), text))
        return GoldSide(prepared, frame, sizes, tuple(warnings), tuple(notes))

    def measure(self, gold_side: GoldSide, candidate: Source) -> Figures:
        """Figures of one candidate. Raises Unusable where it can't be read."""
        picture = read_picture(candidate, "candidate")
        size = size_of(picture)
        warnings = compared("candidate", size, "gold", gold_side.sizes["gold"])
        prepared, frame = gold_side.prepared, gold_side.frame
        box = fitting.place(size, frame, self.profile)
        if box.size != frame:
            beside = 1 - box.area / (frame[0] * frame[1])
            warnings.append(
                f"{100 * beside:.0f} % of the gold lies beside the candidate and was left out."
            )
            prepared = self._prepare(prepared.view.cropped(box))
        array = fitting.resize(picture.array, box.size, self.profile)
        metrics, undefined = self._compare(prepared, array)
        return Figures(
            self.profile.name,
            metrics,
            undefined,
            prepared.view.regions.shares,
            {"candidate": size, **gold_side.sizes},
            (*gold_side.warnings, *warnings),
            (*gold_side.notes, *(f"Candidate: {n}" for n in picture.notes)),
        )

    def measure_rows(
        self,
        source: Source | None,
        gold: Source,
        mask: Source | Mask | None,
        candidates: Iterable[Source],
        text: str | None = None,
    ) -> list[Figures | Fault]:
        """Figures or a fault for each candidate of one gold; whatever goes wrong is a fault."""
        candidates = list(candidates)
        try:
            side = self.gold_side(source, gold, mask, text)
        except Exception as e:
            return [self._fault(e)] * len(candidates)
        rows: list[Figures | Fault] = []
        for candidate in candidates:
            try:
                rows.append(self.measure(side, candidate))
            except Exception as e:
                rows.append(self._fault(e, side.prepared))
        return rows

    def _prepare(self, view: View) -> Prepared:
        small = min(view.picture.shape[:2])
        kept = tuple(i.prepare(view) if small >= i.least else None for i in self._instruments)
        undefined, fixed = dict[str, str](), dict[str, float]()
        for instrument in self._instruments:
            for name in instrument.names:
                reason = view.why_not(name)
                if small < instrument.least:
                    undefined[name] = f"A side has less than {instrument.least} pixels."
                elif (
                    reason is not None and self._zero(name) and view.regions.foreground is not None
                ):
                    fixed[name] = 0.0
                elif reason is not None:
                    undefined[name] = reason
        return Prepared(view, kept, undefined, fixed)

    def _zero(self, name: str) -> bool:
        """Whether the profile gives a measure 0 where its region is empty."""
        return self.profile.empty == "zero" and family(name) in ("LPIPS", "CLIP")

    def _compare(self, gold: Prepared, candidate: Rgb) -> tuple[dict[str, float], dict[str, str]]:
        metrics: dict[str, float] = {}
        for instrument, kept in zip(self._instruments, gold.kept, strict=True):
            if min(candidate.shape[:2]) >= instrument.least:
                metrics |= instrument.compare(gold.view, kept, candidate)
        metrics = {k: v for k, v in metrics.items() if k not in gold.undefined} | dict(gold.fixed)
        undefined = dict(gold.undefined)
        for name in self.measures:
            if name not in metrics:
                undefined.setdefault(name, "No whole window has its middle in the region.")
        return metrics, undefined

    def _fault(self, error: Exception, gold: Prepared | None = None) -> Fault:
        """A file that can't be used is told as it is; anything else is our own fault."""
        kind: Kind = "harness"
        reason = f"Measuring broke off ({type(error).__name__}: {error})."
        if isinstance(error, Unusable):
            kind, reason = error.kind, str(error)
        undefined = gold.undefined if gold is not None else {}
        areas = gold.view.regions.shares if gold is not None else {}
        return Fault(self.profile.name, kind, reason, undefined, areas)
