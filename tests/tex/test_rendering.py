"""Real documents through real TeX, in the sandbox."""

import csv
import io
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pypdfium2
import pytest
from PIL import Image

from redline.tex import ENGINES, Engine, Limits, Profile, Render, Renderer
from tests.tex.conftest import SMALL, standalone

pytestmark = pytest.mark.tex

# Slow for what they add: beamer with 19 pages, a fine 3D surface, a forest of 1,000 nodes.
SLOW = {"13_Data-Scientist-Role.tex", "42_mexican-hat.tex", "08_random-forest.tex"}


SQUARE = r"\begin{tikzpicture}\fill[red] (0,0) -- (1,0) -- (0,1);\end{tikzpicture}"


def picture(body: str) -> str:
    return rf"\begin{{tikzpicture}}{body}\end{{tikzpicture}}"


def pixels(render: Render) -> np.ndarray:
    assert render.png is not None
    return np.asarray(Image.open(io.BytesIO(render.png)).convert("RGB"))


def dark_columns(render: Render) -> np.ndarray:
    return np.flatnonzero((pixels(render).min(axis=2) < 128).any(axis=0))


def test_a_square_comes_out_where_and_as_large_as_it_should(renderer: Renderer) -> None:
    # 2 cm of 4 cm wide; 4 cm = 113.386 pt (1 in = 72 pt of a PDF) fit to 8 px per pt: 907 px.
    body = picture(r"\path (0,0) rectangle (4,4); \fill (1,1) rectangle (3,3);")
    made = renderer.render(standalone(body))
    assert (made.status, made.pages, made.passes, made.sandboxed) == ("ok", 1, 1, True)
    assert made.page_pt == pytest.approx((113.386, 113.386), abs=0.01)
    assert made.scale == 8.0 and made.size_px == (907, 907)
    columns = dark_columns(made)
    assert columns[0] == pytest.approx(907 / 4, abs=1.5)
    assert columns[-1] == pytest.approx(907 * 3 / 4, abs=1.5)
    assert made.pdf is not None and made.pdf.startswith(b"%PDF")


def test_the_scale_of_another_page_is_kept(renderer: Renderer) -> None:
    body = picture(r"\fill (0,0) rectangle (4,1); \fill[white] (1,.2) rectangle (2,.8);")
    made = renderer.render(standalone(body), scale=2.0)
    assert made.size_px == (227, 57) and made.scale == 2.0 and not made.scale_reduced
    large = renderer.render(standalone(body), scale=100.0)
    assert large.size_px is not None and max(large.size_px) == 4096 and large.scale_reduced


def test_two_runs_give_the_same_bytes_whatever_the_date_and_the_dice(renderer: Renderer) -> None:
    dots = r"\foreach \i in {1,...,9} {\draw (rnd*3,rand) -- (\i,rnd);}"
    dice: dict[Engine, str] = {
        "pdflatex": r"\pdfuniformdeviate 1000000",
        "lualatex": r"\directlua{tex.print(math.random(1,1000000))} \uniformdeviate 1000000",
    }
    for engine, command in dice.items():
        code = standalone(picture(rf"{dots} \node {{\today, \number{command}}};"))
        first, second = (renderer.render(code, engine=engine) for _ in range(2))
        assert first.png is not None and first.png == second.png
        assert first.pdf == second.pdf
    text = pypdfium2.PdfDocument(first.pdf)[0].get_textpage().get_text_range()
    assert "January 2, 2020" in text


@pytest.mark.parametrize("engine", ENGINES)
def test_an_error_has_its_line_in_every_engine(renderer: Renderer, engine: Engine) -> None:
    code = standalone(picture("\n\\fill (0,0) rectangle (1,1);\n\\node {\\nosuch};\n"))
    made = renderer.render(code, engine=engine)
    assert made.status == "ok_with_errors" and made.png is not None
    assert made.error is not None
    assert (made.error.kind, made.error.line) == ("undefined_command", 6)
    assert made.error.message == r"Undefined control sequence \nosuch"


