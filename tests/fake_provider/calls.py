"""Reads what a client sent: OpenAI, Gemini and Anthropic requests become one `Call`."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import re
import struct
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Call:
    """One request as the fake provider saw it. `labels` are the last lines of the texts that
    stand right before each picture."""

    order: int
    api: str
    model: str
    kind: str
    text: str
    labels: list[str]
    pictures: list[str]
    media_types: list[str]
    schema: Any
    document: dict[str, Any]
    headers: dict[str, str]
    fingerprint: str
    attempt: int = 0
    fault: str | None = None
    status: int | None = None
    acknowledged: bool = False
    sizes: list[tuple[int, int]] = field(default_factory=list)
    """Width and height of each picture, from the PNG headers; none in cheap mode."""
    picture_bytes: list[bytes] = field(default_factory=list, repr=False)

    def as_json(self) -> dict[str, Any]:
        return {k: v for k, v in vars(self).items() if k != "picture_bytes"}


@dataclass
class File:
    """A file of a form: the field it came in, its name without ending, its type, its bytes."""

    field: str
    stem: str
    media_type: str
    data: bytes


def _boundary(headers: dict[str, str]) -> bytes:
    kind = headers.get("content-type", "")
    found = re.fullmatch(r"multipart/form-data; *boundary=([\w'()+,\-./:=? ]{1,70})", kind)
    return found[1].encode() if found else b""


def form(body: bytes, boundary: bytes) -> tuple[dict[str, Any], list[File]]:
    """The fields and files of a multipart/form-data body. Raises ValueError for a malformed one."""
    delimiter = b"\r\n--" + boundary
    first, *parts = (b"\r\n" + body).split(delimiter)
    if first or not parts or parts[-1] != b"--\r\n":
        raise ValueError("a form that does not end, or has no parts")
    fields: dict[str, Any] = {}
    files: list[File] = []
    for part in parts[:-1]:
        head, gap, data = part.partition(b"\r\n\r\n")
        words = head.decode()
        name = re.search(r'form-data; name="([^"]+)"', words)
        if not gap or not name:
            raise ValueError(f"a part without a name: {words!r}")
        file = re.search(r'filename="([^"]+)"', words)
        if file:
            kind = re.search(r"Content-Type: (\S+)", words)
            stem = file[1].rpartition(".")[0]
            files.append(File(name[1], stem, kind[1] if kind else "", data))
        else:
            fields[name[1]] = data.decode()
    return fields, files


def check_form(files: list[File]) -> None:
    """What OpenAI refuses with a 400. Raises ValueError."""
    from PIL import Image

    opened = []
    for file in files:
        try:
            image = Image.open(io.BytesIO(file.data))
            image.load()
        except OSError as e:
            raise ValueError(f"invalid_image_file: {file.stem}: {e}") from None
        opened.append((file.field, image))
    pictures = [i for where, i in opened if where != "mask"]
    several = len(pictures) > 1
    if any(f.field not in ("mask", "image[]" if several else "image") for f in files):
        raise ValueError(f"fields of files: {[f.field for f in files]}")
    for where, image in opened:
        if where == "mask" and (image.mode != "RGBA" or image.size != pictures[0].size):
            raise ValueError("a mask has an alpha channel and the size of the first picture")


def lift_pictures(body: bytes) -> tuple[bytes, list[bytes]]:
    """The body with each base64 text replaced by `#I#`, and those texts. Parsing what is left
    costs next to nothing however large the pictures are."""
    out: list[bytes] = []
    lifted: list[bytes] = []
    at = 0
    while True:
        found = min(
            ((i, len(mark)) for mark in _MARKS if (i := body.find(mark, at)) >= 0), default=None
        )
        if found is None:
            break
        start = found[0] + found[1]
        end = body.find(b'"', start)
        out += [body[at:start], b"#%d#" % len(lifted)]
        lifted.append(body[start:end])
        at = end
    out.append(body[at:])
    return b"".join(out), lifted


_MARKS = (b";base64,", b'"data":"', b'"data": "')


def read_call(
    order: int, path: str, headers: dict[str, str], body: bytes, *, cheap: bool = False
) -> Call:
    """Raises ValueError for a request that no provider would understand."""
    names: list[str] = []
    if boundary := _boundary(headers):
        fields, files = form(body, boundary)
        document, lifted = fields, [base64.b64encode(f.data) for f in files]
        names = [f.field for f in files]
        rest = json.dumps([fields, names]).encode()
    else:
        rest, lifted = lift_pictures(body)
        document = json.loads(rest)
    items: list[tuple[str, str]] = []
    types: list[str] = []

    def add(value: str, media_type: str) -> None:
        found = re.search(r"#(\d+)#$", value)
        if not found:
            raise ValueError("a picture that is not base64")
        items.append(("picture", found[1]))
        types.append(media_type)

    schema = None
    if path.endswith("/chat/completions"):
        api, model = "openai", document["model"]
        for message in document["messages"]:
            content = message["content"]
            for part in (
                [{"type": "text", "text": content}] if isinstance(content, str) else content
            ):
                if part["type"] == "text":
                    items.append(("text", part["text"]))
                else:
                    url = part["image_url"]["url"]
                    add(url, url.partition(";")[0].removeprefix("data:"))
        schema = document.get("response_format", {}).get("json_schema", {}).get("schema")
    elif path.endswith("/images/edits"):
        api, model = "pictures", document["model"]
        items.append(("text", document["prompt"]))
        if not boundary:
            raise ValueError("pictures are taken as multipart/form-data only")
        for n, file in enumerate(files):
            # The name of the file stands for the text before a picture.
            items.append(("text", file.stem))
            add(f"#{n}#", file.media_type)
        check_form(files)
    elif path.endswith("/responses"):
        api, model = "responses", document["model"]
        if document.get("instructions"):
            items.append(("text", document["instructions"]))
        for message in document["input"]:
            for part in message["content"]:
                if part["type"] == "input_image":
                    url = part["image_url"]
                    add(url, url.partition(";")[0].removeprefix("data:"))
                else:
                    items.append(("text", part["text"]))
    elif path.endswith("/messages"):
        api, model = "anthropic", document["model"]
        if document.get("system"):
            items.append(("text", document["system"]))
        for message in document["messages"]:
            for part in message["content"]:
                if part["type"] == "text":
                    items.append(("text", part["text"]))
                else:
                    add(part["source"]["data"], part["source"]["media_type"])
        schema = document.get("output_config", {}).get("format", {}).get("schema")
    elif found := re.search(r"/models/([^:]+):generateContent$", path):
        api, model = "google", found[1]
        for part in document.get("systemInstruction", {}).get("parts", []):
            items.append(("text", part["text"]))
        for content in document["contents"]:
            for part in content["parts"]:
                if "text" in part:
                    items.append(("text", part["text"]))
                else:
                    add(part["inlineData"]["data"], part["inlineData"]["mimeType"])
        schema = document.get("generationConfig", {}).get("responseJsonSchema")
    else:
        raise ValueError(f"no such path {path}")

    labels = []
    for i, (what, _) in enumerate(items):
        if what == "picture":
            before = items[i - 1] if i else ("", "")
            labels.append(before[1].strip().rpartition("\n")[2] if before[0] == "text" else "")
    pictures: list[str] = []
    data: list[bytes] = []
    for what, value in items:
        if what == "picture":
            encoded = lifted[int(value)]
            if cheap:
                pictures.append(f"{len(encoded)}:{encoded[-24:].decode()}")
            else:
                raw = base64.b64decode(encoded, validate=True)
                data.append(raw)
                pictures.append(hashlib.sha256(raw).hexdigest())
    texts = "\n".join(t for what, t in items if what == "text")
    print_of = hashlib.sha256(json.dumps([rest.decode(), pictures]).encode()).hexdigest()
    return Call(
        order=order,
        api=api,
        model=model,
        kind=_kind(api, document, schema, texts),
        text="" if cheap else texts,
        labels=labels,
        pictures=pictures,
        media_types=types,
        schema=schema,
        document={} if cheap else document,
        headers={} if cheap else headers,
        fingerprint=print_of,
        sizes=[
            struct.unpack(">II", d[16:24]) for d in data if len(d) >= 24 and d[:4] == b"\x89PNG"
        ],
        picture_bytes=data,
    )


def _kind(api: str, document: dict[str, Any], schema: Any, texts: str) -> str:
    """edit, judge, describe or picture: what the request asks for."""
    asked = document.get("modalities") or document.get("generationConfig", {}).get(
        "responseModalities"
    )
    tools = [t.get("type") for t in document.get("tools", [])] if api == "responses" else []
    if api == "pictures" or asked or "image_generation" in tools:
        return "picture"
    if schema is not None:
        return "judge"
    if "\\documentclass" in texts and "```latex" in texts and "JSON" not in texts:
        return "edit"
    return "judge" if "JSON" in texts else "describe"
