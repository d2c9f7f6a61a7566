"""Omni IIE Bench: every record is imported or told, and nothing is matched by a loose name."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from redline.bench import (
    Benchmark,
    ImageSample,
    ImportReport,
    Question,
    check,
    import_images,
    load,
    of_track,
)
from redline.bench.importers.file_tree import FileTree, NotFound
from redline.errors import UserError
from tests.bench.elsewhere import AUTHORS, Omni, png, write
from tests.bench.image_making import edited, mask, photo, region


@pytest.fixture
def omni(tmp_path: Path) -> Omni:
    return Omni(tmp_path / "omni")


def imported(
    omni: Omni, tmp_path: Path, **options: Any
) -> tuple[ImportReport, Benchmark[ImageSample]]:
    """The report, and the benchmark, in which a check finds no fault."""
    out = tmp_path / "out"
    report = import_images("omni-iie", omni.write(), out, **options)
    assert [f for f in check(out) if f.severity == "fault"] == []
    return report, of_track(load(out), "image")


def test_low_and_high_over_one_picture_are_paired(omni: Omni, tmp_path: Path) -> None:
    omni.edit("low")
    omni.edit("high")
    report, benchmark = imported(omni, tmp_path)
    assert report.imported == ("coco2017val_0001_low", "coco2017val_0001_high")
    assert (report.skipped, report.notes, report.turns) == ((), (), 2)
    assert check(tmp_path / "out") == []
    low, high = benchmark.samples
    assert (low.origin, low.source_id, low.context) == (
        "coco2017val", "coco2017val_0001", "coco2017val_0001",
    )  # fmt: skip
    assert (high.context, high.picture) == (low.context, low.picture)
    assert [s.turns[0].scale for s in (low, high)] == ["low", "high"]
    turn = low.turns[0]
    assert (turn.round, turn.instruction) == (1, "Brighten it (low).")
    assert turn.questions == (Question("Is the box bright?", "Yes"),)
    assert turn.entities["source_boxes"] == [[12.0, 8.0, 36.0, 24.0]]
    assert (benchmark.track, benchmark.defaults["measure"]) == ("image", "corrected")
    # Files are copied byte for byte, and a shared one once.
    root = omni.root
    for ours, theirs in (
        (low.picture, "sampled_datasets/coco2017val/0001.png"),
        (turn.gold, "synthesized_images/coco2017val/0001_low.png"),
        (turn.mask, "target_masks/coco2017val/0001_low.png"),
        (turn.source_mask, "source_masks/coco2017val/0001_low.png"),
    ):
        assert ours is not None
        assert ours.read_bytes() == (root / theirs).read_bytes()
    assert len(list((tmp_path / "out/pictures").iterdir())) == 1


@pytest.mark.parametrize(
    ("in_list", "on_disk"),
    [("sharegpt4v(llava)", "sharegpt4v"), ("sharegpt4v", "sharegpt4v(llava)"),
     ("sharegpt4v(llava)", "sharegpt4v(llava)")],
)  # fmt: skip
def test_a_set_with_two_names_is_one(
    omni: Omni, tmp_path: Path, in_list: str, on_disk: str
) -> None:
    omni.edit("low", dataset=on_disk, folder=in_list)
    report, benchmark = imported(omni, tmp_path)
    assert report.imported == ("sharegpt4v_0001_low",)
    assert benchmark.samples[0].origin == "sharegpt4v"


def test_pictures_may_lie_elsewhere_than_the_lists(omni: Omni, tmp_path: Path) -> None:
    omni.edit("low")
    omni.write()
    listed = (omni.root / "final_dataset.json").rename(tmp_path / "mine.json")
    report = import_images("omni-iie", listed, tmp_path / "out", root=omni.root)
    assert report.imported == ("coco2017val_0001_low",)
    with pytest.raises(UserError, match="no file below the root fits it"):
        import_images("omni-iie", listed, tmp_path / "out2", root=tmp_path / "out")
    with pytest.raises(UserError, match="is not a folder"):
        import_images("omni-iie", listed, tmp_path / "out3", root=tmp_path / "none")


def test_the_longest_end_of_a_path_that_exists_wins(omni: Omni, tmp_path: Path) -> None:
    omni.edit("low")
    write(omni.root / "coco2017val/0001_low.png", png(photo(7)))
    write(omni.root / "0001_low.png", png(photo(8)))
    _, benchmark = imported(omni, tmp_path)
    gold = benchmark.samples[0].turns[0].gold
    assert gold is not None
    theirs = omni.root / "synthesized_images/coco2017val/0001_low.png"
    assert gold.read_bytes() == theirs.read_bytes()


def test_a_root_above_or_below_the_usual_one_is_fine(omni: Omni, tmp_path: Path) -> None:
    omni.edit("low")
    deep = omni.root / "release" / "v1"
    for name in ("sampled_datasets", "synthesized_images", "source_masks", "target_masks"):
        (deep / name).parent.mkdir(parents=True, exist_ok=True)
        (omni.root / name).rename(deep / name)
    report, _ = imported(omni, tmp_path)
    assert report.imported == ("coco2017val_0001_low",)
    (note,) = report.notes
    assert "4 files deeper than their paths say" in note.what


def test_two_places_that_fit_equally_well_are_told_and_left_out(omni: Omni, tmp_path: Path) -> None:
    omni.edit("low", id="0001")
    omni.edit("low", id="0002", seed=1)
    gold = omni.root / "synthesized_images/coco2017val/0001_low.png"
    for name in ("a", "b"):
        write(omni.root / name / "synthesized_images/coco2017val/0001_low.png", png(photo(3)))
    gold.unlink()
    report, _ = imported(omni, tmp_path)
    assert report.imported == ("coco2017val_0002_low",)
    (fault,) = report.skipped
    assert fault.sample == "coco2017val_0001_low"
    assert fault.where == "final_dataset.json[0]"
    assert "it is ambiguous: a/synthesized_images/" in fault.what


def test_no_file_is_taken_by_its_name_alone(omni: Omni, tmp_path: Path) -> None:
    omni.edit("low")
    omni.edit("low", id="0002", seed=1)
    gold = omni.root / "synthesized_images/coco2017val/0001_low.png"
    write(omni.root / "synthesized_images/flickr30k/0001_low.png", gold.read_bytes())
    write(omni.root / "0001_low.png", gold.read_bytes())
    gold.unlink()
    # Its masks have the same folder and name: one of them would be taken for the gold.
    for kind in ("source_masks", "target_masks"):
        (omni.root / kind / "coco2017val/0001_low.png").unlink()
    report, _ = imported(omni, tmp_path)
    assert report.imported == ("coco2017val_0002_low",)
    assert "no file below the root fits it" in report.skipped[0].what


def test_a_mask_that_is_not_there_is_never_read_from_the_gold(omni: Omni, tmp_path: Path) -> None:
    omni.edit("low")
    omni.edit("low", id="0002", seed=1)
    for kind in ("source_masks", "target_masks"):
        (omni.root / kind / "coco2017val/0001_low.png").unlink()
    report, _ = imported(omni, tmp_path)
    assert report.imported == ("coco2017val_0002_low",)
    assert "modified_image_path and target_mask_path lead to one file" in report.skipped[0].what


def gone(name: str) -> Callable[[Omni], None]:
    return lambda o: (o.root / name).unlink()


def changed(name: str, data: bytes) -> Callable[[Omni], None]:
    return lambda o: write(o.root / name, data) and None


def said(**keys: Any) -> Callable[[Omni], None]:
    def apply(omni: Omni) -> None:
        omni.single[0] |= keys
        omni.single[0] = {k: v for k, v in omni.single[0].items() if v is not ...}

    return apply


PICTURE, GOLD = "sampled_datasets/coco2017val/0001.png", (
    "synthesized_images/coco2017val/0001_low.png"
)  # fmt: skip
MASK, SOURCE_MASK = "target_masks/coco2017val/0001_low.png", (
    "source_masks/coco2017val/0001_low.png"
)  # fmt: skip

LEFT_OUT: dict[str, tuple[Callable[[Omni], None], str]] = {
    "picture missing": (gone(PICTURE), "original_image_path"),
    "gold and masks missing": (
        lambda o: [gone(n)(o) for n in (GOLD, MASK, SOURCE_MASK)] and None, "modified_image_path",
    ),
    "picture no picture": (changed(PICTURE, b"<html>"), "picture: "),
    "gold empty": (changed(GOLD, b""), "gold: "),
    "gold is the picture": (changed(GOLD, png(photo(0))), "pixel for pixel"),
    "mask no picture": (changed(MASK, b"x"), "mask: "),
    "mask of another size": (
        changed(MASK, png(mask(region((16, 24))))), "mask: has 24 x 16 pixels, but its gold",
    ),
    "mask in colours": (changed(MASK, png(photo(5))), "mask: has colours"),
    "no level": (said(level=...), "has no level"),
    "a level of its own": (said(level="mid"), "has level 'mid'"),
    "round 0": (said(level=0), "has level '0'"),
    "no instruction": (said(modification_text=" "), "has no modification_text"),
    "instruction a list": (said(modification_text=["x"]), "has no modification_text"),
    "instruction with a NUL": (said(modification_text="a\0b"), "control character"),
    "no gold path": (said(modified_image_path=None), "has no modified_image_path"),
    "an empty path": (said(original_image_path="/"), "empty path"),
    "a climbing path": (said(original_image_path="../../../etc/passwd"), "no file below the root"),
    "no sample id": (said(sample_id=...), "has no sample_id"),
}  # fmt: skip


@pytest.mark.parametrize("case", LEFT_OUT)
def test_a_record_that_cannot_be_used_is_told_and_the_rest_goes_on(
    omni: Omni, tmp_path: Path, case: str
) -> None:
    change, what = LEFT_OUT[case]
    omni.edit("low")
    omni.edit("low", id="0002", seed=1)
    change(omni)
    report, benchmark = imported(omni, tmp_path)
    assert report.imported == ("coco2017val_0002_low",)
    (fault,) = report.skipped
    assert fault.where == "final_dataset.json[0]"
    assert what in fault.what
    assert fault.do
    # What was left out leaves no file behind.
    named = {n for s in benchmark.samples for n in s.files}
    on_disk = {p.relative_to(tmp_path / "out").as_posix() for p in (tmp_path / "out").rglob("*.*")}
    assert on_disk == named | {"benchmark.toml", "samples.jsonl"}


NOTED: dict[str, tuple[Callable[[Omni], None], str]] = {
    "no target mask said": (said(target_mask_path=None), "has no target_mask_path"),
    "source mask missing": (gone(SOURCE_MASK), "source_mask_path"),
    "source mask of another size": (
        changed(SOURCE_MASK, png(mask(region((16, 24))))), "source_mask: has 24 x 16",
    ),
    "entities a list": (said(entities=["x"]), "entities"),
    "a pair without an answer": (
        said(qa_pairs=[{"question": "A?", "correct_answer": "Yes"}, {"question": "B?"}]),
        "qa_pairs[1]",
    ),
    "a pair twice": (
        said(qa_pairs=[{"question": q, "correct_answer": "Yes"} for q in ("A?", "a?")]),
        "qa_pairs[1]",
    ),
    "pairs no list": (said(qa_pairs={"question": "A?"}), "qa_pairs[0]"),
}  # fmt: skip


@pytest.mark.parametrize("case", NOTED)
def test_what_is_odd_but_usable_is_imported_with_a_note(
    omni: Omni, tmp_path: Path, case: str
) -> None:
    change, what = NOTED[case]
    omni.edit("low")
    change(omni)
    if case == "source mask missing":
        omni.single[0]["source_mask_path"] = f"{AUTHORS}/lost/0001.png"
    report, _ = imported(omni, tmp_path)
    assert report.imported == ("coco2017val_0001_low",)
    assert report.skipped == ()
    (note,) = report.notes
    assert (note.where, note.severity) == ("final_dataset.json[0]", "note")
    assert what in note.what


def test_questions_that_could_not_be_made_keep_the_reason(omni: Omni, tmp_path: Path) -> None:
    a, b, c, d = (omni.edit("low", id=f"000{k}", seed=k) for k in range(4))
    del a["qa_pairs"]
    a["qa_pairs_error"] = "Failed to generate QA pairs after retries"
    b["qa_pairs"] = [{"question": "", "correct_answer": "Yes"}]
    c["qa_pairs"] = [{"question": "How many cats?", "correct_answer": 3},
                     {"question": "Is it day?", "correct_answer": False}]  # fmt: skip
    del d["qa_pairs"]
    _, benchmark = imported(omni, tmp_path)
    turns = [s.turns[0] for s in benchmark.samples]
    assert [t.questions_error for t in turns] == [
        "Failed to generate QA pairs after retries",
        "no question pair of the source can be asked", "", "",
    ]  # fmt: skip
    assert [t.questions for t in turns] == [
        (), (), (Question("How many cats?", "3"), Question("Is it day?", "No")), (),
    ]  # fmt: skip


def test_masks_of_0_and_1_and_empty_masks_are_imported_as_they_are(
    omni: Omni, tmp_path: Path
) -> None:
    omni.edit("low")
    omni.edit("low", id="0002", seed=1)
    write(omni.root / MASK, png(mask() // 255))
    write(omni.root / "target_masks/coco2017val/0002_low.png", png(mask() * 0))
    report, _ = imported(omni, tmp_path)
    assert len(report.imported) == 2
    assert {f.where for f in check(tmp_path / "out")} == {"round 1, mask", "context"}


# --- dialogues ------------------------------------------------------------------------------


def test_rounds_become_a_dialogue_and_gaps_stay_visible(omni: Omni, tmp_path: Path) -> None:
    for level in ("4", "1", "2", "16"):
        omni.edit(level)
    report, benchmark = imported(omni, tmp_path)
    assert (report.imported, report.turns) == (("coco2017val_0001",), 4)
    (sample,) = benchmark.samples
    assert [t.round for t in sample.turns] == [1, 2, 4, 16]
    assert sample.gaps == (3, *range(5, 16))
    assert {t.scale for t in sample.turns} == {None}
    assert sample.context == ""
    # The list names the first picture in every round: no round has a start of its own.
    assert {t.start for t in sample.turns} == {None}
    assert sample.start_of(sample.turns[1]) == sample.turns[0].gold


def test_a_round_after_a_gap_keeps_the_picture_that_it_edits(omni: Omni, tmp_path: Path) -> None:
    """A list that names each round's own input: the target of the round before, here filtered."""
    omni.edit("1")
    omni.edit("2", start="synthesized_images/coco2017val/0001_1.png")
    omni.edit("3")  # writes the files of round 3
    omni.multi.pop()
    omni.edit("4", start="synthesized_images/coco2017val/0001_3.png")
    _, benchmark = imported(omni, tmp_path)
    first, second, fourth = benchmark.samples[0].turns
    assert (first.start, second.start) == (None, None)
    assert fourth.start is not None
    theirs = omni.root / "synthesized_images/coco2017val/0001_3.png"
    assert fourth.start.read_bytes() == theirs.read_bytes()


