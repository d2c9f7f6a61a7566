"""vTikZ folders become benchmark folders; what can't is said with file and line."""

import json
from pathlib import Path
from typing import Any

import pytest

from redline.bench import check, import_vtikz, load
from redline.errors import UserError

INPUT = (
    "\\documentclass[tikz]{standalone}\n\\begin{document}\n"
    "\\tikz\\draw[red](0,0)--(1,1);\n\\end{document}\n"
)
DATA = {
    "instruction": "Make it blue.", "result_description": "A blue line", "difficulty": "easy",
    "type": "scientific", "modif_type": "update",
}  # fmt: skip


def put(
    src: Path, name: str, *solutions: str, data: dict[str, Any] | None = None, code: str = INPUT
) -> Path:
    """One vTikZ sample; `solutions` are what stands for red."""
    folder = src / name
    (folder / "solutions").mkdir(parents=True)
    (folder / "data.json").write_text(json.dumps(DATA if data is None else data))
    (folder / "input.tex").write_text(code)
    for k, solution in enumerate(solutions, start=1):
        text = code.replace("red", solution)
        (folder / "solutions" / f"solution{k}.tex").write_text(text)
    return folder


def test_a_sample_is_imported_at_the_defaults_with_its_template(tmp_path: Path) -> None:
    put(tmp_path / "v", "line_blue", "§choice([blue,cyan],blue)", "blue,line width=§rangei(2,1)")
    report = import_vtikz(tmp_path / "v", tmp_path / "out")
    assert (report.imported, report.skipped, report.notes) == (("line_blue",), (), ())
    assert check(tmp_path / "out") == []
    (sample,) = load(tmp_path / "out").samples
    assert sample.code == INPUT
    assert sample.golds == (
        INPUT.replace("red", "blue"), INPUT.replace("red", "blue,line width=2"),
    )  # fmt: skip
    assert sample.gold_templates[1] == INPUT.replace("red", "blue,line width=§rangei(2,1)")
    assert (tmp_path / "out/code/line_blue.gold1.template.tex").is_file()
    assert (sample.edit_type, sample.subtypes, sample.operations) == ("UPDATE", ("scientific",), 1)
    assert (sample.instruction, sample.result_description) == ("Make it blue.", "A blue line")
    assert sample.ratings == ({"by": "vTikZ", "difficulty": "easy"},)
    assert sample.origin == "vTikZ line_blue"
    assert sample.conditions == ("text",)


def test_golds_without_holes_have_no_templates(tmp_path: Path) -> None:
    put(tmp_path / "v", "a", "blue")
    import_vtikz(tmp_path / "v", tmp_path / "out")
    assert load(tmp_path / "out").samples[0].gold_templates == ()
    assert not list((tmp_path / "out/code").glob("*template*"))


@pytest.mark.parametrize(
    ("theirs", "ours"), [("add", "ADD"), ("remove", "REMOVE"), ("update", "UPDATE"), ("Add", "ADD")]
)
def test_their_kinds_of_edit_become_ours(tmp_path: Path, theirs: str, ours: str) -> None:
    put(tmp_path / "v", "a", "blue", data=DATA | {"modif_type": theirs})
    import_vtikz(tmp_path / "v", tmp_path / "out")
    assert load(tmp_path / "out").samples[0].edit_type == ours


def test_samples_over_one_input_share_their_source(tmp_path: Path) -> None:
    put(tmp_path / "v", "a", "blue")
    put(tmp_path / "v", "b", "green", code=INPUT + "\n")
    put(tmp_path / "v", "c", "blue", code=INPUT.replace("(0,0)", "(2,2)"))
    import_vtikz(tmp_path / "v", tmp_path / "out")
    a, b, c = load(tmp_path / "out").samples
    assert a.source_id == b.source_id != c.source_id


def test_solutions_are_taken_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    put(tmp_path / "v", "a", *[f"blue!{k}" for k in range(1, 13)])
    import_vtikz(tmp_path / "v", tmp_path / "out")
    golds = load(tmp_path / "out").samples[0].golds
    assert golds == tuple(INPUT.replace("red", f"blue!{k}") for k in range(1, 13))


BROKEN: dict[str, tuple[dict[str, bytes | None], str, str]] = {
    "a malformed hole": (
        {"solutions/solution1.tex": b"a\n\n  b \xc2\xa7range(1,2"},
        "bad/solutions/solution1.tex line 3, column 5", "never ends",
    ),
    "an unknown hole": (
        {"solutions/solution1.tex": b"\xc2\xa7exist(1,2){|x|}"},
        "bad/solutions/solution1.tex line 1, column 1", "no known hole",
    ),
    "no data": ({"data.json": None}, "bad/data.json", "no file"),
    "broken data": ({"data.json": b"{"}, "bad/data.json", "not JSON"),
    "no instruction": ({"data.json": b'{"modif_type": "add"}'}, "bad/data.json", "no instruction"),
    "unknown edit": (
        json.dumps(DATA | {"modif_type": "ad"}), "bad/data.json", "did you mean 'add'",
    ),
    "edit no text": (json.dumps(DATA | {"modif_type": 3}), "bad/data.json", "modif_type 3"),
    "control character": (json.dumps(DATA | {"instruction": "a\0"}), "bad/data.json", "control"),
    "no input": ({"input.tex": None}, "bad/input.tex", "no file"),
    "input no text": ({"input.tex": b"\xff"}, "bad/input.tex", "not UTF-8"),
    "no solution": ({"solutions/solution1.tex": None}, "bad/solutions", "no solution"),
    "solution is the input": (
        {"solutions/solution1.tex": INPUT.encode()}, "bad/solutions", "differs from the input",
    ),
}  # type: ignore[dict-item]  # fmt: skip


