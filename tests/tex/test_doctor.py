"""What doctor says is missing comes with the command that mends it."""

import tomllib
from pathlib import Path

import pytest

import redline.tex.doctor as doctor
import redline.tex.sandbox as sandbox
from redline.tex import Renderer, SandboxUnavailable, diagnose, install_lines
from redline.tex.known import exists_elsewhere, known_names
from redline.tex.log import Lack

PACKAGES = Path(doctor.__file__).with_name("packages.toml")


@pytest.mark.tex
def test_a_complete_machine_lacks_nothing() -> None:
    assert [fact.name for fact in diagnose() if not fact.ok] == []


def test_without_tex_every_engine_has_a_command(monkeypatch: pytest.MonkeyPatch) -> None:
    sandbox.sandbox_fault.cache_clear()
    doctor.installation.cache_clear()
    monkeypatch.setenv("PATH", "/nonexistent")
    try:
        facts = {fact.name: fact for fact in diagnose()}
    finally:
        monkeypatch.undo()
        doctor.installation.cache_clear()
        sandbox.sandbox_fault.cache_clear()
    for name in ("pdflatex", "lualatex", "xelatex", "LaTeX packages", "fonts", "sandbox"):
        mend = facts[name].mend
        assert not facts[name].ok and mend is not None
        assert "apt-get install" in mend and "dnf install" in mend
        assert "pacman -S" in mend and "brew install" in mend
    assert "texlive-xetex" in str(facts["xelatex"].mend).splitlines()[0]


def test_the_package_list_is_plain_names() -> None:
    told = tomllib.loads(PACKAGES.read_text())
    assert set(told) == {"debian", "fedora", "arch", "macos"}
    for system in told.values():
        assert system["packages"] == sorted(set(system["packages"]))
        assert all(name.replace("-", "").isalnum() for name in system["packages"])
    assert "bubblewrap" in told["debian"]["packages"]


def test_install_lines_name_all_systems() -> None:
    starts = [line.partition(":")[0] for line in install_lines().splitlines()]
    assert starts == ["Debian or Ubuntu", "Fedora", "Arch", "macOS"]


def test_a_renderer_refuses_where_the_sandbox_cannot_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sandbox, "sandbox_fault", lambda: "bubblewrap can't make a sandbox here.")
    with pytest.raises(SandboxUnavailable, match="can't make a sandbox"):
        Renderer()
    Renderer(sandbox="none").close()


def test_real_names_are_told_from_invented_ones() -> None:
    assert len(known_names()) > 4000
    assert exists_elsewhere(Lack("missing_package", "acmart.cls"))
    assert exists_elsewhere(Lack("missing_package", "tikz-cd.sty"))
    assert not exists_elsewhere(Lack("missing_package", "foobarbaz.sty"))
    assert exists_elsewhere(Lack("missing_library", "tikzmark"))
    assert exists_elsewhere(Lack("missing_library", "shapes.geometric"))
    assert not exists_elsewhere(Lack("missing_library", "shapes.magic"))
    assert exists_elsewhere(Lack("missing_font", r"T1/ptm/m/n/10=ptmr8t"))
    assert exists_elsewhere(Lack("missing_font", "ecrm1000"))
    assert not exists_elsewhere(Lack("missing_font", r"\x=nosuchfont"))
    assert not exists_elsewhere(Lack("missing_font", "Helvetica Neue"))
