"""`command/NAME`: a program of the user's plays the model, by JSON on stdin or files in a folder.

DANGER: this starts a program. It is named only in the user's own TOML, started without a shell,
with an environment that holds nothing but the variables named there, in a process group of its
own that is killed when the call ends, however it ends. It is not sandboxed: it is the user's own.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import json
import os
import re
import shutil
import signal
import stat
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, get_args

from redline.models.command_config import CommandConfig
from redline.models.failures import NO_JSON, document, told
from redline.models.keys import Secrets
from redline.models.protocol import (
    ErrorKind,
    Finish,
    PicturePart,
    Reply,
    Request,
    Settings,
    TextPart,
    Usage,
)
from redline.models.reading import MAX_PICTURES, PictureCollector, clean, count_at, list_at, text_at

MAX_OUTPUT_BYTES = 64 * 1024 * 1024
KEPT_STDERR = 4096
DRAIN_S = 1.0
"""How long output may still trickle in after a program has ended."""


class CommandFault(Exception):
    """A call that brought no reply: the kind of ProviderError and the sentence."""

    def __init__(self, kind: ErrorKind, message: str) -> None:
        super().__init__(message)
        self.kind: ErrorKind = kind


class CommandModel:
    """A program as a model; one process a call."""

    def __init__(
        self, name: str, config: CommandConfig, settings: Settings, env: Mapping[str, str]
    ) -> None:
        self._name = name
        self._config = config
        self._settings = settings
        self._timeout_s = config.timeout_s or settings.timeout_s
        self._env = {n: env[n] for n in config.env if n in env}
        self._secrets = Secrets(self._env.values())
        self._program = shutil.which(config.argv[0], path=env.get("PATH")) or config.argv[0]

    def __repr__(self) -> str:
        return f"<model {self._name}>"

    @property
    def name(self) -> str:
        return self._name

    async def complete(self, request: Request) -> Reply:
        """Run the program once. Raises ProviderError: `not_found` where it can't be started,
        `transient` for a time-out, an exit status other than 0 or a reply that can't be read,
        `bad_request` for output beyond the limit."""
        fault: CommandFault
        try:
            if self._config.mode == "stdin":
                return await self._by_stdin(request)
            return await self._by_files(request)
        except CommandFault as e:
            fault = e
        raise told(fault.kind, f"{self._name} {fault}", self._secrets)

    async def close(self) -> None:
        """Nothing is kept between calls."""

    async def _by_stdin(self, request: Request) -> Reply:
        def picture(part: PicturePart, _: int) -> dict[str, str]:
            return {"data": base64.b64encode(part.data).decode()}

        sent = json.dumps(_as_json(request, self._settings, picture)).encode()
        raw = await self._run(sent, None)
        found = PictureCollector()
        body = self._body(raw)
        for data in list_at(body, "pictures"):
            found.base64(data)
        return self._reply(body, raw, found)

    async def _by_files(self, request: Request) -> Reply:
        with tempfile.TemporaryDirectory(prefix="redline-", ignore_cleanup_errors=True) as folder:
            root = Path(folder)

            def picture(part: PicturePart, index: int) -> dict[str, str]:
                label = re.sub(r"[^A-Za-z0-9_-]", "_", part.label)[:40]
                kind = re.sub(r"[^a-z0-9]", "", part.media_type.rpartition("/")[2]) or "bin"
                name = f"picture-{index}-{label}.{kind}"
                (root / name).write_bytes(part.data)
                return {"file": name}

            sent = json.dumps(_as_json(request, self._settings, picture))
            (root / "request.json").write_text(sent)
            await self._run(b"", root)
            raw = _read_file(root, "reply.json", MAX_OUTPUT_BYTES)
            body = self._body(raw)
            found = PictureCollector()
            left = MAX_OUTPUT_BYTES - len(raw)
            for name in list_at(body, "pictures")[:MAX_PICTURES]:
                if not isinstance(name, str):
                    raise CommandFault("transient", "names a picture by something not a text")
                data = _read_file(root, name, left)
                left -= len(data)
                found.pictures.append(data)
            return self._reply(body, raw, found)

    def _body(self, raw: bytes) -> dict[str, Any]:
        body = document(raw)
        if not isinstance(body, dict):
            what = "JSON that is no object" if body is not None else NO_JSON
            raise CommandFault("transient", f"answered with {what}")
        if "text" not in body and "pictures" not in body:
            raise CommandFault("transient", 'answered without "text" or "pictures"')
        scrubbed: dict[str, Any] = self._secrets.scrub_json(body)
        return scrubbed

    def _reply(self, body: Mapping[str, Any], raw: bytes, found: PictureCollector) -> Reply:
        said = text_at(body, "finish")
        finish: Finish = next((f for f in get_args(Finish) if f == said), "other")
        thinking = text_at(body, "thinking")
        return Reply(
            text=clean(text_at(body, "text") or ""),
            finish="stop" if said is None else finish,
            pictures=tuple(found.pictures),
            thinking=thinking,
            usage=Usage(
                input_tokens=count_at(body, "usage", "input_tokens"),
                output_tokens=count_at(body, "usage", "output_tokens"),
                thinking_tokens=count_at(body, "usage", "thinking_tokens"),
                pictures=len(found.pictures) or None,
            ),
            model_id=text_at(body, "model_id"),
            notes=tuple(dict.fromkeys(found.notes)),
            raw=self._secrets.scrub_bytes(raw),
        )

    async def _run(self, sent: bytes, folder: Path | None) -> bytes:
        """Run the program to its end and give its stdout. Raises CommandFault."""
        # In mode `files` the program stands in the folder and finds its path in place of {folder}.
        with tempfile.TemporaryDirectory(
            prefix="redline-cwd-", ignore_cleanup_errors=True
        ) as empty:
            cwd = folder or Path(empty)
            args = [a.replace("{folder}", str(cwd)) for a in self._config.argv[1:]]
            try:
                process = await asyncio.create_subprocess_exec(
                    self._program,
                    *args,
                    stdin=asyncio.subprocess.PIPE,
                    stdout=asyncio.subprocess.PIPE,
                    stderr=asyncio.subprocess.PIPE,
                    env=self._env,
                    cwd=cwd,
                    start_new_session=True,
                )
            except OSError as e:
                program = Path(self._program).name
                raise CommandFault(
                    "not_found", f"can't be started: {program}: {e.strerror}"
                ) from None
            try:
                return await self._talk(process, sent)
            finally:
                _kill_group(process)
                await _ended(process)
                # Its pipes may be held open by a child that fled the group.
                if transport := getattr(process, "_transport", None):
                    transport.close()

    async def _talk(self, process: asyncio.subprocess.Process, sent: bytes) -> bytes:
        assert process.stdin and process.stdout and process.stderr
        out = Capture(process.stdout)
        feed = asyncio.ensure_future(_feed(process.stdin, sent))
        reader = asyncio.ensure_future(out.read())
        tail = asyncio.ensure_future(_tail(process.stderr))
        end = asyncio.ensure_future(_ended(process))
        try:
            async with asyncio.timeout(self._timeout_s):
                await asyncio.wait({reader, end}, return_when=asyncio.FIRST_COMPLETED)
                if reader.done():
                    reader.result()
                    status = await end
                else:
                    # It has ended, and what it left behind holds its output open.
                    status = end.result()
                    _kill_group(process)
                await asyncio.wait({reader, tail}, timeout=DRAIN_S)
                if reader.done():
                    reader.result()
        except TimeoutError:
            raise CommandFault(
                "transient", f"was killed: it had not ended after {self._timeout_s:g} s"
            ) from None
        finally:
            for task in (feed, reader, tail, end):
                task.cancel()
        if status != 0:
            said = tail.result() if tail.done() and not tail.cancelled() else b""
            words = said.decode("utf-8", "replace").strip()
            last = " ".join(self._secrets.scrub(words).split())[-300:]
            raise CommandFault("transient", f"ended with status {status}: {last or '(no words)'}")
        return b"".join(out.pieces)


def _as_json(request: Request, settings: Settings, picture: Any) -> dict[str, Any]:
    """The request as the program reads it; `picture` gives what stands for a picture's bytes."""
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


