"""Names of packages and libraries that exist: tells what a machine lacks from what was invented."""

from __future__ import annotations

from functools import lru_cache
from importlib.resources import files

from redline.tex.log import Lack


@lru_cache(maxsize=1)
def known_names() -> frozenset[str]:
    """File names of LaTeX packages and classes, and `library NAME` for TikZ and pgfplots."""
    text = files("redline.tex").joinpath("known_names.txt").read_text("utf-8")
    return frozenset(
        line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#")
    )


def exists_elsewhere(lack: Lack) -> bool:
    """Whether a thing that was not found here is real, so that the machine is at fault.

    A package or library is real if it is on the bundled list. A font asked for by a package's
    font tables (`T1/...`) or as a bitmap is real; one named by the document alone is not ours to
    judge and counts as the document's fault.
    """
    if lack.kind == "missing_font":
        return "/" in lack.name or lack.name.startswith(("ec", "tc", "tfrm"))
    if lack.kind == "missing_library":
        return f"library {lack.name}" in known_names()
    return lack.name in known_names()
