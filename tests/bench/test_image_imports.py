"""MagicBrush, GEdit-Bench and ImgEdit-Bench; data sets of the Hub; the command."""

import io
import json
import tarfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from PIL import Image
from typer.testing import CliRunner, Result

from redline.bench import IMAGE_FORMATS, check, import_images, load, of_track
from redline.bench.importers.hub import parse_address
from redline.cli import bench as command
from redline.cli.bench_import import IMAGE_COMMANDS
from redline.errors import UserError
from redline.pixels import read_mask
from tests.bench.elsewhere import Omni, holed, hub_cache, png, write
from tests.bench.image_making import edited, mask, photo, region

COMMIT = "0123456789abcdef0123456789abcdef01234567"


def samples(out: Path) -> list[Any]:
    """The imported samples; a check finds no fault."""
    assert [f for f in check(out) if f.severity == "fault"] == []
    return list(of_track(load(out), "image").samples)


# --- MagicBrush -----------------------------------------------------------------------------


def magicbrush(root: Path, turns: Mapping[str, int], *, sessions: bool = True) -> Path:
    """A folder of MagicBrush: so many turns by img_id."""
    listed: dict[str, list[dict[str, str]]] = {}
    for seed, (id, count) in enumerate(turns.items()):
        folder = root / "images" / id
        write(folder / f"{id}-input.png", png(photo(seed)))
        for n in range(1, count + 1):
            before = photo(seed) if n == 1 else edited(photo(seed), 10 * (n - 1))
            write(folder / f"{id}-mask{n}.png", png(holed(before, region())))
            write(folder / f"{id}-output{n}.png", png(edited(photo(seed), 10 * n)))
            listed.setdefault(id, []).append({
                "input": f"{id}-input.png" if n == 1 else f"{id}-output{n - 1}.png",
                "mask": f"{id}-mask{n}.png", "output": f"{id}-output{n}.png",
                "instruction": f"edit {n} of {id}",
            })  # fmt: skip
    if sessions:
        write(root / "edit_sessions.json", listed)
    else:
        write(root / "edit_turns.json", [t for id in listed for t in listed[id]])
    return root


@pytest.mark.parametrize("sessions", [True, False])
def test_sessions_of_magicbrush_become_dialogues_with_plain_masks(
    tmp_path: Path, sessions: bool
) -> None:
    root = magicbrush(tmp_path / "test", {"139": 3, "30": 1}, sessions=sessions)
    report = import_images("magicbrush", root, tmp_path / "out")
    assert (report.imported, report.turns) == (("139", "30"), 4)
    assert (report.skipped, report.notes) == ((), ())
    first, second = samples(tmp_path / "out")
    assert [t.round for t in first.turns] == [1, 2, 3]
    assert first.turns[1].instruction == "edit 2 of 139"
    assert first.picture.read_bytes() == (root / "images/139/139-input.png").read_bytes()
    assert first.turns[2].gold.read_bytes() == (root / "images/139/139-output3.png").read_bytes()
    assert {t.start for t in first.turns} == {None}
    for turn in (*first.turns, *second.turns):
        assert np.array_equal(read_mask(turn.mask).array, region())
        assert read_mask(turn.mask).notes == ()
    assert check(tmp_path / "out") == []


def test_a_turn_of_magicbrush_that_edits_another_picture_says_which(tmp_path: Path) -> None:
    root = magicbrush(tmp_path / "test", {"5": 2})
    listed = json.loads((root / "edit_sessions.json").read_text())
    listed["5"][1]["input"] = "5-input.png"
    write(root / "edit_sessions.json", listed)
    import_images("magicbrush", root, tmp_path / "out")
    (sample,) = samples(tmp_path / "out")
    assert sample.turns[1].start == sample.picture


