"""Every kind of fault is found, named by its sample and place, and all come at once."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from redline.bench import BenchmarkError, DiagramSample, Fault, check, load
from tests.bench.making import GOLD, ORIGINAL, SCENE, Folder, pictures


def one(faults: list[Fault]) -> Fault:
    assert len(faults) == 1, [str(f) for f in faults]
    return faults[0]


def test_whole_folders_have_no_faults(folder: Folder) -> None:
    folder.drawn_sample("s1")
    folder.text_sample("s2")
    assert check(folder.write()) == []


def test_the_public_folder_has_no_faults_and_runs_by_text_only(real_diagrams: Path) -> None:
    assert check(real_diagrams) == []
    benchmark = load(real_diagrams)
    assert len(benchmark.samples) == 16
    assert {s.conditions for s in benchmark.samples} == {("text",)}


# --- benchmark.toml -------------------------------------------------------------------------

TOML_FAULTS: dict[str, tuple[dict[str, Any], str, str]] = {
    "no name": ({"name": ...}, "key name", "is missing"),
    "name with a slash": ({"name": "a/b"}, "key name", "unsafe as a file name"),
    "name no text": ({"name": 5}, "key name", "is 5, not a text"),
    "no version": ({"version": ...}, "key version", "is missing"),
    "version a number": ({"version": 1.0}, "key version", "is 1.0"),
    "version with a blank": ({"version": "1 a"}, "key version", "1 a"),
    "no track": ({"track": ...}, "key track", "is missing"),
    "unknown track": ({"track": "diagrams"}, "key track", "did you mean 'diagram'"),
    "no licence": ({"licence": ...}, "key licence", "is missing"),
    "empty licence": ({"licence": " "}, "key licence", "is empty"),
    "unknown key": ({"licens": "x"}, "key licens", "did you mean 'licence'"),
    "description no text": ({"description": 1}, "key description", "not a text"),
    "citation no text": ({"citation": []}, "key citation", "not a text"),
    "defaults no table": ({"defaults": "x"}, "key defaults", "is 'x'"),
    "unknown default": ({"defaults": {"judg": "a/b"}}, "key defaults.judg", "mean 'judge'"),
}


@pytest.mark.parametrize("case", TOML_FAULTS)
def test_faults_of_the_toml_are_named_by_key(folder: Folder, case: str) -> None:
    folder.text_sample()
    changes, where, what = TOML_FAULTS[case]
    folder.toml |= changes
    folder.toml = {k: v for k, v in folder.toml.items() if v is not ...}
    fault = one(check(folder.write()))
    assert fault.where == f"benchmark.toml, {where}"
    assert what in fault.what
    assert fault.do


JUDGES = [
    "command/rm", "https://evil.example/v1", "http://host:8000/v1#name", "http/x", "file/etc",
    "replay/../x", "baseline/oracle", "rm -rf /", "openai/x; rm", "openai/../../x", "openai//x",
    "/bin/sh", "$(id)/x", "gpt-5", "", "openai/x\ny",
]  # fmt: skip


@pytest.mark.parametrize("judge", JUDGES)
def test_a_suggested_judge_is_never_a_command_or_url(folder: Folder, judge: str) -> None:
    folder.text_sample()
    folder.toml["defaults"] = {"judge": judge}
    assert one(check(folder.write())).where == "benchmark.toml, key defaults.judge"


@pytest.mark.parametrize("key", ["rubric", "render", "measure"])
@pytest.mark.parametrize("value", ["./r.toml", "/etc/passwd", "../r", "http://x/r", "a b", ".r"])
def test_a_suggested_rubric_or_profile_is_a_plain_name(
    folder: Folder, key: str, value: str
) -> None:
    folder.text_sample()
    folder.toml["defaults"] = {key: value}
    assert one(check(folder.write())).where == f"benchmark.toml, key defaults.{key}"


def test_harmless_suggestions_are_taken(folder: Folder) -> None:
    folder.text_sample()
    folder.toml["defaults"] = {
        "judge": "openrouter/qwen/qwen3-vl:free", "rubric": "viseditbench-image-v1",
        "render": "default", "measure": "corrected",
    }  # fmt: skip
    assert load(folder.write()).defaults["judge"] == "openrouter/qwen/qwen3-vl:free"


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (b"name = ", "can't be read as TOML"),
        (b"name = 'a'\nname = 'b'\n", "can't be read as TOML"),
        (b"\xff", "can't be read as TOML"),
        (b"\xef\xbb\xbfname = 'a'\n", "byte order mark"),
        (b"a = " + b"[" * 100_000, "can't be read as TOML"),
    ],
)
def test_a_broken_toml_is_one_fault_and_the_samples_are_still_checked(
    folder: Folder, data: bytes, what: str
) -> None:
    folder.text_sample()["operations"] = 4
    folder.write_file("benchmark.toml", data)
    root = folder.write()
    folder.write_file("benchmark.toml", data)
    first, second = check(root)
    assert first.where == "benchmark.toml"
    assert what in first.what
    assert second.where == "samples.jsonl line 1, key operations"


# --- lines ----------------------------------------------------------------------------------

LINE_FAULTS: dict[str, tuple[dict[str, Any], str, str]] = {
    "no id": ({"id": ...}, "key id", "is missing"),
    "no edit type": ({"edit_type": ...}, "key edit_type", "is missing"),
    "no operations": ({"operations": ...}, "key operations", "is missing"),
    "no code": ({"code": ...}, "key code", "is missing"),
    "no gold": ({"gold": ...}, "key gold", "is missing"),
    "null where required": ({"operations": None}, "key operations", "is None"),
    "unknown key": ({"opperations": 1}, "key opperations", "did you mean 'operations'"),
    "key with a line end": ({"a\nb": 1}, r"key 'a\nb'", "unknown key"),
    "edit type in lower case": ({"edit_type": "add"}, "key edit_type", "did you mean 'ADD'"),
    "edit type no text": ({"edit_type": ["ADD"]}, "key edit_type", "['ADD']"),
    "no operation": ({"operations": 0}, "key operations", "is 0"),
    "four operations": ({"operations": 4}, "key operations", "is 4"),
    "operations a text": ({"operations": "2"}, "key operations", "is '2'"),
    "operations true": ({"operations": True}, "key operations", "is True"),
    "operations a fraction": ({"operations": 1.0}, "key operations", "is 1.0"),
    "drawn with a mouse": ({"drawn_with": "mouse"}, "key drawn_with", "is 'mouse'"),
    "subtypes a text": ({"subtypes": "text"}, "key subtypes", "is 'text'"),
    "subtypes with an empty word": ({"subtypes": [""]}, "key subtypes", "is ['']"),
    "subtypes twice": ({"subtypes": ["a", "a"]}, "key subtypes", "twice"),
    "instruction no text": ({"instruction": 3}, "key instruction", "not a text"),
    "instruction with a NUL": ({"instruction": "a\0"}, "key instruction", "control character"),
    "ratings a number": ({"ratings": 3}, "key ratings", "is 3"),
    "ratings of numbers": ({"ratings": [3]}, "key ratings", "is [3]"),
    "annotator an address": ({"annotator": "a@b.org"}, "key annotator", "e-mail"),
    "empty source": ({"source_id": ""}, "key source_id", "is empty"),
    "licence no text": ({"licence": 1}, "key licence", "not a text"),
    "gold model no text": ({"gold_model": 1}, "key gold_model", "not a text"),
    "gold a text": ({"gold": "code/s1.gold.tex"}, "key gold", "not a list of paths"),
    "no golds": ({"gold": []}, "key gold", "not a list of paths"),
    "gold twice": ({"gold": ["code/s1.gold.tex"] * 2}, "key gold", "twice"),
    "gold of numbers": ({"gold": [1]}, "key gold", "is 1, not a path"),
    "code a list": ({"code": ["code/s1.tex"]}, "key code", "not a path"),
    "a missing file": ({"code": "code/none.tex"}, "key code", "no file 'code/none.tex'"),
    "a file in a file": ({"code": "code/s1.tex/x"}, "key code", "can't be followed"),
    "a folder for a file": ({"code": "code"}, "key code", "is a folder"),
    "a very long path": ({"code": "x" * 5000}, "key code", "can't be followed"),
    "a climbing path": ({"code": "../x.tex"}, "key code", "climbs out"),
    "a hidden climb": ({"code": "code/../code/s1.tex"}, "key code", "climbs out"),
    "an absolute path": ({"code": "/etc/passwd"}, "key code", "absolute path"),
    "a drive": ({"code": "C:x.tex"}, "key code", "absolute path"),
    "a home": ({"code": "~/x.tex"}, "key code", "absolute path"),
    "a backslash": ({"code": "code\\s1.tex"}, "key code", "backslash"),
    "a doubled slash": ({"code": "code//s1.tex"}, "key code", "not a plain path"),
    "a dot": ({"code": "./code/s1.tex"}, "key code", "not a plain path"),
    "an empty path": ({"code": ""}, "key code", "empty path"),
    "a NUL in a path": ({"code": "code/\0"}, "key code", "control character"),
    "a line end in a path": ({"code": "code/a\nb"}, "key code", "control character"),
    "no instruction": ({"instruction": ""}, "key instruction", "no instruction_picture either"),
    "blank instruction": ({"instruction": " "}, "key instruction", "no instruction_picture"),
    "pen without a drawing": ({"drawn_with": "pen"}, "key drawn_with", "without a drawing"),
    "gold is the original": ({"gold": ["code/s1.tex"]}, "key gold", "same code as the original"),
    "more templates than golds": (
        {"gold_template": ["code/s1.tex", "code/s1.gold.tex"]}, "key gold_template", "beside 1",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", LINE_FAULTS)
def test_faults_of_a_line_are_named_by_line_and_key(folder: Folder, case: str) -> None:
    line = folder.text_sample("s1")
    folder.text_sample("s2")
    changes, where, what = LINE_FAULTS[case]
    line |= changes
    folder.lines[0] = {k: v for k, v in line.items() if v is not ...}
    fault = one(check(folder.write()))
    assert fault.where == f"samples.jsonl line 1, {where}"
    assert what in fault.what
    assert fault.sample == ("" if case == "no id" else "s1")
    assert fault.do


@pytest.mark.parametrize(
    "id",
    [
        "",
        "a/b",
        "../a",
        "a b",
        "-a",
        ".a",
        "a.",
        "CON",
        "nul.x",
        "é",
        "a#0",
        "a@b",
        "x" * 101,
        "a\0",
    ],
)
def test_an_id_that_is_unsafe_as_a_file_name_is_refused(folder: Folder, id: str) -> None:
    folder.text_sample()["id"] = id
    assert one(check(folder.write())).where == "samples.jsonl line 1, key id"


@pytest.mark.parametrize("second", ["s1", "S1"])
def test_an_id_is_given_once(folder: Folder, second: str) -> None:
    folder.text_sample("s1")
    folder.text_sample("s2")["id"] = second
    fault = one(check(folder.write()))
    assert (fault.sample, fault.where) == (second, "samples.jsonl line 2, key id")
    assert "line 1" in fault.what


def replace_lines(folder: Folder, *lines: bytes) -> Path:
    root = folder.write()
    folder.write_file("samples.jsonl", b"\n".join(lines))
    return root


BROKEN_LINES = {
    "bad JSON": (b'{"id": ', "is not JSON"),
    "a list": (b"[1]", "not an object"),
    "a key twice": (b'{"id": "a", "id": "b"}', "'id' twice"),
    "a key twice inside": (b'{"ratings": [{"a": 1, "a": 2}]}', "'a' twice"),
    "NaN": (b'{"operations": NaN}', "NaN"),
    "infinity": (b'{"operations": -Infinity}', "-Infinity"),
    "not UTF-8": (b'{"id": "\xff"}', "not UTF-8"),
    "half a surrogate": (b'{"id": "\\ud800"}', "surrogate"),
    "half a surrogate in a key": (b'{"\\udfff": 1}', "surrogate"),
    "deep nesting": (b'{"a":' + b"[" * 200_000, "too deep"),
    "a huge number": (b'{"operations": ' + b"9" * 5000 + b"}", "can't be read"),
    "a long line": (b'{"instruction": "' + b"a" * (1 << 20) + b'"}', "bytes"),
}


@pytest.mark.parametrize("case", BROKEN_LINES)
def test_a_broken_line_is_one_fault_and_the_others_are_still_checked(
    folder: Folder, case: str
) -> None:
    line = folder.text_sample()
    broken, what = BROKEN_LINES[case]
    bad = json.dumps(line | {"operations": 9}).encode()
    first, second = check(replace_lines(folder, broken, bad))
    assert first.where == "samples.jsonl line 1"
    assert what in first.what
    assert second.where == "samples.jsonl line 2, key operations"


def test_a_byte_order_mark_is_told(folder: Folder) -> None:
    line = json.dumps(folder.text_sample()).encode()
    fault = one(check(replace_lines(folder, b"\xef\xbb\xbf" + line)))
    assert "byte order mark" in fault.what


def test_windows_line_ends_and_blank_lines_are_no_faults(folder: Folder) -> None:
    lines = [json.dumps(folder.text_sample(i)).encode() for i in ("s1", "s2")]
    folder.files["code/s1.tex"] = ORIGINAL.replace("\n", "\r\n").encode()
    root = replace_lines(folder, lines[0] + b"\r", b"\r", b"", lines[1] + b"\r", b"")
    assert check(root) == []
    assert load(root).samples[0].code == ORIGINAL


@pytest.mark.parametrize("data", [b"", b"\n \n\r\n"])
def test_a_folder_without_samples_is_faulty(folder: Folder, data: bytes) -> None:
    folder.text_sample()
    assert "no samples" in one(check(replace_lines(folder, data))).what


def test_a_file_of_another_kind_ends_in_a_bounded_list(folder: Folder) -> None:
    folder.text_sample()
    faults = check(replace_lines(folder, *[b"x"] * 12_000))
    assert len(faults) == 10_001
    assert "not looked at" in faults[-1].what


def test_null_is_the_same_as_leaving_a_key_out(folder: Folder) -> None:
    folder.text_sample().update(picture=None, subtypes=None, annotator=None, source_id=None)
    sample = load(folder.write()).samples[0]
    assert (sample.picture, sample.subtypes, sample.annotator) == (None, (), None)


# --- files ----------------------------------------------------------------------------------


@pytest.mark.parametrize("missing", ["benchmark.toml", "samples.jsonl"])
def test_a_missing_main_file_is_told(folder: Folder, missing: str) -> None:
    folder.text_sample()
    root = folder.write()
    (root / missing).unlink()
    fault = one(check(root))
    assert fault.where == missing
    assert "there is no file" in fault.what


def test_what_is_no_folder_is_told(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("x")
    for path in (tmp_path / "none", tmp_path / "f"):
        assert "is not a folder" in one(check(path)).what


CODES = {
    "a byte order mark": (b"\xef\xbb\xbf" + GOLD.encode(), "byte order mark"),
    "latin-1": (b"% \xe9\n" + GOLD.encode(), "not UTF-8 (line 1)"),
    "a NUL": (GOLD.encode() + b"\n\0", "NUL character (line 3)"),
    "nothing": (b" \n", "is empty"),
    "too much": (b"%" * ((1 << 20) + 1), "at most 1,048,576"),
}


@pytest.mark.parametrize("case", CODES)
def test_a_code_is_plain_utf8_of_bounded_size(folder: Folder, case: str) -> None:
    folder.text_sample()
    data, what = CODES[case]
    folder.files["code/s1.gold.tex"] = data
    fault = one(check(folder.write()))
    assert what in fault.what
    assert "gold" in fault.where


def link_out(folder: Folder, name: str) -> None:
    outside = folder.root.parent / "outside"
    outside.write_text("secret")
    (folder.root / name).unlink()
    (folder.root / name).symlink_to(outside)


def test_links_out_of_the_folder_are_refused(folder: Folder) -> None:
    folder.text_sample()
    root = folder.write()
    link_out(folder, "code/s1.tex")
    fault = one(check(root))
    assert "link out of the folder" in fault.what
    assert "secret" not in str(fault)


def test_a_linked_folder_leads_out_too(folder: Folder) -> None:
    folder.text_sample()["code"] = "elsewhere/x.tex"
    root = folder.write()
    outside = root.parent / "outside"
    outside.mkdir()
    (outside / "x.tex").write_text("secret")
    (root / "elsewhere").symlink_to(outside)
    assert "link out of the folder" in one(check(root)).what


@pytest.mark.parametrize("name", ["benchmark.toml", "samples.jsonl"])
def test_the_main_files_may_not_be_links_out_either(folder: Folder, name: str) -> None:
    folder.text_sample()
    root = folder.write()
    link_out(folder, name)
    assert "link out of the folder" in one(check(root)).what


def test_a_link_inside_the_folder_and_a_linked_folder_itself_are_fine(folder: Folder) -> None:
    folder.text_sample()
    root = folder.write()
    (root / "code/s1.tex").rename(root / "code/real.tex")
    (root / "code/s1.tex").symlink_to("real.tex")
    (root.parent / "other").symlink_to(root)
    assert check(root.parent / "other") == []
    assert load(root.parent / "other").hash == load(root).hash


def test_a_circle_of_links_is_told(folder: Folder) -> None:
    folder.text_sample()
    root = folder.write()
    (root / "code/s1.tex").unlink()
    (root / "code/s1.tex").symlink_to("s1.tex")
    assert "can't be followed" in one(check(root)).what


@pytest.mark.parametrize("name", ["code/s1.tex", "samples.jsonl", "benchmark.toml"])
def test_a_fifo_is_refused_without_waiting(folder: Folder, name: str) -> None:
    folder.text_sample()
    root = folder.write()
    (root / name).unlink()
    os.mkfifo(root / name)
    assert "not a regular file" in one(check(root)).what


@pytest.mark.parametrize("name", ["code/s1.tex", "samples.jsonl", "benchmark.toml"])
def test_a_sparse_gigabyte_is_refused_unread(folder: Folder, name: str) -> None:
    folder.text_sample()
    root = folder.write()
    with (root / name).open("r+b") as file:
        file.truncate(1 << 30)
    assert "1,073,741,824 bytes" in one(check(root)).what


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_an_unreadable_file_is_told(folder: Folder) -> None:
    folder.text_sample()
    root = folder.write()
    (root / "code/s1.tex").chmod(0)
    assert "can't be opened" in one(check(root)).what


def test_golds_differ_from_the_original_and_from_one_another(folder: Folder) -> None:
    line = folder.text_sample()
    line["gold"] = ["code/s1.gold.tex", "code/g2.tex", "code/g3.tex"]
    # Trailing blanks and line ends make no other code.
    folder.files["code/g2.tex"] = GOLD.replace("\n", "  \r\n\r\n").encode()
    folder.files["code/g3.tex"] = (ORIGINAL + "\n").encode()
    second, third = check(folder.write())
    assert "code/g2.tex is the same code as gold code/s1.gold.tex" in second.what
    assert "code/g3.tex is the same code as the original" in third.what


@pytest.mark.parametrize(
    ("template", "what"),
    [(GOLD.replace("B", "§choice([A,C],C)"), "not the gold"), (GOLD + "§def(", "never ends")],
)
def test_a_template_gives_its_gold(folder: Folder, template: str, what: str) -> None:
    folder.text_sample()["gold_template"] = ["code/t.tex"]
    folder.files["code/t.tex"] = template.encode()
    assert what in one(check(folder.write())).what
    folder.files["code/t.tex"] = GOLD.replace("B", "§choice([A,B],B)").encode()
    assert load(folder.write()).samples[0].gold_templates[0].count("§") == 1


# --- pictures and drawings ------------------------------------------------------------------


def overlaid(change: Callable[[np.ndarray], None]) -> Callable[[Folder], None]:
    def apply(folder: Folder) -> None:
        overlay = pictures()["overlay"]
        change(overlay)
        folder.picture("drawings/s1.overlay.png", overlay)

    return apply


def scened(*elements: Any, **more: Any) -> Callable[[Folder], None]:
    def apply(folder: Folder) -> None:
        scene = {**SCENE, "elements": list(elements), **more}
        folder.files["drawings/s1.excalidraw"] = json.dumps(scene).encode()

    return apply


def resized(name: str, key: str) -> Callable[[Folder], None]:
    return lambda f: f.picture(name, pictures((13, 8))[key])


def bytes_of(name: str, data: bytes) -> Callable[[Folder], None]:
    return lambda f: f.files.update({name: data})


def unnamed(*keys: str) -> Callable[[Folder], None]:
    return lambda f: [f.lines[0].pop(k) for k in keys] and None


def wrong_composite(folder: Folder) -> None:
    picture = pictures()["instruction"]
    picture[5, 9] = 0
    folder.picture("drawings/s1.instruction.png", picture)


def white_on_white(overlay: np.ndarray) -> None:
    overlay[:] = 0
    overlay[5:7, 5:7] = 255


def opaque(overlay: np.ndarray) -> None:
    overlay[..., 3] = 255


def clear(overlay: np.ndarray) -> None:
    overlay[..., 3] = 0


def no_alpha(folder: Folder) -> None:
    folder.picture("drawings/s1.overlay.png", pictures()["instruction"])


DRAWN_FAULTS: dict[str, tuple[Callable[[Folder], None], str, str]] = {
    "picture no picture": (bytes_of("pictures/s1.png", b"<html>"), "picture", "HTML"),
    "gold picture cut off": (
        lambda f: bytes_of("pictures/s1.gold.png", f.files["pictures/s1.gold.png"][:40])(f),
        "gold_picture", "damaged",
    ),
    "picture empty": (bytes_of("pictures/s1.png", b""), "picture", "no bytes"),
    "picture of other size": (
        resized("drawings/s1.instruction.png", "instruction"), "instruction_picture", "13 x 8",
    ),
    "overlay of other size": (
        resized("drawings/s1.overlay.png", "overlay"), "overlay", "has 13 x 8 pixels, but picture",
    ),
    "overlay without alpha": (no_alpha, "overlay", "not transparent"),
    "overlay opaque": (overlaid(opaque), "overlay", "not transparent"),
    "overlay empty": (overlaid(clear), "overlay", "empty"),
    "overlay invisible": (overlaid(white_on_white), "overlay", "changes nothing"),
    "another composite": (
        wrong_composite, "instruction_picture", "in 1 pixels (first at x 9, y 5)",
    ),
    "pen with a shape": (
        scened({"type": "freedraw"}, {"type": "arrow"}), "scene", "kind arrow",
    ),
    "scene empty": (scened(), "scene", "no drawn element"),
    "scene with deleted strokes only": (
        scened({"type": "image"}, {"type": "freedraw", "isDeleted": True}), "scene", "no drawn",
    ),
    "element without a type": (
        scened({"type": "freedraw"}, {"id": "x"}), "scene", "without a type (number 2)",
    ),
    "element a number": (scened({"type": "freedraw"}, 5), "scene", "without a type"),
    "scene of another program": (scened(type="drawio"), "scene", "no Excalidraw scene"),
    "elements no list": (scened(elements={}), "scene", "no Excalidraw scene"),
    "scene not JSON": (bytes_of("drawings/s1.excalidraw", b"{"), "scene", "is not JSON"),
    "scene nested deep": (
        bytes_of("drawings/s1.excalidraw", b'{"a":' * 100_000), "scene", "too deep",
    ),
    "drawing by nobody knows": (unnamed("drawn_with"), "key drawn_with", "missing"),
    "overlay without a picture": (unnamed("picture"), "key picture", "missing"),
    "overlay without instruction picture": (
        unnamed("instruction_picture"), "key instruction_picture", "missing",
    ),
    "scene without overlay": (unnamed("overlay"), "key overlay", "missing"),
}  # fmt: skip


@pytest.mark.parametrize("case", DRAWN_FAULTS)
def test_faults_of_pictures_and_drawings_are_found(folder: Folder, case: str) -> None:
    folder.drawn_sample()
    change, where, what = DRAWN_FAULTS[case]
    change(folder)
    found = check(folder.write())
    fault = one(found)
    assert where in fault.where
    assert what in fault.what
    assert fault.sample == "s1"
    assert fault.do


@pytest.mark.parametrize("kind", ["rectangle", "ellipse", "diamond", "line", "arrow", "text"])
def test_a_tool_drawing_has_shapes_and_no_free_strokes(folder: Folder, kind: str) -> None:
    folder.drawn_sample()["drawn_with"] = "tool"
    scened({"type": "image"}, {"type": "frame"}, {"type": kind})(folder)
    assert check(folder.write()) == []
    scened({"type": kind}, {"type": "freedraw"})(folder)
    assert "kind freedraw" in one(check(folder.write())).what


def test_an_instruction_picture_may_differ_by_rounding(folder: Folder) -> None:
    folder.drawn_sample()
    picture = pictures()["instruction"].astype(int)
    folder.picture("drawings/s1.instruction.png", np.clip(picture + 2, 0, 255).astype(np.uint8))
    assert check(folder.write()) == []
    folder.picture("drawings/s1.instruction.png", np.clip(picture + 3, 0, 255).astype(np.uint8))
    assert "differs from the overlay" in one(check(folder.write())).what


def test_an_instruction_picture_alone_is_enough(folder: Folder) -> None:
    line = folder.drawn_sample()
    for key in ("overlay", "scene", "instruction"):
        del line[key]
    root = folder.write()
    assert check(root) == []
    assert load(root).samples[0].conditions == ("visual", "verbalized", "visual+verbalized")


def test_a_sample_with_everything_can_be_run_under_all_conditions(folder: Folder) -> None:
    folder.drawn_sample()
    assert set(load(folder.write()).samples[0].conditions) == {
        "visual", "text", "visual+text", "verbalized", "visual+verbalized",
    }  # fmt: skip


# --- all at once ----------------------------------------------------------------------------


def test_all_faults_of_a_folder_come_at_once(folder: Folder) -> None:
    folder.toml["version"] = 2
    folder.toml["titel"] = "x"
    folder.drawn_sample("a")
    folder.text_sample("b").update(edit_type="MOVE", operations=7, code="/etc/passwd")
    folder.text_sample("c")["gold"] = ["code/none.tex"]
    folder.drawn_sample("d")
    folder.files["code/c.tex"] = b"\xff"
    overlay = pictures()["overlay"]
    overlay[..., 3] = 0
    folder.picture("drawings/d.overlay.png", overlay)
    scene = {"type": "excalidraw", "elements": [{"type": "text"}]}
    folder.files["drawings/d.excalidraw"] = json.dumps(scene).encode()
    found = [(f.sample, f.where) for f in check(folder.write())]
    assert found == [
        ("", "benchmark.toml, key version"),
        ("", "benchmark.toml, key titel"),
        ("b", "samples.jsonl line 2, key edit_type"),
        ("b", "samples.jsonl line 2, key operations"),
        ("b", "samples.jsonl line 2, key code"),
        ("c", "samples.jsonl line 3, file code/c.tex"),
        ("c", "samples.jsonl line 3, key gold"),
        ("d", "overlay"),
        ("d", "scene d.excalidraw"),
    ]


def test_load_raises_one_error_with_all_faults(folder: Folder) -> None:
    folder.text_sample("a")["operations"] = 5
    folder.text_sample("b")["edit_type"] = "ADDD"
    with pytest.raises(BenchmarkError, match="2 faults") as caught:
        load(folder.write())
    assert [f.sample for f in caught.value.faults] == ["a", "b"]
    assert "sample b" in str(caught.value)
    assert caught.value.exit_status == 2


def test_a_long_list_of_faults_is_cut_in_the_message_only(folder: Folder) -> None:
    for k in range(30):
        folder.text_sample(f"s{k}")["operations"] = 5
    with pytest.raises(BenchmarkError, match="10 more: redline bench check") as caught:
        load(folder.write())
    assert len(caught.value.faults) == 30


def test_content_is_asked_of_well_formed_samples_only(folder: Folder) -> None:
    folder.text_sample("a")["operations"] = 5
    folder.text_sample("b")
    asked: list[str] = []

    def content(sample: DiagramSample) -> list[Fault]:
        asked.append(sample.id)
        return [Fault(sample.id, "gold 1", "does not compile", "Mend it")]

    found = check(folder.write(), content)
    assert asked == ["b"]
    assert [f.sample for f in found] == ["a", "b"]


@pytest.mark.parametrize("seed", range(40))
def test_check_never_raises_for_damaged_bytes(folder: Folder, seed: int) -> None:
    folder.drawn_sample()
    root = folder.write()
    rng = np.random.default_rng(seed)
    files = sorted(p for p in root.rglob("*") if p.is_file())
    for path in rng.choice(np.array(files, dtype=object), 3, replace=False):
        data = bytearray(path.read_bytes())
        for at in rng.integers(0, len(data), 4):
            data[at] = int(rng.integers(0, 256))
        path.write_bytes(bytes(data[: int(rng.integers(1, len(data) + 1))]))
    for fault in check(root):
        assert str(fault).isprintable()
