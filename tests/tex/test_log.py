"""Logs are read: first error, class, line, missing characters. The snippets under logs/ were cut
from logs of real runs (TeX Live 2022)."""

from pathlib import Path

import pytest

from redline.tex.inside import needs_another_pass, rerun_state
from redline.tex.log import (
    Lack,
    cap,
    classify,
    first_error,
    lacks,
    missing_characters,
    wanted_engine,
)

LOGS = Path(__file__).parent / "logs"


def log(name: str) -> str:
    return (LOGS / f"{name}.log").read_text("utf-8")


@pytest.mark.parametrize(
    ("name", "kind", "line", "part"),
    [
        ("arrow-tip", "unknown_shape", 5, "Unknown arrow tip kind 'nosuchtip'"),
        ("brace-too-many", "unclosed_group", 4, "Too many }'s"),
        ("capacity", "capacity_exceeded", 4, "input stack size"),
        ("colour", "unknown_colour", 4, "nocol"),
        ("colour-as-key", "unknown_key", 5, "/tikz/nocolour"),
        ("coordinate-unknown", "unknown_shape", 5, "No shape named `a'"),
        ("dimension", "dimension_too_large", 5, "Dimension too large"),
        ("directlua-pdftex", "undefined_command", 4, r"\directlua"),
        ("dollar", "syntax", 4, "Missing $ inserted"),
        ("environment", "undefined_environment", 4, "Environment foo undefined"),
        ("environment-mismatch", "unclosed_group", 4, r"\begin{center} on input line 4 ended by"),
        ("fontspec-font", "missing_font", 4, "No Such Font"),
        ("graph-drawing-library", "missing_library", 3, "nosuch"),
        ("in-package", "undefined_command", None, r"\nosuchcommand"),
        ("input", "missing_file", None, "nofile.tex"),
        ("key-misspelled", "unknown_key", 5, "/tikz/rounded corner"),
        ("key-unknown", "unknown_key", 5, "/tikz/nokey"),
        ("lua-error", "other", None, "x"),
        ("math-function", "syntax", 5, "Unknown function `foo'"),
        ("no-class", "undefined_environment", 1, "tikzpicture"),
        ("number", "missing_number", 4, "Missing number"),
        ("option-clash", "other", 3, "Option clash for package xcolor"),
        ("package", "missing_package", None, "foobarbaz.sty"),
        ("package-on-newline", "other", 4, "Package mypkg Error: First line second line"),
        ("pgf-library", "missing_library", 2, "pgf library 'nosuch'"),
        ("pgfplots-library", "missing_library", 2, "pgflibrarypgfplots.nosuch"),
        ("picture", "missing_file", 4, "nofile.png"),
        ("picture-not-ended", "syntax", 7, r"Improper \prevdepth"),
        ("runaway-file", "runaway", None, r"File ended while scanning use of \a"),
        ("runaway-paragraph", "runaway", 5, r"Paragraph ended before \a was complete"),
        ("scope-not-ended", "unclosed_group", 5, r"Extra }, or forgotten \endgroup"),
        ("semicolon", "syntax", 6, "Did you forget a semicolon"),
        ("shape-unknown", "unknown_shape", 5, "Unknown shape"),
        ("text-before-document", "no_document", 2, r"Missing \begin{document}"),
        ("tfm", "missing_font", 4, "nosuchfont"),
        ("tikz-library", "missing_library", 2, "tikz library 'nosuchlib'"),
    ],
)
def test_the_first_error_has_class_line_and_text(
    name: str, kind: str, line: int | None, part: str
) -> None:
    error = first_error(log(name))
    assert error is not None
    assert (error.kind, error.line) == (kind, line)
    assert part in error.message
    assert "\n" not in error.message


def test_a_log_without_errors_has_none() -> None:
    assert first_error(log("missing-characters")) is None
    assert (
        first_error("LaTeX Warning: Reference `a' on page 1 undefined on input line 3.\n") is None
    )


