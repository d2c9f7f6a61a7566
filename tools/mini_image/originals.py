"""The photographs as they are used: originals found by their hash, cut, and made smaller."""

from __future__ import annotations

import hashlib
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

SOURCES = Path(__file__).with_name("sources.toml")


def sources() -> dict[str, dict[str, Any]]:
    """What is known of each photograph, by its name."""
    return tomllib.loads(SOURCES.read_text("utf-8"))


def photograph(name: str, packages: Path) -> NDArray[np.uint8]:
    """A photograph, height x width x 3, made from the original in a folder of installed packages.

    Raises ValueError where the original has other bytes than sources.toml says.
    """
    source = sources()[name]
    path = packages / source["file"]
    found = hashlib.sha256(path.read_bytes()).hexdigest()
    if found != source["sha256"]:
        raise ValueError(
            f"{source['file']} has SHA-256 {found}, not {source['sha256']}: install "
            f"{source['package']} and try again."
        )
    left, top, right, bottom = source["crop"]
    image = Image.open(path).convert("RGB").crop((left, top, right, bottom))
    size = (source["width"], round(source["width"] * (bottom - top) / (right - left)))
    return np.asarray(image.resize(size, Image.Resampling.LANCZOS))
