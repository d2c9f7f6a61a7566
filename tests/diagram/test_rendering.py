"""Stage render: one engine for all, no way out of the count, answered pictures put in place."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from redline.bench.sample import DiagramSample
from redline.diagram import RenderStage, rendering
from redline.pixels import encode_png, letterbox, load_picture
from redline.run import RunFolder
from redline.tex import Engine, Render, Renderer
from redline.track import Context, Finder, Finished, Unit
from tests.diagram.making import SAMPLE, FakeRenderer, carry_out, fails, kept, page, task

FONTSPEC = "\\usepackage{fontspec} candidate\n"
MISMATCH = "candidate with an error that calls for LuaTeX\n"


class Made:
    """Takes the place of stage generate: candidates by sample."""

    name = "generate"

    def __init__(self, **blobs: bytes) -> None:
        self._blobs = blobs

    def units(self, done: Finder) -> list[Unit]:
        return [Unit("s#0", repr(self._blobs))]

    async def run(self, unit: Unit, context: Context) -> Finished:
        return Finished("ok", None, {}, self._blobs)


def rendered(path: Path, renderer: Any, code: str, sample: DiagramSample = SAMPLE) -> Any:
    carry_out(path, [Made(code=code.encode()), RenderStage(task(sample), renderer)])
    return kept(path, "render")


def needs_pdftex(code: str, engine: Engine) -> Render:
    """The gold draws under pdfTeX only; the candidate would draw under any engine."""
    if code in SAMPLE.golds and engine != "pdflatex":
        return fails("undefined_command", engine)
    return page(code, engine)


def test_a_candidate_whose_engine_the_gold_cannot_do_with_is_scored_under_the_originals(
    tmp_path: Path,
) -> None:
    found = rendered(tmp_path, FakeRenderer(needs_pdftex), FONTSPEC)
    assert (found.status, found.value["engine"]) == ("ok", "pdflatex")
    assert found.value["engine_asked"] == "xelatex"
    assert "its gold 1 does not render here" in found.value["engine_not_used"]
    assert {"png", "original", "gold"} <= set(found.blobs)


def test_it_has_failed_where_it_gives_no_page_under_that_engine(tmp_path: Path) -> None:
    def draws(code: str, engine: Engine) -> Render:
        if code == FONTSPEC and engine == "pdflatex":
            return fails("engine_mismatch", engine)
        return needs_pdftex(code, engine)

    found = rendered(tmp_path, FakeRenderer(draws), FONTSPEC)
    assert (found.status, found.reason) == ("failed", "engine_mismatch")
    assert found.value["engine_asked"] == "xelatex" and "gold" in found.blobs


def test_an_engine_asked_for_by_an_error_is_no_way_out_either(tmp_path: Path) -> None:
    class Retries(FakeRenderer):
        def render(self, code: str, engine: Any = None, scale: float | None = None) -> Render:
            free = code == MISMATCH and engine is None
            return super().render(code, "lualatex" if free else engine, scale)

    def draws(code: str, engine: Engine) -> Render:
        if code == MISMATCH and engine == "pdflatex":
            return fails("engine_mismatch", engine)
        return needs_pdftex(code, engine)

    found = rendered(tmp_path / "no", Retries(draws), MISMATCH)
    assert (found.status, found.reason) == ("failed", "engine_mismatch")
    assert found.value["engine_asked"] == "lualatex"

    def all_do(code: str, engine: Engine) -> Render:
        return draws(code, engine) if code == MISMATCH else page(code, engine)

    found = rendered(tmp_path / "yes", Retries(all_do), MISMATCH)
    assert (found.status, found.value["engine"]) == ("ok", "lualatex")
    assert "engine_asked" not in found.value


def test_all_are_rendered_under_the_candidates_engine_where_all_can(tmp_path: Path) -> None:
    renderer = FakeRenderer()
    found = rendered(tmp_path, renderer, FONTSPEC)
    assert (found.status, found.value["engine"]) == ("ok", "xelatex")
    assert {e for c, e in renderer.asked if c in SAMPLE.golds} == {"pdflatex", "xelatex"}


@pytest.mark.parametrize("kind", ["no_engine", "wall_limit", "sandbox"])
def test_an_engine_that_this_machine_cannot_run_is_no_models_failure(
    kind: Any, tmp_path: Path
) -> None:
    def draws(code: str, engine: Engine) -> Render:
        return page(code) if engine == "pdflatex" else fails(kind, engine, "unavailable")

    found = rendered(tmp_path, FakeRenderer(draws), FONTSPEC)
    assert (found.status, found.reason) == ("unscored", "reference_not_rendered")
    assert kind in found.value["message"]


def test_a_package_that_the_gold_lacks_under_that_engine_alone_is_no_way_out(
    tmp_path: Path,
) -> None:
    def draws(code: str, engine: Engine) -> Render:
        lacks = fails("missing_package", engine, "unavailable")
        return lacks if code in SAMPLE.golds and engine == "xelatex" else page(code, engine)

    found = rendered(tmp_path, FakeRenderer(draws), FONTSPEC)
    assert (found.status, found.value["engine_asked"]) == ("ok", "xelatex")


@pytest.mark.parametrize("code", ["candidate\n", FONTSPEC])
def test_references_that_fail_under_their_own_engine_leave_the_row_unscored(
    code: str, tmp_path: Path
) -> None:
    def draws(c: str, engine: Engine) -> Render:
        return fails("syntax", engine) if c in SAMPLE.golds else page(c, engine)

    found = rendered(tmp_path, FakeRenderer(draws), code)
    assert (found.status, found.reason) == ("unscored", "reference_not_rendered")


@pytest.fixture
def renderer(tmp_path: Path) -> Iterator[Renderer]:
    if shutil.which("xelatex") is None:
        pytest.skip("no TeX engine on PATH")
    with Renderer(cache_dir=tmp_path / "cache") as made:
        yield made


@pytest.mark.tex
def test_fontspec_does_not_take_a_real_candidate_out_of_the_count(
    renderer: Renderer, tmp_path: Path
) -> None:
    head = "\\documentclass[tikz]{standalone}\n"
    pdftex = "\\ifdefined\\pdfcompresslevel\\else\\csname @@end\\endcsname\\fi\n"
    body = "\\begin{document}\\tikz\\draw (0,0) rectangle (1,1);\\end{document}\n"
    sample = replace(SAMPLE, code=head + pdftex + body, golds=(head + pdftex + body + "% gold\n",))
    cheat = head + "\\usepackage{fontspec}\n" + body
    found = rendered(tmp_path / "run", renderer, cheat, sample)
    assert (found.status, found.value["engine"]) == ("failed", "pdflatex"), found.value
    assert found.value["engine_asked"] == "xelatex"
    assert "original does not render here" in found.value["engine_not_used"]


def test_what_makes_pixels_makes_renders_stale(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def inputs(print: str = "one", **options: Any) -> str:
        with RunFolder.open(tmp_path) as folder:
            stage = RenderStage(task(**options), FakeRenderer(print=print))
            return next(iter(stage.units(folder))).inputs

    carry_out(tmp_path, [Made(code=b"x", picture=b"p")])
    before = inputs()
    assert inputs() == before
    assert inputs(print="two") != before
    monkeypatch.setattr(rendering, "RENDER_VERSION", -1)
    assert inputs() != before
    pictures = {inputs(want="picture", input_size=size) for size in (1024, 2048)}
    assert len(pictures) == 2


def coloured(height: int, width: int) -> np.ndarray:
    """Left half red, right half blue."""
    made = np.zeros((height, width, 3), np.uint8)
    made[:, : width // 2, 0] = 255
    made[:, width // 2 :, 2] = 255
    return made


def answered(
    path: Path, answer: np.ndarray, sent: np.ndarray | None, size: int = 200
) -> tuple[np.ndarray, list[str]]:
    """What stage render makes of an answered picture; the original renders at 80 x 120."""
    sample = SAMPLE
    if sent is not None:
        (path / "sent.png").write_bytes(encode_png(sent))
        sample = replace(sample, picture=path / "sent.png")
    original = FakeRenderer(lambda c, e: page(c, e, encode_png(coloured(80, 120))))
    asked = task(sample, want="picture", inputs=("picture",), input_size=size)
    carry_out(path / "run", [Made(picture=encode_png(answer)), RenderStage(asked, original)])
    found = kept(path / "run", "render")
    with RunFolder.open(path / "run") as folder:
        return load_picture(folder.blob(found.blobs["png"])).array, found.value["notes"]


@pytest.mark.parametrize(
    ("answer", "sent"),
    [
        (letterbox(coloured(80, 120), 200)[0], None),
        (letterbox(coloured(40, 60), 200)[0], coloured(40, 60)),
        (letterbox(coloured(400, 600), 200)[0], coloured(400, 600)),
        (letterbox(coloured(160, 240), 400)[0], None),
        (coloured(80, 120), None),
        (coloured(40, 60), coloured(40, 60)),
        (coloured(160, 240), None),
    ],
    ids=["as sent", "sent smaller", "sent larger", "scaled up", "the picture alone",
         "the smaller picture alone", "the picture alone, scaled up"],
)  # fmt: skip
def test_an_answered_picture_is_laid_where_the_original_is(
    answer: np.ndarray, sent: np.ndarray | None, tmp_path: Path
) -> None:
    laid, _ = answered(tmp_path, answer, sent)
    assert laid.shape == (80, 120, 3)
    away = np.abs(laid.astype(int) - coloured(80, 120)).max(axis=(0, 2))
    # Resizing mixes the two colours where they meet, and white in at most a pixel at the border.
    assert away[2:56].max() < 30 and away[64:118].max() < 30


def test_an_answer_of_another_shape_is_noted(tmp_path: Path) -> None:
    _, notes = answered(tmp_path, coloured(50, 300), None)
    assert any("not square" in n for n in notes) and any("resized" in n for n in notes)
