"""The three ways of measuring a picture edit: what is fitted, masked, averaged and left out.

Source: the evaluation that Omni IIE Bench published (`upstream`) beside what its article says
(`corrected`), and a third that keeps the aspect ratio.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from redline.errors import UserError


@dataclass(frozen=True)
class Profile:
    """How figures are made. All of it enters the digest of a measure.

    `side`: pixels of the long side of what is compared. `fit`: pictures are squashed into a
    square, or keep their aspect (`aspect`), the gold's fixing the frame. `resampling`: Pillow's
    filter, for masks it is always the nearest pixel. `lpips_input`: masked pixels are black, or
    black with the rest normalised twice. `clip_bg`: the background's picture is masked, or is the
    whole picture. `empty`: an empty region is undefined, or 0 with weight 0. `weighted`: figures
    whose published mean is weighted by the region's area. `failed_count`: whether a row without
    a usable candidate counts (by its penalty, beside the mean) or is dropped.
    """

    name: str
    side: int = 768
    fit: Literal["squash", "aspect"] = "squash"
    resampling: Literal["lanczos", "bicubic"] = "lanczos"
    lpips_input: Literal["black", "normalised-twice"] = "black"
    clip_bg: Literal["black", "unmasked"] = "black"
    empty: Literal["undefined", "zero"] = "undefined"
    weighted: tuple[str, ...] = ()
    failed_count: bool = True


CORRECTED = Profile("corrected")
ASPECT = Profile("aspect", fit="aspect")
UPSTREAM = Profile(
    "upstream",
    # Which filter was used is not public; bicubic is what Pillow's Image.resize does by default.
    resampling="bicubic",
    lpips_input="normalised-twice",
    clip_bg="unmasked",
    empty="zero",
    weighted=("LPIPS_FG", "LPIPS_BG", "CLIP_BG"),
    failed_count=False,
)

PROFILES: Mapping[str, Profile] = {p.name: p for p in (CORRECTED, UPSTREAM, ASPECT)}


def profile_named(name: str) -> Profile:
    """One of PROFILES. Raises UserError for another name."""
    if name not in PROFILES:
        raise UserError(f"There is no measure profile {name!r}; choose of {', '.join(PROFILES)}.")
    return PROFILES[name]
