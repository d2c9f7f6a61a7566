"""Outputs made elsewhere: names of other benchmarks, exactly; nothing dropped in silence."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from redline.image.measure_stage import Measure, measure_key
from redline.image.measuring import Measurer
from redline.image.outputs import NO_OUTPUT, FromOutputs, Outputs, OutputsFault, find_outputs
from redline.image.profiles import Profile
from redline.run import RunFolder, Summary
from tests.image.track.making import (
    SQUARES,
    carry_out,
    dialogue,
    found,
    kept,
    picture,
    single,
    task,
)


def put(folder: Path, names: Iterable[str], data: bytes | None = None) -> Path:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(picture() if data is None else data)
    return folder


def matched(outputs: Outputs, folder: Path) -> dict[str, str]:
    return {id_: p.relative_to(folder).as_posix() for id_, p in outputs.files.items()}


def test_our_own_names_are_id_and_round(tmp_path: Path) -> None:
    asked = task(dialogue(tmp_path / "b", rounds=(1, 2, 3)), single(tmp_path / "b"))
    out = put(tmp_path / "out", ["d_1.png", "d/2.JPG", "s.webp", "notes.txt", "d_9.png"])
    outputs = find_outputs(out, asked)
    assert matched(outputs, out) == {"d/1": "d_1.png", "d/2": "d/2.JPG", "s/1": "s.webp"}
    assert outputs.surplus == ("d_9.png", "notes.txt") and outputs.missing == ("d/3",)


def test_names_of_omni_iie_bench(tmp_path: Path) -> None:
    pair = [
        single(tmp_path / "b", f"docci_007_{level}", origin="docci", context="docci_007")
        for level in ("low", "high")
    ]
    long = dialogue(tmp_path / "b", "gqa_12", (1, 2), origin="gqa")
    out = put(
        tmp_path / "out",
        ["docci/007_low.png", "docci/007_high.jpg", "gqa/12_1.png", "gqa/12_2.png"],
    )
    asked = task(*pair, long, mode="gt_input")
    outputs = find_outputs(out, asked)
    assert matched(outputs, out) == {
        "docci_007_low/1": "docci/007_low.png", "docci_007_high/1": "docci/007_high.jpg",
        "gqa_12/1": "gqa/12_1.png", "gqa_12/2": "gqa/12_2.png",
    }  # fmt: skip
    assert not outputs.surplus and not outputs.missing


@pytest.mark.parametrize(("mode", "kind"), [("gt_input", "inde"), ("cumulative", "iter")])
def test_names_of_magicbrush_tell_what_a_round_started_from(
    mode: Any, kind: str, tmp_path: Path
) -> None:
    asked = task(dialogue(tmp_path / "b", "139", (1, 2)), single(tmp_path / "b", "30"), mode=mode)
    out = put(
        tmp_path / "out",
        ["30/30_1.png", "139/139_1.png", "139/139_inde_2.png", "139/139_iter_2.png"],
    )
    outputs = find_outputs(out, asked)
    assert matched(outputs, out) == {
        "30/1": "30/30_1.png", "139/1": "139/139_1.png", "139/2": f"139/139_{kind}_2.png",
    }  # fmt: skip
    (other,) = outputs.surplus
    assert other.startswith("139/139_i") and kind not in other and "round 2 of 139" in other


def test_names_of_gedit_bench(tmp_path: Path) -> None:
    from dataclasses import replace

    sample = single(tmp_path / "b", "abc12_en")
    sample = replace(sample, turns=(replace(sample.turns[0], category="color_alter"),))
    out = put(tmp_path / "out", ["color_alter/en/abc12.png", "color_alter/cn/abc12.png"])
    outputs = find_outputs(out, task(sample, mode="single"))
    assert matched(outputs, out) == {"abc12_en/1": "color_alter/en/abc12.png"}
    assert outputs.surplus == ("color_alter/cn/abc12.png",)


def test_a_name_that_only_looks_like_one_matches_nothing(tmp_path: Path) -> None:
    asked = task(single(tmp_path / "b", "007"), mode="single")
    out = put(tmp_path / "out", ["7.png", "007 .png", "x007.png", "007_01.png", "sub/x/007.png"])
    outputs = find_outputs(out, asked)
    assert not outputs.files and len(outputs.surplus) == 5 and outputs.missing == ("007/1",)


def test_two_files_of_one_row_and_one_file_of_two_rows_are_refused(tmp_path: Path) -> None:
    asked = task(single(tmp_path / "b"), mode="single")
    out = put(tmp_path / "two", ["s.png", "s.jpg"])
    with pytest.raises(OutputsFault, match=r"Row s/1 has two outputs .*s\.jpg and s\.png"):
        find_outputs(out, asked)
    twins = task(dialogue(tmp_path / "b", "a", (1, 2)), single(tmp_path / "b", "a_1"))
    out = put(tmp_path / "one", ["a_1.png"])
    with pytest.raises(OutputsFault, match="could be the output of a/1 or of a_1/1"):
        find_outputs(out, twins)


def test_a_pattern_stands_in_place_of_the_known_names(tmp_path: Path) -> None:
    asked = task(dialogue(tmp_path / "b", rounds=(1, 2)))
    out = put(tmp_path / "out", ["set/r1-d-low.png", "set/r2-d-high.jpg", "d_1.png"])
    outputs = find_outputs(out, asked, "{origin}/r{round}-{id}-{scale}")
    assert matched(outputs, out) == {"d/1": "set/r1-d-low.png", "d/2": "set/r2-d-high.jpg"}
    assert outputs.surplus == ("d_1.png",)
    outputs = find_outputs(out, asked, "{origin}/r{round}-{id}-{scale}.png")
    assert matched(outputs, out) == {"d/1": "set/r1-d-low.png"}
    with pytest.raises(OutputsFault, match="has the field 'turn'; fields are id, round"):
        find_outputs(out, asked, "{id}_{turn}")


def test_a_pattern_that_does_not_tell_rows_apart_is_refused(tmp_path: Path) -> None:
    out = put(tmp_path / "out", ["d.png"])
    with pytest.raises(OutputsFault, match="could be the output of d/1 or of d/2"):
        find_outputs(out, task(dialogue(tmp_path / "b", rounds=(1, 2))), "{id}")


def test_an_output_of_a_round_that_is_left_out_is_told_with_the_reason(tmp_path: Path) -> None:
    asked = task(dialogue(tmp_path / "b", rounds=(1, 3)))
    out = put(tmp_path / "out", ["d_1.png", "d_3.png"])
    outputs = find_outputs(out, asked)
    assert outputs.surplus == ("d_3.png (round 3 of d, left out: round 2 is not in the benchmark)",)
    assert not outputs.missing


@pytest.mark.parametrize("kind", ["jsonl", "csv"])
def test_a_manifest_names_rows_and_files(kind: str, tmp_path: Path) -> None:
    asked = task(dialogue(tmp_path / "b", rounds=(1, 2, 3)), single(tmp_path / "b"))
    out = put(tmp_path / "out", ["x.png", "y.png", "z.png"])
    lines: list[dict[str, Any]] = [
        {"id": "d", "round": 1, "path": "x.png"}, {"id": "d", "round": 2, "path": "y.png"},
        {"id": "s", "path": "z.png"}, {"id": "who", "round": 1, "path": "x.png"},
        {"id": "d", "round": 7, "path": "x.png"},
    ]  # fmt: skip
    file = out / f"manifest.{kind}"
    if kind == "jsonl":
        file.write_text("".join(json.dumps(x) + "\n" for x in lines))
    else:
        told = [f"{x['id']},{x.get('round', '')},{x['path']}" for x in lines]
        file.write_text("\n".join(["id,round,path", *told, ""]))
    outputs = find_outputs(file, asked)
    assert matched(outputs, out) == {"d/1": "x.png", "d/2": "y.png", "s/1": "z.png"}
    assert outputs.surplus == ("who (x.png)", "d/7 (x.png)") and outputs.missing == ("d/3",)


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ('{"id": "d", "path": "x.png"}', "`round` of d is None"),
        ('{"id": "d", "round": 0, "path": "x.png"}', "`round` of d is 0"),
        ('{"id": "d", "round": true, "path": "x.png"}', "`round` of d is True"),
        ('{"id": "d", "round": 1}', "needs `id` and `path`"),
        ('{"id": "d", "round": 1, "path": "gone.png"}', "but there is no file"),
        ("[1]", "not an object"),
        ('{"id": "d", "id": "e"}', "twice"),
    ],
)
def test_a_faulty_manifest_is_refused_with_its_row(line: str, says: str, tmp_path: Path) -> None:
    out = put(tmp_path / "out", ["x.png"])
    (out / "m.jsonl").write_text(line + "\n")
    with pytest.raises(OutputsFault, match=r"m\.jsonl") as caught:
        find_outputs(out / "m.jsonl", task(dialogue(tmp_path / "b")))
    assert says in str(caught.value)


def test_a_manifest_that_is_not_there_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(OutputsFault, match="can't be read"):
        find_outputs(tmp_path / "none.jsonl", task(dialogue(tmp_path / "b")))


# -- in place of stage generate -----------------------------------------------------------------


def score(path: Path, **options: Any) -> Summary:
    asked = task(dialogue(path / "b"), candidate="outputs/out", **options)
    measurer = Measurer(Profile("small", side=32), ("SSIM",))
    outputs = find_outputs(path / "out", asked)
    stages = [FromOutputs(asked, outputs), Measure(asked, (measurer,))]
    return carry_out(path / "run", stages)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    for n in (1, 2, 3):
        put(tmp_path / "out", [f"d_{n}.png"], picture(*SQUARES[:n]))
    return tmp_path


def test_a_folder_of_golds_is_perfect(place: Path) -> None:
    assert score(place).exit_status == 0
    for n in (1, 2, 3):
        value = found(place / "run", "measure", measure_key(f"d/{n}#0", "small")).value
        assert value["metrics"]["SSIM"] == 1.0 and value["metrics"]["keep_SSIM"] == 1.0
    assert found(place / "run", "generate", "d/1#0").value["file"] == "d_1.png"


def test_without_the_round_before_only_preservation_is_not_known(place: Path) -> None:
    (place / "out" / "d_1.png").unlink()
    score(place)
    assert kept(place / "run", "generate", "d/1#0") is None, "it is missing"
    value = found(place / "run", "measure", measure_key("d/2#0", "small")).value
    assert value["metrics"] == {"SSIM": 1.0}
    assert "round started from is missing" in value["undefined"]["keep_SSIM"]


def test_a_file_that_is_gone_takes_its_record_along_and_comes_back(place: Path) -> None:
    score(place)
    (place / "out" / "d_2.png").unlink()
    assert score(place).exit_status == 3
    gone = found(place / "run", "generate", "d/2#0")
    assert (gone.status, gone.reason, dict(gone.blobs)) == ("unscored", NO_OUTPUT, {})
    put(place / "out", ["d_2.png"])
    score(place)
    assert found(place / "run", "generate", "d/2#0").status == "ok"


def test_a_file_that_is_no_picture_is_the_models_failure(place: Path) -> None:
    put(place / "out", ["d_3.png"], b"<html>")
    assert score(place).exit_status == 0
    record = found(place / "run", "generate", "d/3#0")
    assert (record.status, record.reason) == ("failed", "unreadable_picture")
    assert "HTML page" in record.value["message"] and str(place) not in str(record.value)


def test_an_untouched_file_is_not_read_again(place: Path) -> None:
    assert score(place).stages["generate"].done_now == 3
    assert score(place).stages["generate"].done_now == 0
    put(place / "out", ["d_1.png"])
    summary = score(place)
    assert summary.stages["generate"].done_now == 1
    with RunFolder.open(place / "run") as folder:
        assert folder.get("measure", measure_key("d/3#0", "small")) is not None
