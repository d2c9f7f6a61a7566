"""What a log of a run says where there is no terminal."""

from __future__ import annotations

from redline.run import Lines


def test_a_log_has_a_line_every_half_minute_and_one_at_the_end_of_each_stage() -> None:
    told: list[str] = []
    now = 0.0
    lines = Lines(told.append, 30.0, lambda: now)
    lines.start()
    lines.stage("generate", 8, 2, 1, 0)
    for second in range(1, 7):
        now = 10.0 * second
        lines.unit("generate", "unscored" if second == 6 else "ok")
    assert told == ["generate: 5 of 8, 1 failed, 0.1/s"]
    lines.stage("judge", 3, 3, 0, 0)
    lines.stop()
    assert told[1:] == ["generate: 8 of 8, 1 failed, 1 unscored, 0.1/s", "judge: 3 of 3"]


def test_another_round_of_a_stage_is_no_other_stage() -> None:
    told: list[str] = []
    lines = Lines(told.append, 30.0, lambda: 0.0)
    lines.stage("generate", 1, 0, 0, 0)
    lines.unit("generate", "ok")
    lines.stage("generate", 2, 1, 0, 0)
    lines.unit("generate", "failed")
    lines.stop()
    assert told == ["generate: 2 of 2, 1 failed"]
