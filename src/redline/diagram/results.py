"""What a diagram result shows: its columns in order, and the values a sample is grouped by."""

from __future__ import annotations

from redline.bench.sample import DiagramSample
from redline.rows import Column, Facts

COLUMNS = (
    Column("IA", 1, 5),
    Column("CP", 1, 5),
    Column("DR", 1, 5),
    Column("FSR", percent=True),
    Column("residue", lower_is_better=True, percent=True),
    Column("CFR", lower_is_better=True, percent=True),
    Column("CFR_strict", lower_is_better=True, percent=True),
    Column("code_IA", 1, 5),
    Column("code_CP", 1, 5),
    Column("oes_min", 1, 5),
    Column("oes_judged", 1, 5),
    Column("code_similarity"),
    Column("px_inside", percent=True),
    Column("px_outside", percent=True),
)
GROUPINGS = ("edit_type", "operations", "drawn_with", "subtype", "gold_model")


def facts(s: DiagramSample) -> Facts:
    """A sample as results know it."""
    groups = (
        (s.edit_type,),
        (str(s.operations),),
        (s.drawn_with or "not drawn",),
        s.subtypes or ("none",),
        (s.gold_model or "none",),
    )
    return Facts(s.id, s.source_id or s.id, dict(zip(GROUPINGS, groups, strict=True)))
