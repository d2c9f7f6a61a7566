"""Runs one document through TeX: starts the inside program, watches it, reads what it gives."""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from redline.tex.installation import Installation
from redline.tex.result import Engine, ErrorClass, Limits
from redline.tex.sandbox import Inside, SandboxMode, process_limit_works, tex_command

# 2 January 2020, 00:00 UTC: the date every document sees, so that \today never changes a picture.
SOURCE_DATE = 1577923200
_TICK_S = 0.1
# Processes that are ours: bubblewrap and the inside program.
_OWN_PROCESSES = 2
_MB = 1024 * 1024

_FLAGS = ("-interaction=nonstopmode", "-file-line-error", "-no-shell-escape", "-jobname=doc")
# The seed is set before the document is read, on the command line, so no line number shifts.
_START: Mapping[Engine, str] = {
    "pdflatex": r"\pdfsetrandomseed 1\relax\input doc.tex ",
    "lualatex": r"\directlua{tex.init_rand(1) math.randomseed(1)}\input doc.tex ",
    "xelatex": r"\ifdefined\setrandomseed\setrandomseed 1\relax\fi\input doc.tex ",
}


@dataclass(frozen=True)
class TexRun:
    """What came out of all passes. `limit` is the limit that ended it, `bitmap_fonts` the fonts
    it had to draw, `kept` the files asked for with `keep`; `fault` says what is wrong with the
    sandbox itself."""

    log: str = ""
    pdf: bytes = b""
    pdf_state: str = "absent"
    terminal: str = ""
    passes: int = 0
    exit: int | None = None
    signal: int | None = None
    limit: ErrorClass | None = None
    rss_kb: int = 0
    bytes_written: int = 0
    fault: str | None = None
    bitmap_fonts: tuple[str, ...] = ()
    kept: Mapping[str, bytes] = field(default_factory=dict)


def run_tex(
    source: bytes,
    engine: Engine,
    tex: Installation,
    limits: Limits,
    max_passes: int,
    mode: SandboxMode,
    fonts: Path | None = None,
    keep: bool = False,
) -> TexRun:
    """Run up to `max_passes` passes of `engine` on `source`. Blocks; safe in threads.

    `fonts` is a folder of ready fonts to read; `keep` gives the files written below TEXMFVAR.
    Never raises for anything a document does."""
    argv = [str(tex.engines[engine]), *_FLAGS, _START[engine]]
    return _run(argv, source, tex, limits, max_passes, mode, fonts, keep)


def build_bitmap_font(
    tex: Installation, mode: SandboxMode, bdpi: str, mag: str, dpi: str, name: str, limits: Limits
) -> bytes | None:
    """Draw a METAFONT font at a resolution as a PK file; None if that fails. The arguments are
    those that kpathsea gives to mktexpk and must be checked by the caller."""
    program = shutil.which("mktexpk")
    if program is None:
        return None
    argv = [program, "--mfmode", "/", "--bdpi", bdpi, "--mag", mag, "--dpi", dpi, name]
    run = _run(argv, b"", tex, limits, 1, mode, None, True)
    wanted = f"/{name}.{dpi}pk"
    return next((data for path, data in run.kept.items() if f"/{path}".endswith(wanted)), None)


def _run(
    argv: list[str],
    source: bytes,
    tex: Installation,
    limits: Limits,
    max_passes: int,
    mode: SandboxMode,
    fonts: Path | None,
    keep: bool,
) -> TexRun:
    folder = Path(tempfile.mkdtemp(prefix="redline-job-")) if mode == "none" else None
    try:
        inside = tex_command(mode, tex, limits.output_mb + 1, folder, fonts)
        job = {
            "argv": argv,
            "env": _environment(inside, Path(argv[0]).parent),
            "folder": inside.folder,
            "fonts": inside.texmf_var,
            "source_bytes": len(source),
            "max_passes": max_passes,
            "keep": f"{inside.folder}/texmf-var" if keep else None,
            "limits": {
                "cpu_s": limits.cpu_s,
                "wall_s": limits.wall_s,
                "memory_mb": limits.memory_mb,
                "output_mb": limits.output_mb,
                "files": limits.files,
                "nproc": limits.processes if process_limit_works() and mode != "none" else 0,
            },
        }
        message = json.dumps(job).encode() + b"\n" + source
        cap = (3 if keep else 2) * limits.output_mb * _MB + 8 * _MB
        output, stderr, limit = _talk(inside.argv, message, cap, limits)
        return _read_reply(output, stderr, limit)
    finally:
        if folder is not None:
            shutil.rmtree(folder, ignore_errors=True)