def test_a_dialogue_whose_first_round_was_filtered_begins_where_its_first_round_does(
    omni: Omni, tmp_path: Path
) -> None:
    omni.edit("1")
    omni.multi.pop()
    omni.edit("2", start="synthesized_images/coco2017val/0001_1.png")
    omni.edit("3", start="synthesized_images/coco2017val/0001_2.png")
    report, benchmark = imported(omni, tmp_path)
    (sample,) = benchmark.samples
    assert (
        sample.picture.read_bytes()
        == (omni.root / "synthesized_images/coco2017val/0001_1.png").read_bytes()
    )
    assert [sample.start_of(t) for t in sample.turns] == [sample.picture, sample.turns[0].gold]
    assert any("begins with round 2" in n.what for n in report.notes)


def test_a_bad_round_leaves_a_gap_and_is_told(omni: Omni, tmp_path: Path) -> None:
    for level in ("1", "2", "3"):
        omni.edit(level)
    omni.multi.append(dict(omni.multi[0]))
    write(omni.root / "target_masks/coco2017val/0001_2.png", b"x")
    report, benchmark = imported(omni, tmp_path)
    assert benchmark.samples[0].gaps == (2,)
    said = {f.where: f.what for f in report.skipped}
    assert "mask: " in said["final_multi_dataset_cleaned.json[1]"]
    assert "round 1 a second time" in said["final_multi_dataset_cleaned.json[3]"]


