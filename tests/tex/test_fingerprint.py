"""What makes pixels is in the renderer's fingerprint and in the key of every kept render alike."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from redline.tex import LazyRenderer, Limits, Profile, Render, Renderer, described, renderer
from redline.tex.raster import pdfium_version

Patch = pytest.MonkeyPatch


@pytest.fixture
def drawn(monkeypatch: Patch) -> list[str]:
    """Documents that were really rendered: no TeX is asked here."""
    asked: list[str] = []

    def render(self: Renderer, source: bytes, code: str, engine: object, scale: object) -> Render:
        asked.append(code)
        return Render("ok", "pdflatex", png=b"png", scale=1.0)

    monkeypatch.setattr(Renderer, "_render", render)
    return asked


def made(cache: Path, **options: object) -> Renderer:
    return Renderer(sandbox="none", cache_dir=cache, **options)  # type: ignore[arg-type]


def stamped(monkeypatch: Patch) -> None:
    other = replace(renderer.installation(), stamp="another")
    monkeypatch.setattr(renderer, "installation", lambda: other)


def updated(monkeypatch: Patch) -> None:
    other = replace(renderer.installation(), versions={"pdflatex": "pdfTeX 9.9"})
    monkeypatch.setattr(renderer, "installation", lambda: other)


CHANGES: dict[str, Callable[[Patch], None]] = {
    "packages": stamped,
    "TeX": updated,
    "PDFium": lambda p: p.setattr(renderer, "pdfium_version", lambda: "another"),
    "our code": lambda p: p.setattr(renderer, "RENDERING_VERSION", -1),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_change_of_the_machine_or_the_code_is_seen_and_no_older_render_is_used(
    change: Callable[[Patch], None], drawn: list[str], monkeypatch: Patch, tmp_path: Path
) -> None:
    before = made(tmp_path).fingerprint()
    assert before == made(tmp_path).fingerprint()
    made(tmp_path).render("x")
    made(tmp_path).render("x")
    assert drawn == ["x"], "a kept render is used while nothing changed"
    change(monkeypatch)
    after = made(tmp_path)
    assert after.fingerprint() != before
    after.render("x")
    assert drawn == ["x", "x"]


def test_profile_and_limits_are_seen_alike(drawn: list[str], tmp_path: Path) -> None:
    plain = made(tmp_path)
    plain.render("x")
    for options in ({"profile": Profile().with_long_side(2048)}, {"limits": Limits(cpu_s=1)}):
        other = made(tmp_path, **options)
        assert other.fingerprint() != plain.fingerprint()
        other.render("x")
    assert len(drawn) == 3


def test_the_version_of_pdfium_is_known() -> None:
    found = pdfium_version()
    assert found.startswith("pypdfium2 ") and "unknown" not in found


def test_a_profile_of_another_size_has_a_name_of_its_own() -> None:
    assert Profile().with_long_side(1024) == Profile()
    large = Profile().with_long_side(2048)
    assert (large.name, large.long_side_px) == ("default-2048px", 2048)


def test_a_lazy_renderer_looks_for_nothing_until_it_is_asked(
    drawn: list[str], tmp_path: Path
) -> None:
    calls: list[str] = []

    def make() -> Renderer:
        calls.append("made")
        return made(tmp_path)

    with LazyRenderer(make) as lazy:
        assert calls == []
        assert lazy.render("x").status == "ok"
        assert lazy.fingerprint() == made(tmp_path).fingerprint()
        assert lazy.ready() is lazy.ready()
    assert calls == ["made"]


def test_what_is_told_of_a_render_is_the_same_whenever_it_was_made() -> None:
    one = Render("ok", "pdflatex", png=b"p", pdf=b"q", log="l", seconds=0.1)
    assert described(one) == described(replace(one, seconds=9.0, png=None))
    assert not {"png", "pdf", "log", "seconds"} & set(described(one))
