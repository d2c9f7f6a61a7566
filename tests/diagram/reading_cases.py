"""Replies as models write them, each with what must be read from it."""

from __future__ import annotations

import json
from dataclasses import dataclass

from redline.models.protocol import Finish

ORIGINAL = r"""\documentclass[tikz,border=2pt]{standalone}
\usetikzlibrary{arrows.meta}
\newcommand{\side}{2}
\begin{document}
\begin{tikzpicture}[scale=\side,
  every node/.style={draw=black, text={red}}]
  \node (a) at (0,0) {A};
  \node (b) at (2,0) {B};
  \draw[->] (a) -- (b);
\end{tikzpicture}
\end{document}
"""
HEAD = ORIGINAL[: ORIGINAL.index(r"\begin{tikzpicture}")]
OPENING = r"""\begin{tikzpicture}[scale=\side,
  every node/.style={draw=black, text={red}}]"""
TAIL = "\n\\end{document}\n"

EDITED = ORIGINAL.replace("{B}", "{C}")
OTHER = ORIGINAL.replace("{B}", "{draft}")
CUT = EDITED[: EDITED.index(r"\end{tikzpicture}")]
PICTURE = r"""\begin{tikzpicture}
  \node (z) at (0,0) {Z};
\end{tikzpicture}"""
SPLICED = HEAD + PICTURE + TAIL
DIFF = r"""@@ -8,2 +8,2 @@
-  \node (b) at (2,0) {B};
+  \node (b) at (2,0) {C};
   \draw[->] (a) -- (b);
"""
SEARCH = r"""<<<<<<< SEARCH
  \node (b) at (2,0) {B};
=======
  \node (b) at (2,0) {C};
>>>>>>> REPLACE
"""


def block(code: str, info: str = "latex", mark: str = "```") -> str:
    return f"{mark}{info}\n{code.rstrip(chr(10))}\n{mark}\n"


def indented(text: str, by: str) -> str:
    return "".join(by + line for line in text.splitlines(keepends=True))


@dataclass(frozen=True)
class Case:
    """`want` is the code that must come out, or the reason why none does."""

    name: str
    reply: str
    how: str
    want: str
    finish: Finish = "stop"
    notes: tuple[str, ...] = ()
    original: str = ORIGINAL


def document(
    name: str, reply: str, *notes: str, finish: Finish = "stop", want: str = EDITED
) -> Case:
    return Case(name, reply, "document", want, finish, notes)


def piece(
    name: str, reply: str, want: str = SPLICED, *notes: str, original: str = ORIGINAL
) -> Case:
    return Case(name, reply, "spliced_body", want, "stop", notes, original)


def patch(name: str, reply: str, want: str = EDITED) -> Case:
    return Case(name, reply, "patched", want)


def failed(name: str, reply: str, reason: str, finish: Finish = "stop", *notes: str) -> Case:
    return Case(name, reply, "none", reason, finish, notes)


