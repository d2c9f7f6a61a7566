"""What a record was made from, told by the record itself: so that results, which have only the
run folder, see a figure or verdict whose picture is no longer the one that stands."""

from __future__ import annotations

from redline.track import Done

OF = "of"
"""The key under which a record's value names the SHA-256 of the candidate it is about."""

START = "start"
"""The key under which the record of a candidate names the SHA-256 of the picture that the round
started from; absent for outputs made elsewhere."""

FOLLOWS = "follows"
"""The key under which a row that could not be asked names the round that ended its dialogue."""


def picture(made: Done) -> str | None:
    """The SHA-256 of the candidate, as stage generate kept it; None where there is none."""
    return made.blobs.get("picture")


def holds(done: Done, of: str | None) -> bool:
    """Whether a record is about `of`; one that is unscored is about nothing."""
    return done.status == "unscored" or done.value.get(OF) == of


def stands(made: Done, before: Done | None) -> bool:
    """Whether the record of a round still follows from that of the round before in a cumulative
    dialogue; `before` is None where that one is not there or does not stand itself. Outputs made
    elsewhere follow from nothing."""
    if FOLLOWS in made.value:
        return before is not None and before.status == made.status
    if START in made.value:
        return before is not None and made.value[START] == picture(before)
    return True
