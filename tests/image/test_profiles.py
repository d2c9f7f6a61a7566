"""The profiles against a plain transcription of the table of their differences."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from redline.errors import UserError
from redline.image.figures import Figures
from redline.image.measuring import Measurer
from redline.image.profiles import ASPECT, CORRECTED, UPSTREAM, Profile, profile_named
from tests.image import naive
from tools.golden import seeded

SIDE = 224
REGION_MEASURES = ("LPIPS_FG", "LPIPS_BG", "CLIP_FG", "CLIP_BG")


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pictures")
    gold = seeded.picture(1, 150, 200)
    mask = seeded.mask(150, 200)
    pictures = {
        "gold": gold,
        "candidate": seeded.edited(gold, 2),
        "square": seeded.edited(gold, 2)[:, 25:175],
        "mask": mask.astype(np.uint8) * 255,
        "empty": np.zeros((150, 200), np.uint8),
        "full": np.full((150, 200), 255, np.uint8),
    }
    for name, array in pictures.items():
        Image.fromarray(array).save(folder / f"{name}.png")
    return folder


def measured(
    profile: Profile, files: Path, mask: str, folder: Path, candidate: str = "candidate"
) -> Figures:
    measurer = Measurer(replace(profile, side=SIDE), weights_dir=folder, trunk="alex")
    side = measurer.gold_side(None, files / "gold.png", files / f"{mask}.png")
    return measurer.measure(side, files / f"{candidate}.png")


@pytest.mark.parametrize("mask", ["mask", "empty", "full"])
@pytest.mark.parametrize("profile", [UPSTREAM, CORRECTED], ids=lambda p: p.name)
def test_a_profile_is_its_column_of_the_table(
    profile: Profile, mask: str, files: Path, weights: Callable[..., Path]
) -> None:
    folder = weights("alex", "clip")
    upstream = profile is UPSTREAM
    filter_ = Image.Resampling.BICUBIC if upstream else Image.Resampling.LANCZOS
    found = measured(profile, files, mask, folder)
    expected = naive.figures(
        *(naive.squashed(files / f"{n}.png", SIDE, filter_) for n in ("gold", "candidate")),
        naive.squashed_mask(files / f"{mask}.png", SIDE),
        naive.AlexLpips(),
        naive.ClipCosine(folder / "clip-vit-base-patch32"),
        upstream,
    )
    if not upstream and mask != "mask":
        empty = {"empty": "FG", "full": "BG"}[mask]
        for name in (f"LPIPS_{empty}", f"CLIP_{empty}"):
            assert name in found.undefined
            del expected[name]
    assert found.profile == profile.name
    assert set(found.metrics) == set(expected)
    for name, value in expected.items():
        assert found.metrics[name] == pytest.approx(value, abs=1e-5), name
    assert found.areas["FG"] == naive.squashed_mask(files / f"{mask}.png", SIDE).mean()


def test_the_profiles_differ_where_the_table_says_and_nowhere_else(
    files: Path, weights: Callable[..., Path]
) -> None:
    folder = weights("alex", "clip")
    corrected = measured(CORRECTED, files, "mask", folder).metrics
    same_filter = measured(replace(UPSTREAM, resampling="lanczos"), files, "mask", folder).metrics
    differ = {n for n in corrected if abs(corrected[n] - same_filter[n]) > 1e-6}
    assert differ == {"LPIPS_FG", "LPIPS_BG", "CLIP_BG"}
    assert same_filter["CLIP_BG"] == same_filter["CLIP_ALL"]


def test_aspect_compares_the_picture_in_shape_and_no_padding(
    files: Path, weights: Callable[..., Path]
) -> None:
    """The frame is 224 x 168, the gold's shape, so the padding a square needs counts nowhere but
    in CLIP, where it is black as what is masked."""
    folder = weights("alex", "clip")
    found = measured(ASPECT, files, "mask", folder)
    gold, candidate = (
        np.asarray(Image.open(files / f"{n}.png").resize((SIDE, 168), Image.Resampling.LANCZOS))
        for n in ("gold", "candidate")
    )
    mask = (
        np.asarray(Image.open(files / "mask.png").resize((SIDE, 168), Image.Resampling.NEAREST))
        > 128
    )
    assert found.metrics["PSNR"] == pytest.approx(naive.psnr(gold, candidate))
    assert found.metrics["SSIM"] == pytest.approx(naive.ssim(gold, candidate), abs=1e-9)
    m = naive.unit_range(np.repeat(mask[..., None], 3, axis=2).astype(np.uint8) * 255)
    a, b = naive.unit_range(gold) * m, naive.unit_range(candidate) * m
    expected = naive.AlexLpips().distance(2 * a - 1, 2 * b - 1)
    assert found.metrics["LPIPS_FG"] == pytest.approx(expected, abs=1e-6)
    square = [np.pad(p, ((28, 28), (0, 0), (0, 0))) for p in (gold, candidate)]
    expected = naive.ClipCosine(folder / "clip-vit-base-patch32").cosine(*square)
    assert found.metrics["CLIP_ALL"] == pytest.approx(expected, abs=1e-5)


def test_in_aspect_a_square_candidate_is_compared_only_where_it_lies(
    files: Path, weights: Callable[..., Path]
) -> None:
    """It is the middle of the full candidate, so its figures are those of both pictures' middle."""
    folder = weights("alex", "clip")
    found = measured(ASPECT, files, "mask", folder, "square")
    assert any("25 % of the gold lies beside the candidate" in w for w in found.warnings)
    gold = np.asarray(Image.open(files / "gold.png").resize((SIDE, 168), Image.Resampling.LANCZOS))[
        :, 28:196
    ]
    square = np.asarray(
        Image.open(files / "square.png").resize((168, 168), Image.Resampling.LANCZOS)
    )
    assert found.metrics["PSNR"] == pytest.approx(naive.psnr(gold, square))
    mask = np.asarray(Image.open(files / "mask.png").resize((SIDE, 168), Image.Resampling.NEAREST))[
        :, 28:196
    ]
    assert found.areas["FG"] == pytest.approx((mask > 128).mean())
    assert set(found.metrics) >= {*REGION_MEASURES, "LPIPS_ALL", "CLIP_ALL", "SSIM"}


def test_profiles_are_published_sizes_and_known_by_name() -> None:
    assert profile_named("corrected") is CORRECTED
    assert {p.side for p in (CORRECTED, UPSTREAM, ASPECT)} == {768}
    with pytest.raises(UserError, match="choose of corrected, upstream, aspect"):
        profile_named("paper")
