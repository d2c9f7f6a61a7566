"""LuaTeX's font cache: built once inside the sandbox, then read by every document."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import shutil
import tempfile
from pathlib import Path, PurePosixPath

from redline.tex.installation import Installation
from redline.tex.job import run_tex
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


def font_cache(folder: Path, tex: Installation, mode: SandboxMode) -> Path | None:
    """The font cache below `folder`, built if it isn't there (some seconds); None where LuaTeX is
    absent or the cache can't be built or kept: documents then run without, only slower."""
    if "lualatex" not in tex.engines:
        return None
    key = hashlib.sha256(f"{tex.version()} {tex.stamp} {_WARM_UP}".encode()).hexdigest()[:16]
    ready = folder / f"luatex-fonts-{key}"
    if ready.is_dir():
        return ready
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / "luatex-fonts.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            return ready if ready.is_dir() else _build(ready, tex, mode)
    except OSError:
        return None


def _build(ready: Path, tex: Installation, mode: SandboxMode) -> Path | None:
    run = run_tex(_WARM_UP.encode(), "lualatex", tex, _LIMITS, 1, mode, keep=True)
    if not run.kept:
        return None
    half = Path(tempfile.mkdtemp(prefix="half-", dir=ready.parent))
    try:
        for name, data in run.kept.items():
            relative = PurePosixPath(name)
            if relative.is_absolute() or ".." in relative.parts:
                continue
            path = half / relative
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        half.chmod(0o755)
        # Another process may have been quicker where locks do not work (network file systems).
        with contextlib.suppress(OSError):
            os.rename(half, ready)
    finally:
        shutil.rmtree(half, ignore_errors=True)
    return ready if ready.is_dir() else None