def test_a_long_dialogue_is_another_than_the_short_one(omni: Omni, tmp_path: Path) -> None:
    short = omni.edit("1")
    long = dict(short, modified_image_path=f"{AUTHORS}/synthesized_images_long/coco2017val/1.png")
    omni.multi.append(long)
    write(omni.root / "synthesized_images_long/coco2017val/1.png", png(edited(photo(0), 9)))
    report, benchmark = imported(omni, tmp_path)
    assert report.imported == ("coco2017val_0001", "coco2017val_0001_long")
    assert len({s.source_id for s in benchmark.samples}) == 1


def grouped(records: list[dict[str, Any]], total: int, texts: bool) -> dict[str, Any]:
    group = {
        "sample_id": records[0]["sample_id"], "total_rounds": total,
        "original_image_path": records[0]["original_image_path"],
    }  # fmt: skip
    for r in records:
        keys = [k for k in r if k not in ("sample_id", "level", "original_image_path")]
        for key in keys if texts else ["modified_image_path"]:
            group[f"round_{r['level']}_{key}"] = r[key]
    return group


def test_a_grouped_list_gives_the_same_as_the_flat_one(omni: Omni, tmp_path: Path) -> None:
    for level in ("1", "3"):
        omni.edit(level)
    flat, _ = imported(omni, tmp_path)
    lines = (tmp_path / "out/samples.jsonl").read_bytes()
    listed = write(omni.root / "grouped.json", [grouped(omni.multi, 3, texts=True)])
    report = import_images("omni-iie", listed, tmp_path / "out2")
    assert report.imported == flat.imported
    assert (tmp_path / "out2/samples.jsonl").read_bytes() == lines


