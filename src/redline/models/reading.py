"""Pieces of replies: texts, numbers and pictures out of JSON that may be anything."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from typing import Any

MAX_PICTURES = 16

NOT_FETCHED = "a picture given by address was not fetched"
NOT_DECODED = "a picture that can't be decoded was left out"


def clean(text: str) -> str:
    """The text without lone surrogates, which JSON can say and UTF-8 can't."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def text_at(value: Any, *path: str) -> str | None:
    """The string under `path`, or None."""
    for name in path:
        value = value.get(name) if isinstance(value, Mapping) else None
    return clean(value) if isinstance(value, str) else None


def count_at(value: Any, *path: str) -> int | None:
    """The whole number, not negative, under `path`, or None."""
    for name in path:
        value = value.get(name) if isinstance(value, Mapping) else None
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def list_at(value: Any, *path: str) -> list[Any]:
    """The list under `path`; an empty one where there is none."""
    for name in path:
        value = value.get(name) if isinstance(value, Mapping) else None
    return value if isinstance(value, list) else []


class PictureCollector:
    """Takes the pictures of a reply and notes what could not be taken."""

    def __init__(self) -> None:
        self.pictures: list[bytes] = []
        self.notes: list[str] = []

    def url(self, url: Any) -> None:
        """A picture given as a URL: `data:` is decoded, anything else is only noted. Fetching it
        would let a reply make this machine ask any address."""
        if not isinstance(url, str):
            return
        if not url.startswith("data:"):
            self.notes.append(NOT_FETCHED)
            return
        head, _, data = url.partition(",")
        if not head.endswith(";base64"):
            self.notes.append("a picture in a form other than base64 was left out")
            return
        self.base64(data)

    def base64(self, data: Any) -> None:
        """A picture given as base64 text."""
        if len(self.pictures) >= MAX_PICTURES:
            self.notes.append(f"more than {MAX_PICTURES} pictures: the rest was left out")
            return
        try:
            picture = base64.b64decode(data, validate=True) if isinstance(data, str) else b""
        except (ValueError, binascii.Error):
            picture = b""
        if picture:
            self.pictures.append(picture)
        else:
            self.notes.append(NOT_DECODED)