def _environment(inside: Inside, bin_folder: Path) -> dict[str, str]:
    """All that TeX gets to see of an environment."""
    own = f"{inside.folder}/texmf-var"
    return {
        "PATH": ":".join(dict.fromkeys([str(bin_folder), "/usr/bin", "/bin"])),
        "HOME": inside.folder,
        "TMPDIR": inside.folder,
        "TEXMFHOME": f"{inside.folder}/texmf",
        "TEXMFVAR": own,
        "TEXMFCONFIG": f"{inside.folder}/texmf-config",
        "TEXMFCACHE": f"{inside.texmf_var}:{own}" if inside.texmf_var else own,
        # The trailing colon keeps the usual places.
        **({"PKFONTS": f"{inside.texmf_var}/fonts/pk//:"} if inside.texmf_var else {}),
        "openin_any": "p",
        "openout_any": "p",
        "shell_escape": "f",
        "max_print_line": "1000",
        "error_line": "254",
        "half_error_line": "238",
        "SOURCE_DATE_EPOCH": str(SOURCE_DATE),
        "FORCE_SOURCE_DATE": "1",
        "TZ": "UTC",
        "LC_ALL": "C.UTF-8",
    }


def _talk(
    argv: tuple[str, ...], message: bytes, cap: int, limits: Limits
) -> tuple[bytes, str, ErrorClass | None]:
    """Feed a process and read it, bounded in time, bytes, processes and memory; then end it."""
    process = subprocess.Popen(
        argv,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        env={"PATH": os.defpath},
        cwd="/",
    )
    assert process.stdin and process.stdout and process.stderr
    # The inside program keeps the wall-clock limit itself and saves the log; this one is for
    # the case that it can't.
    deadline = time.monotonic() + limits.wall_s + 10
    output, stderr = bytearray(), bytearray()
    limit: ErrorClass | None = None
    finished = False
    try:
        with selectors.DefaultSelector() as ready:
            for pipe in (process.stdin, process.stdout, process.stderr):
                os.set_blocking(pipe.fileno(), False)
            view = memoryview(message)
            ready.register(process.stdin, selectors.EVENT_WRITE)
            ready.register(process.stdout, selectors.EVENT_READ)
            ready.register(process.stderr, selectors.EVENT_READ)
            next_look = time.monotonic() + _TICK_S
            while limit is None and (
                process.stdout in ready.get_map() or process.stderr in ready.get_map()
            ):
                for key, _ in ready.select(_TICK_S):
                    if key.fileobj is process.stdin:
                        try:
                            view = view[os.write(key.fd, view[:65536]) :]
                        except BrokenPipeError:
                            view = view[:0]
                        if not view:
                            ready.unregister(process.stdin)
                            process.stdin.close()
                        continue
                    piece = os.read(key.fd, 1 << 18)
                    if not piece:
                        ready.unregister(key.fileobj)
                    elif key.fileobj is process.stdout:
                        output += piece
                    elif len(stderr) < 65536:
                        stderr += piece
                now = time.monotonic()
                if len(output) > cap:
                    limit = "output_limit"
                elif now > deadline:
                    limit = "wall_limit"
                elif now >= next_look:
                    next_look = now + _TICK_S
                    limit = _family_limit(process.pid, limits)
        finished = limit is None
    finally:
        _end(process, at_once=not finished)
    return bytes(output), stderr.decode("utf-8", "replace"), limit


