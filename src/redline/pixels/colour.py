"""From any mode of Pillow's to 8-bit sRGB with or without alpha, saying what was done."""

from __future__ import annotations

import io

import numpy as np
from PIL import Image, ImageCms

GREY_SPREAD = "Grey was spread over the three channels."
_SIXTEEN = ("I;16", "I;16L", "I;16B", "I;16N", "I")
_GREY = ("1", "L", "LA", "La")
_COLOUR = ("P", "PA", "RGB", "RGBA", "RGBa", "RGBX", "CMYK", "YCbCr")


class ColourFault(Exception):
    """A kind of pixels that has no agreed meaning as sRGB; the message is part of a sentence."""


def to_srgb(image: Image.Image, notes: list[str]) -> Image.Image:
    """The decoded picture in mode RGB, or RGBA where it carries transparency.

    Appends a sentence to `notes` for every transformation. Raises ColourFault.
    """
    profile = image.info.get("icc_profile")
    if image.mode in _SIXTEEN:
        image = _from_sixteen(image, notes)
    if image.mode not in _GREY + _COLOUR:
        raise ColourFault(f"its pixels are of mode {image.mode}, which has no fixed range as sRGB")
    if image.mode in ("P", "PA"):
        notes.append("Palette colours were looked up.")
    colours, alpha = _apart(image)
    rgb = _through_profile(colours, profile, notes) if profile else None
    if rgb is None:
        rgb = _plain(colours, notes)
    if alpha is not None:
        rgb.putalpha(alpha)
    return rgb


def _apart(image: Image.Image) -> tuple[Image.Image, Image.Image | None]:
    """Colours (L, RGB, CMYK or YCbCr) and, where there is transparency, alpha (L)."""
    keyed = "transparency" in image.info and image.mode in ("1", "L", "P", "RGB")
    if keyed or image.mode in ("LA", "La", "PA", "RGBA", "RGBa"):
        if image.mode == "La":
            image = image.convert("LA")
        whole = image.convert("RGBA")
        grey = image.mode in _GREY
        return whole.getchannel("R") if grey else whole.convert("RGB"), whole.getchannel("A")
    if image.mode == "1":
        return image.convert("L"), None
    return image.convert("RGB") if image.mode in ("P", "RGBX") else image.copy(), None


def _plain(colours: Image.Image, notes: list[str]) -> Image.Image:
    if colours.mode == "CMYK":
        notes.append("CMYK ink was turned into RGB by the plain formula (no colour profile).")
    elif colours.mode == "L":
        notes.append(GREY_SPREAD)
    elif colours.mode != "RGB":
        notes.append(f"Pixels of mode {colours.mode} were turned into RGB.")
    return colours.convert("RGB")


def _from_sixteen(image: Image.Image, notes: list[str]) -> Image.Image:
    """16-bit grey as 8-bit grey by v / 257, rounded; a transparent grey value keeps its meaning."""
    values = np.asarray(image)
    if values.size and (values.min() < 0 or values.max() > 65535):
        raise ColourFault("its pixels are 32-bit whole numbers without a known range")
    notes.append("16 bits a channel were reduced to 8.")
    grey = Image.fromarray(((values.astype(np.uint32) + 128) // 257).astype(np.uint8))
    key = image.info.get("transparency")
    if isinstance(key, int):
        alpha = Image.fromarray(np.where(values == key, 0, 255).astype(np.uint8))
        return Image.merge("LA", (grey, alpha))
    return grey


def _through_profile(colours: Image.Image, profile: bytes, notes: list[str]) -> Image.Image | None:
    """The colours through their ICC profile to sRGB, or None where the profile is sRGB's own or
    can't be used (said in a note)."""
    try:
        source = ImageCms.ImageCmsProfile(io.BytesIO(profile))
        name = ImageCms.getProfileDescription(source).strip() or "unnamed"
        space = source.profile.xcolor_space.strip()
        if "srgb" in name.lower() and space == "RGB":
            return None
        if space != {"RGB": "RGB", "L": "GRAY", "CMYK": "CMYK"}.get(colours.mode):
            notes.append(f"The colour profile {name!r} is for {space} and was ignored.")
            return None
        out = ImageCms.profileToProfile(
            colours, source, ImageCms.createProfile("sRGB"),
            renderingIntent=ImageCms.Intent.RELATIVE_COLORIMETRIC, outputMode="RGB",
        )  # fmt: skip
    except (ImageCms.PyCMSError, OSError, ValueError, AttributeError) as e:
        notes.append(f"A broken colour profile was ignored ({e}).")
        return None
    notes.append(f"Colours were converted from the profile {name!r} to sRGB.")
    return out
