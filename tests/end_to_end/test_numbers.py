"""Numbers of a mixed run, counted again from its records by other means."""

from __future__ import annotations

import json
from collections import defaultdict

import pytest

from tests.end_to_end.command import Command
from tests.fake_provider.fixture import FakeProvider

pytestmark = pytest.mark.tex


def test_results_equal_a_count_over_the_raw_records(
    redline: Command, fake_provider: FakeProvider
) -> None:
    unknown = (
        "\\documentclass{standalone}\\usepackage{nosuchinvention}\\begin{document}x\\end{document}"
    )
    fake_provider.answers(
        {"model": "editor", "contains": "3rd try", "text": f"```latex\n{unknown}\n```"},
        {"model": "judge", "contains": "Cape", "text": "five out of five"},
        seed=3,
    )
    fake_provider.faults(
        {"fault": "refusal", "model": "editor", "calls": [2]},
        {"fault": "length", "model": "editor", "calls": [5]},
        {"fault": "content_filter", "model": "editor", "calls": [7]},
    )
    ran = redline(
        "eval", "mini-diagram", "--model", fake_provider.model("editor"), "--judge",
        fake_provider.model("judge"), "--limit", 6, "--epochs", 2, "--judge-repeats", 2,
        "--connections", 1, "--out", "run", "--json",
    )  # fmt: skip
    assert ran.status == 3, ran.err
    found = ran.json()

    units: dict[str, dict[str, dict]] = defaultdict(dict)
    for line in (redline.folder / "run" / "records.jsonl").read_text().splitlines():
        record = json.loads(line)
        if record["kind"] == "unit":
            units[record["stage"]][record["key"]] = record
    lost, failed, ia, full, cfr, oes = 0, 0, [], [], [], []
    for key, made in units["generate"].items():
        render = units["render"].get(key)
        verdicts = [v for k, v in units["judge"].items() if k.startswith(f"{key}@")]
        if made["status"] == "unscored" or any(v["status"] == "unscored" for v in verdicts):
            lost += 1
            continue
        page = made["status"] == "ok" and render is not None and render["status"] == "ok"
        failed += not page
        cfr.append(0 if page else 1)
        image = [v["value"]["scores"] for v in verdicts if "IA" in v["value"]["scores"]]
        code = [v["value"]["scores"] for v in verdicts if "code_IA" in v["value"]["scores"]]
        assert len(image) == len(code) == 2
        ia.append(sum(s["IA"] for s in image) / 2)
        full.append(sum(s["IA"] == s["CP"] == s["DR"] == 5 for s in image) / 2)
        oes.append(sum(min(s["code_IA"], s["code_CP"]) for s in code) / 2)
    assert len(units["generate"]) == 12 and lost >= 2 and failed >= 3
    assert found["counts"] == {
        "scored": 12 - lost - failed, "failed": failed, "unscored": lost, "missing": 0,
    }  # fmt: skip
    for name, values in (("IA", ia), ("FSR", full), ("CFR", cfr), ("oes_min", oes)):
        metric = found["metrics"][name]
        assert metric["n"] == len(values)
        assert metric["mean"] == pytest.approx(sum(values) / len(values))
    low = (sum(ia) + lost * 1) / 12
    high = (sum(ia) + lost * 5) / 12
    assert found["metrics"]["IA"]["bounds"] == [pytest.approx(low), pytest.approx(high)]
    groups = found["by"]["edit_type"]
    assert sum(g["n"] for g in groups.values()) == 12
