"""`redline bench`: what it prints, where, and how it ends."""

import json
import shutil
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from redline.bench import load
from redline.cli import bench as command
from redline.cli import compile_check
from redline.errors import UserError
from redline.tex.result import Render, TexError
from tests.bench.making import Folder
from tests.bench.test_vtikz import INPUT, put

DOCUMENT = "\\documentclass[tikz]{standalone}\n\\begin{document}\n%s\n\\end{document}\n"


@dataclass
class FakeRenderer:
    """Codes with `broken` give no page by their own fault, with `unknown` by the machine's; with
    `drow` they give one in spite of an error."""

    asked: list[str] = field(default_factory=list)

    def render(self, code: str, engine: Any = None, scale: float | None = None) -> Render:
        self.asked.append(code)
        if "broken" in code:
            return Render("failed", "pdflatex", TexError("syntax", "Missing } inserted.", 7))
        if "unknown" in code:
            return Render("unavailable", "pdflatex", TexError("missing_package", "no x.sty"))
        if "drow" in code:
            error = TexError("undefined_command", "Undefined control sequence \\drow.", 4)
            return Render("ok_with_errors", "pdflatex", error, png=b"png", scale=1.0)
        return Render("ok", "pdflatex", png=b"png", scale=1.0)


@pytest.fixture
def renderer(monkeypatch: pytest.MonkeyPatch) -> FakeRenderer:
    fake = FakeRenderer()
    monkeypatch.setattr(compile_check, "renderer", lambda stack, unsandboxed: fake)
    return fake


def run(*arguments: object) -> Result:
    return CliRunner().invoke(command.bench_app, [str(a) for a in arguments])


def test_a_good_folder_passes_and_every_code_was_compiled(
    folder: Folder, renderer: FakeRenderer
) -> None:
    folder.drawn_sample()
    result = run("check", folder.write())
    assert result.exit_code == 0
    assert "no faults" in result.stdout
    assert len(renderer.asked) == 3


def test_all_faults_are_listed_on_stderr_with_status_2(
    folder: Folder, renderer: FakeRenderer
) -> None:
    folder.text_sample("a")["operations"] = 5
    folder.text_sample("b")
    folder.files["code/b.gold.tex"] = b"broken"
    result = run("check", folder.write())
    assert result.exit_code == 2
    assert "sample a, samples.jsonl line 1, key operations: is 5. Give" in result.stderr
    assert (
        "sample b, gold 1: gives no page with pdflatex: Missing } inserted (line 7). Mend the code."
        in result.stderr
    )
    assert "2 faults" in result.stderr
    assert result.stdout == ""


def test_what_this_machine_cannot_render_is_no_fault_of_the_benchmark(
    folder: Folder, renderer: FakeRenderer
) -> None:
    folder.text_sample("a")
    folder.files["code/a.tex"] = b"unknown"
    result = run("check", folder.write())
    assert result.exit_code == 0
    assert "not checked: sample a, original" in result.stderr
    assert "1 code not checked" in result.stdout
    told = json.loads(run("check", folder.root, "--json").stdout)
    assert told["faults"] == []
    assert [u["sample"] for u in told["unchecked"]] == ["a"]


def test_a_page_in_spite_of_errors_is_a_note_with_code_line_and_error(
    folder: Folder, renderer: FakeRenderer
) -> None:
    folder.text_sample("a")
    folder.files["code/a.gold.tex"] = b"drow"
    folder.text_sample("b")
    folder.files["code/b.tex"] = b"drow"
    result = run("check", folder.write())
    assert result.exit_code == 0
    said = "compiles with errors: line 4, Undefined control sequence \\drow. Mend"
    assert f"note: sample a, gold 1: {said}" in result.stderr
    assert f"note: sample b, original: {said}" in result.stderr
    assert "no faults. 2 notes to read." in result.stdout
    told = json.loads(run("check", folder.root, "--json").stdout)
    assert told["faults"] == []
    assert [(n["sample"], n["where"], n["severity"]) for n in told["notes"]] == [
        ("a", "gold 1", "note"),
        ("b", "original", "note"),
    ]


def test_json_of_a_check_is_pure_and_has_all_faults(folder: Folder, renderer: FakeRenderer) -> None:
    folder.text_sample("a")["operations"] = 5
    result = run("check", folder.write(), "--json")
    assert result.exit_code == 2
    (fault,) = json.loads(result.stdout)["faults"]
    assert fault.keys() == {"sample", "where", "what", "do", "severity"}
    assert result.stderr == ""


def test_compiling_can_be_left_out(folder: Folder, renderer: FakeRenderer) -> None:
    folder.text_sample("a")
    assert run("check", folder.write(), "--no-compile").exit_code == 0
    assert renderer.asked == []


def test_a_benchmark_that_is_not_there_is_a_users_error(tmp_path: Path) -> None:
    result = run("check", tmp_path / "none", "--no-compile")
    assert isinstance(result.exception, UserError)
    assert result.exception.exit_status == 2


