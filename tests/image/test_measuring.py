"""Measuring rows: right values or sentences for odd files, and the same figures however asked."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image

from redline.image.figures import Fault, Figures
from redline.image.measuring import Measurer
from redline.image.names import OFFERED, STANDARD
from redline.image.pool import Job, Pool
from redline.image.profiles import ASPECT, CORRECTED
from redline.pixels import encode_png, read_mask
from tests.image import naive
from tools.golden import seeded

SMALL = replace(CORRECTED, side=96)
PIXELS = ("PSNR", "SSIM")
GOLD = seeded.picture(1, 90, 120)
MASK = encode_png(seeded.mask(90, 120).astype(np.uint8) * 255)


def png(seed: int) -> bytes:
    return encode_png(seeded.edited(GOLD, seed))


@pytest.fixture(scope="module")
def measurer(weights: Callable[..., Path]) -> Measurer:
    folder = weights("alex", "clip", "dino")
    return Measurer(SMALL, STANDARD + OFFERED, weights_dir=folder, trunk="alex")


def test_every_measure_is_there_and_the_gold_itself_is_perfect(measurer: Measurer) -> None:
    side = measurer.gold_side(encode_png(GOLD), encode_png(GOLD), MASK, "make it red")
    found = measurer.measure(side, encode_png(GOLD))
    assert set(found.metrics) == set(STANDARD + OFFERED) and not found.undefined
    for name, value in found.metrics.items():
        if name.startswith("PSNR"):
            assert value == math.inf
        elif name.startswith("LPIPS"):
            assert value == 0
        elif name != "CLIP_TEXT":
            assert value == pytest.approx(1, abs=1e-6)
    assert found.warnings == ()
    assert found.sizes == dict.fromkeys(("candidate", "gold", "source"), (120, 90))


def test_dino_and_the_box_of_clip_are_what_transformers_gives(
    measurer: Measurer, weights: Callable[..., Path]
) -> None:
    from transformers import ViTImageProcessorPil, ViTModel

    folder = weights("clip", "dino")
    side = measurer.gold_side(None, encode_png(GOLD), MASK)
    found = measurer.measure(side, png(2)).metrics
    one, other = (
        np.asarray(Image.fromarray(p).resize((96, 96), Image.Resampling.LANCZOS))
        for p in (GOLD, seeded.edited(GOLD, 2))
    )
    mask = np.asarray(
        Image.fromarray(seeded.mask(90, 120)).resize((96, 96), Image.Resampling.NEAREST)
    )
    rows, columns = np.flatnonzero(mask.any(1)), np.flatnonzero(mask.any(0))
    height, width = np.ptp(rows) + 1, np.ptp(columns) + 1
    # The ellipse is 48 high and 38 wide here, and far from the edges.
    assert height > width
    left = columns[0] - (height - width) // 2
    crop = np.s_[rows[0] : rows[0] + height, left : left + height]
    clip = naive.ClipCosine(folder / "clip-vit-base-patch32")
    assert found["CLIP_BOX"] == pytest.approx(clip.cosine(one[crop], other[crop]), abs=1e-5)

    model = ViTModel.from_pretrained(folder / "dino-vits16", add_pooling_layer=False).eval()
    processor = ViTImageProcessorPil(
        size={"height": 224, "width": 224},
        resample=Image.Resampling.BICUBIC,
        image_mean=[0.485, 0.456, 0.406],
        image_std=[0.229, 0.224, 0.225],
    )
    with torch.no_grad():
        inputs = processor(images=[Image.fromarray(p) for p in (one, other)], return_tensors="pt")
        a, b = model(**inputs).last_hidden_state[:, 0]
    expected = float(torch.nn.functional.cosine_similarity(a, b, dim=0))
    assert found["DINO"] == pytest.approx(expected, abs=1e-5)


def test_clip_text_compares_the_candidate_with_the_text(
    measurer: Measurer, weights: Callable[..., Path]
) -> None:
    from transformers import CLIPTokenizer

    folder = weights("clip") / "clip-vit-base-patch32"
    clip = naive.ClipCosine(folder)
    tokens = CLIPTokenizer.from_pretrained(folder)(["make it red"], return_tensors="pt")
    with torch.no_grad():
        text = clip.model.get_text_features(**tokens).pooler_output[0]
    picture = np.asarray(
        Image.fromarray(seeded.edited(GOLD, 2)).resize((96, 96), Image.Resampling.LANCZOS)
    )
    expected = torch.nn.functional.cosine_similarity(text, clip.embedding(picture), dim=0)
    side = measurer.gold_side(None, encode_png(GOLD), MASK, "make it red")
    found = measurer.measure(side, png(2)).metrics["CLIP_TEXT"]
    assert found == pytest.approx(float(expected), abs=1e-5)
    long = measurer.gold_side(None, encode_png(GOLD), MASK, "x" * 200)
    assert any("cut off" in n for n in measurer.measure(long, png(2)).notes)
    silent = measurer.measure(measurer.gold_side(None, encode_png(GOLD), MASK), png(2))
    assert silent.undefined["CLIP_TEXT"] == "There is no text."


def test_without_a_mask_regions_are_undefined(measurer: Measurer) -> None:
    found = measurer.measure(measurer.gold_side(None, encode_png(GOLD), None, "x"), png(2))
    regional = {n for n in STANDARD + OFFERED if n.endswith(("_FG", "_BG", "_BOX"))}
    assert set(found.undefined) == regional
    assert set(found.undefined.values()) == {"There is no mask."}
    assert found.areas == {}


def test_a_thin_strip_has_no_lpips_and_says_why(weights: Callable[..., Path]) -> None:
    folder = weights("alex", "clip")
    measurer = Measurer(replace(ASPECT, side=96), weights_dir=folder, trunk="alex")
    strip = encode_png(GOLD[:3])
    found = measurer.measure(measurer.gold_side(None, strip, None), strip)
    assert found.undefined["LPIPS_ALL"] == "A side has less than 32 pixels."
    assert found.undefined["SSIM"] == "A side has less than 7 pixels."
    assert {"PSNR", "CLIP_ALL"} <= set(found.metrics)


def test_sizes_that_differ_by_more_than_one_per_cent_are_warned_of() -> None:
    measurer = Measurer(SMALL, PIXELS)
    side = measurer.gold_side(encode_png(GOLD[:, :90]), encode_png(GOLD), None)
    assert len(side.warnings) == 1
    assert "gold has 120 x 90 pixels, the source 90 x 90" in side.warnings[0]
    twice = np.repeat(np.repeat(GOLD, 2, axis=0), 2, axis=1)
    found = measurer.measure(side, encode_png(twice))
    assert "candidate has 240 x 180 pixels, the gold 120 x 90" in found.warnings[1]
    assert "100.0 %, its aspect is the same" in found.warnings[1]
    near = measurer.measure(side, encode_png(np.repeat(GOLD, 2, axis=0)[:91]))
    assert len(near.warnings) == 2
    one_off = seeded.picture(1, 200, 300)
    side = measurer.gold_side(None, encode_png(one_off), None)
    assert measurer.measure(side, encode_png(one_off[:199])).warnings == ()


def test_a_bad_row_is_a_fault_with_its_kind_and_stops_no_other(tmp_path: Path) -> None:
    measurer = Measurer(SMALL, PIXELS)
    html = tmp_path / "page.png"
    html.write_text("<!doctype html><p>502", encoding="utf-8")
    good, gold = png(2), encode_png(GOLD)
    rows = measurer.measure_rows(
        None, gold, MASK, [good, b"", html, tmp_path / "nowhere.png", good[:500], good]
    )
    assert [type(r) for r in rows] == [Figures, Fault, Fault, Fault, Fault, Figures]
    faults = [r for r in rows if isinstance(r, Fault)]
    assert {(f.kind, f.outcome) for f in faults} == {("candidate", "failed")}
    assert faults[0].areas["FG"] == pytest.approx(0.15708, abs=0.01)
    reasons = [f.reason for f in faults]
    assert reasons[0].startswith("The candidate has no bytes")
    assert reasons[1].startswith("The candidate is an HTML page")
    assert reasons[2].startswith("The candidate can't be read: there is no such file")
    assert reasons[3].startswith("The candidate is damaged or cut off")
    assert str(tmp_path) not in "".join(reasons)
    for kind, arguments in {
        "gold": (None, html, MASK),
        "mask": (None, gold, html),
        "source": (html, gold, MASK),
    }.items():
        unscored = measurer.measure_rows(*arguments, [good, good])
        assert [(r.kind, r.outcome) for r in unscored] == [(kind, "unscored")] * 2
        assert str(tmp_path) not in unscored[0].reason


def test_a_mask_of_another_size_is_never_stretched() -> None:
    measurer = Measurer(SMALL, PIXELS)
    half = encode_png(np.zeros((45, 60), np.uint8))
    (row,) = measurer.measure_rows(None, encode_png(GOLD), half, [png(2)])
    assert isinstance(row, Fault) and row.kind == "mask"
    assert row.reason.startswith("The mask has 60 x 45 pixels, but its gold has 120 x 90")


def test_our_own_fault_is_unscored(monkeypatch: pytest.MonkeyPatch) -> None:
    measurer = Measurer(SMALL, PIXELS)

    def broken(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr("redline.image.quality.psnr", broken)
    (row,) = measurer.measure_rows(None, encode_png(GOLD), MASK, [png(2)])
    assert isinstance(row, Fault)
    assert (row.kind, row.outcome) == ("harness", "unscored")


def test_pixel_measures_need_no_torch() -> None:
    import subprocess
    import sys

    code = (
        "import sys; from redline.image.measuring import Measurer; from redline.image.pool import "
        "Pool; from redline.image.networks import available; available(); "
        "Measurer(measures=['PSNR', 'SSIM_FG']).identity(); "
        "assert not {'torch', 'transformers'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_figures_do_not_depend_on_order_company_or_processes(
    measurer: Measurer, weights: Callable[..., Path]
) -> None:
    gold = encode_png(GOLD)
    candidates = [png(seed) for seed in (2, 3, 4, 5)]
    together = measurer.measure_rows(None, gold, MASK, candidates, "make it red")
    backwards = measurer.measure_rows(None, gold, MASK, candidates[::-1], "make it red")[::-1]
    alone = [measurer.measure_rows(None, gold, MASK, [c], "make it red")[0] for c in candidates]
    jobs = [Job(gold, (c,), MASK, text="make it red") for c in candidates]
    options = {"measures": STANDARD + OFFERED, "weights_dir": weights(), "trunk": "alex"}
    with Pool(2, SMALL, **options) as pool:
        spread = [rows[0] for rows in pool.measure(jobs)]
    for others in (backwards, alone, spread):
        for one, other in zip(together, others, strict=True):
            assert isinstance(one, Figures) and isinstance(other, Figures)
            assert set(one.metrics) == set(other.metrics)
            for name, value in one.metrics.items():
                assert other.metrics[name] == pytest.approx(value, abs=1e-6), name


def test_bf16_is_close_and_named(weights: Callable[..., Path]) -> None:
    folder = weights("alex", "clip")
    capable = getattr(torch.cpu, "get_capabilities", dict)()
    if not any(capable.get(n) for n in ("avx512_bf16", "amx_bf16", "bf16")):
        pytest.skip("this processor has no bf16")
    exact = Measurer(SMALL, weights_dir=folder, trunk="alex")
    quick = Measurer(SMALL, weights_dir=folder, trunk="alex", dtype="bf16")
    assert ",bf16" in quick.long_names()["LPIPS_FG"]
    rows = [m.measure_rows(None, encode_png(GOLD), MASK, [png(2)])[0] for m in (exact, quick)]
    for name, value in rows[0].metrics.items():
        assert rows[1].metrics[name] == pytest.approx(value, rel=0.05)


def test_odd_files_give_the_right_value_or_a_sentence(tmp_path: Path) -> None:
    folder = Path(__file__).parents[3] / "shared" / "cases" / "images"
    if not folder.is_dir():
        pytest.skip("no shared/cases/images beside the repository")
    measurer = Measurer(CORRECTED, PIXELS)
    names = sorted(p.name for p in folder.glob("gen*"))
    gold, mask = folder / "gt.png", folder / "mask.png"
    rows = dict(
        zip(
            names,
            measurer.measure_rows(folder / "source.png", gold, mask, [folder / n for n in names]),
            strict=True,
        )
    )
    sentences = {
        "gen_bomb_12000.png": "12000 x 12000 pixels",
        "gen_empty.png": "no bytes",
        "gen_not_an_image.png": "HTML page",
        "gen_truncated.jpg": "damaged or cut off",
        "gen_truncated.png": "damaged or cut off",
        "gen_two_frames.gif": "several frames",
    }
    for name, row in rows.items():
        if name in sentences:
            assert isinstance(row, Fault) and sentences[name] in row.reason
            assert row.outcome == "failed"
        else:
            assert isinstance(row, Figures), (name, row)
    plain = rows.pop("gen.png").metrics["PSNR"]
    # The same picture stored otherwise: as ink, turned, or at another size and aspect.
    for name in ("gen_cmyk.jpg", "gen_exif6.jpg", "gen_other_aspect.png"):
        assert rows[name].metrics["PSNR"] == pytest.approx(plain, abs=1.0), name
    assert any("aspect" in w for w in rows["gen_other_aspect.png"].warnings)
    assert any("EXIF orientation 6" in n for n in rows["gen_exif6.jpg"].notes)
    assert any("16 bits" in n for n in rows["gen_gray16.png"].notes)
    assert any("laid over white" in n for n in rows["gen_alpha.png"].notes)

    share = read_mask(mask).share
    regional = Measurer(CORRECTED, ("PSNR_FG", "PSNR_BG"))
    for name in ("mask.jpg", "mask_01.png", "mask_soft.png", "mask.png"):
        (row,) = regional.measure_rows(None, gold, folder / name, [folder / "gen.png"])
        assert row.areas["FG"] == pytest.approx(share, abs=0.002), name
    for name, region in (("mask_empty.png", "FG"), ("mask_full.png", "BG")):
        (row,) = regional.measure_rows(None, gold, folder / name, [folder / "gen.png"])
        assert set(row.undefined) == {f"PSNR_{region}"}
    (row,) = regional.measure_rows(None, gold, folder / "mask_half_size.png", [folder / "gen.png"])
    assert isinstance(row, Fault) and (row.kind, row.outcome) == ("mask", "unscored")