@pytest.mark.parametrize("case", BROKEN)
def test_what_cannot_be_imported_is_skipped_with_its_place_and_the_rest_goes_on(
    tmp_path: Path, case: str
) -> None:
    files, where, what = BROKEN[case]
    folder = put(tmp_path / "v", "bad", "blue")
    put(tmp_path / "v", "good", "blue")
    changes = {"data.json": files.encode()} if isinstance(files, str) else files
    for name, data in changes.items():
        if data is None:
            (folder / name).unlink()
        else:
            (folder / name).write_bytes(data)
    report = import_vtikz(tmp_path / "v", tmp_path / "out")
    assert report.imported == ("good",)
    (fault,) = report.skipped
    assert (fault.sample, fault.where) == ("bad", where)
    assert what in fault.what
    assert check(tmp_path / "out") == []


def test_an_unsafe_name_is_skipped(tmp_path: Path) -> None:
    put(tmp_path / "v", "a b", "blue")
    put(tmp_path / "v", "good", "blue")
    report = import_vtikz(tmp_path / "v", tmp_path / "out")
    assert report.imported == ("good",)
    assert "unsafe as an id" in report.skipped[0].what


def test_links_out_of_the_source_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "secret.tex").write_text("secret")
    folder = put(tmp_path / "v", "bad", "blue")
    put(tmp_path / "v", "good", "blue")
    (folder / "solutions/solution1.tex").unlink()
    (folder / "solutions/solution1.tex").symlink_to(tmp_path / "secret.tex")
    report = import_vtikz(tmp_path / "v", tmp_path / "out")
    assert "link out" in report.skipped[0].what


def test_oddities_are_noted_and_do_not_stop_a_sample(tmp_path: Path) -> None:
    put(tmp_path / "v", "a", "§range(0,1,5)", "5", "red", "blue",
        data=DATA | {"type": "plant", "difficulty": None})  # fmt: skip
    report = import_vtikz(tmp_path / "v", tmp_path / "out")
    said = [n.what for n in report.notes]
    assert len(said) == 5
    assert "the default '5' of §range is not among what it admits" in said[0]
    assert "same code as a/solutions/solution1.tex" in said[1]
    assert "same code as input.tex" in said[2]
    assert "type 'plant'" in said[3]
    assert "difficulty None" in said[4]
    (sample,) = load(tmp_path / "out").samples
    assert len(sample.golds) == 2
    assert (sample.subtypes, sample.ratings) == (("plant",), ())


def test_what_does_not_render_here_is_said_and_kept(tmp_path: Path) -> None:
    put(tmp_path / "v", "a", "blue")
    put(tmp_path / "v", "b", "BlueGrey700")
    report = import_vtikz(
        tmp_path / "v", tmp_path / "out",
        renders=lambda code: "unknown colour BlueGrey700." if "BlueGrey" in code else None,
    )  # fmt: skip
    assert report.imported == ("a", "b")
    (fault,) = report.unrendered
    assert (fault.sample, fault.where) == ("b", "code/b.gold1.tex")
    assert "does not render here: unknown colour BlueGrey700" in fault.what


def test_a_folder_without_samples_a_missing_one_and_a_full_destination_are_refused(
    tmp_path: Path,
) -> None:
    (tmp_path / "v").mkdir()
    with pytest.raises(UserError, match="no vTikZ sample"):
        import_vtikz(tmp_path / "v", tmp_path / "out")
    with pytest.raises(UserError, match="not a folder"):
        import_vtikz(tmp_path / "none", tmp_path / "out")
    put(tmp_path / "v", "a", "blue")
    with pytest.raises(UserError, match="not empty"):
        import_vtikz(tmp_path / "v", tmp_path / "v")
    put(tmp_path / "w", "a", "§def(")
    with pytest.raises(
        UserError, match=r"No sample of .* can be imported:\n.*has \] where \) is due"
    ):
        import_vtikz(tmp_path / "w", tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_an_instruction_of_any_characters_survives(tmp_path: Path) -> None:
    words = 'Größe "λ" \\emph{x} \U0001f600\nzweite Zeile'
    put(tmp_path / "v", "a", "blue", data=DATA | {"instruction": words})
    import_vtikz(tmp_path / "v", tmp_path / "out", licence='say "what" \U0001f600')
    benchmark = load(tmp_path / "out")
    assert benchmark.samples[0].instruction == words
    assert benchmark.licence == 'say "what" \U0001f600'
