"""`command/NAME`: a program of the user's plays the model, by JSON on stdin or files in a folder.

How it is started, and the danger of it: command_program.py. Programs that take many requests in one
start: command_batch.py.
"""

from __future__ import annotations

import base64
import json
import tempfile
from collections.abc import Mapping
from pathlib import Path

from redline.models.command_config import CommandConfig
from redline.models.command_forms import (
    as_json,
    body_of,
    file_reply,
    into,
    looked_at_by,
    reply_of,
)
from redline.models.command_program import CommandFault, Program
from redline.models.failures import told
from redline.models.protocol import PicturePart, Reply, Request, Settings
from redline.models.reading import PictureCollector, list_at


class CommandModel:
    """A program as a model; one process a call."""

    def __init__(
        self, name: str, config: CommandConfig, settings: Settings, env: Mapping[str, str]
    ) -> None:
        self._name = name
        self._config = config
        self._settings = settings
        self._timeout_s = config.timeout_s or settings.timeout_s
        self._program = Program(config, env)

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
            by = self._by_stdin if self._config.mode == "stdin" else self._by_files
            return await looked_at_by(request, await by(request))
        except CommandFault as e:
            fault = e
        raise told(fault.kind, f"{self._name} {fault}", self._program.secrets)

    async def close(self) -> None:
        """Nothing is kept between calls."""

    async def _by_stdin(self, request: Request) -> Reply:
        def picture(part: PicturePart, _: int) -> dict[str, str]:
            return {"data": base64.b64encode(part.data).decode()}

        sent = json.dumps(as_json(request, self._settings, picture)).encode()
        raw = await self._program.run(sent, None, self._timeout_s)
        found = PictureCollector()
        body = body_of(raw, self._program.secrets)
        for data in list_at(body, "pictures"):
            found.base64(data)
        return reply_of(body, raw, found, self._program.secrets)

    async def _by_files(self, request: Request) -> Reply:
        with tempfile.TemporaryDirectory(prefix="redline-", ignore_cleanup_errors=True) as folder:
            root = Path(folder)
            sent = json.dumps(as_json(request, self._settings, into(root)))
            (root / "request.json").write_text(sent)
            await self._program.run(b"", root, self._timeout_s)
            return file_reply(root, "reply.json", self._program.secrets)