DOCUMENTS = [
    document("a bare document is the code", EDITED),
    document("a document in a latex fence is the code", block(EDITED)),
    document("the info string may be tex", block(EDITED, "tex")),
    document("the info string may be tikz", block(EDITED, "tikz")),
    document("the info string may be in capitals", block(EDITED, "LaTeX")),
    document("the info string may be missing", block(EDITED, "")),
    document("the info string may carry a file name", block(EDITED, "latex title=figure.tex")),
    document("a fence may be of tildes", block(EDITED, "latex", "~~~")),
    document("a fence may be of four marks", block(EDITED, "latex", "````")),
    document("prose around a fence is no code", f"Sure!\n\n{block(EDITED)}\nI renamed B to C."),
    document("prose around a bare document is no code", f"Here it is:\n{EDITED}\nHope this helps."),
    document("an unclosed fence loses nothing", f"```latex\n{EDITED}", "fence_unclosed"),
    document(
        "of two documents the last is the answer",
        f"A first try:\n{block(OTHER)}\nBetter:\n{block(EDITED)}",
        "several_documents",
    ),
    document("of two bare documents the last is the answer", OTHER + EDITED, "several_documents"),
    document(
        "a second fence after an unclosed one begins a new block",
        f"```latex\n{OTHER}```latex\n{EDITED}```\n",
        "several_documents",
    ),
    document(
        "a document beats a later snippet", f"{block(EDITED)}\nThe new part:\n{block(PICTURE)}"
    ),
    document("a document beats a patch", f"{block(DIFF, 'diff')}\nIn full:\n{block(EDITED)}"),
    document(
        "a complete document beats a later one that is cut",
        f"{block(EDITED)}\nOnce more:\n```latex\n{CUT}",
        finish="length",
    ),
    document(
        "a complete document counts though the explanation was cut",
        f"{block(EDITED)}\nI have chan",
        finish="length",
    ),
    document(
        "a nested fence in a longer one is read", f"````markdown\n# Answer\n{block(EDITED)}````\n"
    ),
    document("a bare fence nested in a longer one is read", f"````\n{block(EDITED, '')}````\n"),
    document("a fence in a list is read without its indent", indented(block(EDITED), "    ")),
    document("a fence in a quotation is read without its marks", indented(block(EDITED), "> ")),
    document(
        "a fence that closes on the last line of code is closed",
        f"```latex\n{EDITED.rstrip()}```\nDone.",
    ),
    document(
        "a fence that opens at the end of a sentence is a fence", f"Here: ```latex\n{EDITED}```"
    ),
    document("a fence that opens on the first line of code is a fence", f"```{EDITED}```"),
    document(
        "TeX quotes are no fence",
        block(EDITED.replace("{C}", "{``C''}")),
        want=EDITED.replace("{C}", "{``C''}"),
    ),
    document(
        "three TeX quotes at the start of a line are no fence",
        block(EDITED.replace("{C}", "{\n```C' he said''}")),
        want=EDITED.replace("{C}", "{\n```C' he said''}"),
    ),
    document("CRLF line ends become line feeds", block(EDITED).replace("\n", "\r\n")),
    document(
        "NULs and other control characters go",
        block(EDITED).replace("A}", "A\x00\x07}"),
        "control_characters_removed",
    ),
    document("a byte order mark goes", "\ufeff" + EDITED, "control_characters_removed"),
    document(
        "a lone surrogate becomes a replacement character",
        EDITED.replace("{C}", "{\ud800}"),
        "control_characters_removed",
        want=EDITED.replace("{C}", "{\ufffd}"),
    ),
    document(
        "HTML escapes are undone where all is escaped",
        block(EDITED).replace(">", "&gt;"),
        "html_unescaped",
    ),
    document(
        "alignment marks are no HTML escapes",
        block(EDITED.replace("{C}", "{$a & b &lt; c$}")),
        want=EDITED.replace("{C}", "{$a & b &lt; c$}"),
    ),
    document(
        "a magic comment before the class belongs to the document",
        f"Here:\n% !TEX program = lualatex\n{EDITED}",
        want=f"% !TEX program = lualatex\n{EDITED}",
    ),
    document(
        "options passed before the class belong to the document",
        block("\\PassOptionsToPackage{dvipsnames}{xcolor}\n" + EDITED),
        want="\\PassOptionsToPackage{dvipsnames}{xcolor}\n" + EDITED,
    ),
    document(
        "a class in a comment begins no document",
        block(f"%\\documentclass{{article}}\n{EDITED}"),
        want=f"%\\documentclass{{article}}\n{EDITED}",
    ),
    document(
        "an end in a comment ends no document",
        block(EDITED.replace("(b);", "(b); % \\end{document}")),
        want=EDITED.replace("(b);", "(b); % \\end{document}"),
    ),
    document("what follows the end of the document goes", block(EDITED + "\nThis draws C.")),
    document(
        "prose that names the class and the end is no document",
        f"{block(EDITED)}\nI kept `\\documentclass{{x}}`, `\\begin{{document}}` and "
        "`\\end{document}`.",
    ),
    document(
        "JSON with the code is unwrapped",
        '{"explanation": "B is C", "code": ' + json.dumps(EDITED) + "}",
        "code_in_json",
    ),
    document(
        "JSON in a fence is unwrapped",
        block('{"tikz": ' + json.dumps(EDITED) + "}", "json"),
        "code_in_json",
    ),
    document(
        "JSON that holds a fenced document is unwrapped",
        '{"answer": ' + json.dumps(block(EDITED)) + "}",
        "code_in_json",
    ),
]

THINKING = [
    document(
        "closed thinking is not the answer",
        f"<think>\n{block(OTHER)}\n</think>\n{block(EDITED)}",
        "thinking_removed",
    ),
    document(
        "thinking may be called thinking",
        f"<thinking>{OTHER}</thinking>{block(EDITED)}",
        "thinking_removed",
    ),
    document(
        "several blocks of thinking go",
        f"<think>{OTHER}</think>\n<think>{OTHER}</think>\n{EDITED}",
        "thinking_removed",
    ),
    document(
        "blocks of thinking may touch",
        f"<think>{OTHER}</think><think>{OTHER}</think>{EDITED}",
        "thinking_removed",
    ),
    document(
        "thinking that was opened in the prompt goes",
        f"First I try\n{OTHER}\n</think>\n\n{block(EDITED)}",
        "thinking_removed",
    ),
    document(
        "thinking in square brackets goes", f"[THINK]{OTHER}[/THINK]\n{EDITED}", "thinking_removed"
    ),
    document(
        "thinking between white diamonds goes",
        f"◁think▷{OTHER}◁/think▷\n{EDITED}",
        "thinking_removed",
    ),
    document(
        "an answer before thinking counts",
        f"{block(EDITED)}\n<think>was it right?</think>",
        "thinking_removed",
    ),
    document(
        "a complete document in thinking that was left open counts",
        f"<think>\nI must rename B.\n{block(EDITED)}",
        "thinking_left_open",
    ),
    document(
        "a label that reads like thinking stays",
        EDITED.replace("{C}", "{<think>}"),
        want=EDITED.replace("{C}", "{<think>}"),
    ),
    failed("thinking alone is no answer", f"<think>{block(EDITED)}</think>\n", "only_thinking"),
    failed(
        "thinking left open without a document is no answer",
        f"<think>\nperhaps {PICTURE}",
        "only_thinking",
    ),
    failed(
        "thinking that hits the limit is cut off, drafts or not",
        f"<think>\n{block(OTHER)}\nBut wait",
        "cut_off",
        "length",
    ),
]

