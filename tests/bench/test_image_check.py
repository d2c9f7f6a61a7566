"""Image benchmarks: every fault and note is found, named by its sample and place, all at once."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from redline.bench import BenchmarkError, Fault, Question, check, load, of_track
from redline.errors import UserError
from tests.bench.image_making import SIZE, ImageFolder, edited, mask, photo, region
from tests.bench.making import Folder
from tests.bench.making import pictures as drawn_pictures


@pytest.fixture
def images(tmp_path: Path) -> ImageFolder:
    return ImageFolder(tmp_path / "bench")


def one(faults: list[Fault]) -> Fault:
    assert len(faults) == 1, [str(f) for f in faults]
    return faults[0]


def test_whole_folders_have_neither_faults_nor_notes(images: ImageFolder) -> None:
    images.sample("single")
    images.sample("dialogue", rounds=(1, 2, 3))
    images.pair("c")
    assert check(images.write()) == []


def test_a_sample_comes_with_all_that_its_line_says(images: ImageFolder) -> None:
    line = images.sample(
        "s1", rounds=(1, 3), origin="coco", source_id="src", context="c", licence="CC0-1.0",
        instruction_model="m/i", gold_model="m/g", annotator="a1", ratings=[{"IF": 3}],
    )  # fmt: skip
    line["turns"][0] |= {
        "entities": {"source_entity": ["cat"]}, "category": "add", "rubric": "photo-v1",
        "questions_error": "none made", "source_mask": line["turns"][0]["mask"], "questions": [],
    }  # fmt: skip
    line["turns"][1]["start"] = "golds/other.png"
    images.picture("golds/other.png", photo(9))
    root = images.write()
    benchmark = of_track(load(root), "image")
    (s,) = benchmark.samples
    assert (s.id, s.origin, s.source_id, s.context) == ("s1", "coco", "src", "c")
    assert (s.licence, s.instruction_model, s.gold_model) == ("CC0-1.0", "m/i", "m/g")
    assert (s.annotator, s.ratings, s.gaps) == ("a1", ({"IF": 3},), (2,))
    assert s.picture == root.resolve() / "pictures/s1.png"
    first, third = s.turns
    assert (first.round, first.scale, first.instruction) == (1, "low", "Make it brighter (1).")
    assert (first.questions, first.questions_error) == ((), "none made")
    assert (first.entities, first.category, first.rubric) == (
        {"source_entity": ["cat"]}, "add", "photo-v1",
    )  # fmt: skip
    assert first.source_mask == first.mask == root.resolve() / "masks/s1-1.png"
    assert third.questions == (Question("Is it brighter?", "Yes"),)
    assert s.start_of(first) == s.picture
    assert s.start_of(third) == root.resolve() / "golds/other.png"
    assert set(s.files) == {
        "pictures/s1.png", "golds/s1-1.png", "golds/s1-3.png", "masks/s1-1.png",
        "masks/s1-3.png", "golds/other.png",
    }  # fmt: skip


def test_a_round_starts_from_the_gold_before_it_and_after_a_gap_from_nothing_known(
    images: ImageFolder,
) -> None:
    images.sample("s1", rounds=(1, 2, 4))
    (s,) = of_track(load(images.write()), "image").samples
    assert [s.start_of(t) for t in s.turns] == [s.picture, s.turns[0].gold, None]


def test_samples_over_one_picture_share_their_source(images: ImageFolder) -> None:
    images.pair("c")
    images.sample("other")
    low, high, other = load(images.write()).samples
    assert low.source_id == high.source_id != other.source_id
    assert low.source_id.startswith("picture-")


def test_golds_masks_and_questions_may_be_absent(images: ImageFolder) -> None:
    line = images.sample()
    line["turns"] = [{"round": 1, "instruction": "Add a hat."}]
    root = images.write()
    assert check(root) == []
    (s,) = of_track(load(root), "image").samples
    assert (s.turns[0].gold, s.turns[0].mask, s.turns[0].scale) == (None, None, None)
    assert s.turns[0].questions == ()


def test_null_is_the_same_as_leaving_a_key_out(images: ImageFolder) -> None:
    line = images.sample(origin=None, context=None, ratings=None)
    line["turns"][0] |= dict.fromkeys(
        ("scale", "overlay", "gold", "mask", "questions", "entities", "category", "rubric")
    )
    assert check(images.write()) == []


def test_a_benchmark_is_of_one_track(images: ImageFolder, folder: Folder) -> None:
    images.sample()
    with pytest.raises(UserError, match="of track image; this needs one of track diagram"):
        of_track(load(images.write()), "diagram")


# --- lines ----------------------------------------------------------------------------------


def turn(**changes: Any) -> Callable[[dict[str, Any]], None]:
    def apply(line: dict[str, Any]) -> None:
        line["turns"][0] = {
            k: x for k, x in (line["turns"][0] | changes).items() if x is not ...
        }  # fmt: skip

    return apply


def top(**changes: Any) -> Callable[[dict[str, Any]], None]:
    def apply(line: dict[str, Any]) -> None:
        line |= changes
        for key in [k for k, x in line.items() if x is ...]:
            del line[key]

    return apply


def rounds(*numbers: Any) -> Callable[[dict[str, Any]], None]:
    def apply(line: dict[str, Any]) -> None:
        line["turns"] = [{"round": n, "instruction": "x"} for n in numbers]

    return apply


def question(**keys: Any) -> Callable[[dict[str, Any]], None]:
    return turn(questions=[{"question": "A?", "answer": "Yes"} | keys])


LINE_FAULTS: dict[str, tuple[Callable[[dict[str, Any]], None], str, str]] = {
    "no picture": (top(picture=...), "picture", "is missing"),
    "no turns": (top(turns=...), "turns", "is missing"),
    "turns empty": (top(turns=[]), "turns", "is []"),
    "turns no list": (top(turns={"round": 1}), "turns", "is {"),
    "turns of numbers": (top(turns=[1]), "turns", "is [1]"),
    "unknown key": (top(contxt="c"), "contxt", "did you mean 'context'"),
    "key of a diagram": (top(edit_type="ADD"), "edit_type", "unknown key"),
    "picture missing": (top(picture="x.png"), "picture", "no file 'x.png'"),
    "picture climbs": (top(picture="../x.png"), "picture", "climbs out"),
    "context no text": (top(context=3), "context", "not a text"),
    "annotator an address": (top(annotator="a@b"), "annotator", "e-mail"),
    "no round": (turn(round=...), "turns[0].round", "is missing"),
    "round 0": (turn(round=0), "turns[0].round", "is 0"),
    "round true": (turn(round=True), "turns[0].round", "is True"),
    "round a text": (turn(round="1"), "turns[0].round", "is '1'"),
    "round of no dialogue": (turn(round=10**12), "turns[0].round", "is 1000000000000"),
    "unknown turn key": (turn(mdel="x"), "turns[0].mdel", "unknown key"),
    "scale in capitals": (turn(scale="LOW"), "turns[0].scale", "did you mean 'low'"),
    "scale no text": (turn(scale=1), "turns[0].scale", "is 1"),
    "no instruction": (turn(instruction=...), "turns[0].instruction", "no overlay either"),
    "blank instruction": (turn(instruction=" "), "turns[0].instruction", "no overlay either"),
    "instruction a list": (turn(instruction=["x"]), "turns[0].instruction", "not a text"),
    "gold a list": (turn(gold=["x.png"]), "turns[0].gold", "not a path"),
    "gold missing": (turn(gold="x.png"), "turns[0].gold", "no file 'x.png'"),
    "mask absolute": (turn(mask="/x.png"), "turns[0].mask", "absolute"),
    "entities a list": (turn(entities=[]), "turns[0].entities", "is []"),
    "rubric a path": (turn(rubric="./r.toml"), "turns[0].rubric", "never a command, a path"),
    "rubric a URL": (turn(rubric="http://x/r"), "turns[0].rubric", "or a URL"),
    "questions a text": (turn(questions="A?"), "turns[0].questions", "is 'A?'"),
    "question a text": (turn(questions=["A?"]), "turns[0].questions", "is ['A?']"),
    "question blank": (question(question=" "), "turns[0].questions[0].question", "is empty"),
    "answer blank": (question(answer=""), "turns[0].questions[0].answer", "is empty"),
    "answer true": (question(answer=True), "turns[0].questions[0].answer", "not a text"),
    "answer missing": (
        turn(questions=[{"question": "A?"}]), "turns[0].questions[0].answer", "is missing",
    ),
    "their key for answers": (
        question(correct_answer="Yes"), "turns[0].questions[0].correct_answer", "unknown key",
    ),
    "question twice": (
        turn(questions=[{"question": q, "answer": "Yes"} for q in ("Is  it red?", "is it Red?")]),
        "turns[0].questions[1]", "is the same question as turns[0].questions[0]",
    ),
    "round twice": (rounds(1, 2, 2), "turns[2].round", "is 2 as in turns[1]"),
    "rounds not ascending": (rounds(1, 3, 2), "turns[2].round", "is 2 after 3"),
}  # fmt: skip


@pytest.mark.parametrize("case", LINE_FAULTS)
def test_faults_of_a_line_are_named_by_line_and_key(images: ImageFolder, case: str) -> None:
    change, key, what = LINE_FAULTS[case]
    change(images.sample("s1"))
    images.sample("s2")
    fault = one(check(images.write()))
    assert (fault.sample, fault.where) == ("s1", f"samples.jsonl line 1, key {key}")
    assert fault.severity == "fault"
    assert what in fault.what
    assert fault.do
    with pytest.raises(BenchmarkError):
        load(images.root)


def test_all_faults_of_a_folder_come_at_once(images: ImageFolder) -> None:
    images.sample("a", rounds=(1, 2))["turns"][1] |= {"scale": "mid", "gold": "none.png"}
    images.sample("b")
    images.write_file("pictures/b.png", b"<html>")
    images.files["pictures/b.png"] = b"<html>"
    images.sample("c")
    images.picture("masks/c-1.png", mask()[:16])
    found = [(f.sample, f.where) for f in check(images.write())]
    assert found == [
        ("a", "samples.jsonl line 1, key turns[1].scale"),
        ("a", "samples.jsonl line 1, key turns[1].gold"),
        ("b", "picture"),
        ("c", "round 1, mask"),
    ]


def test_lines_are_checked_by_what_they_are_where_the_toml_is_broken(images: ImageFolder) -> None:
    images.sample()["turns"][0]["scale"] = "mid"
    root = images.write()
    images.write_file("benchmark.toml", b"name = ")
    first, second = check(root)
    assert first.where == "benchmark.toml"
    assert second.where == "samples.jsonl line 1, key turns[0].scale"


def test_a_line_of_a_diagram_does_not_belong_among_images(images: ImageFolder) -> None:
    images.lines.append({"id": "d", "edit_type": "ADD", "operations": 1, "code": "x.tex"})
    keys = {f.where.rpartition(" ")[2] for f in check(images.write())}
    assert {"picture", "turns", "edit_type", "operations", "code"} == keys


# --- pictures and masks ---------------------------------------------------------------------


def put(name: str, array: np.ndarray) -> Callable[[ImageFolder], None]:
    return lambda f: f.picture(name, array)


def raw(name: str, data: bytes) -> Callable[[ImageFolder], None]:
    return lambda f: f.files.update({name: data})


def keyed(**keys: Any) -> Callable[[ImageFolder], None]:
    return lambda f: f.lines[0]["turns"][0].update(keys)


def both(*changes: Callable[[ImageFolder], None]) -> Callable[[ImageFolder], None]:
    return lambda f: [c(f) for c in changes] and None


GOLD, MASK = "golds/s1-1.png", "masks/s1-1.png"
# 47 of 48 columns lie between 0 and 255, without the 16 x 24 pixels of the region: 1,120 of 1,536.
SOFT = np.where(region(), 255, np.linspace(0, 120, SIZE[1])[None, :]).astype(np.uint8)
TINTED = np.stack([mask(), mask() // 2, mask() * 0], axis=2)
PICTURE = photo(0)
ALMOST = np.ones(SIZE, bool)
ALMOST[:3] = False

FOUND: dict[str, tuple[Callable[[ImageFolder], None], str, str, str]] = {
    "picture no picture": (raw("pictures/s1.png", b"<html>"), "picture", "HTML", "fault"),
    "gold cut off": (
        lambda f: raw(GOLD, f.files[GOLD][:50])(f), "round 1, gold", "damaged", "fault",
    ),
    "gold empty": (raw(GOLD, b""), "round 1, gold", "no bytes", "fault"),
    "gold is the picture": (put(GOLD, PICTURE), "round 1, gold", "pixel for pixel", "fault"),
    "gold of another aspect": (
        both(put(GOLD, edited(photo(0, (32, 50)))), put(MASK, mask(region((32, 50))))),
        "round 1, gold", "has 50 x 32 pixels, the picture before the edit 48 x 32: the aspect "
        "differs by 4.2 %", "note",
    ),
    "start no picture": (
        both(raw("golds/x.png", b"x"), keyed(start="golds/x.png")), "round 1, start",
        "not a picture", "fault",
    ),
    "mask no picture": (raw(MASK, b"x"), "round 1, mask", "not a picture", "fault"),
    "mask of another size": (
        put(MASK, mask(region((16, 24)))), "round 1, mask",
        "has 24 x 16 pixels, but its gold has 48 x 32", "fault",
    ),
    "mask without a gold, of another size": (
        both(put(MASK, mask(region((16, 24)))), lambda f: f.lines[0]["turns"][0].pop("gold")),
        "round 1, mask", "has 24 x 16 pixels, but its picture has 48 x 32", "fault",
    ),
    "mask in colours": (put(MASK, TINTED), "round 1, mask", "has colours", "fault"),
    "mask of 0 and 1": (put(MASK, mask() // 255), "round 1, mask", "only 0 and 1", "note"),
    "soft mask": (put(MASK, SOFT), "round 1, mask", "72.9 % of its values lie between", "note"),
    "empty mask": (put(MASK, mask() * 0), "round 1, mask", "is empty", "note"),
    "full mask": (put(MASK, mask() | 255), "round 1, mask", "is full", "note"),
    "mask of almost all": (
        put(MASK, mask(ALMOST)), "round 1, mask", "covers 90.6 % of the picture: it may be",
        "note",
    ),
    "inverted mask": (
        put(MASK, mask(~region())), "round 1, mask",
        "covers 75.0 % of the picture, yet what lies outside of it changes more (10.0 of 255 on "
        "average) than what lies inside (0.0)", "note",
    ),
    "source mask of another size": (
        both(put("masks/x.png", mask(region((16, 24)))), keyed(source_mask="masks/x.png")),
        "round 1, source_mask", "but its picture has 48 x 32", "fault",
    ),
    "opaque overlay": (
        both(
            put("d.png", np.dstack([PICTURE, np.full(SIZE, 255, np.uint8)])),
            keyed(overlay="d.png"),
        ),
        "round 1, overlay", "not transparent anywhere", "fault",
    ),
    "overlay of another size": (
        both(put("d.png", drawn_pictures()["overlay"]), keyed(overlay="d.png")),
        "round 1, overlay", "has 12 x 8 pixels, but picture has 48 x 32", "fault",
    ),
    "four questions": (
        keyed(questions=[{"question": f"{k}?", "answer": "Yes"} for k in range(4)]),
        "round 1, questions", "has 4 questions", "note",
    ),
    "loose answer": (
        keyed(questions=[{"question": "A?", "answer": "True"}]),
        "round 1, questions[0].answer", "is 'True'", "note",
    ),
    "questions and why there are none": (
        keyed(questions_error="none"), "round 1, questions_error", "is there beside", "note",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", FOUND)
def test_what_a_look_into_the_files_shows_is_told(images: ImageFolder, case: str) -> None:
    images.sample("s1")
    change, where, what, severity = FOUND[case]
    change(images)
    fault = one(check(images.write()))
    assert (fault.sample, fault.where, fault.severity) == ("s1", where, severity)
    assert what in fault.what
    assert fault.do
    # None of these keeps a folder from being loaded: loading looks at no pixels.
    load(images.root)


def test_an_aspect_within_one_per_cent_is_no_note(images: ImageFolder) -> None:
    # 48 x 32 against 97 x 64 (1.0 % wider) and 98 x 64 (2.1 %).
    images.sample("s1")
    for width, count in ((96, 0), (98, 1)):
        images.picture(GOLD, edited(photo(0, (64, width))))
        images.picture(MASK, mask(region((64, width))))
        assert len(check(images.write())) == count


def test_a_drawn_instruction_alone_is_enough(images: ImageFolder) -> None:
    line = images.sample("s1")
    overlay = np.zeros((*SIZE, 4), np.uint8)
    overlay[4:8, 4:20] = (255, 0, 0, 255)
    images.picture("d.png", overlay)
    del line["turns"][0]["instruction"]
    line["turns"][0]["overlay"] = "d.png"
    assert check(images.write()) == []


def test_other_answers_than_yes_and_no_are_fine(images: ImageFolder) -> None:
    line = images.sample("s1")
    line["turns"][0]["questions"] = [
        {"question": "What colour is the car?", "answer": "Red"},
        {"question": "Is there a cat?", "answer": "No"},
        {"question": "How many dogs are there?", "answer": "1"},
    ]
    assert check(images.write()) == []


def test_gaps_are_notes_that_name_the_rounds(images: ImageFolder) -> None:
    images.sample("s1", rounds=(2, 5))
    fault = one(check(images.write()))
    assert (fault.severity, fault.where) == ("note", "turns")
    assert "no round 1, 3, 4 before round 5" in fault.what
    (sample,) = of_track(load(images.root), "image").samples
    assert sample.gaps == (1, 3, 4)


# --- contexts -------------------------------------------------------------------------------


def test_samples_of_one_context_share_the_picture(images: ImageFolder) -> None:
    _, high = images.pair("c")
    high["picture"] = "pictures/c-high.png"
    high["turns"][0]["gold"] = "golds/c-high-1.png"
    fault = one(check(images.write()))
    assert (fault.sample, fault.where, fault.severity) == ("c-high", "context", "fault")
    assert "as that of sample c-low, but the picture is another" in fault.what


def test_equal_bytes_are_the_same_picture(images: ImageFolder) -> None:
    low, high = images.pair("c")
    high["picture"] = "pictures/copy.png"
    images.files["pictures/copy.png"] = images.files[low["picture"]]
    assert check(images.write()) == []


def test_a_context_has_one_low_and_one_high(images: ImageFolder) -> None:
    _, high = images.pair("c")
    high["turns"][0]["scale"] = "low"
    faults = check(images.write())
    assert [(f.sample, f.severity) for f in faults] == [("c-high", "fault"), ("c-low", "note")]
    assert "has two low samples in 'c': this and c-low" in faults[0].what
    assert "has no high sample in 'c'" in faults[1].what


def test_a_low_without_a_partner_is_a_note(images: ImageFolder) -> None:
    images.sample("alone", context="c")
    fault = one(check(images.write()))
    assert (fault.sample, fault.where, fault.severity) == ("alone", "context", "note")
    assert "has no high sample" in fault.what


# --- masks that are wrong on purpose --------------------------------------------------------

SHARED: dict[str, tuple[str, str]] = {
    "mask.png": ("", ""),
    "mask.jpg": ("note", "2.0 % of its values lie between"),
    "mask_soft.png": ("note", "4.4 % of its values lie between"),
    "mask_01.png": ("note", "only 0 and 1"),
    "mask_half_size.png": ("fault", "has 160 x 120 pixels, but its gold has 320 x 240"),
    "mask_inverted.png": ("note", "covers 89.6 % of the picture, yet what lies outside"),
    "mask_empty.png": ("note", "is empty"),
    "mask_full.png": ("note", "is full"),
}


@pytest.mark.parametrize("name", SHARED)
def test_each_of_the_odd_masks_ends_in_the_right_sentence(images: ImageFolder, name: str) -> None:
    shared = Path(__file__).parents[3] / "shared" / "cases" / "images"
    if not shared.is_dir():
        pytest.skip("no shared/cases/images beside the repository")
    images.lines.append({"id": "s1", "picture": "a.png", "turns": [
        {"round": 1, "instruction": "x", "gold": "b.png", "mask": name}]})  # fmt: skip
    for ours, theirs in (("a.png", "source.png"), ("b.png", "gt.png"), (name, name)):
        images.files[ours] = (shared / theirs).read_bytes()
    severity, what = SHARED[name]
    found = check(images.write())
    assert [(f.sample, f.where, f.severity) for f in found] == (
        [("s1", "round 1, mask", severity)] if severity else []
    )
    assert all(what in f.what for f in found)


@pytest.mark.parametrize("seed", range(30))
def test_check_never_raises_for_damaged_bytes(images: ImageFolder, seed: int) -> None:
    images.sample(rounds=(1, 2), context="c")
    root = images.write()
    rng = np.random.default_rng(seed)
    files = sorted(p for p in root.rglob("*") if p.is_file())
    for path in rng.choice(np.array(files, dtype=object), 3, replace=False):
        data = bytearray(path.read_bytes())
        for at in rng.integers(0, len(data), 4):
            data[at] = int(rng.integers(0, 256))
        path.write_bytes(bytes(data[: int(rng.integers(1, len(data) + 1))]))
    for fault in check(root):
        assert str(fault).isprintable()


@pytest.mark.parametrize("seed", range(20))
def test_check_never_raises_for_odd_json(images: ImageFolder, seed: int) -> None:
    odd: list[Any] = [None, True, 0, -1, 1.5, "", "x", [], [1], {}, {"a": 1}, [{}], [[]]]
    line = images.sample(rounds=(1, 2))
    rng = np.random.default_rng(seed)
    for _ in range(3):
        target: Any = rng.choice(np.array([line, *line["turns"]], dtype=object))
        keys = [*target, "start", "overlay", "source_mask", "entities", "rubric"]
        target[str(rng.choice(keys))] = odd[int(rng.integers(len(odd)))]
        if not isinstance(line["turns"], list) or not all(
            isinstance(t, dict) for t in line["turns"]
        ):
            break
    for fault in check(images.write()):
        assert str(fault).isprintable()


def test_an_image_folder_is_exported_and_comes_back_byte_for_byte(
    images: ImageFolder, tmp_path: Path
) -> None:
    from redline.bench import export, select, unpack

    images.pair("c", origin="coco")
    images.sample("d", rounds=(1, 3), origin="docci")
    benchmark = load(images.write())
    for format in ("zip", "jsonl"):
        packed = export(benchmark, tmp_path / f"x.{format}", format)
        assert load(unpack(packed, tmp_path / f"back-{format}")).hash == benchmark.hash
    out = export(select(benchmark, origin="docci"), tmp_path / "few")
    assert [s.id for s in load(out).samples] == ["d"]
    assert not list(out.rglob("*c-low*"))


def test_samples_are_chosen_by_scale_and_origin(images: ImageFolder) -> None:
    from redline.bench import select

    images.pair("c", origin="coco")
    images.sample("d", rounds=(1, 2), origin="docci")["turns"][1]["scale"] = "high"
    benchmark = load(images.write())

    def ids(**options: Any) -> list[str]:
        return [s.id for s in select(benchmark, **options).samples]

    assert ids(scale="low") == ["c-low", "d"]
    assert ids(scale="HIGH") == ["c-high", "d"]
    assert ids(origin="coco", scale="low") == ["c-low"]
    assert ids(origin="coco", limit=1) == ["c-low"]
    assert ids(ids=["d"], scale="high") == ["d"]
    with pytest.raises(UserError, match=r"no scale 'lo'; use one of low, high|did you mean 'low'"):
        ids(scale="lo")
    with pytest.raises(UserError, match=r"no origin 'cocoa' .did you mean 'coco'"):
        ids(origin="cocoa")
    with pytest.raises(UserError, match="has no edit types"):
        ids(edit_type="ADD")


def test_a_diagram_benchmark_has_no_scales(folder: Folder) -> None:
    from redline.bench import select

    folder.text_sample()
    with pytest.raises(UserError, match="has no scales"):
        select(load(folder.write()), scale="low")


def test_the_line_of_an_image_sample_survives_json(images: ImageFolder) -> None:
    words = 'Größe "λ" \U0001f600\nzweite Zeile'
    images.sample()["turns"][0]["instruction"] = words
    root = images.write()
    assert json.loads((root / "samples.jsonl").read_text())["turns"][0]["instruction"] == words
    assert of_track(load(root), "image").samples[0].turns[0].instruction == words


def test_a_photograph_may_be_a_jpeg(images: ImageFolder) -> None:
    line = images.sample()
    images.write_file("pictures/s1.jpg", b"")
    Image.fromarray(photo()).save(images.root / "pictures/s1.jpg")
    images.files["pictures/s1.jpg"] = (images.root / "pictures/s1.jpg").read_bytes()
    line["picture"] = "pictures/s1.jpg"
    assert check(images.write()) == []
