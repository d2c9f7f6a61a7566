"""Reads a TeX log: the first error with class and line, missing characters, what is lacking."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from redline.tex.result import Engine, ErrorClass, TexError

_AT = re.compile(
    r"^[()\s]*(?P<file>(?:\[\\(?:direct|late)lua\]|\./|/|[A-Za-z0-9_<])[^:\n]*?)"
    r":(?P<line>\d+): (?P<text>\S.*)$"
)
_BANG = re.compile(r"^! ?(?P<text>\S.*)$")
# A line of the context that TeX shows under an error.
_CONTEXT = re.compile(r"^(?:l\.\d+|<[^>]+>|\\\S+ .*->|\\\S+ \.\.\.|\s*\.\.\.)")
_NO_MESSAGE = ("See the", "Type ", "? ", "stack traceback")
_CONTINUED = re.compile(r"^\([A-Za-z0-9-]+\)\s+")
_FATAL = re.compile(r"^\s*==> Fatal error|^Emergency stop")
_MISSING_CHAR = re.compile(r"^Missing character: There is no (.+?) in font (.+?)!?$", re.MULTILINE)
_CJK = re.compile(r"Unicode character [぀-ヿ㐀-䶿一-鿿가-힯豈-﫿]")

# In order: the first class with a pattern found in the message is the message's.
_PATTERNS: tuple[tuple[ErrorClass, tuple[str, ...]], ...] = (
    ("missing_library", (
        r"did not find the (?:\w+ )+library",
        r"[Ll]ibrary [`'\"]?[\w.-]+[`'\"]? (?:not found|does not exist|unknown)",
        r"(?:cannot|could not|can't) (?:find|load) (?:the )?(?:\w+ )?library",
        r"Unknown (?:tikz|pgfplots) library",
        r"I can't find file [`'](?:tikz|pgf)library",
    )),
    ("missing_package", (r"File [`'][^']+\.(?:sty|cls|def|ldf|clo|fd)' not found",)),
    ("missing_font", (
        r"not loadable",
        r"Font \S+ at \d+ not found",
        r"[Ff]ont \"[^\"]*\" cannot be found",
        r"cannot find .*\.(?:pfb|ttf|otf|enc)\b",
        r"[Mm]etric file not found",
    )),
    ("missing_file", (
        r"File [`'][^']+' not found",
        r"Unable to load picture",
        r"I can't find file",
        r"[Cc]annot find (?:image|file)",
        r"Could not read table file",
    )),
    ("no_document", (r"Missing \\begin\{document\}", r"\\normalsize is not defined")),
    ("undefined_environment", (r"Environment .+ undefined",)),
    ("undefined_command", (
        r"Undefined control sequence",
        r"Command \\?\S+ (?:undefined|not defined)",
    )),
    ("unknown_key", (r"I do not know the key", r"[Uu]nknown (?:key|option|choice)")),
    ("unknown_shape", (r"No shape named", r"Unknown shape", r"Unknown arrow tip kind")),
    ("unknown_colour", (r"[Uu]ndefined colou?r", r"Unknown colou?r")),
    ("capacity_exceeded", (r"TeX capacity exceeded",)),
    ("dimension_too_large", (r"Dimension too large", r"Arithmetic overflow", r"Number too big")),
    ("missing_number", (r"Missing number", r"Illegal unit of measure")),
    ("runaway", (
        r"Runaway",
        r"File ended while scanning",
        r"Paragraph ended before",
        r"Forbidden control sequence found",
    )),
    ("unclosed_group", (
        r"no legal \\end found",
        r"Missing [{}] inserted",
        r"Extra \}",
        r"Too many \}",
        r"\\begin\{.*\}.*ended by",
        r"Extra \\endgroup",
    )),
    ("output_limit", (r"No space left on device",)),
    ("memory_limit", (r"not enough memory", r"memory exhausted")),
    ("syntax", (
        r"Missing|Misplaced|Extra|Illegal|Incomplete|Improper",
        r"Giving up on this path|[Cc]annot parse|[Cc]ould not parse|Did you forget a semicolon",
        r"doesn't match its definition|Bad math|You can't use|Double (?:sub|super)script",
        r"Unknown function|Unknown operator|PGF Math Error|\+ or a comma expected",
        r"LaTeX Error: There's no line here|Not in outer par mode|Something's wrong",
    )),
    ("no_page", (r"no output PDF file", r"No pages of output")),
)  # fmt: skip
_CLASSES = tuple((kind, re.compile("|".join(patterns))) for kind, patterns in _PATTERNS)

_UNDEFINED = r"Undefined control sequence \\"
_PDFTEX_ONLY = (
    "output|pagewidth|pageheight|obj|literal|compresslevel|minorversion|strcmp|shellescape|"
    "mdfivesum|uniformdeviate|setrandomseed|texversion|savepos|horigin|vorigin"
)
# An error that another engine would not make, and the engine it calls for.
_WANTED: tuple[tuple[Engine, re.Pattern[str]], ...] = (
    ("xelatex", re.compile(r"requires either XeTeX or|cannot-use-pdftex", re.IGNORECASE)),
    ("lualatex", re.compile(
        r"(?:requires?|needs?|need to run|must use|run with|only works? with|works only with)"
        r" (?:the )?Lua(?:La|HB)?TeX|Lua(?:La)?TeX is required"
        rf"|{_UNDEFINED}(?:directlua|luaexec|latelua)",
        re.IGNORECASE,
    )),
    ("xelatex", re.compile(
        r"(?:requires?|needs?|must use) (?:the )?(?:Xe(?:La)?TeX|Unicode engine)"
        rf"|Xe(?:La)?TeX is required|{_UNDEFINED}(?:XeTeX\w*|setmainfont|setmathfont)",
        re.IGNORECASE,
    )),
    ("pdflatex", re.compile(
        rf"{_UNDEFINED}pdf(?:{_PDFTEX_ONLY})\b|(?:requires?|must use) pdf(?:La)?TeX",
        re.IGNORECASE,
    )),
)  # fmt: skip


@dataclass(frozen=True)
class LogError:
    """An error as the log tells it: `file` as TeX names it (None where it names none), `line`
    1-based in that file, `text` on one line."""

    kind: ErrorClass
    text: str
    file: str | None
    line: int | None


@dataclass(frozen=True)
class Lack:
    """A thing the document asked for and TeX did not find."""

    kind: ErrorClass
    name: str


def classify(text: str) -> ErrorClass:
    """The class of one error message."""
    return next((kind for kind, pattern in _CLASSES if pattern.search(text)), "other")


def errors(log: str) -> Iterator[LogError]:
    """Every error of a log, in order. Linear in the log's length."""
    lines = log.splitlines()
    for i, line in enumerate(lines):
        at = _AT.match(line)
        bang = None if at else _BANG.match(line)
        if at is None and bang is None:
            continue
        first = at["text"] if at else (bang["text"] if bang else "")
        text = _whole_message(first, lines[i + 1 : i + 12])
        yield LogError(
            kind=classify(text),
            text=text,
            file=at["file"] if at else None,
            line=int(at["line"]) if at else None,
        )