PIECES = [
    piece("a picture is spliced into the original's frame", block(PICTURE)),
    piece("a bare picture is spliced", PICTURE),
    piece("a bare picture in prose is spliced", f"Use this:\n\n{PICTURE}\n\nGood luck."),
    piece(
        "a picture in an unclosed fence is spliced",
        f"```tikz\n{PICTURE}",
        SPLICED,
        "fence_unclosed",
    ),
    piece("a picture in a fence closed on its last line is spliced", f"```tikz\n{PICTURE}```"),
    piece(
        "of two pictures in two blocks the last is the answer",
        block(PICTURE.replace("Z", "Y")) + "or rather\n" + block(PICTURE),
    ),
    piece(
        "a picture beats the lines that changed",
        block(PICTURE) + "The change:\n" + block(r"\node (z) at (0,0) {Z};"),
    ),
    piece(
        "libraries of a piece move to the preamble",
        block("\\usetikzlibrary{calc}\n\\usepackage{xcolor}\n" + PICTURE),
        SPLICED.replace(
            "\\begin{document}", "\\usetikzlibrary{calc}\n\\usepackage{xcolor}\n\\begin{document}"
        ),
    ),
    piece(
        "libraries in a block of their own move to the preamble",
        f"Add:\n{block(chr(92) + 'usetikzlibrary{calc}')}and draw\n{block(PICTURE)}",
        SPLICED.replace("\\begin{document}", "\\usetikzlibrary{calc}\n\\begin{document}"),
    ),
    piece(
        "a library that the original loads is not loaded twice",
        block("\\usetikzlibrary{arrows.meta}\n" + PICTURE),
    ),
    piece(
        "a macro that the original defines is not defined twice",
        block("\\newcommand{\\side}{2}\n" + PICTURE),
    ),
    piece(
        "a style before the picture comes along",
        block("\\tikzset{box/.style={\n  draw\n}}\n" + PICTURE),
        HEAD.rstrip("\n") + "\n\\tikzset{box/.style={\n  draw\n}}\n" + PICTURE + TAIL,
    ),
    piece(
        "a body between its document marks is spliced",
        block(f"\\begin{{document}}\n{PICTURE}\n\\end{{document}}"),
    ),
    piece(
        "what stands around the original's picture stays",
        block(PICTURE),
        SPLICED.replace(PICTURE, f"\\centering\n{PICTURE}\nA caption."),
        original=ORIGINAL.replace(
            r"\begin{tikzpicture}", "\\centering\n\\begin{tikzpicture}"
        ).replace(r"\end{tikzpicture}", "\\end{tikzpicture}\nA caption."),
    ),
    piece(
        "a commutative diagram is a picture",
        block("\\begin{tikzcd}\nA \\arrow[r] & B\n\\end{tikzcd}"),
        SPLICED.replace(PICTURE, "\\begin{tikzcd}\nA \\arrow[r] & B\n\\end{tikzcd}"),
    ),
    piece(
        "a tikz command is a picture",
        block(r"\tikz[scale=2]{\draw (0,0) -- (1,1);}"),
        SPLICED.replace(PICTURE, r"\tikz[scale=2]{\draw (0,0) -- (1,1);}"),
    ),
    piece(
        "the inside of the picture goes into the original's picture",
        block("  \\node (z) at (0,0) {Z};\n  \\draw (z) -- (1,1);"),
        HEAD + OPENING + "\n  \\node (z) at (0,0) {Z};\n  \\draw (z) -- (1,1);\n"
        "\\end{tikzpicture}" + TAIL,
    ),
    piece(
        "a bare inside of the picture goes into the original's picture",
        "\\draw (0,0) -- (1,1);\n",
        HEAD + OPENING + "\n\\draw (0,0) -- (1,1);\n\\end{tikzpicture}" + TAIL,
    ),
    Case(
        "the inside of a picture does not fit an original of two pictures",
        block(r"\draw (0,0) -- (1,1);"),
        "none",
        "no_code",
        original=ORIGINAL.replace(r"\end{document}", PICTURE + "\n\\end{document}"),
    ),
    Case(
        "a piece does not fit an original that is no document",
        block(PICTURE),
        "none",
        "no_code",
        original=PICTURE,
    ),
]

