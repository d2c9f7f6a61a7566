"""Names of picture measures: the short one a table prints, the long one that says what it is."""

from __future__ import annotations

from collections.abc import Sequence

from redline.image.profiles import Profile

STANDARD = (
    "PSNR",
    "SSIM",
    "LPIPS_ALL",
    "LPIPS_FG",
    "LPIPS_BG",
    "CLIP_ALL",
    "CLIP_FG",
    "CLIP_BG",
)
"""Those of Omni IIE Bench."""

OFFERED = ("PSNR_FG", "PSNR_BG", "SSIM_FG", "SSIM_BG", "CLIP_BOX", "CLIP_TEXT", "DINO")
"""Measured where asked for: PSNR and SSIM by region; CLIP on the square around the foreground,
and of the candidate with a text; DINO of the whole picture."""

REGION_OF = {n: n.rsplit("_", 1)[1] for n in STANDARD + OFFERED if n.endswith(("_FG", "_BG"))}
"""The region, FG or BG, of each measure that has one."""


def family(name: str) -> str:
    """PSNR, SSIM, LPIPS, CLIP or DINO."""
    return name.split("_")[0]


def long_name(name: str, profile: Profile, trunk: str = "vgg", marks: Sequence[str] = ()) -> str:
    """The name with variant, backbone and masking, as in `LPIPS_FG[vgg,black]`. `marks` tell
    apart what was not made in fp32, or not with weights known as the published ones."""
    kind, region = family(name), REGION_OF.get(name)
    parts: list[str] = []
    if kind == "PSNR":
        parts = ["rgb"]
    elif kind == "SSIM":
        parts = ["uniform7"]
    elif kind == "LPIPS":
        parts = [trunk, *([profile.lpips_input] if region else [])]
    elif kind == "CLIP":
        masking = {"FG": "black", "BG": profile.clip_bg}.get(region or "")
        parts = ["vit-base-patch32", *([masking] if masking else [])]
    elif kind == "DINO":
        parts = ["vits16"]
    return f"{name}[{','.join([*parts, *marks])}]"
