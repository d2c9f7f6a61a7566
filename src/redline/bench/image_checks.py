"""Whether an image sample's pictures, masks, rounds and questions fit together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from redline.bench.drawing_checks import picture_faults
from redline.bench.faults import Fault, quoted
from redline.bench.image_sample import ImageSample, Turn
from redline.pixels import Mask, PictureError, load_picture, read_mask

ASPECT = 0.01
"""Above this relative difference of width / height a gold is told: a measure has to fit both
pictures into one frame, which stretches or pads one of them by as much."""

ALMOST_ALL = 0.9
"""A mask that covers more of the picture than this is told: it may be inverted."""

INVERTED = 2.0
"""A mask of more than half of the picture is called inverted where what lies outside changes at
least this many times as much as what lies inside."""

MOST_QUESTIONS = 3
_LOOSE = frozenset({"y", "n", "true", "false"})

AGAIN = "Replace the file by a plain PNG or JPEG"

Rgb = NDArray[np.uint8]
Pixels = Callable[[Path], tuple[Rgb | None, str | None]]
Told = tuple[str, str, str, bool]
"""A key of the turn, what is wrong, what to do, whether it is a note only."""


def image_faults(sample: ImageSample) -> Iterator[Fault]:
    """Everything wrong with a sample that only a look into its pictures and texts shows. Each
    fault's `where` is `picture`, `turns` or `round N, KEY`."""
    pixels = lru_cache(maxsize=3)(load)
    _, told = pixels(sample.picture)
    if told is not None:
        yield Fault(sample.id, "picture", told, AGAIN)
    if sample.gaps:
        rounds = ", ".join(map(str, sample.gaps[:10])) + (", ..." if len(sample.gaps) > 10 else "")
        yield Fault(
            sample.id, "turns", f"has no round {rounds} before round {sample.turns[-1].round}",
            "Leave it so if these were filtered out: the gap stays visible", "note",
        )  # fmt: skip
    for turn in sample.turns:
        yield from turn_faults(sample, turn, pixels)


def turn_faults(sample: ImageSample, turn: Turn, pixels: Pixels | None = None) -> Iterator[Fault]:
    """Everything wrong with one turn; not that the sample's picture can't be loaded. `pixels`
    loads pictures, and may remember them from turn to turn."""
    for key, what, do, note in _turn_faults(sample, turn, pixels or load):
        where = f"round {turn.round}, {key}"
        yield Fault(sample.id, where, what, do, "note" if note else "fault")


def load(path: Path) -> tuple[Rgb | None, str | None]:
    """The pixels of a picture, or why it can't be loaded."""
    try:
        return load_picture(path).array, None
    except PictureError as e:
        return None, _said(e, path)


def _said(error: PictureError, path: Path) -> str:
    """What is wrong with a picture, without its path: sample and key say which one it is."""
    return str(error).removeprefix(f"The picture {path} ").rstrip(".")


def _turn_faults(sample: ImageSample, turn: Turn, pixels: Pixels) -> Iterator[Told]:
    start_path = sample.start_of(turn)
    start, told = pixels(start_path) if start_path is not None else (None, None)
    if told is not None and turn.start is not None:
        yield "start", told, AGAIN, False
    gold, told = pixels(turn.gold) if turn.gold is not None else (None, None)
    if told is not None:
        yield "gold", told, AGAIN, False
    if start is not None and gold is not None:
        yield from _gold_faults(start, gold)
    if turn.mask is not None:
        of = ("gold", gold) if turn.gold is not None else ("picture", start)
        yield from _mask_faults("mask", turn.mask, *of, start)
    if turn.source_mask is not None:
        yield from _mask_faults("source_mask", turn.source_mask, "picture", start, None)
    if turn.overlay is not None and start_path is not None and start is not None:
        for key, what, do in picture_faults({"picture": start_path, "overlay": turn.overlay}):
            yield key, what, do, False
    yield from _question_faults(turn)


def _gold_faults(start: Rgb, gold: Rgb) -> Iterator[Told]:
    (h, w), (gold_h, gold_w) = start.shape[:2], gold.shape[:2]
    apart = abs(gold_w * h / (gold_h * w) - 1)
    if apart > ASPECT:
        yield "gold", (
            f"has {gold_w} x {gold_h} pixels, the picture before the edit {w} x {h}: the aspect "
            f"differs by {100 * apart:.1f} %"
        ), "Use a measure profile that pads; squashing moves every pixel", True  # fmt: skip
    if start.shape == gold.shape and np.array_equal(start, gold):
        yield "gold", "is the picture before the edit, pixel for pixel", (
            "Give the edited picture, or leave gold out"
        ), False  # fmt: skip


