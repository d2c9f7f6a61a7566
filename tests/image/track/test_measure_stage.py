"""Stage measure, with the real figures from pixels: what is measured against what, and kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from redline.bench.image_sample import ImageSample
from redline.image.figures import Figures
from redline.image.generate import Generate
from redline.image.measure_stage import (
    GoldSides,
    Measure,
    long_names,
    measure_key,
    profiles_measured,
)
from redline.image.measuring import Measurer
from redline.image.profiles import Profile
from redline.image.task import ImageTask
from redline.models.protocol import Reply, Request
from redline.pixels import encode_png
from redline.run import RunFolder
from redline.track import Done
from tests.image.track.making import (
    Model,
    adds_squares,
    array_of,
    carry_out,
    dialogue,
    found,
    give,
    mask,
    picture,
    say,
    seen,
    single,
    task,
    words,
)

SMALL = Profile("small", side=32)
PIXELS = Measurer(SMALL, ("PSNR", "SSIM", "PSNR_FG", "PSNR_BG", "SSIM_FG", "SSIM_BG"))


def measured(
    path: Path, asked: ImageTask, model: Any = None, measurers: Sequence[Any] = (PIXELS,)
) -> Any:
    return carry_out(path, [Generate(asked), Measure(asked, measurers)], model)


def value(path: Path, row: str, profile: str = "small") -> Any:
    return found(path, "measure", measure_key(row, profile)).value


def test_the_gold_itself_is_perfect_and_an_infinite_psnr_is_kept_as_text(tmp_path: Path) -> None:
    asked = task(single(tmp_path / "b"), candidate="baseline/oracle", mode="single")
    assert measured(tmp_path / "run", asked).exit_status == 0
    kept = value(tmp_path / "run", "s/1#0")
    assert kept["metrics"]["SSIM"] == 1.0 and kept["metrics"]["PSNR"] == "inf"
    assert kept["areas"]["FG"] == pytest.approx(64 / 32**2)
    assert kept["sizes"] == {"candidate": [32, 32], "gold": [32, 32], "source": [32, 32]}
    assert kept["names"]["SSIM"] == "SSIM[uniform7]" and kept["warnings"] == []


def test_baselines_keep_their_order_inside_the_mask_and_none_beats_identity_outside(
    tmp_path: Path,
) -> None:
    sample = dialogue(tmp_path / "b", rounds=(1, 2))
    inside: dict[str, list[float]] = {}
    outside: dict[str, list[float]] = {}
    for kind in ("oracle", "degraded", "identity"):
        run = tmp_path / kind
        measured(run, task(sample, candidate=f"baseline/{kind}", mode="gt_input"))
        metrics = [value(run, f"d/{n}#0")["metrics"] for n in (1, 2)]
        inside[kind] = [float(m["PSNR_FG"]) for m in metrics]
        outside[kind] = [float(m["keep_PSNR"]) for m in metrics]
        assert all(0 < float(m["keep_SSIM"]) <= 1 for m in metrics)
    for n in (0, 1):
        assert inside["oracle"][n] > inside["degraded"][n] > inside["identity"][n] > 0
    assert outside["identity"] == [np.inf, np.inf] == outside["oracle"]


def test_preservation_is_against_the_models_own_last_picture(tmp_path: Path) -> None:
    def paints_all_then_waits(request: Request) -> Reply:
        first = words(request).startswith("Add square 1")
        return give(picture((0, 0, (9, 9, 9)), side=32) if first else seen(request)[0])

    asked = task(dialogue(tmp_path / "b", rounds=(1, 2)))
    measured(tmp_path / "run", asked, Model(paints_all_then_waits))
    first, second = (value(tmp_path / "run", f"d/{n}#0")["metrics"] for n in (1, 2))
    assert first["keep_PSNR"] < 30, "round 1 changed the sample's picture outside its mask"
    assert second["keep_PSNR"] == "inf" and second["keep_SSIM"] == 1.0, "round 2 changed nothing"
    assert second["PSNR_BG"] < 30, "though against the gold it is far off"


def test_a_mask_follows_the_size_of_the_models_own_picture(tmp_path: Path) -> None:
    def doubles(request: Request) -> Reply:
        return give(encode_png(np.repeat(np.repeat(array_of(seen(request)[0]), 2, 0), 2, 1)))

    asked = task(dialogue(tmp_path / "b", rounds=(1, 2)))
    summary = measured(tmp_path / "run", asked, Model(doubles))
    assert summary.exit_status == 0
    told = value(tmp_path / "run", "d/2#0")
    assert told["sizes"]["candidate"] == [128, 128]
    assert any("differs by 300.0 %" in w for w in told["warnings"])
    assert told["metrics"]["keep_SSIM"] > 0.9


def test_without_gold_or_mask_figures_are_undefined_by_name_and_with_a_reason(
    tmp_path: Path,
) -> None:
    sample = single(tmp_path / "b", goldless=[1])
    run = tmp_path / "goldless"
    measured(run, task(sample, mode="single"), Model(adds_squares))
    told = value(run, "s/1#0")
    assert told["undefined"]["SSIM"] == "There is no gold."
    assert set(told["metrics"]) == {"keep_PSNR", "keep_SSIM"}
    plain = single(tmp_path / "c")
    bare = replace(plain, turns=(replace(plain.turns[0], mask=None),))
    measured(tmp_path / "maskless", task(bare, mode="single"), Model(adds_squares))
    told = value(tmp_path / "maskless", "s/1#0")
    assert told["undefined"]["PSNR_FG"] == "There is no mask." == told["undefined"]["keep_SSIM"]
    assert told["metrics"]["SSIM"] == 1.0


def test_a_failed_row_has_no_figures_and_says_what_it_is_penalised_for(tmp_path: Path) -> None:
    sample = single(tmp_path / "b")
    assert sample.turns[0].mask is not None
    sample.turns[0].mask.write_bytes(encode_png(np.zeros((32, 32), np.uint8)))
    refuses = Model(lambda request: say("No.", "refusal"))
    measured(tmp_path / "run", task(sample, mode="single"), refuses)
    record = found(tmp_path / "run", "measure", measure_key("s/1#0", "small"))
    assert (record.status, record.reason) == ("failed", "refusal")
    assert "metrics" not in record.value
    assert "SSIM" in record.value["penalised"] and "PSNR_FG" not in record.value["penalised"]
    assert record.value["undefined"]["PSNR_FG"] == "The mask has no foreground."


def test_a_gold_that_cannot_be_read_costs_its_row_alone(tmp_path: Path) -> None:
    broken, whole = single(tmp_path / "b", "broken"), single(tmp_path / "b", "whole")
    assert broken.turns[0].gold is not None
    broken.turns[0].gold.write_bytes(b"no picture")
    asked = task(broken, whole, mode="single")
    summary = measured(tmp_path / "run", asked, Model(adds_squares))
    assert summary.exit_status == 3
    record = found(tmp_path / "run", "measure", measure_key("broken/1#0", "small"))
    assert record.status == "unscored" and str(record.reason).startswith("gold: ")
    assert str(tmp_path) not in str(record)
    assert found(tmp_path / "run", "measure", measure_key("whole/1#0", "small")).status == "ok"


def test_a_mask_of_another_size_than_its_gold_is_never_stretched(tmp_path: Path) -> None:
    sample = single(tmp_path / "b")
    assert sample.turns[0].mask is not None
    sample.turns[0].mask.write_bytes(mask(0, 0, side=16))
    measured(tmp_path / "run", task(sample, mode="single"), Model(adds_squares))
    record = found(tmp_path / "run", "measure", measure_key("s/1#0", "small"))
    assert record.status == "unscored" and "16 x 16" in str(record.reason)


def test_several_profiles_are_measured_side_by_side_and_found_again(tmp_path: Path) -> None:
    other = Measurer(Profile("tiny", side=16), ("SSIM",))
    asked = task(single(tmp_path / "b"), mode="single")
    measured(tmp_path / "run", asked, Model(adds_squares), (PIXELS, other))
    with RunFolder.open(tmp_path / "run") as folder:
        assert profiles_measured(folder) == ["small", "tiny"]
        assert long_names(folder, "tiny") == {"SSIM": "SSIM[uniform7]"}
        assert long_names(folder, "none") == {}
    assert value(tmp_path / "run", "s/1#0", "tiny")["profile"] == "tiny"


@dataclass
class Counting:
    """A measurer that counts how often a gold was prepared."""

    name: str = "counting"
    version: int = 1
    prepared: list[bytes] = field(default_factory=list)
    measures: tuple[str, ...] = ("SSIM",)

    @property
    def profile(self) -> Profile:
        return Profile(self.name, side=32)

    def identity(self) -> dict[str, Any]:
        return {"version": self.version}

    def long_names(self) -> dict[str, str]:
        return {}

    def gold_side(self, source: Any, gold: bytes, mask: Any, text: str | None = None) -> Any:
        self.prepared.append(gold)
        return PIXELS.gold_side(source, gold, mask, text)

    def measure(self, gold_side: Any, candidate: bytes) -> Figures:
        return PIXELS.measure(gold_side, candidate)


def both(tmp_path: Path, sides: GoldSides | None) -> Counting:
    counting = Counting()
    asked = task(single(tmp_path / "b", "a"), single(tmp_path / "b", "c"), mode="single", epochs=3)
    stages = [Generate(asked), Measure(asked, (counting,), sides)]
    assert carry_out(tmp_path / "run", stages, Model(adds_squares)).exit_status == 0
    return counting


def test_epochs_of_a_turn_share_what_its_gold_was_prepared_to(tmp_path: Path) -> None:
    # Two rows are measured at once: the same gold may be prepared twice, but not three times.
    assert len(both(tmp_path, GoldSides(keep=2)).prepared) <= 4


def inputs(sample: ImageSample, measurer: Any, record: Done) -> str:
    class One:
        def get(self, stage: str, key: str) -> Done | None:
            return record

        def all(self, stage: str) -> list[Done]:
            return [record]

    asked = task(sample, mode="single")
    (unit,) = Measure(asked, (measurer,)).units(One())
    assert unit.key == "s/1#0@counting"
    return unit.inputs


def test_figures_are_stale_when_a_picture_or_the_measurer_changes(tmp_path: Path) -> None:
    sample = single(tmp_path / "b")
    made = Done("generate", "s/1#0", "", "ok", None, {}, {"picture": "a" * 64})
    first = inputs(sample, Counting(), made)
    assert inputs(sample, Counting(), made) == first
    assert inputs(sample, Counting(version=2), made) != first
    assert inputs(sample, Counting(), replace(made, blobs={"picture": "b" * 64})) != first
    assert sample.turns[0].mask is not None
    sample.turns[0].mask.write_bytes(mask(0, 0))
    assert inputs(sample, Counting(), made) != first
