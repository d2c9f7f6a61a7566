"""Fonts made ready once, inside the sandbox, and then read by every document.

LuaTeX turns OpenType fonts into tables of its own, and pdfTeX has METAFONT draw fonts that have
no outlines here (T1-encoded Computer Modern without cm-super): seconds each, the same every time.
Only documents and names of ours go into making them, so no document can leave anything to others.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import re
import shutil
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

from redline.tex.installation import Installation
from redline.tex.job import build_bitmap_font, run_tex
from redline.tex.result import Limits
from redline.tex.sandbox import SandboxMode

# Sets Latin Modern, which every LuaLaTeX document starts with, in its usual sizes and shapes.
_WARM_UP = r"""\documentclass{article}
\usepackage{fontspec}
\begin{document}
\def\sizes{\tiny x\scriptsize x\footnotesize x\small x\normalsize x\large x\Large x\LARGE x\Huge x}
\sizes {\bfseries\sizes} {\itshape\sizes} {\slshape\sizes} {\bfseries\itshape\sizes}
{\sffamily\sizes\bfseries\sizes} {\ttfamily\sizes\bfseries x} {\scshape x}
$x^2_i \sum \int \mathcal{A} \mathbf{b}$ {\boldmath $x$}
\end{document}
"""
_LIMITS = Limits(cpu_s=600, wall_s=900, memory_mb=3000, output_mb=256, files=20000)
_LUA = "luatex-cache"
_PK = PurePosixPath("fonts/pk")
_MOST_BITMAPS = 3000
_REQUEST = re.compile(
    r"--mfmode / --bdpi (\d{2,4}) --mag (\d{1,2}\+\d{1,4}/\d{1,4}) --dpi (\d{2,5})"
    r" ([a-z][a-z0-9]{1,19})"
)


class FontCache:
    """A folder of ready fonts below `top`, one for each state of the TeX installation.
    Safe in threads and processes. Where it can't be kept, documents run without, only slower."""

    def __init__(self, top: Path, tex: Installation, mode: SandboxMode) -> None:
        key = hashlib.sha256(f"{tex.version()} {tex.stamp} {_WARM_UP}".encode()).hexdigest()[:16]
        self._folder = top / key
        self._tex = tex
        self._mode: SandboxMode = mode
        self._lock = threading.Lock()
        self._lua_asked = False
        self._failed: set[str] = set()

    def folder(self, lua: bool) -> Path | None:
        """The folder to read fonts from, LuaTeX's part built if `lua` asks for it (some seconds,
        once); None where there is no such folder."""
        with self._lock:
            try:
                (self._folder / _PK).mkdir(parents=True, exist_ok=True)
                if lua and not self._lua_asked and not (self._folder / _LUA).is_dir():
                    self._lua_asked = True
                    with self._alone():
                        if not (self._folder / _LUA).is_dir():
                            self._build_lua()
            except OSError:
                return self._folder if self._folder.is_dir() else None
            return self._folder

    @contextmanager
    def _alone(self) -> Iterator[None]:
        with (self._folder / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def _build_lua(self) -> None:
        run = run_tex(_WARM_UP.encode(), "lualatex", self._tex, _LIMITS, 1, self._mode, keep=True)
        half = Path(tempfile.mkdtemp(prefix="half-", dir=self._folder))
        try:
            _write_below(half, run.kept)
            if (half / _LUA).is_dir():
                (half / _LUA).rename(self._folder / _LUA)
        finally:
            shutil.rmtree(half, ignore_errors=True)

    def learn(self, requests: Sequence[str]) -> bool:
        """Make the bitmap fonts that a document sent TeX to make; whether any was new.

        A request is believed only in its form: name and resolution are checked, the font is then
        drawn from TeX's own sources, in a sandbox of its own."""
        learnt = False
        for request in list(dict.fromkeys(requests))[:40]:
            found = _REQUEST.fullmatch(request.strip())
            if found is None:
                continue
            bdpi, mag, dpi, name = found.groups()
            target = self._folder / _PK / f"{name}.{dpi}pk"
            with self._lock:
                if target.exists() or request in self._failed or self._full():
                    continue
                data = build_bitmap_font(self._tex, self._mode, bdpi, mag, dpi, name, _LIMITS)
                if data is None:
                    self._failed.add(request)
                    continue
                try:
                    fd, half = tempfile.mkstemp(prefix="half-", dir=target.parent)
                    with os.fdopen(fd, "wb") as f:
                        f.write(data)
                    Path(half).replace(target)
                except OSError:
                    continue
                learnt = True
        return learnt

    def _full(self) -> bool:
        return sum(1 for _ in (self._folder / _PK).iterdir()) >= _MOST_BITMAPS


def _write_below(top: Path, files: Mapping[str, bytes]) -> None:
    for name, data in files.items():
        relative = PurePosixPath(name)
        if relative.is_absolute() or ".." in relative.parts:
            continue
        path = top / relative
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
