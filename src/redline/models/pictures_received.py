"""Pictures in a reply that was to be a picture: looked at before the reply counts as one.

A gateway's error page in place of a picture, a picture cut off on the way or one that is given by
address is the provider's fault and not the model's: the call is worth another try, or can't be used
at all; it is never a row that the model failed.
"""

from __future__ import annotations

from dataclasses import replace

from redline.models.protocol import ErrorKind, Reply
from redline.models.reading import NOT_DECODED, NOT_FETCHED
from redline.pixels import PictureError, load_picture


class NoPicture(Exception):
    """There is none that can be used; the message ends the sentence "The answer holds ..."."""

    def __init__(self, kind: ErrorKind, message: str) -> None:
        super().__init__(message)
        self.kind: ErrorKind = kind


def looked_at(reply: Reply) -> Reply:
    """The reply without pictures that can't be decoded. Raises NoPicture where something came in
    place of a picture and none is left; a reply that holds none at all is let through: saying no is
    an answer."""
    good: list[bytes] = []
    faults: list[str] = []
    for data in reply.pictures:
        try:
            load_picture(data)
        except PictureError as e:
            faults.append(_what(data, e))
        else:
            good.append(data)
    if good or reply.finish in ("refusal", "content_filter"):
        notes = tuple(dict.fromkeys([*reply.notes, *(f"left out: {f}" for f in faults)]))
        return replace(reply, pictures=tuple(good), notes=notes) if faults else reply
    if faults:
        raise NoPicture("transient", f"{faults[-1]} in place of a picture")
    if NOT_DECODED in reply.notes:
        raise NoPicture("transient", "base64 that can't be decoded in place of a picture")
    if NOT_FETCHED in reply.notes:
        raise NoPicture(
            "bad_request",
            "an address in place of a picture. Redline fetches nothing from other hosts: ask the "
            'server for base64 (extra_body {"response_format": "b64_json"} at many)',
        )
    return reply


def _what(data: bytes, error: PictureError) -> str:
    start = data[:200].lstrip().lower()
    if start.startswith((b"<!doctype html", b"<html")):
        return "an HTML page"
    if start.startswith((b"<", b"{", b"[")):
        return "text"
    return f"bytes that are no picture ({' '.join(str(error).split())[:150]})"
