"""Reads what a client sent: OpenAI, Gemini and Anthropic requests become one `Call`."""

from __future__ import annotations

import base64
import hashlib
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
        for image in document["images"]:
            url = image["image_url"]
            add(url, url.partition(";")[0].removeprefix("data:"))
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
    if api == "pictures" or asked:
        return "picture"
    if schema is not None:
        return "judge"
    if "\\documentclass" in texts and "```latex" in texts and "JSON" not in texts:
        return "edit"
    return "judge" if "JSON" in texts else "describe"