def test_what_is_wrong_in_magicbrush_is_told_by_its_turn(tmp_path: Path) -> None:
    root = magicbrush(tmp_path / "test", {"1": 3, "2": 1, "3": 1, "4": 1, "5": 1})
    listed = json.loads((root / "edit_sessions.json").read_text())
    listed["1"][1]["instruction"] = ""
    write(root / "edit_sessions.json", listed)
    write(root / "images/2/2-mask1.png", png(photo(1)))  # no hole
    write(root / "images/3/3-mask1.png", png(holed(photo(2, (16, 24)), region((16, 24)))))
    (root / "images/4/4-mask1.png").unlink()
    write(root / "images/5/5-input.png", b"x")
    report = import_images("magicbrush", root, tmp_path / "out")
    assert report.imported == ("1", "2", "3", "4")
    first = samples(tmp_path / "out")[0]
    assert first.gaps == (2,)
    # Round 3 edits the gold of round 2, which is still there as its start.
    assert (
        first.start_of(first.turns[1]).read_bytes()
        == (root / "images/1/1-output2.png").read_bytes()
    )
    assert {(f.sample, f.where) for f in report.skipped} == {
        ("1", "edit_sessions.json 1[1]"), ("5", "edit_sessions.json 5[0]"),
    }  # fmt: skip
    assert [(n.sample, n.what) for n in report.notes] == [
        ("2", "has a mask without a transparent part"),
        ("3", "has a mask of the size of neither picture"),
        ("4", "has no mask"),
        ("5", "has a picture or mask that can't be read: The picture is not a picture, or its "
              "head is damaged. Readable are PNG, JPEG, WEBP, GIF, BMP, TIFF."),
    ]  # fmt: skip
    assert [t.mask is None for s in samples(tmp_path / "out")[1:] for t in s.turns] == [True] * 3


def magicbrush_table(path: Path, rows: list[tuple[str, int]]) -> None:
    def picture(array: np.ndarray) -> dict[str, Any]:
        return {"bytes": png(array), "path": "x.png"}

    table = pa.Table.from_pylist([
        {
            "img_id": id, "turn_index": n, "instruction": f"edit {n}",
            "source_img": picture(edited(photo(int(id)), 10 * (n - 1)) if n > 1
                                  else photo(int(id))),
            "mask_img": picture(holed(photo(int(id)), region())),
            "target_img": picture(edited(photo(int(id)), 10 * n)),
        }
        for id, n in rows
    ])  # fmt: skip
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(table, path, row_group_size=2)


def test_tables_of_magicbrush_are_read_across_files(tmp_path: Path) -> None:
    root = tmp_path / "mb"
    magicbrush_table(root / "data/dev-00000-of-00002.parquet", [("7", 1), ("7", 2), ("8", 1)])
    magicbrush_table(root / "data/dev-00001-of-00002.parquet", [("8", 2), ("9", 1)])
    magicbrush_table(root / "data/train-00000-of-00001.parquet", [("10", 1)])
    report = import_images("magicbrush", root, tmp_path / "out", parts=["dev"])
    assert report.imported == ("7", "8", "9")
    assert [len(s.turns) for s in samples(tmp_path / "out")] == [2, 2, 1]
    assert {t.start for s in samples(tmp_path / "out") for t in s.turns} == {None}
    both = import_images("magicbrush", root, tmp_path / "both")
    assert set(both.imported) == {"7", "8", "9", "10"}
    with pytest.raises(UserError, match="Name one folder of MagicBrush"):
        import_images("magicbrush", tmp_path / "out", tmp_path / "x")


# --- GEdit-Bench ----------------------------------------------------------------------------

GEDIT = [
    {"task_type": task, "key": key, "instruction": words, "instruction_language": language,
     "Intersection_exist": both}
    for task, key, words, language, both in (
        ("subject-add", "aa01", "Add a hat", "en", True),
        ("subject-add", "aa01", "加一顶帽子", "cn", True),
        ("text_change", "bb02", "Change the text to 'x'", "en", False),
    )
]  # fmt: skip


def gedit_rows() -> list[dict[str, Any]]:
    seeds = {"aa01": 1, "bb02": 2}
    return [
        {**row,
         "input_image": {"bytes": png(photo(seeds[str(row["key"])], (16, 24))), "path": None},
         "input_image_raw": {"bytes": png(photo(seeds[str(row["key"])])), "path": None}}
        for row in GEDIT
    ]  # fmt: skip


def gedit(root: Path, form: str) -> Path:
    root.mkdir(parents=True)
    table = pa.Table.from_pylist(gedit_rows())
    if form == "parquet":
        pq.write_table(table, root / "train.parquet")
    elif form == "arrow stream":
        with pa.ipc.new_stream(str(root / "data-00000-of-00001.arrow"), table.schema) as writer:
            writer.write_table(table)
    elif form == "arrow file":
        with pa.ipc.new_file(str(root / "data.arrow"), table.schema) as writer:
            writer.write_table(table)
    else:
        for row in GEDIT:
            seed = {"aa01": 1, "bb02": 2}[str(row["key"])]
            folder = root / "fullset" / str(row["task_type"]) / str(row["instruction_language"])
            write(folder / f"{row['key']}_SRCIMG.png", png(photo(seed)))
            write(folder / f"{row['key']}.png", png(photo(99)))  # a model's output
        if form == "json":
            write(root / "meta.json", GEDIT)
        else:
            write(root / "info.jsonl", "".join(json.dumps(r) + "\n" for r in GEDIT))
    return root


