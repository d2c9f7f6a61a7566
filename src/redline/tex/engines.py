"""Which TeX engine a document wants, read from its preamble."""

from __future__ import annotations

import re

from redline.tex.result import Engine

ENGINES: tuple[Engine, ...] = ("pdflatex", "lualatex", "xelatex")

_MAGIC = re.compile(
    r"^\s*%\s*!\s*T[eE]X\s+(?:TS-)?program\s*=\s*([A-Za-z]+)", re.MULTILINE | re.IGNORECASE
)
_COMMENT = re.compile(r"(?<!\\)(?:\\\\)*%.*")
_LUA = re.compile(
    r"\\(?:directlua|luaexec|luadirect|luacode)\b|\\begin\{luacode\*?\}"
    r"|\\(?:usepackage|RequirePackage)(?:\[[^\]]*\])?\{[^}]*\b"
    r"(?:luacode|luatexja|luamplib|luatextra|luadraw|penlight|tikz-palattice)\b"
    r"|\\use(?:tikz|pgf)library\s*\{[^}]*\bgraphdrawing\b|\\usegdlibrary\b"
)
_XETEX = re.compile(
    r"\\XeTeX[a-z]+|\\(?:usepackage|RequirePackage)(?:\[[^\]]*\])?\{[^}]*\b(?:xeCJK|xltxtra|xunicode)\b"
)
_UNICODE = re.compile(
    r"\\(?:usepackage|RequirePackage)(?:\[[^\]]*\])?\{[^}]*\b"
    r"(?:fontspec|unicode-math|polyglossia|mathspec|ctex|fontawesome6)\b"
    r"|\\documentclass(?:\[[^\]]*\])?\{ctex\w*\}|\\set(?:main|sans|mono|math)font\b"
)
_PDFTEX_CJK = re.compile(r"\\(?:usepackage|RequirePackage)(?:\[[^\]]*\])?\{[^}]*\bCJK(?:utf8)?\b")
# Kana, CJK ideographs, Hangul: scripts that pdfTeX can't set without a package made for it.
_CJK_TEXT = re.compile(r"[぀-ヿ㐀-䶿一-鿿가-힯豈-﫿]")


def named_engine(code: str) -> Engine | None:
    """The engine a `% !TEX program = ...` comment names, if it is one we know."""
    found = _MAGIC.search(code)
    name = found[1].lower() if found else ""
    return next((engine for engine in ENGINES if engine == name), None)


def choose_engine(code: str) -> Engine:
    """The engine for a document: its magic comment, else what its packages and text need.

    Lua code and graph drawing need LuaTeX; fontspec and its kin, and CJK text without a package
    that teaches pdfTeX to set it, take XeTeX (the faster of the two); all else takes pdfTeX.
    """
    if named := named_engine(code):
        return named
    plain = _COMMENT.sub("", code)
    if _LUA.search(plain):
        return "lualatex"
    if _XETEX.search(plain) or _UNICODE.search(plain):
        return "xelatex"
    if _CJK_TEXT.search(plain) and not _PDFTEX_CJK.search(plain):
        return "xelatex"
    return "pdflatex"