def _mask_faults(
    key: str, path: Path, of: str, picture: Rgb | None, before: Rgb | None
) -> Iterator[Told]:
    """What is wrong with a mask of `picture`, which is called `of`; `before` is the picture
    before the edit, where both are there."""
    try:
        mask = read_mask(path)
    except PictureError as e:
        yield key, _said(e, path), "Replace the file by an 8-bit grey PNG", False
        return
    height, width = mask.array.shape
    if mask.coloured:
        yield key, "has colours: it may be a label map or a photograph", (
            "Save the foreground as 255 and the rest as 0, in 8-bit grey"
        ), False  # fmt: skip
        return
    if picture is not None and (height, width) != picture.shape[:2]:
        yield key, (
            f"has {width} x {height} pixels, but its {of} has "
            f"{picture.shape[1]} x {picture.shape[0]}"
        ), "Make the mask anew at that size; it is never stretched", False  # fmt: skip
        return
    for said in mask.notes:
        yield key, said.rstrip("."), "Save it as 8-bit grey with 0 and 255 to be safe", True
    if mask.share == 0:
        yield key, "is empty: nothing is foreground", (
            "Draw it, or leave it so: measures of the foreground are then undefined"
        ), True  # fmt: skip
    elif mask.share == 1:
        yield key, "is full: all of the picture is foreground", (
            "Leave it so if everything changes: measures of the background are then undefined"
        ), True  # fmt: skip
    else:
        yield from _polarity(key, mask, picture, before)


def _polarity(key: str, mask: Mask, gold: Rgb | None, before: Rgb | None) -> Iterator[Told]:
    covers = f"covers {100 * mask.share:.1f} % of the picture"
    do = "Invert it if black is what is edited: 255 is foreground"
    if mask.share > 0.5 and gold is not None and before is not None:
        inside, outside = changes(before, gold, mask.array)
        if outside >= 1 and outside >= INVERTED * inside:
            yield key, (
                f"{covers}, yet what lies outside of it changes more ({outside:.1f} of 255 on "
                f"average) than what lies inside ({inside:.1f}): it looks inverted"
            ), do, True  # fmt: skip
            return
    if mask.share > ALMOST_ALL:
        yield key, f"{covers}: it may be inverted", do, True


def changes(before: Rgb, gold: Rgb, inside: NDArray[np.bool_]) -> tuple[float, float]:
    """The mean absolute change from `before` to `gold` inside and outside of a mask of the gold's
    size, in steps of 255. A picture of another size is first brought to the gold's."""
    if before.shape != gold.shape:
        size = (gold.shape[1], gold.shape[0])
        before = np.asarray(Image.fromarray(before).resize(size, Image.Resampling.BILINEAR))
    change = np.abs(before.astype(np.int16) - gold).mean(axis=2)
    return float(change[inside].mean()), float(change[~inside].mean())


def _question_faults(turn: Turn) -> Iterator[Told]:
    count = len(turn.questions)
    if count > MOST_QUESTIONS:
        yield "questions", f"has {count} questions", (
            "Ask one to three: a turn counts as right only if every answer is"
        ), True  # fmt: skip
    if count and turn.questions_error:
        yield "questions_error", "is there beside questions", "Keep one of them", True
    for k, question in enumerate(turn.questions):
        if question.answer.strip().casefold().rstrip(".") in _LOOSE:
            yield f"questions[{k}].answer", f"is {quoted(question.answer)}", (
                "Write Yes or No, as a judge would answer"
            ), True  # fmt: skip


def context_faults(samples: Iterable[ImageSample], hashes: Mapping[str, str]) -> list[Fault]:
    """What is wrong between samples that share a context: other pictures, a scale twice, a low or
    high sample without its partner. `hashes` has the SHA-256 of files by their path in the
    folder."""
    found: list[Fault] = []
    groups: dict[str, list[ImageSample]] = {}
    for sample in samples:
        if sample.context:
            groups.setdefault(sample.context, []).append(sample)
    for context, members in groups.items():
        pictures: dict[str, str] = {}
        scales: dict[str, str] = {}
        for sample in members:
            name = next(n for n, p in sample.files.items() if p == sample.picture)
            first = pictures.setdefault(hashes[name], sample.id)
            if first == sample.id and len(pictures) > 1:
                other = next(iter(pictures.values()))
                found.append(Fault(
                    sample.id, "context",
                    f"is {context!r} as that of sample {other}, but the picture is another",
                    "Give samples one context only where they share the picture",
                ))  # fmt: skip
            scale = sample.turns[0].scale if len(sample.turns) == 1 else None
            if scale is not None and (same := scales.setdefault(scale, sample.id)) != sample.id:
                found.append(Fault(
                    sample.id, "context",
                    f"has two {scale} samples in {context!r}: this and {same}",
                    "Give each context one low and one high sample",
                ))  # fmt: skip
        if len(scales) == 1:
            ((only, alone),) = scales.items()
            partner = "high" if only == "low" else "low"
            found.append(Fault(
                alone, "context", f"has no {partner} sample in {context!r}",
                "Leave it so: it counts in every mean, and in no comparison of the two scales",
                "note",
            ))  # fmt: skip
    return found