@pytest.mark.parametrize("form", ["parquet", "arrow stream", "arrow file", "json", "jsonl"])
def test_gedit_has_instructions_and_pictures_and_no_golds(tmp_path: Path, form: str) -> None:
    report = import_images("gedit", gedit(tmp_path / "gedit", form), tmp_path / "out")
    assert report.imported == ("aa01_en", "aa01_cn", "bb02_en")
    assert (report.skipped, report.notes) == ((), ())
    first, second, third = samples(tmp_path / "out")
    assert check(tmp_path / "out") == []
    (turn,) = second.turns
    assert (turn.instruction, turn.category, turn.gold) == ("加一顶帽子", "subject-add", None)
    assert second.ratings == ({"by": "GEdit-Bench", "language": "cn", "intersection_exist": True},)
    # The picture as it was sent, not the resized one and not a model's output.
    assert first.picture.read_bytes() == png(photo(1))
    assert first.picture == second.picture
    assert first.source_id == second.source_id != third.source_id
    assert load(tmp_path / "out").defaults == {"rubric": "photo-two-scores-v1"}


def test_one_language_of_gedit_is_imported_alone(tmp_path: Path) -> None:
    root = gedit(tmp_path / "gedit", "json")
    assert import_images("gedit", root, tmp_path / "out", parts=["en"]).imported == (
        "aa01_en", "bb02_en",
    )  # fmt: skip


def test_rows_of_gedit_that_cannot_be_used_are_told(tmp_path: Path) -> None:
    root = gedit(tmp_path / "gedit", "json")
    rows = [*GEDIT, GEDIT[0], {**GEDIT[0], "key": "cc"}, {**GEDIT[0], "key": ""},
            {**GEDIT[0], "key": "dd", "instruction_language": "fr"},
            {**GEDIT[2], "key": "ee", "instruction": ""}]  # fmt: skip
    write(root / "fullset/text_change/en/ee_SRCIMG.png", png(photo(3)))
    write(root / "meta.json", rows)
    report = import_images("gedit", root, tmp_path / "out")
    assert len(report.imported) == 3
    assert [(f.where, f.what.split(":")[0]) for f in report.skipped] == [
        ("meta.json[3]", "has the id of meta.json[0]"),
        ("meta.json[4]", "has no picture"),
        ("meta.json[5]", "has no key"),
        ("meta.json[6]", "has instruction_language 'fr'"),
        ("meta.json[7]", "instruction is missing, and there is no overlay either"),
    ]  # fmt: skip


def test_a_broken_table_is_told(tmp_path: Path) -> None:
    for name in ("x.parquet", "x.arrow"):
        write(tmp_path / name / name, b"PAR1 no table")
        with pytest.raises(UserError, match=f"{name} can't be read as a table"):
            import_images("gedit", tmp_path / name, tmp_path / "out")
    with pytest.raises(UserError, match="no table or list of GEdit-Bench"):
        (tmp_path / "empty").mkdir()
        import_images("gedit", tmp_path / "empty", tmp_path / "out")


# --- ImgEdit-Bench --------------------------------------------------------------------------

BASIC = {
    "1082": {"id": "animal/01.jpg", "prompt": "Change the shell.", "edit_type": "alter"},
    "673": {"id": "daily object/02.jpg", "prompt": "Make it ukiyo-e.", "edit_type": "style"},
}
UGE = {"1": {"id": "01.jpg", "prompt": "Remove the lemon."}}
MULTI = {"1": {"id": "03.jpg", "turn1": "All edits green.", "turn2": "Add fruit.", "turn3": ""}}


def jpeg(seed: int) -> bytes:
    out = io.BytesIO()
    Image.fromarray(photo(seed)).save(out, "JPEG")
    return out.getvalue()


