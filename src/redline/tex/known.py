"""Names of packages and libraries that exist: tells what a machine lacks from what was invented."""

from __future__ import annotations

import re
from functools import lru_cache
from importlib.resources import files

from redline.tex.log import Lack

_REAL_FONT = re.compile(
    r"^\\?(?:T1|TS1|OT1|OML|OMS|OMX|U|LY1|T2[ABC]|LGR|T4|T5)/|=\"?\[(?:lm|texgyre)|^(?:ec|tc)[a-z]{2}\d{4}$"
)


@lru_cache(maxsize=1)
def known_names() -> frozenset[str]:
    """File names of LaTeX packages and classes, and `library NAME` for TikZ and pgfplots."""
    text = files("redline.tex").joinpath("known_names.txt").read_text("utf-8")
    return frozenset(
        line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#")
    )


def exists_elsewhere(lack: Lack) -> bool:
    """Whether a thing that was not found here is real, so that the machine is at fault.

    A package or library is real if it is on the bundled list. A font is real where LaTeX's font
    tables asked for it (`T1/...=name`), where it is one of Latin Modern's, or where it should
    have been drawn as a bitmap; one named by the document alone counts as the document's fault.
    """
    if lack.kind == "missing_font":
        return bool(_REAL_FONT.search(lack.name))
    if lack.kind == "missing_library":
        return f"library {lack.name}" in known_names()
    return lack.name in known_names()
