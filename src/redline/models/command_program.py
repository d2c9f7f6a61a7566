"""Runs a program of the user's: one process, its own group, killed when the call ends.

DANGER: this starts a program. It is named only in the user's own TOML, started without a shell,
with an environment that holds nothing but the variables named there, in a process group of its
own that is killed when the call ends, however it ends. It is not sandboxed: it is the user's own.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import signal
import tempfile
from collections.abc import Mapping
from pathlib import Path

from redline.models.command_config import CommandConfig
from redline.models.keys import Secrets
from redline.models.protocol import ErrorKind

MAX_OUTPUT_BYTES = 64 * 1024 * 1024
"""The most that one call may bring, on stdout or in files."""

KEPT_STDERR = 4096
DRAIN_S = 1.0
"""How long output may still trickle in after a program has ended."""


class CommandFault(Exception):
    """A call that brought no reply: the kind of ProviderError and the sentence."""

    def __init__(self, kind: ErrorKind, message: str) -> None:
        super().__init__(message)
        self.kind: ErrorKind = kind


class Program:
    """A program that can be run; `secrets` are the values of the variables passed on to it."""

    def __init__(self, config: CommandConfig, env: Mapping[str, str]) -> None:
        self._argv = config.argv
        self._env = {n: env[n] for n in config.env if n in env}
        self.secrets = Secrets(self._env.values())
        self._program = shutil.which(config.argv[0], path=env.get("PATH")) or config.argv[0]

    async def run(self, sent: bytes, folder: Path | None, timeout_s: float) -> bytes:
        """Run it to its end, `timeout_s` seconds at most, and give its stdout. It stands in
        `folder`, else in an empty one. Raises CommandFault."""
        # A program that is handed files finds the path of its folder in place of {folder}.
        with tempfile.TemporaryDirectory(
            prefix="redline-cwd-", ignore_cleanup_errors=True
        ) as empty:
            cwd = folder or Path(empty)
            args = [a.replace("{folder}", str(cwd)) for a in self._argv[1:]]
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
                return await self._talk(process, sent, timeout_s)
            finally:
                _kill_group(process)
                await _ended(process)
                # Its pipes may be held open by a child that fled the group.
                if transport := getattr(process, "_transport", None):
                    transport.close()

    async def _talk(
        self, process: asyncio.subprocess.Process, sent: bytes, timeout_s: float
    ) -> bytes:
        assert process.stdin and process.stdout and process.stderr
        out = Capture(process.stdout)
        feed = asyncio.ensure_future(_feed(process.stdin, sent))
        reader = asyncio.ensure_future(out.read())
        tail = asyncio.ensure_future(_tail(process.stderr))
        end = asyncio.ensure_future(_ended(process))
        try:
            async with asyncio.timeout(timeout_s):
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
                "transient", f"was killed: it had not ended after {timeout_s:g} s"
            ) from None
        finally:
            for task in (feed, reader, tail, end):
                task.cancel()
        if status != 0:
            said = tail.result() if tail.done() and not tail.cancelled() else b""
            words = said.decode("utf-8", "replace").strip()
            last = " ".join(self.secrets.scrub(words).split())[-300:]
            raise CommandFault("transient", f"ended with status {status}: {last or '(no words)'}")
        return b"".join(out.pieces)


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
