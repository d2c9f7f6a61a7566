"""Code similarity to the gold, on TeX tokens."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rapidfuzz.distance import Indel

SIMILARITY_VERSION = 1
"""Raised whenever the figure changes for the same codes: older ones are then stale."""

_COMMENT = re.compile(r"(?<!\\)((?:\\\\)*)%[^\n]*")
_TOKEN = re.compile(r"\\[A-Za-z@]+|\\.|[A-Za-z]+|\d+(?:\.\d+)?|\S", re.DOTALL)


def tokens(code: str) -> list[str]:
    """Control sequences, words, numbers and single signs; comments and white space left out."""
    return _TOKEN.findall(_COMMENT.sub(r"\1", code))


def code_similarity(code: str, golds: Sequence[str]) -> float:
    """Highest similarity of `code` to one of the golds, 0 to 1.

    2 LCS / (n + m) over tokens, the normalised indel similarity. An untouched original scores
    high, since most of a gold is the original: read it beside the identity baseline's.
    """
    mine = tokens(code)
    return max(float(Indel.normalized_similarity(mine, tokens(g))) for g in golds)