def _end(process: subprocess.Popen[bytes], at_once: bool) -> None:
    """See the process and all it started to their end, and wait until the last of them has let
    go of our pipe."""
    assert process.stdin and process.stdout and process.stderr
    process.stdin.close()
    end_family(process, at_once)
    until = time.monotonic() + 5
    os.set_blocking(process.stdout.fileno(), True)
    with selectors.DefaultSelector() as ready:
        ready.register(process.stdout, selectors.EVENT_READ)
        while time.monotonic() < until and ready.select(until - time.monotonic()):
            if not os.read(process.stdout.fileno(), 1 << 18):
                break
    process.stdout.close()
    process.stderr.close()


def end_family(process: subprocess.Popen[bytes], at_once: bool) -> None:
    """Wait for a process that is about to end, or kill it with all it started.

    bubblewrap's child is the first process of its own process space: killed first, it takes
    everything inside along, and bubblewrap collects it."""
    if not at_once:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(timeout=2)
    if process.poll() is None:
        for child in _family(process.pid)[1:]:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(child, signal.SIGKILL)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(timeout=2)
    # Also after its end: others of its group may live on where there is no sandbox.
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _family(pid: int) -> list[int]:
    """A process and all its descendants, from /proc; empty where there is none."""
    found, todo = [], [pid]
    while todo:
        at = todo.pop()
        found.append(at)
        try:
            todo += [int(c) for c in Path(f"/proc/{at}/task/{at}/children").read_text().split()]
        except OSError:
            continue
    return found


def _family_limit(pid: int, limits: Limits) -> ErrorClass | None:
    """The limit that the processes of a document break together, if any. Linux only."""
    if sys.platform != "linux":
        return None
    family = _family(pid)
    if len(family) > limits.processes + _OWN_PROCESSES:
        return "process_limit"
    pages = 0
    for member in family:
        with contextlib.suppress(OSError, IndexError, ValueError):
            pages += int(Path(f"/proc/{member}/statm").read_text().split()[1])
    # Room for the inside program, which holds the log and the PDF at the end.
    allowed = (limits.memory_mb + 2 * limits.output_mb + 64) * _MB
    return "memory_limit" if pages * os.sysconf("SC_PAGE_SIZE") > allowed else None


def _read_reply(output: bytes, stderr: str, limit: ErrorClass | None) -> TexRun:
    """The inside program's reply; believed only as far as its sizes fit."""
    line, _, rest = output.partition(b"\n")
    if limit is not None:
        return TexRun(limit=limit)
    try:
        report: dict[str, Any] = json.loads(line)
        log_bytes, pdf_bytes = int(report["log_bytes"]), int(report["pdf_bytes"])
        kept_list = [(str(name), int(size)) for name, size in report["kept"]]
        if len(rest) != log_bytes + pdf_bytes + sum(size for _, size in kept_list):
            raise ValueError("sizes")
    except (ValueError, KeyError, TypeError):
        last = stderr.strip().splitlines()
        return TexRun(fault=last[-1] if last else "The sandbox ended without an answer.")
    at = log_bytes + pdf_bytes
    kept: dict[str, bytes] = {}
    for name, size in kept_list:
        kept[name] = rest[at : at + size]
        at += size
    return TexRun(
        log=_decode(rest[:log_bytes]),
        pdf=rest[log_bytes : log_bytes + pdf_bytes],
        pdf_state=str(report["pdf_state"]),
        terminal=str(report["terminal"]),
        passes=int(report["passes"]),
        exit=report["exit"],
        signal=report["signal"],
        limit=report["limit"],
        rss_kb=int(report["rss"]),
        bytes_written=int(report["bytes"]),
        bitmap_fonts=tuple(str(name) for name in report["bitmap_fonts"]),
        kept=kept,
    )


def _decode(log: bytes) -> str:
    """pdfTeX writes the bytes it read, LuaTeX and XeTeX write UTF-8."""
    try:
        return log.decode("utf-8")
    except UnicodeDecodeError:
        return log.decode("latin-1")
