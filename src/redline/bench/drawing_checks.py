"""Whether a sample's pictures and its drawing fit together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from redline.bench.strict_json import JsonFault, parse_object
from redline.pixels import PictureError, composite, load_picture, load_rgba

Rgb = NDArray[np.uint8]

ROUNDING = 2
"""Steps of 255 by which two right ways of laying a drawing over a picture may differ: half a step
for rounding the mix, half for the drawing's colours kept premultiplied by a browser, and one
spare."""

_GROUND = frozenset({"image", "frame"})
"""Elements of a scene that are no drawing: the picture beneath and the frame of the export."""
_DRAWN: Mapping[str, frozenset[str]] = {
    "pen": frozenset({"freedraw"}),
    "tool": frozenset({"rectangle", "ellipse", "diamond", "line", "arrow", "text"}),
}

Told = tuple[str, str, str]
"""A key of the line, what is wrong, what to do."""


def picture_faults(paths: Mapping[str, Path]) -> Iterator[Told]:
    """Everything wrong with the pictures of a sample, given by their keys (picture, gold_picture,
    overlay, instruction_picture; any may be absent). Decodes each once."""
    seen: dict[str, Rgb] = {}
    for key in ("picture", "gold_picture", "instruction_picture", "overlay"):
        if key in paths:
            try:
                loader = load_rgba if key == "overlay" else _rgb
                seen[key] = loader(paths[key])
            except PictureError as e:
                yield key, str(e).rstrip("."), "Replace the file by a plain PNG"
    yield from _size_faults(seen)
    overlay, picture = seen.get("overlay"), seen.get("picture")
    if overlay is None:
        return
    alpha = overlay[..., 3]
    if alpha.min() == 255:
        yield (
            "overlay",
            "is not transparent anywhere",
            ("Export the drawing alone, on a transparent ground"),
        )
        return
    if alpha.max() == 0:
        yield "overlay", "is empty: fully transparent", "Export the drawing again"
        return
    if picture is None or picture.shape[:2] != overlay.shape[:2]:
        return
    together = composite(picture, overlay)
    if _difference(together, picture) <= ROUNDING:
        yield "overlay", "changes nothing that can be seen on the picture", "Draw it again"
        return
    drawn = seen.get("instruction_picture")
    if drawn is not None and drawn.shape == together.shape:
        far = np.abs(together.astype(np.int16) - drawn).max(axis=2) > ROUNDING
        if far.any():
            y, x = np.argwhere(far)[0]
            yield "instruction_picture", (
                f"differs from the overlay laid over the picture in {int(far.sum()):,} pixels "
                f"(first at x {x}, y {y})"
            ), "Make it anew from the two"  # fmt: skip


def _rgb(path: Path) -> Rgb:
    return load_picture(path).array


def _difference(a: Rgb, b: Rgb) -> int:
    return int(np.abs(a.astype(np.int16) - b).max())


def _size_faults(seen: Mapping[str, Rgb]) -> Iterator[Told]:
    sizes = {
        k: (a.shape[1], a.shape[0]) for k, a in seen.items() if k != "gold_picture"
    }  # the gold's page may be larger or smaller
    if not sizes:
        return
    first = next(iter(sizes))
    for key, size in sizes.items():
        if size != sizes[first]:
            yield key, (
                f"has {size[0]} x {size[1]} pixels, but {first} has "
                f"{sizes[first][0]} x {sizes[first][1]}"
            ), "Give picture, overlay and instruction_picture one size"  # fmt: skip


def scene_faults(data: bytes, drawn_with: str | None) -> Iterator[tuple[str, str]]:
    """What is wrong with a scene of Excalidraw's, and what to do. `pen` allows free strokes only,
    `tool` built-in shapes, lines and text only; image and frame may lie beneath either."""
    again = "Export the scene from Excalidraw again"
    try:
        scene = parse_object(data)
    except JsonFault as e:
        yield f"is no scene: {e}", again
        return
    elements = scene.get("elements")
    if scene.get("type") != "excalidraw" or not isinstance(elements, list):
        yield "is no Excalidraw scene (type excalidraw with a list of elements)", again
        return
    kinds: list[str] = []
    for k, element in enumerate(elements, start=1):
        kind = element.get("type") if isinstance(element, dict) else None
        if not isinstance(kind, str):
            yield f"has an element without a type (number {k})", again
        elif not element.get("isDeleted") and kind not in _GROUND:
            kinds.append(kind)
    if not kinds:
        yield "has no drawn element", again
    fitting = _DRAWN.get(drawn_with or "", frozenset(kinds))
    if odd := sorted(set(kinds) - fitting):
        shown = ", ".join(ascii(o)[1:-1][:30] for o in odd[:5])
        allowed = ", ".join(sorted(fitting))
        yield (
            f"has elements of kind {shown}, which do not fit drawn_with {drawn_with}",
            (f"Draw with {allowed} only, or correct drawn_with"),
        )