def test_a_grouped_list_without_texts_takes_them_from_the_flat_one_and_filters_it(
    omni: Omni, tmp_path: Path
) -> None:
    for level in ("1", "2", "3"):
        omni.edit(level)
    kept = [omni.multi[0], omni.multi[2]]
    write(omni.root / "final_multi_dataset.json", omni.multi)
    listed = write(omni.root / "grouped.json", [grouped(kept, 5, texts=False)])
    for source in (omni.root, listed):
        out = tmp_path / f"out-{source.name}"
        report = import_images("omni-iie", source, out)
        (sample,) = of_track(load(out), "image").samples
        assert [t.round for t in sample.turns] == [1, 3]
        assert [t.instruction for t in sample.turns] == ["Brighten it (1).", "Brighten it (3)."]
        assert any("has 5 rounds" in n.what for n in report.notes)
        if source == omni.root:
            (fault,) = report.skipped
            assert fault.where == "final_multi_dataset.json[1]"
            assert "it was filtered out" in fault.what


def test_a_grouped_list_without_texts_anywhere_is_told(omni: Omni, tmp_path: Path) -> None:
    omni.edit("1")
    listed = write(omni.root / "grouped.json", [grouped(omni.multi, 1, texts=False)])
    with pytest.raises(UserError, match=r"grouped.json\[0\] round 1: has no modification_text"):
        import_images("omni-iie", listed, tmp_path / "out")