async def _feed(stdin: asyncio.StreamWriter, data: bytes) -> None:
    # A program may answer without reading all it was sent.
    with contextlib.suppress(ConnectionError):
        stdin.write(data)
        await stdin.drain()
        stdin.close()
        await stdin.wait_closed()


class Capture:
    """What a program writes, up to the limit; what has come so far is in `pieces`."""

    def __init__(self, stream: asyncio.StreamReader) -> None:
        self._stream = stream
        self.pieces: list[bytes] = []

    async def read(self) -> None:
        """Read to the end. Raises CommandFault beyond the limit."""
        size = 0
        while piece := await self._stream.read(1 << 16):
            size += len(piece)
            if size > MAX_OUTPUT_BYTES:
                raise CommandFault("bad_request", f"wrote more than {MAX_OUTPUT_BYTES >> 20} MB")
            self.pieces.append(piece)


async def _ended(process: asyncio.subprocess.Process) -> int:
    """The exit status, once there is one. asyncio's own wait() waits for the pipes too, and a
    child may hold those open for ever."""
    pause_s = 0.001
    while process.returncode is None:
        await asyncio.sleep(pause_s)
        pause_s = min(2 * pause_s, 0.05)
    return process.returncode


def _kill_group(process: asyncio.subprocess.Process) -> None:
    """Kill the program and all that is still in its group; it may be gone already."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


async def _tail(stderr: asyncio.StreamReader) -> bytes:
    kept = b""
    while piece := await stderr.read(1 << 14):
        kept = (kept + piece)[-KEPT_STDERR:]
    return kept


def _read_file(root: Path, name: str, limit: int) -> bytes:
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
