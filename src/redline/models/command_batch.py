"""`command/NAME` in mode `batch`: many requests in a folder, one start of the program.

Research code takes a minute to load its weights, so it is not started for every picture. Calls that
come in together are written into a folder, the program is run once on it, and what it left there is
read as one reply a call:

    requests.jsonl    one request a line: id, instruction, pictures (files in in/), seed, and all of
                      it as in mode `files` under "request"
    in/               the pictures
    out/              here the program leaves ID.png (or .jpg, .webp), or ID.json as `reply.json` in
                      mode `files`
"""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from redline.models import command_program
from redline.models.command_config import CommandConfig
from redline.models.command_forms import as_json, file_reply, into, looked_at_by, read_file
from redline.models.command_program import CommandFault, Program
from redline.models.failures import told
from redline.models.keys import Secrets
from redline.models.protocol import (
    ProviderError,
    Reply,
    Request,
    Settings,
    TextPart,
    Usage,
)

PICTURES = (".png", ".jpg", ".jpeg", ".webp")


@dataclass(eq=False)
class _Waiting:
    request: Request
    came: asyncio.Future[Reply]


class CommandBatch:
    """A program as a model; one process for as many calls as wait, one process at a time."""

    def __init__(
        self, name: str, config: CommandConfig, settings: Settings, env: Mapping[str, str]
    ) -> None:
        self._name = name
        self._config = config
        self._settings = settings
        self._timeout_s = config.timeout_s or settings.timeout_s
        self._program = Program(config, env)
        self._waiting: list[_Waiting] = []
        self._serving: asyncio.Task[None] | None = None

    def __repr__(self) -> str:
        return f"<model {self._name}>"

    @property
    def name(self) -> str:
        return self._name

    async def complete(self, request: Request) -> Reply:
        """Wait for the next batch and give this request's reply. Raises ProviderError as in the
        other modes; a request for which the program left nothing is `transient`."""
        waiting = _Waiting(request, asyncio.get_running_loop().create_future())
        self._waiting.append(waiting)
        if self._serving is None or self._serving.done():
            self._serving = asyncio.ensure_future(self._serve())
        return await waiting.came

    async def close(self) -> None:
        """End a program that still runs; calls that wait end as cancelled."""
        if self._serving is not None:
            self._serving.cancel()
            await asyncio.gather(self._serving, return_exceptions=True)
        for waiting in self._waiting:
            waiting.came.cancel()
        self._waiting = []

    async def _serve(self) -> None:
        """Batch after batch until nobody waits."""
        while self._waiting:
            await self._until_full()
            batch = [w for w in self._waiting if not w.came.done()][: self._config.batch]
            self._waiting = [w for w in self._waiting if w not in batch and not w.came.done()]
            if batch:
                await self._do(batch)

    async def _until_full(self) -> None:
        """Wait while calls keep coming in: a batch is begun when it is full or nothing came for
        `window_s` seconds."""
        seen = 0
        while len(self._waiting) < self._config.batch and len(self._waiting) != seen:
            seen = len(self._waiting)
            await asyncio.sleep(self._config.window_s)

    async def _do(self, batch: Sequence[_Waiting]) -> None:
        """One start of the program, killed once nobody waits for it any more."""
        work = asyncio.ensure_future(self._run(batch))
        gone = asyncio.ensure_future(asyncio.wait([w.came for w in batch]))
        try:
            await asyncio.wait({work, gone}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (work, gone):
                task.cancel()
            await asyncio.gather(work, gone, return_exceptions=True)
            failed = None if work.cancelled() else work.exception()
            for waiting in batch:
                if failed and not waiting.came.done():
                    waiting.came.set_exception(failed)
                waiting.came.cancel()

    async def _run(self, batch: Sequence[_Waiting]) -> None:
        with tempfile.TemporaryDirectory(prefix="redline-", ignore_cleanup_errors=True) as folder:
            root = Path(folder)
            names = await asyncio.to_thread(self._write, root, [w.request for w in batch])
            fault: CommandFault | None = None
            try:
                await self._program.run(b"", root, self._timeout_s * len(batch))
            except CommandFault as e:
                # What it finished before it died is as good as ever.
                fault = e
            for waiting, name in zip(batch, names, strict=True):
                came = await self._reply(root / "out", name, waiting.request, fault)
                if waiting.came.done():
                    continue
                if isinstance(came, Reply):
                    waiting.came.set_result(came)
                else:
                    waiting.came.set_exception(came)

    def _write(self, root: Path, requests: Sequence[Request]) -> list[str]:
        """Lay the requests out; their ids."""
        (root / "in").mkdir()
        (root / "out").mkdir()
        names, lines = [], []
        for n, request in enumerate(requests):
            name = f"{n:04}"
            told = as_json(request, self._settings, into(root / "in", f"{name}-"))
            lines.append(json.dumps(_line(name, request, told, self._settings)))
            names.append(name)
        (root / "requests.jsonl").write_text("".join(f"{line}\n" for line in lines))
        return names

    async def _reply(
        self, out: Path, name: str, request: Request, fault: CommandFault | None
    ) -> Reply | ProviderError:
        try:
            reply = await asyncio.to_thread(_left, out, name, self._program.secrets)
            if reply is not None:
                return await looked_at_by(request, reply)
            if fault is None:
                fault = CommandFault(
                    "transient", f"left neither out/{name}.json nor out/{name}.png"
                )
        except CommandFault as e:
            fault = fault or e
        return told(fault.kind, f"{self._name} {fault}", self._program.secrets)


def _left(out: Path, name: str, secrets: Secrets) -> Reply | None:
    """What the program left for a request. Raises CommandFault."""
    if out.is_symlink():
        raise CommandFault("transient", "put a link in place of out/")
    if (out / f"{name}.json").exists():
        return file_reply(out, f"{name}.json", secrets)
    for file in (f"{name}{ending}" for ending in PICTURES):
        if (out / file).exists():
            data = read_file(out, file, command_program.MAX_OUTPUT_BYTES)
            raw = json.dumps({"pictures": [file]}).encode()
            return Reply("", "stop", pictures=(data,), usage=Usage(pictures=1), raw=raw)
    return None


def _line(name: str, request: Request, told: Mapping[str, Any], settings: Settings) -> Any:
    """A line of requests.jsonl; `instruction` is the text of the request's last message."""
    parts = request.messages[-1].parts if request.messages else ()
    words = [p.text.strip() for p in parts if isinstance(p, TextPart)]
    listed = [
        part["file"] for message in told["messages"] for part in message["parts"] if "file" in part
    ]
    return {
        "id": name,
        "instruction": "\n\n".join(w for w in words if w),
        "pictures": [f"in/{file}" for file in listed],
        "seed": settings.seed,
        "request": told,
    }