def test_an_emergency_stop_gives_way_to_the_error_that_says_why() -> None:
    text = (
        "./doc.tex:9: Emergency stop.\n*** (job aborted, no legal \\end found)\n\n"
        "./doc.tex:3: Undefined control sequence.\nl.3 \\foo\n        x\n"
    )
    error = first_error(text)
    assert error is not None and error.message == r"Undefined control sequence \foo"
    alone = first_error(text.partition("\n\n")[0])
    assert alone is not None and (alone.kind, alone.line) == ("unclosed_group", 9)


@pytest.mark.parametrize(
    ("name", "engine", "wanted"),
    [
        ("directlua-pdftex", "pdflatex", "lualatex"),
        ("luacode-pdftex", "pdflatex", "lualatex"),
        ("fontspec-pdftex", "pdflatex", "xelatex"),
        ("cjk-pdftex", "pdflatex", "xelatex"),
        ("pdf-primitive-xetex", "xelatex", "pdflatex"),
        ("environment", "pdflatex", None),
        ("package", "pdflatex", None),
        ("option-clash", "pdflatex", None),
    ],
)
def test_only_an_engine_specific_error_calls_for_another_engine(
    name: str, engine: str, wanted: str | None
) -> None:
    assert wanted_engine(first_error(log(name)), engine) == wanted  # type: ignore[arg-type]


def test_missing_characters_are_listed_once_with_their_font() -> None:
    text = log("missing-characters")
    assert missing_characters(text + text) == (
        "ä in cmr10",
        "ü in cmr10",
        "a in nullfont",
        "b in nullfont",
    )


@pytest.mark.parametrize(
    ("name", "lack"),
    [
        ("package", Lack("missing_package", "foobarbaz.sty")),
        ("tikz-library", Lack("missing_library", "nosuchlib")),
        ("pgf-library", Lack("missing_library", "nosuch")),
        ("pgfplots-library", Lack("missing_library", "pgfplots.nosuch")),
        ("fontspec-font", Lack("missing_font", "No Such Font")),
    ],
)
def test_what_a_document_lacks_is_named(name: str, lack: Lack) -> None:
    assert lack in lacks(log(name))


def test_a_message_that_no_pattern_knows_is_other() -> None:
    assert classify("Package foo Error: The moon is full") == "other"


def test_a_long_log_keeps_head_and_tail() -> None:
    text = "head" + "x" * 900_000 + "tail"
    short = cap(text)
    assert len(short) <= 256 * 1024
    assert short.startswith("head") and short.endswith("tail")
    assert cap("short") == "short"


def files(**named: bytes) -> dict[str, bytes]:
    return {name.replace("_", "."): data for name, data in named.items()}


def state(**named: bytes) -> dict[str, bytes]:
    folder = files(**named)
    return rerun_state(lambda name: folder[name], folder)


def test_a_log_that_asks_for_a_rerun_gets_one() -> None:
    assert needs_another_pass(log("rerun-label").encode(), {}, {})


def test_a_package_that_speaks_of_reruns_is_no_signal() -> None:
    text = b"Package: rerunfilecheck 2022-07-10 v1.10 Rerun checks for auxiliary files (HO)\n"
    assert not needs_another_pass(text, {}, {})


def test_an_ordinary_aux_file_is_no_signal() -> None:
    after = state(doc_aux=b"\\relax \n\\gdef \\@abspagenum@last{1}\n", doc_log=b"x")
    assert not needs_another_pass(b"", {}, after)


def test_a_position_in_the_aux_file_is_a_signal_until_it_settles() -> None:
    first = state(doc_aux=b"\\pgfsyspdfmark {pgfid1}{100}{200}\n")
    moved = state(doc_aux=b"\\pgfsyspdfmark {pgfid1}{101}{200}\n")
    assert needs_another_pass(b"", {}, first)
    assert needs_another_pass(b"", first, moved)
    assert not needs_another_pass(b"", moved, moved)


def test_a_table_of_contents_is_a_signal() -> None:
    assert needs_another_pass(b"", {}, state(doc_toc=b"\\contentsline {section}{x}{1}{}%\n"))
    assert not needs_another_pass(b"", {}, state(doc_toc=b""))