PATCHES = [
    patch("a unified diff is applied", block(DIFF, "diff")),
    patch(
        "a diff with file names is applied",
        block(f"--- a/figure.tex\n+++ b/figure.tex\n{DIFF}", "diff"),
    ),
    patch(
        "a diff with the wrong line number is applied where it fits",
        block(DIFF.replace("@@ -8,2 +8,2 @@", "@@ -3,2 +3,2 @@"), "diff"),
    ),
    patch(
        "a diff without line numbers is applied",
        block(DIFF.replace("@@ -8,2 +8,2 @@", "@@ @@"), "diff"),
    ),
    patch("a bare diff with prose after it is applied", f"{DIFF}\nThat renames B."),
    patch(
        "a diff that is said twice is applied once",
        block(DIFF, "diff") + "Again:\n" + block(DIFF, "diff"),
    ),
    patch(
        "a diff of the whole file is no document",
        block(
            "@@ -1,11 +1,11 @@\n"
            + "".join(
                f"-{line}\n+{line.replace('{B}', '{C}')}\n" if "{B}" in line else f" {line}\n"
                for line in ORIGINAL.splitlines()
            ),
            "diff",
        ),
    ),
    patch("a search-and-replace block is applied", block(SEARCH, "")),
    patch(
        "two search-and-replace blocks are applied",
        SEARCH.replace("{C}", "{D}")
        + "\n"
        + SEARCH.replace("{B}", "{A}")
        .replace("(b)", "(a)")
        .replace("(2,0)", "(0,0)")
        .replace("{C}", "{Q}"),
        want=ORIGINAL.replace("{B}", "{D}").replace("{A}", "{Q}"),
    ),
    failed(
        "a diff whose context is not there does not apply",
        block(DIFF.replace("(a) -- (b)", "(a) -- (q)"), "diff"),
        "patch_does_not_apply",
    ),
    Case(
        "a search text that stands in two places does not apply",
        SEARCH,
        "none",
        "patch_does_not_apply",
        original=ORIGINAL.replace("  \\draw", "  \\node (b) at (2,0) {B};\n  \\draw"),
    ),
    failed(
        "a search-and-replace block that does not end does not apply",
        block(SEARCH.replace("=======\n", ""), ""),
        "patch_does_not_apply",
    ),
    failed(
        "a diff that holds no change does not apply",
        block("", "diff").replace("```diff\n", "```diff\n@@ -1 +1 @@\n"),
        "patch_does_not_apply",
    ),
]

FAILURES = [
    failed("an empty reply is empty", "", "empty"),
    failed("blanks are empty", " \n\t\r\n\x00", "empty"),
    failed("an empty reply at the token limit is cut off", "", "cut_off", "length"),
    failed(
        "a document that hit the token limit is cut off", f"```latex\n{CUT}", "cut_off", "length"
    ),
    failed(
        "a cut document is not completed though the provider says it stopped",
        f"```latex\n{CUT}",
        "cut_off",
    ),
    failed(
        "the whole picture in a cut document is not taken for the answer",
        block(EDITED.replace(r"\end{document}", "")),
        "cut_off",
    ),
    failed("a picture that does not end is cut off", block(PICTURE[:-8]), "cut_off"),
    failed("a snippet at the token limit is cut off", block(PICTURE), "cut_off", "length"),
    failed("the provider's refusal is a refusal", "I will not.", "refusal", "refusal"),
    failed("the provider's refusal is a refusal without text too", "", "refusal", "refusal"),
    failed(
        "a text that declines is a refusal", "I'm sorry, but I can't help with that.", "refusal"
    ),
    failed("a typographic apostrophe declines as well", "I can’t edit this diagram.", "refusal"),
    failed(
        "a refusal that names an environment is a refusal",
        r"I cannot see the \begin{tikzpicture} you mean.",
        "refusal",
    ),
    failed("prose is no code", "The arrow should point from A to C.", "no_code"),
    failed("code in another language is no code", block("print('hello')", "python"), "no_code"),
    failed("a style alone is no picture", block(r"\tikzset{box/.style={draw}}"), "no_code"),
    failed("a preamble alone is no picture", block(r"\usetikzlibrary{calc}"), "no_code"),
    failed("JSON without code is no code", '{"status": "done"}', "no_code"),
    failed("an empty fence is no code", "```latex\n```", "no_code"),
]

CASES = [*DOCUMENTS, *THINKING, *PIECES, *PATCHES, *FAILURES]