# --- ids, parts, lists ----------------------------------------------------------------------


def test_ids_are_safe_and_unique_and_a_new_name_is_told(omni: Omni, tmp_path: Path) -> None:
    names = ["a b", "a/b", "a-b", "größe", "x" * 150, "A-b"]
    for k, name in enumerate(names):
        record = omni.edit("low", id=f"000{k}", seed=k)
        record["sample_id"] = name
    report, benchmark = imported(omni, tmp_path)
    ids = [s.id for s in benchmark.samples]
    assert len({i.casefold() for i in ids}) == len(ids) == 5
    assert "coco2017val_a-b_low" in ids
    assert {n.sample for n in report.notes} == set(ids) - {"coco2017val_a-b_low"}
    # a-b and A-b are one file on some systems.
    (fault,) = report.skipped
    assert "has the id of final_dataset.json[2]" in fault.what


def test_a_record_twice_is_told(omni: Omni, tmp_path: Path) -> None:
    omni.edit("low")
    omni.single.append(dict(omni.single[0]))
    report, _ = imported(omni, tmp_path)
    (fault,) = report.skipped
    assert (fault.where, fault.sample) == ("final_dataset.json[1]", "coco2017val_0001_low")


def test_other_pictures_under_one_context_lose_it(omni: Omni, tmp_path: Path) -> None:
    omni.edit("low")
    high = omni.edit("high")
    high["original_image_path"] = f"{AUTHORS}/sampled_datasets/coco2017val/other.png"
    write(omni.root / "sampled_datasets/coco2017val/other.png", png(photo(9)))
    report, benchmark = imported(omni, tmp_path)
    assert [s.context for s in benchmark.samples] == ["coco2017val_0001", ""]
    assert "another picture than the rest of context" in report.notes[0].what


def test_parts_are_imported_alone(omni: Omni, tmp_path: Path) -> None:
    omni.edit("low")
    omni.edit("1")
    report = import_images("omni-iie", omni.write(), tmp_path / "a", parts=["single"])
    assert (report.imported, report.skipped) == (("coco2017val_0001_low",), ())
    report = import_images("omni-iie", omni.root, tmp_path / "b", parts=["multi"])
    assert report.imported == ("coco2017val_0001",)
    with pytest.raises(UserError, match="no part 'both'; there are single, multi"):
        import_images("omni-iie", omni.root, tmp_path / "c", parts=["both"])


