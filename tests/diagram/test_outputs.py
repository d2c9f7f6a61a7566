"""Outputs made elsewhere: a file that changes or goes takes its old score with it."""

from __future__ import annotations

from pathlib import Path

import pytest

from redline.diagram import NO_OUTPUT, FromOutputs, find_outputs, reading
from redline.diagram.outputs import OutputsFault
from redline.run import RunFolder, Summary
from tests.diagram.making import SAMPLE, benchmark, carry_out, kept, task


def score(path: Path) -> Summary:
    outputs = find_outputs(path / "outputs", benchmark())
    stage = FromOutputs(task(candidate="outputs/outputs"), outputs)
    return carry_out(path / "run", [stage])


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "outputs").mkdir()
    (tmp_path / "outputs" / "s.tex").write_text("one\n")
    return tmp_path


def test_a_file_that_is_gone_takes_its_record_along_and_comes_back(place: Path) -> None:
    score(place)
    assert kept(place / "run", "generate").status == "ok"
    (place / "outputs" / "s.tex").unlink()
    assert score(place).exit_status == 3
    gone = kept(place / "run", "generate")
    assert (gone.status, gone.reason, dict(gone.blobs)) == ("unscored", NO_OUTPUT, {})
    records = (place / "run" / "records.jsonl").read_text().count('"kind":"unit"')
    score(place)
    again = (place / "run" / "records.jsonl").read_text().count('"kind":"unit"')
    assert again == records, "it is said once"
    (place / "outputs" / "s.tex").write_text("one\n")
    score(place)
    assert kept(place / "run", "generate").status == "ok"


def test_a_sample_that_never_had_a_file_has_no_record(place: Path) -> None:
    (place / "outputs" / "s.tex").unlink()
    score(place)
    with RunFolder.open(place / "run") as folder:
        assert folder.get("generate", "s#0") is None


def test_a_mended_file_is_read_again_and_an_untouched_one_is_not(place: Path) -> None:
    assert score(place).stages["generate"].done_now == 1
    assert score(place).stages["generate"].done_now == 0
    (place / "outputs" / "s.tex").write_text("two\n")
    assert score(place).stages["generate"].done_now == 1


def test_whole_replies_are_read_again_by_a_newer_reader_and_codes_are_not(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    score(place)
    monkeypatch.setattr(reading, "READER_VERSION", -1)
    assert score(place).stages["generate"].done_now == 0
    (place / "outputs" / "s.tex").rename(place / "outputs" / "s.md")
    score(place)
    monkeypatch.setattr(reading, "READER_VERSION", -2)
    assert score(place).stages["generate"].done_now == 1
    assert SAMPLE.id == "s"


def test_a_manifest_that_names_two_outputs_in_one_line_is_refused(place: Path) -> None:
    manifest = place / "outputs.jsonl"
    manifest.write_text('{"id": "s", "path": "outputs/s.tex"}\n')
    assert find_outputs(manifest, benchmark()).missing == ()
    manifest.write_text('{"id": "s", "path": "outputs/s.tex", "path": "outputs/t.tex"}\n')
    with pytest.raises(OutputsFault, match=r"line 1: not JSON .it has the key 'path' twice"):
        find_outputs(manifest, benchmark())
