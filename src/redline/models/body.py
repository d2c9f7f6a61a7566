"""Request bodies: JSON put together around pictures that are encoded once.

A picture is most of a request, and the same picture goes out many times (epochs, repeats,
retries, judges). Its base64 text is kept, and the body is joined from bytes, so that nothing ever
walks over megabytes looking for characters to escape.
"""

from __future__ import annotations

import binascii
import json
import re
import secrets
from collections import OrderedDict
from collections.abc import Mapping
from typing import Any

from redline.models.protocol import PicturePart

CACHE_BYTES = 96 * 1024 * 1024

# A mark stands for a picture while the JSON is written. It is random, so that no text can hold it.
_TOKEN = secrets.token_hex(16)
_MARK = re.compile(f"{_TOKEN}-([0-9]+)-".encode())


class EncodedPictures:
    """Base64 texts of the pictures used last, at most `limit` bytes of them and their sources.

    Keyed by the bytes themselves: Python keeps the hash of a bytes object, so a picture that is
    sent again costs a look-up, where a SHA-256 would cost as much as encoding it anew.
    """

    def __init__(self, limit: int = CACHE_BYTES) -> None:
        self._limit = limit
        self._size = 0
        self._kept: OrderedDict[bytes, bytes] = OrderedDict()

    def get(self, data: bytes) -> bytes:
        """The base64 text of `data`, without line breaks."""
        encoded = self._kept.get(data)
        if encoded is not None:
            self._kept.move_to_end(data)
            return encoded
        encoded = binascii.b2a_base64(data, newline=False)
        self._kept[data] = encoded
        self._size += len(data) + len(encoded)
        while self._size > self._limit and self._kept:
            old, text = self._kept.popitem(last=False)
            self._size -= len(old) + len(text)
        return encoded


ENCODED = EncodedPictures()


class Body:
    """A JSON document under construction, with pictures to be filled in."""

    def __init__(self) -> None:
        self._pictures: list[bytes] = []

    def base64(self, picture: PicturePart) -> str:
        """A stand-in for the picture's base64 text, to be put into the document."""
        self._pictures.append(picture.data)
        return f"{_TOKEN}-{len(self._pictures) - 1}-"

    def data_url(self, picture: PicturePart) -> str:
        """A stand-in for the picture as a `data:` URL."""
        return f"data:{picture.media_type};base64,{self.base64(picture)}"

    def encode(self, document: Mapping[str, Any]) -> bytes:
        """The document as JSON in UTF-8, its pictures filled in."""
        text = json.dumps(document, ensure_ascii=False, separators=(",", ":"))
        data = text.encode("utf-8", "replace")
        if not self._pictures:
            return data
        pieces = _MARK.split(data)
        for i in range(1, len(pieces), 2):
            pieces[i] = ENCODED.get(self._pictures[int(pieces[i])])
        return b"".join(pieces)


def merged(base: Mapping[str, Any], extra: Mapping[str, Any]) -> dict[str, Any]:
    """`base` with `extra` laid over it; objects are merged, everything else is replaced."""
    out = dict(base)
    for name, value in extra.items():
        old = out.get(name)
        if isinstance(old, Mapping) and isinstance(value, Mapping):
            out[name] = merged(old, value)
        else:
            out[name] = value
    return out
