"""Draws pages of PDFs in sandboxed worker processes that are kept between documents."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import threading
import time
from collections.abc import Mapping
from functools import lru_cache
from importlib.metadata import version
from typing import Any

from redline.tex.job import end_family
from redline.tex.result import ErrorClass
from redline.tex.sandbox import SandboxMode, pdfium_folder, raster_command

_RECYCLE_AFTER = 500
_CPU_S = 20
_WALL_S = 60


@lru_cache(maxsize=1)
def pdfium_version() -> str:
    """The versions of pypdfium2 and of the PDFium it brings."""
    try:
        built = json.loads((pdfium_folder() / "version.json").read_bytes())
        pdfium = ".".join(str(built[n]) for n in ("major", "minor", "build", "patch"))
    except (OSError, ValueError, KeyError, TypeError):
        pdfium = "of unknown version"
    return f"pypdfium2 {version('pypdfium2')}, PDFium {pdfium}"


class RasterFault(Exception):
    """A page that was not drawn: `kind` says why."""

    def __init__(self, kind: ErrorClass, message: str) -> None:
        super().__init__(message)
        self.kind = kind


class _WorkerDied(Exception):
    pass


_MESSAGES: Mapping[ErrorClass, str] = {
    "bad_pdf": "The PDF can't be read",
    "no_page": "The PDF has no page",
    "cpu_limit": "Drawing the page took too much CPU time",
    "wall_limit": "Drawing the page took too long",
    "memory_limit": "Drawing the page took too much memory",
    "crash": "Drawing the page ended in a crash",
}


class _Worker:
    """One sandboxed drawing process."""

    def __init__(self, mode: SandboxMode) -> None:
        self.served = 0
        self._asking = False
        self._process = subprocess.Popen(
            raster_command(mode),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            env={"PATH": os.defpath},
            cwd="/",
        )

    def ask(self, request: Mapping[str, Any], pdf: bytes) -> tuple[dict[str, Any], bytes]:
        """Raises _WorkerDied when the process is gone or speaks nonsense."""
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin and stdout
        self.served += 1
        self._asking = True
        cap = 8192 + int(request.get("width", 0)) * int(request.get("height", 0)) * 3
        # The worker watches its child; this watches the worker.
        alarm = threading.Timer(_WALL_S + 20, self.close)
        alarm.daemon = True
        alarm.start()
        try:
            stdin.write(json.dumps({**request, "bytes": len(pdf)}).encode() + b"\n" + pdf)
            stdin.flush()
            size = int.from_bytes(_exactly(stdout, 8), "big")
            if size > cap:
                raise _WorkerDied
            line, _, pixels = _exactly(stdout, size).partition(b"\n")
            reply = json.loads(line)
        except (OSError, ValueError) as e:
            raise _WorkerDied from e
        finally:
            alarm.cancel()
        if not isinstance(reply, dict):
            raise _WorkerDied
        self._asking = False
        return reply, pixels

    def close(self) -> None:
        """End the process and its children."""
        if self._process.stdin is not None:
            with contextlib.suppress(OSError):
                self._process.stdin.close()
        end_family(self._process, at_once=self._asking)
        if self._process.stdout is not None:
            with contextlib.suppress(OSError):
                self._process.stdout.close()


def _exactly(stream: Any, size: int) -> bytes:
    data: bytes = stream.read(size)
    if len(data) != size:
        raise _WorkerDied
    return data


class Rasteriser:
    """A pool of drawing processes, as many as are asked for at one time. Thread-safe."""

    def __init__(self, mode: SandboxMode) -> None:
        self._mode: SandboxMode = mode
        self._idle: list[_Worker] = []
        self._lock = threading.Lock()

    def inspect(self, pdf: bytes) -> tuple[int, tuple[float, float]]:
        """Page count and the first page's size in points. Raises RasterFault."""
        reply, _ = self._ask({"do": "inspect", "memory_mb": 1024}, pdf)
        try:
            width, height = (float(side) for side in reply["page_pt"])
            return int(reply["pages"]), (width, height)
        except (KeyError, TypeError, ValueError) as e:
            raise RasterFault("crash", _MESSAGES["crash"]) from e

    def draw(self, pdf: bytes, size_px: tuple[int, int]) -> bytes:
        """The first page on white as packed RGB bytes, exactly of `size_px` (width, height).
        Raises RasterFault."""
        width, height = size_px
        # Several copies of the picture, and room for fonts and transparency groups.
        memory = 1024 + 8 * (width * height * 4 // (1024 * 1024))
        request = {"do": "draw", "width": width, "height": height, "memory_mb": memory}
        _, pixels = self._ask(request, pdf)
        if len(pixels) != width * height * 3:
            raise RasterFault("crash", _MESSAGES["crash"])
        return pixels

    def _ask(self, request: Mapping[str, Any], pdf: bytes) -> tuple[dict[str, Any], bytes]:
        request = {**request, "cpu_s": _CPU_S, "wall_s": _WALL_S}
        for attempt in (1, 2):
            worker = self._take()
            try:
                reply, pixels = worker.ask(request, pdf)
            except _WorkerDied:
                worker.close()
                if attempt == 2:
                    raise RasterFault("crash", _MESSAGES["crash"]) from None
                time.sleep(0.05)
                continue
            except BaseException:
                worker.close()
                raise
            self._give(worker)
            if said := reply.get("error"):
                kind: ErrorClass = next((k for k in _MESSAGES if k == said), "crash")
                raise RasterFault(kind, _MESSAGES[kind])
            return reply, pixels
        raise AssertionError("unreachable")

    def _take(self) -> _Worker:
        with self._lock:
            if self._idle:
                return self._idle.pop()
        return _Worker(self._mode)

    def _give(self, worker: _Worker) -> None:
        if worker.served >= _RECYCLE_AFTER:
            worker.close()
            return
        with self._lock:
            self._idle.append(worker)

    def close(self) -> None:
        """End all idle processes; the next request starts new ones."""
        with self._lock:
            idle, self._idle = self._idle, []
        for worker in idle:
            worker.close()