def test_remember_picture_gets_its_second_pass_and_no_third(renderer: Renderer) -> None:
    body = (
        r"\begin{tikzpicture}[remember picture]\node (a) {a};\end{tikzpicture}\hskip 3cm"
        r"\begin{tikzpicture}[remember picture,overlay]\draw (a) -- (0,0);\end{tikzpicture}"
    )
    made = renderer.render(
        rf"\documentclass{{article}}\usepackage{{tikz}}\begin{{document}}{body}\end{{document}}"
    )
    assert (made.status, made.passes) == ("ok", 2)


def test_passes_end_at_the_cap_where_a_document_never_settles(renderer: Renderer) -> None:
    body = (
        r"\makeatletter\@ifundefined{mynum}{\gdef\mynum{0}}{}"
        r"\newcount\c \c=\mynum \advance\c 1 x\label{l\number\c}\ref{l\number\c}"
        r"\immediate\write\@auxout{\gdef\string\mynum{\number\c}}"
    )
    made = renderer.render(rf"\documentclass{{article}}\begin{{document}}{body}\end{{document}}")
    assert made.passes == 3 and made.status == "ok"


def test_the_first_page_is_taken_and_the_count_recorded(renderer: Renderer) -> None:
    pages = "".join(
        rf"\begin{{tikzpicture}}\draw (0,0) rectangle ({k},1);\end{{tikzpicture}}"
        for k in (1, 2, 3)
    )
    made = renderer.render(standalone(pages))
    assert made.pages == 3
    assert made.page_pt is not None and made.page_pt[0] < 40


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        (standalone(picture(r"\path (0,0) rectangle (1,1);")), "blank_page"),
        (r"\documentclass{article}\begin{document}\end{document}", "no_page"),
        (r"\documentclass{article}\begin{document}\begin{tikzpicture}", "undefined_environment"),
        (standalone(picture(r"\draw (0,0) -- (510,1);")), "page_too_large"),
        (standalone("x", r"\usepackage{redlineinvented}"), "missing_package"),
        ("x" * 2_000_000, "too_long"),
    ],
)  # fmt: skip
def test_a_document_without_a_usable_page_fails(renderer: Renderer, code: str, kind: str) -> None:
    made = renderer.render(code)
    assert made.status == "failed" and made.png is None
    assert made.error is not None and made.error.kind == kind


