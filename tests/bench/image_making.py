"""Makes small image benchmark folders to break in one place at a time."""

from pathlib import Path
from typing import Any

import numpy as np

from tests.bench.making import Folder

TOML = {"name": "small", "version": "1", "track": "image", "licence": "CC0-1.0"}
SIZE = (32, 48)
"""Height and width."""


def photo(seed: int = 0, size: tuple[int, int] = SIZE) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 200, (*size, 3), dtype=np.uint8)


def region(size: tuple[int, int] = SIZE) -> np.ndarray:
    """True in the middle: a quarter of the picture."""
    inside = np.zeros(size, bool)
    inside[size[0] // 4 : size[0] * 3 // 4, size[1] // 4 : size[1] * 3 // 4] = True
    return inside


def edited(picture: np.ndarray, by: int = 50) -> np.ndarray:
    """The picture, brighter by `by` in the middle."""
    return np.where(region(picture.shape[:2])[..., None], picture + np.uint8(by), picture).astype(
        np.uint8
    )


def mask(inside: np.ndarray | None = None) -> np.ndarray:
    return ((region() if inside is None else inside) * 255).astype(np.uint8)


class ImageFolder(Folder):
    """A folder of track image in the making."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self.toml = dict(TOML)

    def sample(self, id: str = "s1", rounds: tuple[int, ...] = (1,), **keys: Any) -> dict[str, Any]:
        """A line; each round brightens the middle a little more. `keys` are added to it."""
        picture = photo(seed=len(self.lines))
        self.picture(f"pictures/{id}.png", picture)
        turns = []
        for number in rounds:
            self.picture(f"golds/{id}-{number}.png", edited(picture, 10 * number))
            self.picture(f"masks/{id}-{number}.png", mask())
            turns.append({
                "round": number, "scale": "low", "instruction": f"Make it brighter ({number}).",
                "gold": f"golds/{id}-{number}.png", "mask": f"masks/{id}-{number}.png",
                "questions": [{"question": "Is it brighter?", "answer": "Yes"}],
            })  # fmt: skip
        self.lines.append({"id": id, "picture": f"pictures/{id}.png", "turns": turns, **keys})
        return self.lines[-1]

    def pair(self, context: str = "c", **keys: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        """A low and a high line over one picture."""
        low = self.sample(f"{context}-low", context=context, **keys)
        high = self.sample(f"{context}-high", context=context, **keys)
        high["picture"] = low["picture"]
        high["turns"][0] |= {"scale": "high", "gold": low["turns"][0]["gold"]}
        return low, high