def imgedit(root: Path) -> Path:
    single = root / "Benchmark/singleturn"
    write(single / "singleturn.json", BASIC)
    write(single / "judge_prompt.json", {"alter": "You are a data rater ..."})
    write(single / "animal/01.jpg", jpeg(1))
    write(single / "daily object/02.jpg", jpeg(2))
    write(root / "Benchmark/hard/01.jpg", jpeg(3))
    write(root / "Benchmark/hard/UGE_edit.json", UGE)
    write(root / "Benchmark/multiturn/content_memory/annotation.json", MULTI)
    write(root / "Benchmark/multiturn/content_memory/03.jpg", jpeg(4))
    return root


@pytest.mark.parametrize("packed", [False, True])
def test_imgedit_comes_in_three_parts_from_a_folder_or_its_archive(
    tmp_path: Path, packed: bool
) -> None:
    root = imgedit(tmp_path / "imgedit")
    if packed:
        with tarfile.open(tmp_path / "Benchmark.tar", "w") as archive:
            archive.add(root / "Benchmark", "Benchmark")
        root = tmp_path / "Benchmark.tar"
    report = import_images("imgedit", root, tmp_path / "out")
    assert report.imported == ("1082", "673", "uge_1", "multi_content_memory_1")
    assert (report.skipped, report.notes) == ((), ())
    basic, style, uge, multi = samples(tmp_path / "out")
    assert check(tmp_path / "out") == []
    assert (basic.turns[0].instruction, basic.turns[0].category) == ("Change the shell.", "alter")
    assert (style.turns[0].category, uge.turns[0].category) == ("style", "")
    assert [t.instruction for t in multi.turns] == ["All edits green.", "Add fruit."]
    assert {t.gold for s in (basic, style, uge, multi) for t in s.turns} == {None}
    # Two folders have a 01.jpg: each list's own folder comes first.
    assert (basic.picture.read_bytes(), uge.picture.read_bytes()) == (jpeg(1), jpeg(3))
    only = import_images("imgedit", root, tmp_path / "only", parts=["basic"])
    assert only.imported == ("1082", "673")


def test_a_list_of_imgedit_away_from_its_pictures_never_guesses_among_them(tmp_path: Path) -> None:
    root = imgedit(tmp_path / "imgedit")
    listed = write(tmp_path / "UGE_edit.json", UGE)
    with pytest.raises(UserError, match=r"UGE_edit.json 1: has the picture '01.jpg', but no file"):
        import_images("imgedit", listed, tmp_path / "out", root=root)
    away = {k: {"id": path, "prompt": "x"} for k, path in
            (("2", "../hard/01.jpg"), ("3", "/etc/passwd"))}  # fmt: skip
    write(listed, {**UGE, **away})
    report = import_images("imgedit", listed, tmp_path / "out", root=root / "Benchmark/hard")
    assert report.imported == ("uge_1", "uge_2")
    assert [f.sample for f in report.skipped] == ["uge_3"]


def test_one_list_under_two_names_is_read_once(tmp_path: Path) -> None:
    root = imgedit(tmp_path / "imgedit")
    write(root / "Benchmark/singleturn/basic_edit.json", BASIC)
    report = import_images("imgedit", root, tmp_path / "out", parts=["basic"])
    assert (report.imported, report.skipped) == (("1082", "673"), ())
    assert "is the list Benchmark/singleturn/singleturn.json again" in report.notes[0].what


def test_an_archive_writes_nowhere_else(tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "Benchmark.tar", "w") as archive:
        info = tarfile.TarInfo("../../evil.json")
        info.size = 2
        archive.addfile(info, io.BytesIO(b"{}"))
    with pytest.raises(UserError, match="can't be unpacked"):
        import_images("imgedit", tmp_path / "Benchmark.tar", tmp_path / "out")
    write(tmp_path / "bad/Benchmark.tar", b"no tar")
    with pytest.raises(UserError, match="can't be unpacked"):
        import_images("imgedit", tmp_path / "bad", tmp_path / "out")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["Benchmark.tar", "bad"]


# --- the Hub --------------------------------------------------------------------------------


@pytest.fixture
def offline(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache of the Hub's own library, which may not go to the network."""
    import huggingface_hub.constants as constants

    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "hub"))
    return tmp_path / "hub"


def files_of(root: Path) -> dict[str, bytes]:
    return {p.relative_to(root).as_posix(): p.read_bytes() for p in root.rglob("*") if p.is_file()}