def test_show_lists_the_samples_one_a_line_without_a_terminal(folder: Folder) -> None:
    folder.drawn_sample("a")
    folder.text_sample("b")["instruction"] = "Zwei\nZeilen\t[bold]"
    result = run("show", folder.write())
    lines = result.stdout.splitlines()
    assert lines[0].split("\t")[:2] == ["id", "edit type"]
    assert lines[1].split("\t") == ["a", "UPDATE", "1", "pen", "2", "Rename A to B."]
    assert lines[2].split("\t")[-1] == "Zwei Zeilen [bold]"
    assert load(folder.root).hash in result.stdout
    assert lines[-1] == f"Folder: {folder.root.resolve()}"


def test_show_as_json_has_every_sample_and_paths_in_the_folder(folder: Folder) -> None:
    folder.drawn_sample("a")
    told = json.loads(run("show", folder.write(), "--json").stdout)
    assert told["samples"] == 1
    (sample,) = told["samples_list"]
    assert (Path(told["folder"]) / sample["picture"]).is_file()
    assert "code" not in sample


def test_show_of_one_sample_has_its_codes_and_what_the_golds_change(folder: Folder) -> None:
    folder.drawn_sample("a")
    root = folder.write()
    text = run("show", root, "a").stdout
    assert "+\\begin{tikzpicture}\\node{B};" in text
    assert text.splitlines()[0].split() == ["folder:", str(root.resolve())]
    told = json.loads(run("show", root, "a", "--json").stdout)
    assert len(told["gold_codes"]) == 2
    assert (Path(told["folder"]) / told["picture"]).is_file()
    unknown = run("show", root, "zz")
    assert "no sample zz" in str(unknown.exception)


def test_list_names_the_bundled_benchmarks(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    folder.toml["name"] = "mini-x"
    folder.text_sample()
    monkeypatch.setattr("redline.bench.bundled", lambda: {"mini-x": folder.write()})
    assert run("list").stdout.splitlines()[1].split("\t")[:4] == ["mini-x", "1", "diagram", "1"]
    (told,) = json.loads(run("list", "--json").stdout)
    assert (told["name"], told["folder"]) == ("mini-x", str(folder.root.resolve()))


def test_import_says_what_was_skipped_and_what_does_not_render(
    tmp_path: Path, renderer: FakeRenderer
) -> None:
    put(tmp_path / "v", "good", "§choice([blue,cyan],blue)")
    put(tmp_path / "v", "odd", "unknown")
    put(tmp_path / "v", "bad", "§range(1")
    result = run("import", "vtikz", tmp_path / "v", tmp_path / "out")
    assert result.exit_code == 0
    assert "skipped: sample bad, bad/solutions/solution1.tex line 3" in result.stderr
    assert "sample odd, code/odd.gold1.tex: does not render here: no x.sty" in result.stderr
    assert "2 samples are in" in result.stdout
    assert "1 sample skipped" in result.stdout
    shutil.rmtree(tmp_path / "out")
    told = json.loads(run("import", "vtikz", tmp_path / "v", tmp_path / "out", "--json").stdout)
    assert told["imported"] == ["good", "odd"]
    assert [f["sample"] for f in told["skipped"]] == ["bad"]
    assert [f["sample"] for f in told["unrendered"]] == ["odd"]


def test_an_export_can_be_imported_again(folder: Folder, tmp_path: Path) -> None:
    folder.drawn_sample("a")
    folder.text_sample("b")
    root = folder.write()
    assert run("export", root, tmp_path / "x.zip", "--format", "zip").exit_code == 0
    result = run("import", "archive", tmp_path / "x.zip", tmp_path / "back")
    assert load(root).hash in result.stdout
    run("export", root, tmp_path / "one", "--ids", "b")
    assert [s.id for s in load(tmp_path / "one").samples] == ["b"]


@pytest.mark.tex
@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no TeX engine on PATH")
def test_check_and_import_compile_with_the_real_engine(folder: Folder, tmp_path: Path) -> None:
    folder.text_sample("a")
    folder.files["code/a.tex"] = (DOCUMENT % "\\tikz\\draw (0,0)--(1,1);").encode()
    folder.files["code/a.gold.tex"] = (DOCUMENT % "\\tikz\\drow (0,0)--(1,1);").encode()
    result = run("check", folder.write())
    assert result.exit_code == 2
    assert "sample a, gold 1: gives no page with pdflatex" in result.stderr
    folder.files["code/a.gold.tex"] = (
        DOCUMENT % "\\tikz\\draw (0,0)--(1,1);\n\\drow[red]\\tikz\\draw (0,0)--(1,0);"
    ).encode()
    result = run("check", folder.write())
    assert result.exit_code == 0
    assert (
        "gold 1: compiles with errors: line 4, Undefined control sequence \\drow" in result.stderr
    )
    put(tmp_path / "v", "good", "§choice([blue,cyan],blue)")
    put(tmp_path / "v", "none", "blue", code=INPUT.replace("standalone", "nosuchclass"))
    told = json.loads(run("import", "vtikz", tmp_path / "v", tmp_path / "out", "--json").stdout)
    assert {f["sample"] for f in told["unrendered"]} == {"none"}
