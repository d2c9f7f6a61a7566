"""What this machine has for rendering, what it lacks, and the command that mends it."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from redline.tex.engines import ENGINES
from redline.tex.installation import installation
from redline.tex.sandbox import sandbox_fault

_ENOUGH_DISK_GB = 1.0
# A file for each thing a document of the benchmarks asks for, and the Debian package it is in.
_FILES: Mapping[str, tuple[tuple[str, str], ...]] = {
    "LaTeX packages": (
        ("article.cls", "texlive-latex-base"),
        ("amsmath.sty", "texlive-latex-base"),
        ("xcolor.sty", "texlive-latex-recommended"),
        ("standalone.cls", "texlive-latex-extra"),
        ("preview.sty", "texlive-latex-extra"),
        ("tikz.sty", "texlive-pictures"),
        ("pgfplots.sty", "texlive-pictures"),
        ("tikz-cd.sty", "texlive-pictures"),
        ("circuitikz.sty", "texlive-pictures"),
        ("chemfig.sty", "texlive-pictures"),
        ("forest.sty", "texlive-pictures"),
        ("ulem.sty", "texlive-plain-generic"),
        ("fontspec.sty", "texlive-latex-recommended"),
        ("luacode.sty", "texlive-luatex"),
        ("siunitx.sty", "texlive-science"),
        ("ngerman.ldf", "texlive-lang-german"),
    ),
    "TikZ libraries": tuple(
        (f"tikzlibrary{name}.code.tex", "texlive-pictures")
        for name in (
            "arrows", "automata", "backgrounds", "calc", "chains", "circuits", "decorations",
            "decorations.pathmorphing", "er", "fit", "graphs", "intersections", "matrix", "mindmap",
            "patterns", "petri", "positioning", "quotes", "shapes.geometric", "trees", "cd",
        )
    ),
    "fonts": (
        ("cmr10.pfb", "texlive-base"),
        ("ptmr8r.tfm", "texlive-fonts-recommended"),
        ("lmr10.pfb", "lmodern"),
        ("lmroman10-regular.otf", "lmodern"),
        ("ecrm1000.tfm", "texlive-base"),
        ("mktexpk", "texlive-base"),
    ),
}  # fmt: skip


@dataclass(frozen=True)
class Fact:
    """One thing looked at; `mend` is what to do where it isn't `ok`."""

    name: str
    ok: bool
    detail: str
    mend: str | None = None


def packages() -> Mapping[str, Any]:
    """packages.toml: for each system its name, install command and packages."""
    return tomllib.loads(files("redline.tex").joinpath("packages.toml").read_text("utf-8"))


def install_lines(debian: Sequence[str] | None = None) -> str:
    """The exact command for each system, one a line; `debian` narrows the first to the packages
    that are missing."""
    lines = []
    for key, system in packages().items():
        wanted = list(debian) if key == "debian" and debian else system["packages"]
        lines.append(f"{system['name']}: {system['install']} {' '.join(wanted)}")
    return "\n".join(lines)


def diagnose() -> list[Fact]:
    """Engines, packages, libraries, fonts, sandbox and disk. Takes well under a second."""
    return [*_engines(), *_files(), _sandbox(), _disk()]


def _engines() -> list[Fact]:
    tex = installation()
    lacking = {
        "pdflatex": ["texlive-latex-base", "texlive-binaries"],
        "lualatex": ["texlive-luatex", "texlive-binaries"],
        "xelatex": ["texlive-xetex", "texlive-binaries"],
    }
    found = []
    for engine in ENGINES:
        if engine in tex.engines:
            found.append(Fact(engine, True, tex.versions[engine]))
        else:
            found.append(Fact(engine, False, "not on PATH", install_lines(lacking[engine])))
    return found


def _files() -> list[Fact]:
    """One call of kpsewhich for all files: it prints a path for each it finds."""
    wanted = [name for group in _FILES.values() for name, _ in group]
    here = _found(wanted)
    facts = []
    for title, group in _FILES.items():
        missing = [(name, package) for name, package in group if name not in here]
        if not missing:
            facts.append(Fact(title, True, f"all {len(group)} looked for are there"))
            continue
        names = ", ".join(name for name, _ in missing)
        debian = list(dict.fromkeys(package for _, package in missing))
        facts.append(Fact(title, False, f"missing: {names}", install_lines(debian)))
    return facts


def _found(names: Sequence[str]) -> set[str]:
    program = shutil.which("kpsewhich")
    if program is None:
        return set()
    plain = [name for name in names if "." in name]
    done = subprocess.run(
        [program, *plain],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    found = {Path(line).name for line in done.stdout.splitlines()}
    return found | {name for name in names if "." not in name and shutil.which(name)}


def _sandbox() -> Fact:
    fault = sandbox_fault()
    if fault is None:
        said = subprocess.run(
            ["bwrap", "--version"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        return Fact("sandbox", True, f"{said.stdout.strip()}, tried and able to run")
    mend = None if shutil.which("bwrap") else install_lines(["bubblewrap"])
    return Fact("sandbox", False, fault, mend)


def _disk() -> Fact:
    folder = Path(tempfile.gettempdir())
    free = shutil.disk_usage(folder).free / 1e9
    ok = free >= _ENOUGH_DISK_GB
    mend = None if ok else "Free some space, or set TMPDIR to a folder on another disk."
    return Fact("disk for temporary files", ok, f"{free:.1f} GB free", mend)