@pytest.mark.parametrize("revision", ["", f"@{COMMIT}", "@main"])
def test_a_data_set_of_the_hub_is_imported_at_a_commit_that_is_recorded(
    tmp_path: Path, offline: Path, revision: str
) -> None:
    omni = Omni(tmp_path / "omni")
    omni.edit("low")
    hub_cache(offline, "some/OmniIIE", files_of(omni.write()), COMMIT)
    report = import_images("omni-iie", f"hf://some/OmniIIE{revision}", tmp_path / "out")
    assert report.imported == ("coco2017val_0001_low",)
    assert report.origin == f"hf://some/OmniIIE@{COMMIT}"
    assert load(tmp_path / "out").origin == report.origin
    samples(tmp_path / "out")
    assert not [p for p in (tmp_path / "out").rglob("*") if p.is_symlink()]


def test_tables_of_the_hub_are_read_through_its_links(tmp_path: Path, offline: Path) -> None:
    gedit(tmp_path / "gedit", "arrow stream")
    hub_cache(offline, "stepfun-ai/GEdit-Bench", files_of(tmp_path / "gedit"), COMMIT)
    report = import_images("gedit", "hf://stepfun-ai/GEdit-Bench", tmp_path / "out")
    assert len(report.imported) == 3


def test_a_link_of_a_data_set_out_of_the_hubs_store_is_not_followed(
    tmp_path: Path, offline: Path
) -> None:
    omni = Omni(tmp_path / "omni")
    omni.edit("low")
    omni.edit("low", id="0002", seed=1)
    store = hub_cache(offline, "some/OmniIIE", files_of(omni.write()), COMMIT)
    inside = store / "snapshots" / COMMIT / "synthesized_images/coco2017val/0001_low.png"
    inside.unlink()
    inside.symlink_to(write(tmp_path / "private.png", png(photo(3))))
    report = import_images("omni-iie", "hf://some/OmniIIE", tmp_path / "out")
    assert report.imported == ("coco2017val_0002_low",)
    assert "link out of the folder" in report.skipped[0].what


def test_a_data_set_that_is_not_there_is_told(tmp_path: Path, offline: Path) -> None:
    with pytest.raises(UserError, match="hf://some/none can't be fetched"):
        import_images("gedit", "hf://some/none", tmp_path / "out")
    hub_cache(offline, "some/thing", {"a.txt": b"x"}, COMMIT)
    with pytest.raises(UserError, match="can't be fetched"):
        import_images("gedit", f"hf://some/thing@{'f' * 40}", tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    "address", ["hf://", "hf://x", "hf://a/b/c", "hf://../b", "hf://a/b@", "hf://a/b?x=1"]
)
def test_an_address_is_owner_name_and_maybe_a_revision(tmp_path: Path, address: str) -> None:
    with pytest.raises(UserError, match="Write hf://OWNER/NAME"):
        import_images("gedit", address, tmp_path / "out")
    assert parse_address("hf://a/b@refs/pr/1") == ("a/b", "refs/pr/1")


def test_without_the_extra_a_sentence_says_how_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "huggingface_hub", None)
    with pytest.raises(UserError, match=r"needs the extra hub: pip install 'redline-bench\[hub\]'"):
        import_images("gedit", "hf://a/b", tmp_path / "out")
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    root = gedit(tmp_path / "gedit", "parquet")
    with pytest.raises(UserError, match=r"train.parquet needs the extra hub"):
        import_images("gedit", root, tmp_path / "out")


# --- the command ----------------------------------------------------------------------------


def run(*arguments: object) -> Result:
    return CliRunner().invoke(command.bench_app, [str(a) for a in arguments])


def test_the_commands_are_the_formats() -> None:
    assert set(IMAGE_COMMANDS) == set(IMAGE_FORMATS)
    for format, (title, parts) in IMAGE_COMMANDS.items():
        assert IMAGE_FORMATS[format].title in title
        assert all(part in parts for part in IMAGE_FORMATS[format].parts)
        assert run("import", format, "--help").exit_code == 0


