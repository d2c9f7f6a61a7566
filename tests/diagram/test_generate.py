"""Stage generate: what makes a unit stale, and what a baseline is where nothing can be drawn."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from redline.bench.sample import DiagramSample
from redline.diagram import Generate, InputPictures, baselines, conditions, reading
from redline.models.protocol import Request
from redline.run import RunFolder
from redline.tex import Engine, Render
from tests.diagram.making import (
    GOLD,
    ORIGINAL,
    PNG,
    SAMPLE,
    FakeRenderer,
    carry_out,
    fails,
    kept,
    page,
    task,
)
from tests.run import toy

DOCUMENT = "```latex\n\\documentclass{x}\n\\begin{document}\nedited\n\\end{document}\n```"


def stage(renderer: FakeRenderer, *samples: DiagramSample, **options: Any) -> Generate:
    asked = task(*samples, **options)
    return Generate(asked, InputPictures(renderer, asked.input_size), renderer)


def inputs(made: Generate) -> str:
    (unit,) = made.units(RunFolder)  # type: ignore[arg-type]
    return unit.inputs


def degraded(renderer: FakeRenderer) -> Generate:
    return stage(renderer, candidate="baseline/degraded")


def drawn_apart(code: str, engine: Engine) -> Render:
    return page(code, engine, png=code.encode())


@pytest.mark.parametrize("missing", [ORIGINAL, GOLD, "part"])
def test_degraded_is_unscored_where_its_codes_cannot_be_drawn_and_is_tried_again(
    missing: str, tmp_path: Path
) -> None:
    def draws(code: str, engine: Engine) -> Render:
        gone = code == missing or (missing == "part" and code not in (ORIGINAL, GOLD))
        lacking = fails("missing_package", engine, "unavailable")
        return lacking if gone else drawn_apart(code, engine)

    carry_out(tmp_path, [degraded(FakeRenderer(draws))])
    found = kept(tmp_path, "generate")
    assert (found.status, dict(found.blobs)) == ("unscored", {})
    what = {ORIGINAL: "its original", GOLD: "its gold"}.get(missing, "a part of its edit")
    assert str(found.reason).startswith(f"degraded: {what} does not render here: ")
    carry_out(tmp_path, [degraded(FakeRenderer(drawn_apart))])
    assert kept(tmp_path, "generate").status == "ok"


def test_degraded_without_a_part_that_compiles_is_still_the_original_with_a_note(
    tmp_path: Path,
) -> None:
    def draws(code: str, engine: Engine) -> Render:
        whole = code in (ORIGINAL, GOLD)
        return drawn_apart(code, engine) if whole else fails("syntax", engine)

    carry_out(tmp_path, [degraded(FakeRenderer(draws))])
    found = kept(tmp_path, "generate")
    assert found.status == "ok" and "identity" in found.value["note"]


def test_only_what_is_drawn_depends_on_the_renderer(tmp_path: Path) -> None:
    picture = tmp_path / "p.png"
    picture.write_bytes(PNG)
    committed = replace(SAMPLE, picture=picture)

    def stale(*samples: DiagramSample, **options: Any) -> bool:
        before, after = (inputs(stage(FakeRenderer(print=p), *samples, **options)) for p in "12")
        return before != after

    assert stale(candidate="baseline/degraded")
    assert not stale(candidate="baseline/oracle")
    assert stale(), "the picture a model is sent is rendered"
    assert not stale(committed)
    assert not stale(inputs=("code",))


def test_code_that_decides_what_is_generated_has_versions_in_the_digest(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def of(**options: Any) -> str:
        return inputs(stage(FakeRenderer(), **options))

    asked = {"code": {}, "picture": {"want": "picture"}, "base": {"candidate": "baseline/oracle"}}
    for module, name, stale in (
        (reading, "READER_VERSION", {"code"}),
        (conditions, "ASKING_VERSION", {"code", "picture"}),
        (baselines, "BASELINES_VERSION", {"base"}),
    ):
        before = {k: of(**o) for k, o in asked.items()}
        with monkeypatch.context() as patch:
            patch.setattr(module, name, -1)
            assert {k for k, o in asked.items() if of(**o) != before[k]} == stale, name


def test_a_reply_is_read_again_by_a_newer_reader_and_never_bought_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = toy.Scripted(lambda prompt, n: toy.say(DOCUMENT))
    summary = carry_out(tmp_path, [stage(FakeRenderer())], model)
    assert (summary.calls_sent, kept(tmp_path, "generate").value["how"]) == (1, "document")

    def newer(text: str, original: str, finish: str) -> reading.Reading:
        assert "edited" in text
        return reading.Reading("ok", "patched", "read anew\n")

    monkeypatch.setattr(reading, "read_reply", newer)
    carry_out(tmp_path, [stage(FakeRenderer())], model)
    assert kept(tmp_path, "generate").value["how"] == "document", "nothing changed that is known"
    monkeypatch.setattr(reading, "READER_VERSION", reading.READER_VERSION + 1)
    summary = carry_out(tmp_path, [stage(FakeRenderer())], model)
    assert (summary.calls_sent, len(model.asked)) == (0, 1)
    assert kept(tmp_path, "generate").value["how"] == "patched"


def test_a_blind_model_is_asked_once_and_nobody_is_asked_to_verbalise(tmp_path: Path) -> None:
    requests: list[Request] = []

    class Model(toy.Scripted):
        async def complete(self, request: Request) -> Any:
            requests.append(request)
            return await super().complete(request)

    model = Model(lambda prompt, n: toy.say(DOCUMENT))
    carry_out(tmp_path, [stage(FakeRenderer(), condition="verbalized", inputs=("code",))], model)
    assert kept(tmp_path, "generate").status == "ok"
    (request,) = requests
    assert not any(hasattr(p, "data") for p in request.messages[0].parts)


def test_an_input_picture_that_cannot_be_drawn_here_leaves_the_row_unscored(tmp_path: Path) -> None:
    model = toy.Scripted()
    renderer = FakeRenderer(lambda code, engine: fails("no_engine", engine, "unavailable"))
    carry_out(tmp_path, [stage(renderer)], model)
    found = kept(tmp_path, "generate")
    assert (found.status, found.reason, model.asked) == ("unscored", "input_picture", [])


def test_a_picture_that_went_away_leaves_the_row_unscored_and_no_path_in_the_records(
    tmp_path: Path,
) -> None:
    gone = tmp_path / "gone.png"
    gone.write_bytes(PNG)
    made = stage(FakeRenderer(), replace(SAMPLE, picture=gone))
    run = tmp_path / "run"

    class Vanishing:
        name, units = made.name, staticmethod(made.units)

        async def run(self, unit: Any, context: Any) -> Any:
            gone.unlink()
            return await made.run(unit, context)

    carry_out(run, [Vanishing()])
    found = kept(run, "generate")
    assert (found.status, found.reason) == ("unscored", "input_picture")
    assert "gone.png can't be read" in found.value["message"]
    assert str(tmp_path) not in (run / "records.jsonl").read_text()


def test_outputs_made_elsewhere_are_never_made_again_from_here() -> None:
    made = stage(FakeRenderer(), candidate="outputs/mine")
    assert list(made.units(RunFolder)) == []  # type: ignore[arg-type]
