"""Photographs from the command line: a made benchmark, a fake editor and a fake judge."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from tests.end_to_end.command import Command
from tests.fake_provider.fixture import FakeProvider
from tests.image.track.making import SQUARES, mask, picture

YES = json.dumps({"reasons": {"correct": "It is there."}, "scores": {"correct": True}})


def write_benchmark(folder: Path) -> Path:
    """Two pairs of low and high edits and two dialogues, one with a gap."""
    bench = folder / "photos"
    (bench / "files").mkdir(parents=True)

    def kept(name: str, data: bytes) -> str:
        (bench / "files" / name).write_bytes(data)
        return f"files/{name}"

    def turn(id_: str, round_: int, gold: bytes, scale: str) -> dict[str, Any]:
        y, x, _ = SQUARES[round_ - 1]
        return {
            "round": round_,
            "scale": scale,
            "instruction": f"Add square {round_}.",
            "gold": kept(f"{id_}-{round_}.png", gold),
            "mask": kept(f"{id_}-{round_}-mask.png", mask(y, x)),
            "questions": [{"question": f"Is square {round_} there?", "answer": "yes"}],
        }

    lines = []
    for context in ("a", "b"):
        name = kept(f"{context}.png", picture())
        for scale, round_ in (("low", 1), ("high", 2)):
            gold = picture(SQUARES[round_ - 1])
            single = {**turn(f"{context}-{scale}", round_, gold, scale), "round": 1}
            lines.append(
                {"id": f"{context}-{scale}", "picture": name, "context": context,
                 "source_id": context, "turns": [single]}
            )  # fmt: skip
    for id_, rounds in (("long", (1, 2, 3)), ("gap", (1, 3))):
        turns = [turn(id_, r, picture(*SQUARES[:r]), "lh"[r % 2] and ("low", "high")[r % 2])
                 for r in rounds]  # fmt: skip
        lines.append({"id": id_, "picture": kept(f"{id_}.png", picture()), "turns": turns})
    (bench / "samples.jsonl").write_text("\n".join(map(json.dumps, lines)) + "\n")
    (bench / "benchmark.toml").write_text(
        'name = "photos"\nversion = "1"\ntrack = "image"\nlicence = "CC0-1.0"\n'
    )
    return bench


@pytest.fixture
def bench(redline: Command) -> Path:
    return write_benchmark(redline.folder)


def test_the_three_baselines_come_out_in_their_known_order(redline: Command, bench: Path) -> None:
    assert redline("bench", "check", bench).status == 0
    inside = {}
    for name in ("oracle", "degraded", "identity"):
        ran = redline("eval", bench, "--model", f"baseline/{name}", "--out", name, "--json",
                      "--measures", "PSNR,SSIM,SSIM_FG,SSIM_BG")  # fmt: skip
        assert ran.status == 0, ran.err
        found = ran.json()
        # Round 3 behind the gap is left out of a cumulative run, and told.
        assert found["n"] == 4 + 3 + 1 and "Left out: round 3 of gap" in ran.err
        assert (found["profile"], found["turns_mode"]) == ("corrected", "cumulative")
        inside[name] = found["metrics"]["SSIM_FG"]["mean"]
        assert found["metrics"]["keep_SSIM"]["mean"] == pytest.approx(1.0)
    assert inside["oracle"] == 1.0 > inside["degraded"] > inside["identity"]
    oracle = redline("results", "oracle", "--json").json()
    assert oracle["metrics"]["PSNR"] == {"mean": None, "ci95": None, "n": 0, "infinite": 8}
    assert "LPIPS_ALL" not in oracle["metrics"]
    table = redline("results", "oracle", "identity", "--published").out
    assert "published, not measured here" in table and "Omni IIE Bench" in table
    pair = redline("compare", "identity", "oracle", "--json").json()
    assert pair["metrics"]["SSIM_FG"]["mean"] > 0


def test_figures_that_need_networks_are_absent_and_told_never_replaced(
    redline: Command, bench: Path
) -> None:
    (redline.folder / "none").mkdir()
    ran = redline("eval", bench, "--model", "baseline/oracle", "--out", "run", "--json",
                  "--weights", "none", env={"HF_HOME": "none", "TORCH_HOME": "none"})  # fmt: skip
    assert ran.status == 0, ran.err
    assert {"PSNR", "SSIM"} <= set(ran.json()["metrics"])
    assert not {n for n in ran.json()["metrics"] if n.startswith(("LPIPS", "CLIP", "Overall"))}
    assert "Absent: LPIPS_ALL" in ran.err and "CLIP_ALL" in ran.err


def test_profiles_are_measured_later_and_shown_side_by_side(redline: Command, bench: Path) -> None:
    measures = ("--measures", "PSNR,SSIM")
    redline("eval", bench, "--model", "baseline/identity", "--out", "run", *measures)
    ran = redline("measure", "run", "--bench", bench, "--profiles", "upstream,aspect")
    assert ran.status == 0, ran.err
    every = redline("results", "run", "--profiles", "--json").json()
    assert [v["profile"] for v in every] == ["aspect", "corrected", "upstream"]
    assert redline("results", "run", "--profile", "sideways").status == 2


def test_a_model_edits_in_turns_and_a_judge_answers_questions(
    redline: Command, bench: Path, fake_provider: FakeProvider
) -> None:
    fake_provider.answers({"model": "judge", "text": YES})
    arguments = (
        "eval", bench, "--model", fake_provider.model("editor"), "--answers", "auto", "--judge",
        fake_provider.model("judge"), "--retention", "--measures", "PSNR,SSIM", "--out", "run",
        "--json",
    )  # fmt: skip
    ran = redline(*arguments)
    assert ran.status == 0, ran.err
    found = ran.json()
    assert found["counts"]["scored"] == 8 and found["metrics"]["QA"]["mean"] == 1.0
    assert found["metrics"]["retention"]["n"] == 2
    assert [p["round"] for p in found["turns"]["curve"]] == [1, 2, 3]
    assert found["judge_details"]["questions"][0] == "referee"
    asked = len(fake_provider.calls())
    assert redline(*arguments).json()["metrics"] == found["metrics"]
    assert len(fake_provider.calls()) == asked
    lines = list(csv.DictReader(io.StringIO(redline("results", "run", "--rows").out)))
    assert {r["row"] for r in lines} >= {"long/3#0", "a-low/1#0"}
    assert all(r["outcome"] == "scored" and float(r["QA"]) == 1.0 for r in lines)
    again = redline("judge", "run", "--bench", bench, "--judge", fake_provider.model("other"),
                    "--questions", "answer-match", "--json")  # fmt: skip
    assert again.status in (0, 3) and again.json()["judge"].endswith("#other")


def test_a_refused_round_ends_its_dialogue_and_counts_once_as_the_models_own(
    redline: Command, bench: Path, fake_provider: FakeProvider
) -> None:
    fake_provider.faults({"fault": "refusal", "calls": [1]})
    ran = redline(
        "eval", bench, "--model", fake_provider.model("editor"), "--ids", "long", "--measures",
        "SSIM", "--out", "run", "--json",
    )  # fmt: skip
    assert ran.status == 0, ran.err
    found = ran.json()
    assert found["counts"] == {"scored": 1, "failed": 2, "unscored": 0, "missing": 0}
    assert "failed: follows_failed_round" in found["reasons"]
    assert len(fake_provider.calls()) == 2


def test_outputs_made_elsewhere_are_scored_by_name_and_nothing_is_dropped_in_silence(
    redline: Command, bench: Path
) -> None:
    outputs = redline.folder / "outputs"
    outputs.mkdir()
    (outputs / "a-low.png").write_bytes(picture(SQUARES[0]))
    (outputs / "b-low.png").write_bytes(b"<html>no picture</html>")
    (outputs / "zebra.png").write_bytes(picture())
    ran = redline("score", bench, outputs, "--ids", "a-low,a-high,b-low", "--measures", "SSIM",
                  "--out", "run", "--json")  # fmt: skip
    assert ran.status == 3, ran.err
    found = ran.json()
    assert found["counts"] == {"scored": 1, "failed": 1, "unscored": 0, "missing": 1}
    assert "zebra.png" in ran.err and "No output: a-high/1" in ran.err
    assert found["metrics"]["SSIM"] == {"mean": 1.0, **found["metrics"]["SSIM"]}


def test_options_of_the_other_track_are_refused(redline: Command, bench: Path) -> None:
    ran = redline("eval", bench, "--model", "baseline/oracle", "--edit-type", "ADD")
    assert ran.status == 2 and "no edit types" in ran.err
    ran = redline("eval", bench, "--model", "baseline/oracle", "--inputs", "code")
    assert ran.status == 2 and "--inputs" in ran.err and "track image" in ran.err
    ran = redline("eval", "mini-diagram", "--model", "baseline/oracle", "--turns", "gt_input")
    assert ran.status == 2 and "--turns" in ran.err and "track diagram" in ran.err