def test_a_source_without_lists_or_with_two_of_a_name_is_told(omni: Omni, tmp_path: Path) -> None:
    omni.root.mkdir()
    write(omni.root / "other.json", {"a": 1})
    with pytest.raises(UserError, match="has no list of Omni IIE Bench"):
        import_images("omni-iie", omni.root, tmp_path / "out")
    omni.edit("low")
    omni.write()
    write(omni.root / "old/final_dataset.json", omni.single)
    with pytest.raises(UserError, match=r"final_dataset.json several times"):
        import_images("omni-iie", omni.root, tmp_path / "out")
    with pytest.raises(UserError, match="neither a folder nor a file"):
        import_images("omni-iie", tmp_path / "none", tmp_path / "out")
    write(omni.root / "old/final_dataset.json", "[{")
    with pytest.raises(UserError, match="can't be read as JSON"):
        import_images("omni-iie", omni.root / "old/final_dataset.json", tmp_path / "out")
    with pytest.raises(UserError, match="did you mean 'omni-iie'"):
        import_images("omni-ie", omni.root, tmp_path / "out")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["omni"]


def test_a_full_destination_is_refused_and_stays_as_it_is(omni: Omni, tmp_path: Path) -> None:
    omni.edit("low")
    write(tmp_path / "out/mine", b"x")
    with pytest.raises(UserError, match="not empty"):
        import_images("omni-iie", omni.write(), tmp_path / "out")
    assert [p.name for p in (tmp_path / "out").iterdir()] == ["mine"]


def test_links_out_of_the_root_are_not_followed(omni: Omni, tmp_path: Path) -> None:
    omni.edit("low")
    omni.edit("low", id="0002", seed=1)
    write(tmp_path / "private.png", png(photo(4)))
    (omni.root / PICTURE).unlink()
    (omni.root / PICTURE).symlink_to(tmp_path / "private.png")
    report, _ = imported(omni, tmp_path)
    assert report.imported == ("coco2017val_0002_low",)
    assert "link out of the folder" in report.skipped[0].what


@pytest.mark.parametrize("seed", range(25))
def test_every_record_is_either_imported_or_told(omni: Omni, tmp_path: Path, seed: int) -> None:
    """Whatever is broken, imported turns and skipped records together are the records."""
    rng = np.random.default_rng(seed)
    for k in range(3):
        omni.edit("low", id=f"{k}", seed=k)
        omni.edit("high", id=f"{k}", seed=k)
        for level in ("1", "2", "3"):
            omni.edit(level, id=f"{k}", seed=k)
    odd: list[Any] = [None, "", 0, True, [], {}, "x", "1", "low", ["a"], {"a": 1}]
    for records in (omni.single, omni.multi):
        for _ in range(4):
            record = records[int(rng.integers(len(records)))]
            record[str(rng.choice(list(record)))] = odd[int(rng.integers(len(odd)))]
        records.append(dict(records[0]))
    files = sorted(p for p in omni.root.rglob("*.png"))
    for path in rng.choice(np.array(files, dtype=object), 5, replace=False):
        if rng.random() < 0.5:
            path.unlink(missing_ok=True)
        else:
            path.write_bytes(path.read_bytes()[: int(rng.integers(0, 200))])
    report, benchmark = imported(omni, tmp_path)
    turns = sum(len(s.turns) for s in benchmark.samples)
    assert report.turns == turns
    assert turns + len(report.skipped) == len(omni.single) + len(omni.multi)
    assert all(str(f).isprintable() for f in (*report.skipped, *report.notes))


def test_the_lines_are_plain_json_and_name_no_path_of_this_machine(
    omni: Omni, tmp_path: Path
) -> None:
    omni.edit("low")
    imported(omni, tmp_path)
    text = (tmp_path / "out/samples.jsonl").read_text()
    assert str(tmp_path) not in text
    assert AUTHORS not in text
    assert json.loads(text)["turns"][0]["gold"] == "golds/coco2017val_0001_low.png"


def test_a_root_that_is_itself_the_folder_of_a_path_is_one_of_its_ends(tmp_path: Path) -> None:
    for name in ("coco2017val/a.png", "coco2017val/deep/coco2017val/b.png", "b.png"):
        write(tmp_path / name, b"x")
    tree = FileTree(tmp_path / "coco2017val")
    assert tree.find("/far/coco2017val/a.png") == tmp_path / "coco2017val/a.png"
    assert tree.find("a.png") == tmp_path / "coco2017val/a.png"
    assert tree.find("C:\\far\\coco2017val\\b.png").parent.parent.name == "deep"
    for path in ("/far/flickr30k/a.png", "/far/flickr30k/b.png", "b.png", "", "/"):
        with pytest.raises(NotFound):
            tree.find(path)