def _whole_message(first: str, following: Sequence[str]) -> str:
    """The message on one line: continued lines joined, the offending command or note added."""
    parts = [first.strip()]
    if first.startswith("Undefined control sequence"):
        return _with_command(first, following)
    if _FATAL.match(first):
        why = next((line for line in following if line.startswith("*** ")), "")
        return " ".join([first.strip(), why.strip("* ")]).strip()[:300]
    for line in following:
        if not line.strip() or _CONTEXT.match(line) or line.startswith(_NO_MESSAGE):
            break
        if _AT.match(line) or _BANG.match(line):
            break
        parts.append(_CONTINUED.sub("", line).strip())
    return " ".join(parts)[:300]


def _with_command(first: str, following: Sequence[str]) -> str:
    """TeX breaks the line of context right after the command it does not know."""
    for line in following:
        if _CONTEXT.match(line):
            found = re.findall(r"\\(?:[A-Za-z@]+|.)", line.rstrip())
            if found:
                return f"Undefined control sequence {found[-1]}"[:300]
            break
    return first.strip()[:300]


def first_error(log: str, document: str = "doc.tex") -> TexError | None:
    """The first error; `line` is given where it lies in the document itself. A mere "Emergency
    stop" gives way to an error that says why."""
    fallback: LogError | None = None
    for error in errors(log):
        if _FATAL.match(error.text):
            fallback = fallback or error
            continue
        return _told(error, document)
    return _told(fallback, document) if fallback else None


def _told(error: LogError, document: str) -> TexError:
    own = error.file is not None and error.file.removeprefix("./") == document
    return TexError(error.kind, error.text.rstrip("."), error.line if own else None)


def missing_characters(log: str, most: int = 50) -> tuple[str, ...]:
    """Characters that were dropped because their font lacks them, as "CHAR in FONT"."""
    seen = dict.fromkeys(f"{char} in {font}" for char, font in _MISSING_CHAR.findall(log))
    return tuple(seen)[:most]


def wanted_engine(error: TexError | None, engine: Engine) -> Engine | None:
    """Another engine that an engine-specific error calls for, or None."""
    if error is None:
        return None
    if engine == "pdflatex" and _CJK.search(error.message):
        return "xelatex"
    found = next((wanted for wanted, said in _WANTED if said.search(error.message)), None)
    return found if found != engine else None


_NAMES: tuple[tuple[ErrorClass, re.Pattern[str]], ...] = (
    ("missing_library", re.compile(r"did not find the (?:\w+ )+library '([^']+)'")),
    ("missing_library", re.compile(r"find file [`'](?:tikz|pgf)library([\w.-]+)\.code\.tex'")),
    ("missing_package", re.compile(r"File [`']([^']+\.(?:sty|cls|def|ldf|clo|fd|tex))' not found")),
    ("missing_font", re.compile(r"Font (\S+=\S+).*not loadable|Font (\S+) at \d+ not found")),
    ("missing_font", re.compile(r"font \"([^\"]+)\" cannot be found")),
)


def lacks(log: str) -> tuple[Lack, ...]:
    """Packages, libraries and fonts that were asked for and not found, in order."""
    found: dict[Lack, None] = {}
    for error in errors(log):
        for kind, pattern in _NAMES:
            if match := pattern.search(error.text):
                name = next(group for group in match.groups() if group)
                found.setdefault(Lack(kind, name))
                break
    return tuple(found)


def cap(log: str, limit: int = 256 * 1024) -> str:
    """The log, its middle cut out where it has more than `limit` characters."""
    if len(log) <= limit:
        return log
    half = limit // 2 - 40
    return f"{log[:half]}\n[... {len(log) - 2 * half} characters cut ...]\n{log[-half:]}"