def test_the_command_says_what_was_imported_what_not_and_why(tmp_path: Path) -> None:
    omni = Omni(tmp_path / "omni")
    omni.edit("low")
    omni.edit("1")
    omni.edit("high", id="0002", seed=1)["modified_image_path"] = "/lost/x.png"
    omni.single[0]["entities"] = 3
    omni.write()
    result = run("import", "omni-iie", omni.root, "--out", tmp_path / "out", "--name", "mine")
    assert result.exit_code == 0
    assert result.stdout == f"2 samples with 2 turns are in {tmp_path / 'out'}. 1 record skipped.\n"
    assert "skipped: sample lost_0002_high, final_dataset.json[1]: has modified" in result.stderr
    assert "note: sample coco2017val_0001_low, final_dataset.json[0]: has ent" in result.stderr
    assert load(tmp_path / "out").name == "mine"
    listed = run("import", "omni-iie", omni.root / "final_dataset.json", "--root", omni.root,
                 "--out", tmp_path / "out2", "--part", "single", "--json")  # fmt: skip
    told = json.loads(listed.stdout)
    assert told["imported"] == ["coco2017val_0001_low"]
    assert [f["where"] for f in told["skipped"]] == ["final_dataset.json[1]"]
    assert run("import", "omni-iie", omni.root).exit_code == 2
    wrong = run("import", "gedit", omni.root, "--out", tmp_path / "x")
    assert isinstance(wrong.exception, UserError)


def test_vtikz_and_archives_take_the_folder_by_option_too(tmp_path: Path) -> None:
    omni = Omni(tmp_path / "omni")
    omni.edit("low")
    import_images("omni-iie", omni.write(), tmp_path / "a")
    run("export", tmp_path / "a", tmp_path / "a.zip", "--format", "zip")
    result = run("import", "archive", tmp_path / "a.zip", "--out", tmp_path / "b")
    assert load(tmp_path / "a").hash in result.stdout
    assert run("import", "archive", tmp_path / "a.zip").exit_code == 2
    assert run("import", "vtikz", tmp_path, tmp_path / "x", "--out", tmp_path / "y").exit_code == 2


def test_show_prints_turns_and_check_tells_notes_apart(tmp_path: Path) -> None:
    omni = Omni(tmp_path / "omni")
    omni.edit("low")
    omni.edit("high")
    omni.edit("1")
    omni.edit("3")
    out = tmp_path / "out"
    import_images("omni-iie", omni.write(), out)
    lines = run("show", out).stdout.splitlines()
    assert lines[0].split("\t")[:3] == ["id", "rounds", "scale"]
    assert lines[1].split("\t")[:6] == ["coco2017val_0001_low", "1", "low", "1", "1", "1"]
    assert lines[3].split("\t")[:3] == ["coco2017val_0001", "1,3", ""]
    assert any("3 samples with 4 turns; hash " in line for line in lines[-2:])
    one = run("show", out, "coco2017val_0001").stdout
    assert "gaps:                2\n" in one
    assert "\nround 3\n" in one
    assert "  instruction:         Brighten it (3)." in one
    assert "  question:            Is the box bright? Yes" in one
    told = json.loads(run("show", out, "--json").stdout)
    assert told["turns"] == 4
    assert told["samples_list"][2]["turns"][1]["gold"] == "golds/coco2017val_0001_3.png"
    checked = run("check", out)
    assert checked.exit_code == 0
    assert checked.stdout == f"{out}: no faults. 1 note to read.\n"
    assert "note: sample coco2017val_0001, turns: has no round 2 before round 3" in checked.stderr
    (out / "masks/coco2017val_0001_low.png").write_bytes(png(mask()[:16]))
    broken = run("check", out)
    assert broken.exit_code == 2
    assert "4 faults. 1 note to read." in broken.stderr
    both = json.loads(run("check", out, "--json").stdout)
    assert [f["severity"] for f in (*both["faults"], *both["notes"])] == ["fault"] * 4 + ["note"]


def test_many_notes_are_cut_on_a_terminal_and_whole_in_json(tmp_path: Path) -> None:
    omni = Omni(tmp_path / "omni")
    for k in range(25):
        omni.edit("low", id=f"{k}", seed=k)
    import_images("omni-iie", omni.write(), tmp_path / "out")
    text = run("check", tmp_path / "out").stderr
    assert text.count("note: ") == 20
    assert "and 5 more notes: --json has all" in text
    assert len(json.loads(run("check", tmp_path / "out", "--json").stdout)["notes"]) == 25


def test_a_check_of_pictures_asks_for_no_renderer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from redline.cli import compile_check

    def never(*_: object) -> None:
        raise AssertionError("a benchmark without codes was to be compiled")

    monkeypatch.setattr(compile_check, "renderer", never)
    omni = Omni(tmp_path / "omni")
    omni.edit("low")
    import_images("omni-iie", omni.write(), tmp_path / "out")
    assert run("check", tmp_path / "out").exit_code == 0