def test_a_known_package_that_is_not_here_is_the_machines_fault(
    renderer: Renderer, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A name that TeX can't find, put on the list of names that exist.
    monkeypatch.setattr("redline.tex.known.known_names", lambda: frozenset({"redlineinvented.sty"}))
    made = renderer.render(standalone("x", r"\usepackage{redlineinvented}"))
    assert made.status == "unavailable"
    assert made.error is not None and made.error.kind == "missing_package"


def test_another_engine_is_tried_on_an_engine_specific_error(renderer: Renderer) -> None:
    # The package's name is put together by TeX, so the preamble does not give it away.
    magic = standalone(SQUARE, r"\def\which{luacode}\usepackage{\which}")
    free = renderer.render(magic)
    assert (free.engine, free.status) == ("lualatex", "ok")
    fixed = renderer.render(magic, engine="pdflatex")
    assert fixed.engine == "pdflatex"
    assert fixed.error is not None and fixed.error.kind == "engine_mismatch"


def test_missing_characters_are_reported(renderer: Renderer) -> None:
    made = renderer.render(standalone(picture(r"\node {x\char228};")))
    assert made.missing_characters == ("ä in cmr10",)


def test_a_font_without_outlines_is_drawn_once_and_kept(
    renderer: Renderer, tex_cache: Path
) -> None:
    code = standalone(picture(r"\node {\fontencoding{T1}\selectfont x};"))
    first = renderer.render(code)
    assert first.status == "ok"
    kept = list(tex_cache.rglob("ecrm1000.*pk"))
    if not kept:
        assert "ecrm1000" not in first.log, "drawn for this document and not kept"
        return
    before = kept[0].stat().st_mtime_ns
    assert renderer.render(code).png == first.png
    assert kept[0].stat().st_mtime_ns == before


def test_kept_renders_are_used_and_depend_on_profile_and_limits(tmp_path: Path) -> None:
    code = standalone(SQUARE)
    with Renderer(cache_dir=tmp_path) as one:
        first = one.render(code)
        assert one.render(code) == first
        assert one.render(code, scale=1.0).size_px != first.size_px
    files = {p for p in (tmp_path / "pages").rglob("*") if p.is_file()}
    assert len(files) == 2
    with Renderer(profile=Profile(name="small", long_side_px=50), cache_dir=tmp_path) as small:
        assert small.fingerprint() != one.fingerprint()
        assert small.render(code).size_px != first.size_px
    with Renderer(limits=replace(Limits(), cpu_s=19), cache_dir=tmp_path) as strict:
        strict.render(code)
    assert len({p for p in (tmp_path / "pages").rglob("*") if p.is_file()}) == 4


def test_an_unsandboxed_run_is_recorded_and_cleans_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with Renderer(limits=SMALL, sandbox="none") as loose:
        made = loose.render(standalone(SQUARE))
        assert made.status == "ok" and not made.sandboxed
        assert str(tmp_path) not in made.log
    assert not list(tmp_path.glob("redline-job-*"))


def test_logs_name_no_folder_of_this_machine(renderer: Renderer) -> None:
    made = renderer.render(standalone("x", r"\usepackage{pgfplots}\usepackage{redlineinvented}"))
    assert "/usr/" not in made.log and str(Path.home()) not in made.log
    assert "<texmf>/" in made.log


def test_threads_share_a_renderer(renderer: Renderer) -> None:
    codes = [standalone(picture(rf"\fill (0,0) -- ({k},0) -- (0,1);")) for k in (1, 2, 3, 4)]
    with ThreadPoolExecutor(4) as pool:
        made = list(pool.map(renderer.render, codes))
    widths = [render.page_pt[0] for render in made if render.page_pt]
    assert len(widths) == 4 and widths == sorted(set(widths))


def test_public_documents_end_as_their_index_says(renderer: Renderer, shared_cases: Path) -> None:
    folder = shared_cases / "tikz"
    words = {"ok": "ok", "ok_with_errors": "raster_with_errors", "failed": "no_raster"}
    with (folder / "INDEX.tsv").open() as f:
        rows = [row for row in csv.DictReader(f, delimiter="\t") if row["file"] not in SLOW]

    def disagreement(row: dict[str, str]) -> str | None:
        made = renderer.render((folder / row["file"]).read_text("utf-8", "replace"))
        told = words.get(made.status, made.status)
        # The index counts pages of the pdflatex run.
        pages = made.engine != "pdflatex" or made.pages == int(row["pages"])
        if told == row[made.engine] and pages:
            return None
        return f"{row['file']}: {told} with {made.engine}, {made.pages} pages, {made.error}"

    with ThreadPoolExecutor(2) as pool:
        assert [said for said in pool.map(disagreement, rows) if said] == []


def test_an_engine_that_an_error_calls_for_and_this_machine_lacks_is_no_failure(
    renderer: Renderer, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The package's name is put together by TeX, so only the error tells of the engine.
    hidden = standalone(SQUARE, r"\def\which{fontspec}\usepackage{\which}")
    fewer = {e: p for e, p in renderer._tex.engines.items() if e == "pdflatex"}
    monkeypatch.setattr(renderer, "_tex", replace(renderer._tex, engines=fewer))
    made = renderer.render(hidden)
    assert made.status == "unavailable", made.error
    assert made.error is not None and made.error.kind == "no_engine"
