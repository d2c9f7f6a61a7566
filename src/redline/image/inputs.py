"""Reads the pictures and the mask of a row, and tells whose fault it is where one can't be used."""

from __future__ import annotations

from pathlib import Path

from redline.image.figures import Kind, Unusable
from redline.image.fitting import SAME, Size, aspect_difference, size_difference
from redline.pixels import Mask, Picture, PictureError, load_picture, read_mask

Source = bytes | Path
"""A picture's bytes or its file."""


def read_picture(source: Source, kind: Kind) -> Picture:
    """A picture by the one loader. Raises Unusable with that `kind`."""
    try:
        return load_picture(source)
    except PictureError as e:
        raise Unusable(kind, _told(source, kind, e)) from e


def _told(source: Source, kind: Kind, error: PictureError) -> str:
    """The loader's sentence with the picture's part in place of its path, which means nothing
    where records are read."""
    name = "The picture" if isinstance(source, bytes) else f"The picture {source}"
    return str(error).replace(name, f"The {kind}", 1)


def size_of(picture: Picture) -> Size:
    """Width and height as shown (a camera's rotation applied)."""
    height, width = picture.array.shape[:2]
    return width, height


def read_mask_of(gold: Size, mask: Source | Mask) -> Mask:
    """The mask of a gold of that size. Raises Unusable where it can't be read or has another
    size: which pixel would belong to which is then unknown."""
    if isinstance(mask, Mask):
        found = mask
    else:
        try:
            found = read_mask(mask)
        except PictureError as e:
            raise Unusable("mask", _told(mask, "mask", e)) from e
    height, width = found.array.shape
    if (width, height) != gold:
        raise Unusable(
            "mask",
            f"The mask has {width} x {height} pixels, but its gold has {gold[0]} x {gold[1]}. "
            "Make the mask anew at that size; it is never stretched.",
        )
    return found


def compared(one: str, size: Size, other: str, other_size: Size) -> list[str]:
    """A sentence where two pictures differ in size or aspect by more than 1 %."""
    sizes = 100 * size_difference(size, other_size)
    aspects = 100 * aspect_difference(size, other_size)
    if sizes <= 100 * SAME and aspects <= 100 * SAME:
        return []
    shape = f"its aspect by {aspects:.1f} %" if aspects > 100 * SAME else "its aspect is the same"
    return [
        f"The {one} has {size[0]} x {size[1]} pixels, the {other} {other_size[0]} x "
        f"{other_size[1]}: its size differs by {sizes:.1f} %, {shape}."
    ]
