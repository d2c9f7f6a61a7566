"""What a program of the user's is told and what it answers: JSON, with pictures as files or not."""

from __future__ import annotations

import asyncio
import os
import re
import stat
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, get_args

from redline.models import command_program
from redline.models.command_program import CommandFault
from redline.models.failures import NO_JSON, document
from redline.models.keys import Secrets
from redline.models.protocol import (
    Finish,
    PicturePart,
    Reply,
    Request,
    Settings,
    TextPart,
    Usage,
)
from redline.models.reading import MAX_PICTURES, PictureCollector, clean, count_at, list_at, text_at

WrittenPicture = Callable[[PicturePart, int], Mapping[str, str]]
"""Gives what stands for a picture's bytes; the number counts the request's pictures from 0."""


def as_json(request: Request, settings: Settings, picture: WrittenPicture) -> dict[str, Any]:
    """The request as a program reads it."""
    count = 0
    messages = []
    for message in request.messages:
        parts: list[dict[str, Any]] = []
        for part in message.parts:
            if isinstance(part, TextPart):
                parts.append({"type": "text", "text": part.text})
                continue
            about = {"type": "picture", "label": part.label, "media_type": part.media_type}
            parts.append({**about, "sha256": part.sha256, **picture(part, count)})
            count += 1
        messages.append({"role": message.role, "parts": parts})
    return {
        "version": 1,
        "system": request.system,
        "messages": messages,
        "schema": request.schema,
        "want": request.want,
        "settings": {
            "temperature": settings.temperature,
            "max_tokens": settings.max_tokens,
            "seed": settings.seed,
            "thinking": settings.thinking,
            **({"extra": dict(settings.extra_body)} if settings.extra_body else {}),
        },
    }


def into(folder: Path, prefix: str = "") -> WrittenPicture:
    """Writes pictures into a folder, under names made of `prefix`, their number and label."""

    def picture(part: PicturePart, index: int) -> Mapping[str, str]:
        label = re.sub(r"[^A-Za-z0-9_-]", "_", part.label)[:40]
        kind = re.sub(r"[^a-z0-9]", "", part.media_type.rpartition("/")[2]) or "bin"
        name = f"{prefix}picture-{index}-{label}.{kind}"
        (folder / name).write_bytes(part.data)
        return {"file": name}

    return picture


def body_of(raw: bytes, secrets: Secrets) -> dict[str, Any]:
    """The object that a program answered with. Raises CommandFault."""
    body = document(raw)
    if not isinstance(body, dict):
        what = "JSON that is no object" if body is not None else NO_JSON
        raise CommandFault("transient", f"answered with {what}")
    if "text" not in body and "pictures" not in body:
        raise CommandFault("transient", 'answered without "text" or "pictures"')
    scrubbed: dict[str, Any] = secrets.scrub_json(body)
    return scrubbed


def pictures_of(body: Mapping[str, Any], folder: Path, limit: int) -> PictureCollector:
    """The pictures that a reply names in `folder`, `limit` bytes at most. Raises CommandFault."""
    found = PictureCollector()
    for name in list_at(body, "pictures")[:MAX_PICTURES]:
        if not isinstance(name, str):
            raise CommandFault("transient", "names a picture by something not a text")
        data = read_file(folder, name, limit)
        limit -= len(data)
        found.pictures.append(data)
    return found


def reply_of(
    body: Mapping[str, Any], raw: bytes, found: PictureCollector, secrets: Secrets
) -> Reply:
    """The reply in what a program answered."""
    said = text_at(body, "finish")
    finish: Finish = next((f for f in get_args(Finish) if f == said), "other")
    return Reply(
        text=clean(text_at(body, "text") or ""),
        finish="stop" if said is None else finish,
        pictures=tuple(found.pictures),
        thinking=text_at(body, "thinking"),
        usage=Usage(
            input_tokens=count_at(body, "usage", "input_tokens"),
            output_tokens=count_at(body, "usage", "output_tokens"),
            thinking_tokens=count_at(body, "usage", "thinking_tokens"),
            pictures=len(found.pictures) or None,
        ),
        model_id=text_at(body, "model_id"),
        notes=tuple(dict.fromkeys(found.notes)),
        raw=secrets.scrub_bytes(raw),
    )


def file_reply(folder: Path, name: str, secrets: Secrets) -> Reply:
    """The reply in a JSON file and the pictures beside it. Raises CommandFault."""
    raw = read_file(folder, name, command_program.MAX_OUTPUT_BYTES)
    body = body_of(raw, secrets)
    left = command_program.MAX_OUTPUT_BYTES - len(raw)
    return reply_of(body, raw, pictures_of(body, folder, left), secrets)


async def looked_at_by(request: Request, reply: Reply) -> Reply:
    """The reply, its pictures looked at where a picture was wanted. Raises CommandFault."""
    if request.want != "picture":
        return reply
    from redline.models.pictures_received import NoPicture, looked_at

    try:
        return await asyncio.to_thread(looked_at, reply)
    except NoPicture as e:
        raise CommandFault(e.kind, f"gave {e}") from None


def read_file(root: Path, name: str, limit: int) -> bytes:
    """A plain file right in the folder; links, devices and paths elsewhere are refused."""
    if name != Path(name).name or name in ("", ".", ".."):
        raise CommandFault("transient", f"names {name[:80]!r}, which is no plain file name")
    try:
        # Without following links and without waiting: a pipe would never open.
        fd = os.open(root / name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except (OSError, ValueError) as e:
        # Sentences are kept in records, which hold no path of this machine.
        why = e.strerror if isinstance(e, OSError) else e
        raise CommandFault("transient", f"left no readable file {name[:80]!r} ({why})") from None
    try:
        about = os.fstat(fd)
        if not stat.S_ISREG(about.st_mode):
            raise CommandFault("transient", f"left {name[:80]!r}, which is no plain file")
        if about.st_size > limit:
            raise CommandFault("bad_request", f"left {name[:80]!r}, which is too large")
        with os.fdopen(os.dup(fd), "rb") as f:
            return f.read(limit)
    finally:
        os.close(fd)
