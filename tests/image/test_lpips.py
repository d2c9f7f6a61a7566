"""LPIPS against the `lpips` package's values, and patches against whole pictures."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch

from redline.errors import UserError
from redline.image.perceptual.lpips import Lpips
from redline.image.perceptual.weights import HEADS, Weights, trunk_weights
from redline.image.regions import Regions
from tools.golden import seeded

GOLDEN = json.loads((Path(__file__).parent / "golden.json").read_text())["lpips"]
TRUNKS = ("alex", "vgg", "squeeze")


def measured(net: Lpips, height: int, width: int, mask: np.ndarray, seed: int) -> dict[str, float]:
    gold = seeded.picture(seed, height, width)
    regions = Regions(mask)
    features = net.features(gold, regions)
    return net.distances(features, seeded.edited(gold, seed + 10), regions)


@pytest.mark.parametrize("trunk", TRUNKS)
@pytest.mark.parametrize("masking", ["black", "twice"])
def test_lpips_is_that_of_the_lpips_package(
    trunk: str, masking: str, weights: Callable[..., Path]
) -> None:
    found = trunk_weights(trunk, weights(trunk))
    net = Lpips(trunk, found, torch.float32, twice=masking == "twice")
    for case, golden in GOLDEN[trunk].items():
        seed, height, width = map(int, case.split())
        values = measured(net, height, width, seeded.mask(height, width), seed)
        assert values["ALL"] == pytest.approx(golden["ALL"], abs=1e-6)
        for region in ("FG", "BG"):
            assert values[region] == pytest.approx(golden[f"{region} {masking}"], abs=1e-6)


def boxes(height: int, width: int) -> list[tuple[slice, slice]]:
    """Masks where patches could go wrong: a pixel, corners, edges, strips, everything."""
    return [
        np.s_[height // 2 : height // 2 + 1, width // 3 : width // 3 + 1],
        np.s_[:3, :5],
        np.s_[height - 2 :, width - 7 :],
        np.s_[:, width // 2 : width // 2 + 9],
        np.s_[height - 1 :, :],
        np.s_[:, :],
    ]


@pytest.mark.parametrize("trunk", ["alex", "squeeze"])
@pytest.mark.parametrize("size", [(97, 64), (400, 303)])
def test_patches_give_what_whole_masked_pictures_give(
    trunk: str, size: tuple[int, int], weights: Callable[..., Path]
) -> None:
    net = Lpips(trunk, trunk_weights(trunk, weights(trunk)), torch.float32, twice=False)
    gold = seeded.picture(7, *size)
    candidate = seeded.edited(gold, 8)
    for box in boxes(*size):
        mask = np.zeros(size, bool)
        mask[box] = True
        regions = Regions(mask)
        found = net.distances(net.features(gold, regions), candidate, regions)
        for region, kept in (("FG", mask), ("BG", ~mask)):
            k = kept[..., None].astype(np.uint8)
            whole = net.distances(net.features(gold * k, None), candidate * k, None)["ALL"]
            assert found[region] == pytest.approx(whole, abs=1e-6), (region, box)


def test_the_bundled_heads_are_the_published_ones() -> None:
    # SHA-256 of lpips/weights/v0.1 in the package lpips 0.1.4.
    published = {"alex": "df73285e35b2", "vgg": "a78928a0af1e", "squeeze": "4a5350f23600"}
    for trunk, start in published.items():
        weights = Weights("x", HEADS / f"{trunk}.pth", HEADS / f"{trunk}.pth")
        assert weights.digest.startswith(start)


def test_another_trunks_file_is_told(weights: Callable[..., Path], tmp_path: Path) -> None:
    alex = trunk_weights("alex", weights("alex")).tensors
    with pytest.raises(UserError, match="does not hold torchvision's weights"):
        Lpips("vgg", Weights("x", alex, HEADS / "vgg.pth"), torch.float32, twice=False)
    broken = tmp_path / "vgg16-397923af.pth"
    broken.write_bytes(b"<html>not found</html>")
    with pytest.raises(UserError, match="can't be loaded"):
        Lpips("vgg", Weights("x", broken, HEADS / "vgg.pth"), torch.float32, twice=False)


def test_a_file_of_weights_can_not_run_code(tmp_path: Path) -> None:
    class Evil:
        def __reduce__(self) -> tuple[object, tuple[str]]:
            return (Path.touch, (tmp_path / "ran",))  # type: ignore[return-value]

    evil = tmp_path / "vgg16-397923af.pth"
    torch.save({"features.0.weight": Evil()}, evil)
    with pytest.raises(UserError, match="more than tensors"):
        Lpips("vgg", Weights("x", evil, HEADS / "vgg.pth"), torch.float32, twice=False)
    assert not (tmp_path / "ran").exists()
