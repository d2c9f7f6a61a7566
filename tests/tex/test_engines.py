"""The engine a document wants is read from its preamble."""

import pytest

from redline.tex import choose_engine


@pytest.mark.parametrize(
    ("code", "engine"),
    [
        (r"\documentclass{article}\begin{document}x\end{document}", "pdflatex"),
        (r"\usepackage{fontspec}", "xelatex"),
        (r"\usepackage{amsmath, fontspec, tikz}", "xelatex"),
        (r"\usepackage[no-math]{fontspec}", "xelatex"),
        (r"\usepackage{unicode-math}", "xelatex"),
        (r"\RequirePackage{polyglossia}", "xelatex"),
        (r"\documentclass[a4paper]{ctexart}", "xelatex"),
        (r"\setmainfont{TeX Gyre Termes}", "xelatex"),
        (r"\usepackage{xeCJK}", "xelatex"),
        (r"\usetikzlibrary{graphs, graphdrawing}", "lualatex"),
        (r"\usepackage{luacode}", "lualatex"),
        (r"\usepackage{fontspec}\directlua{x}", "lualatex"),
        (r"\begin{luacode*}", "lualatex"),
        ("\\node {输入};", "xelatex"),
        ("\\usepackage{CJKutf8}\\node {输入};", "pdflatex"),
        ("% 输入 is only a remark\n\\node {x};", "pdflatex"),
        ("% \\usepackage{fontspec}\n\\documentclass{article}", "pdflatex"),
        (r"10\% \usepackage{fontspec}", "xelatex"),
        (r"\usepackage{tikz-cd}", "pdflatex"),
        (r"\usepackage[german]{babel}", "pdflatex"),
        ("% !TEX program = lualatex\n\\documentclass{article}", "lualatex"),
        ("%!TeX TS-program = xelatex\n\\documentclass{article}", "xelatex"),
        ("% !TEX program = latexmk\n\\documentclass{article}", "pdflatex"),
        ("% !TEX program = sh -c id\n\\documentclass{article}", "pdflatex"),
        ("% !TEX program = pdflatex\n\\usepackage{fontspec}", "pdflatex"),
    ],
)
def test_the_engine_follows_from_the_document(code: str, engine: str) -> None:
    assert choose_engine(code) == engine
