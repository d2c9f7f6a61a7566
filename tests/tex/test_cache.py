"""Kept renders come back as they were, or not at all."""

from pathlib import Path

from redline.tex import Render, TexError
from redline.tex.cache import RenderCache, cache_key

KEY = cache_key(document="a", engine=None)
MADE = Render(
    "ok_with_errors",
    "lualatex",
    error=TexError("unknown_key", "I do not know the key '/tikz/é'", 3),
    pages=2,
    page_pt=(10.5, 20.25),
    size_px=(84, 162),
    scale=8.0,
    passes=2,
    missing_characters=("ä in cmr10",),
    png=b"\x89PNG\n\x00",
    pdf=b"%PDF\n",
    log="line\nä\n",
    seconds=0.5,
)


def test_a_kept_render_comes_back_equal(tmp_path: Path) -> None:
    cache = RenderCache(tmp_path)
    assert cache.get(KEY) is None
    cache.put(KEY, MADE)
    assert RenderCache(tmp_path).get(KEY) == MADE


def test_a_failed_render_without_page_is_kept(tmp_path: Path) -> None:
    made = Render("failed", "pdflatex", error=TexError("no_page", "nothing"), log="")
    RenderCache(tmp_path).put(KEY, made)
    assert RenderCache(tmp_path).get(KEY) == made


def test_the_machines_fault_is_never_kept(tmp_path: Path) -> None:
    RenderCache(tmp_path).put(KEY, Render("unavailable", "pdflatex"))
    assert RenderCache(tmp_path).get(KEY) is None


def test_a_damaged_file_is_a_miss(tmp_path: Path) -> None:
    cache = RenderCache(tmp_path)
    cache.put(KEY, MADE)
    (path,) = (p for p in tmp_path.rglob("*") if p.is_file())
    whole = path.read_bytes()
    for damaged in (whole[:-1], whole[: len(whole) // 2], b"", whole.replace(b"PDF", b"PDG"), b"{"):
        path.write_bytes(damaged)
        assert cache.get(KEY) is None
    path.write_bytes(whole)
    assert cache.get(KEY) == MADE


def test_nothing_half_written_is_left(tmp_path: Path) -> None:
    RenderCache(tmp_path).put(KEY, MADE)
    assert not list(tmp_path.rglob("half-*"))


def test_a_folder_that_cannot_be_written_is_no_failure(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    cache = RenderCache(tmp_path / "file")
    cache.put(KEY, MADE)
    assert cache.get(KEY) is None


def test_every_part_changes_the_key() -> None:
    keys = {
        cache_key(document="a", engine=None, scale=None),
        cache_key(document="b", engine=None, scale=None),
        cache_key(document="a", engine="xelatex", scale=None),
        cache_key(document="a", engine=None, scale=1.5),
        cache_key(document="a", engine=None, scale=None, limits={"cpu_s": 1}),
    }
    assert len(keys) == 5
