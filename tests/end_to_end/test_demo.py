"""The demo, and the bundled benchmark it runs on."""

from __future__ import annotations

import io
import json
from collections import Counter
from csv import DictReader
from pathlib import Path

import pytest

from redline.bench import find, load
from redline.pixels import load_picture
from tests.end_to_end.command import Command

REAL = Path(__file__).resolve().parents[3] / "shared" / "cases" / "real-diagrams"


def test_mini_diagram_holds_what_it_promises() -> None:
    samples = load(find("mini-diagram")).samples
    assert len(samples) >= 30
    types = Counter(s.edit_type for s in samples)
    assert set(types) == {"ADD", "REMOVE", "UPDATE", "LAYOUT", "STRUCTURE"}
    assert min(types.values()) >= 5
    assert set(Counter(s.operations for s in samples)) == {1, 2, 3}
    assert min(Counter(s.drawn_with for s in samples).values()) >= 15
    assert len({s.id.partition("-")[0] for s in samples}) >= 10
    assert sum(len(s.golds) > 1 for s in samples) >= 20
    assert all(s.licence == "CC0-1.0" and s.instruction for s in samples)


@pytest.mark.tex
def test_every_second_gold_differs_in_pixels_from_the_first(redline: Command) -> None:
    done = redline("bench", "render", "mini-diagram", "--out", "pictures", "--json")
    assert done.status == 0, done.err
    for sample in load(find("mini-diagram")).samples:
        pictures = [
            load_picture(redline.folder / "pictures" / f"{sample.id}{k}.png").array.tobytes()
            for k in ("", ".gold", *(f".gold{n}" for n in range(2, len(sample.golds) + 1)))
        ]
        assert len(set(pictures)) == len(pictures), sample.id


@pytest.mark.tex
def test_the_demo_scores_the_baselines_in_their_known_order(redline: Command) -> None:
    ran = redline("demo", "--out", "demo", "--limit", 12)
    assert ran.status == 0, ran.err
    found = {}
    for name in ("oracle", "degraded", "identity"):
        done = redline("results", f"demo/runs/{name}", "--json")
        assert done.status == 0
        found[name] = done.json()
        assert found[name]["counts"] == {"scored": 12, "failed": 0, "unscored": 0, "missing": 0}
        assert not {"IA", "CP", "DR", "FSR"} & set(found[name]["metrics"])

    def mean(name: str, metric: str) -> float:
        return float(found[name]["metrics"][metric]["mean"])

    assert mean("oracle", "px_inside") == 1.0 and mean("identity", "px_inside") == 0.0
    assert 0.0 < mean("degraded", "px_inside") < 1.0
    assert (
        mean("oracle", "code_similarity")
        > mean("degraded", "code_similarity")
        > mean("identity", "code_similarity")
    )
    assert mean("identity", "px_outside") == 1.0
    assert all(mean(n, "px_outside") <= 1.0 for n in found)
    assert load_picture(redline.folder / "demo" / "demo.png").array.shape[0] > 500
    assert "demo.png" in ran.out and "oracle" in ran.out

    table = redline("results", "demo/runs/oracle", "demo/runs/identity", "--published")
    assert "published, not measured here" in table.out
    assert table.out.index("baseline/identity") < table.out.index("GPT-5.4")
    csv = redline("results", "demo/runs/oracle", "--by", "edit_type", "--csv")
    lines = {row["edit_type"]: row for row in DictReader(io.StringIO(csv.out))}
    by_type = found["oracle"]["by"]["edit_type"]
    assert set(lines) == set(by_type)
    for value, group in by_type.items():
        line, metric = lines[value], group["metrics"]["code_similarity"]
        assert (int(line["rows"]), line["complete"]) == (group["n"], "yes")
        assert float(line["code_similarity"]) == metric["mean"]
        ends = [line["code_similarity_low"], line["code_similarity_high"]]
        assert ([float(e) for e in ends] if any(ends) else None) == metric["ci95"]
    assert len(csv.out.splitlines()) == 6
    latex = redline("results", "demo/runs/oracle", "--latex")
    assert r"\toprule" in latex.out and r"px\_inside" in latex.out
    pair = redline("compare", "demo/runs/identity", "demo/runs/oracle", "--json")
    assert pair.json()["metrics"]["px_inside"]["mean"] == 1.0


@pytest.mark.tex
def test_outputs_made_elsewhere_are_scored_and_nothing_is_dropped_in_silence(
    redline: Command,
) -> None:
    samples = load(find("mini-diagram")).samples[:3]
    folder = redline.folder / "outputs"
    folder.mkdir()
    (folder / f"{samples[0].id}.tex").write_text(samples[0].golds[0])
    (folder / f"{samples[1].id}.md").write_text("I can't do that.")
    (folder / "stranger.tex").write_text("x")
    ran = redline("score", "mini-diagram", "outputs", "--limit", 3, "--out", "run", "--json")
    assert ran.status == 3, ran.err
    found = ran.json()
    assert found["counts"] == {"scored": 1, "failed": 1, "unscored": 0, "missing": 1}
    assert "stranger" in ran.err and samples[2].id in ran.err
    assert found["metrics"]["px_inside"]["mean"] == 0.5


@pytest.mark.tex
@pytest.mark.skipif(not REAL.is_dir(), reason="shared/cases/real-diagrams is not here")
def test_real_diagrams_are_checked_rendered_and_run_under_condition_text(
    redline: Command, fake_provider: object
) -> None:
    checked = redline("bench", "check", REAL)
    assert checked.status == 0, checked.err
    assert redline("bench", "render", REAL, "--out", "pictures").status == 0
    assert len(list((redline.folder / "pictures").glob("*.gold.png"))) == 16
    oracle = redline("eval", REAL, "--model", "baseline/oracle", "--out", "oracle", "--json")
    assert oracle.status == 0, oracle.err
    assert oracle.json()["metrics"]["px_inside"]["mean"] == 1.0
    refused = redline("eval", REAL, "--model", fake_provider.model("m"), "--out", "no")  # type: ignore[attr-defined]
    assert refused.status == 2 and "--condition text" in refused.err
    ran = redline(
        "eval", REAL, "--model", fake_provider.model("m"), "--judge",  # type: ignore[attr-defined]
        fake_provider.model("j"), "--condition", "text", "--out", "run", "--json",  # type: ignore[attr-defined]
    )  # fmt: skip
    assert ran.status == 0, ran.err
    assert ran.json()["n"] == 16 and "IA" in ran.json()["metrics"]
    manifest = (redline.folder / "run" / "run.json").read_text()
    assert json.loads(manifest)["params"]["condition"] == "text"
    assert str(REAL.parent) not in manifest
