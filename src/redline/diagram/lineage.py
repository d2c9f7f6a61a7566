"""What a record was made from, told by the record itself: so that results, which have only the
run folder, see a figure or verdict whose picture is no longer the one that stands."""

from __future__ import annotations

from redline.track import Done, digest

OF = "of"
"""The key under which a record's value names what it was made from."""


def answer(made: Done) -> str | None:
    """The SHA-256 of the candidate's code or picture, as stage generate kept it."""
    return made.blobs.get("code") or made.blobs.get("picture")


def pictures(render: Done) -> dict[str, str]:
    """SHA-256 of every picture of a render unit by name: png, original, gold, gold2, ..."""
    return {k: v for k, v in render.blobs.items() if k not in ("pdf", "log")}


def sight(made: Done, render: Done) -> str:
    """A digest of all that measures and image verdicts of a candidate look at."""
    return digest(answer(made), pictures(render))


def holds(done: Done | None, of: str | None) -> bool:
    """Whether a record is there and still about `of`; one that is unscored is about nothing."""
    return done is not None and (done.status == "unscored" or done.value.get(OF) == of)
