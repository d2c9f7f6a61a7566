"""Runs TeX on one document; this program itself runs inside the sandbox, on plain Python.

It gets a line of JSON and the source on stdin and gives a line of JSON, the log and the PDF on
stdout, so the host never opens a file that a document made. It imports nothing of redline: the
sandbox holds no more of Python than its standard library.
"""
# ruff: noqa: PTH103, PTH112, PTH118, PTH123, PTH208, PTH211, SIM105
# pathlib and contextlib would cost every document some milliseconds of start.

# ruff: noqa: PTH103, PTH112, PTH118, PTH123, PTH208, PTH211, SIM105
# pathlib and contextlib would cost every document some milliseconds of start.
from __future__ import annotations

import json
import os
import re
import resource
import select
import signal
import stat
import sys
import time
from collections.abc import Callable, Iterable
from typing import Any

TICK_S = 0.03
LOG_HEAD = 4_000_000
LOG_TAIL = 128_000
TERMINAL_TAIL = 8_000

# What a log says when another pass would change the picture. The names of packages that merely
# speak of rerunning ("Package: rerunfilecheck ... Rerun checks") must not count.
_RERUN = re.compile(rb"Rerun (?:to get|LaTeX)|rerun LaTeX|\(rerunfilecheck\)\s+Rerun")
# Lines of an .aux file that carry positions, which pgf and tikzmark use without any message.
_POSITION = re.compile(rb"\\(?:pgfsyspdfmark|zref@newlabel|savepointas|savepicturepage)\b.*")
_BITMAP_FONT = re.compile(rb"kpathsea: Running mktexpk ([^\n]{1,120})\n")
# Files whose appearance or change alters the pages of the next pass.
_SIDE_FILES = (".toc", ".lof", ".lot", ".nav", ".out", ".snm")


def rerun_state(read: Callable[[str], bytes], names: Iterable[str]) -> dict[str, bytes]:
    """What the next pass would read: position lines of .aux files and the side files."""
    state = {}
    for name in sorted(names):
        if name.endswith(".aux"):
            state[name] = b"\n".join(_POSITION.findall(read(name)))
        elif name.endswith(_SIDE_FILES):
            state[name] = read(name)
    return {name: value for name, value in state.items() if value.strip()}


def needs_another_pass(log: bytes, before: dict[str, bytes], after: dict[str, bytes]) -> bool:
    """Whether the log asks for another pass or what it would read has changed."""
    return bool(_RERUN.search(log)) or before != after


def read_plain(path: str, limit: int) -> tuple[bytes, str]:
    """Bytes of a regular file that has one name, or why not: absent, not_regular, too_large."""
    try:
        # Never through a link; O_NONBLOCK so that a FIFO can't hold us up.
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return b"", "absent"
    except OSError:
        return b"", "not_regular"
    about = os.fstat(fd)
    if not stat.S_ISREG(about.st_mode) or about.st_nlink != 1:
        os.close(fd)
        return b"", "not_regular"
    with os.fdopen(fd, "rb") as f:
        if about.st_size > limit:
            return b"", "too_large"
        return f.read(about.st_size), "ok"


def measure_folder(top: str, file_limit: int) -> tuple[int, int]:
    """Files and folders below `top` (counting stops past the limit) and their bytes."""
    count = size = 0
    todo = [top]
    while todo:
        try:
            entries = list(os.scandir(todo.pop()))
        except OSError:
            continue
        for entry in entries:
            count += 1
            try:
                about = entry.stat(follow_symlinks=False)
            except OSError:
                continue
            size += about.st_size
            if stat.S_ISDIR(about.st_mode):
                todo.append(entry.path)
            if count > file_limit:
                return count, size
    return count, size


def set_limits(limits: dict[str, Any], cpu_left: float) -> None:
    """Kernel limits of the TeX process; called in the child."""
    mb = 1024 * 1024
    cpu = max(1, -int(-cpu_left // 1))
    wanted = [
        (resource.RLIMIT_CPU, cpu, cpu + 1),
        (resource.RLIMIT_AS, limits["memory_mb"] * mb, limits["memory_mb"] * mb),
        (resource.RLIMIT_FSIZE, limits["output_mb"] * mb, limits["output_mb"] * mb),
        (resource.RLIMIT_NOFILE, 256, 256),
        (resource.RLIMIT_CORE, 0, 0),
    ]
    if limits["nproc"]:
        wanted.append((resource.RLIMIT_NPROC, limits["nproc"], limits["nproc"]))
    for what, soft, hard in wanted:
        top = resource.getrlimit(what)[1]
        if top != resource.RLIM_INFINITY:
            soft, hard = min(soft, top), min(hard, top)
        try:
            resource.setrlimit(what, (soft, hard))
        except (ValueError, OSError):
            # macOS refuses RLIMIT_AS; the other limits still hold.
            if what != resource.RLIMIT_AS:
                raise


def start(job: dict[str, Any], cpu_left: float, terminal: int) -> int:
    """Fork and exec one TeX pass in its own session, stdin closed; gives the process id."""
    pid = os.fork()
    if pid:
        return pid
    try:
        os.setsid()
        signal.set_wakeup_fd(-1)
        for s in (signal.SIGXFSZ, signal.SIGPIPE, signal.SIGCHLD):
            signal.signal(s, signal.SIG_DFL)
        null = os.open(os.devnull, os.O_RDONLY)
        os.dup2(null, 0)
        os.dup2(terminal, 1)
        os.dup2(terminal, 2)
        os.closerange(3, 64)
        set_limits(job["limits"], cpu_left)
        os.execve(job["argv"][0], job["argv"], job["env"])
    except BaseException as e:
        os.write(2, f"redline: could not start TeX: {e}\n".encode())
    os._exit(127)


def kill_group(pid: int) -> None:
    try:
        os.killpg(pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass


def run_pass(
    job: dict[str, Any], wake: int, cpu_left: float, deadline: float
) -> tuple[dict[str, Any], Terminal]:
    """One TeX pass under watch. Gives how it ended and the tail of its terminal output."""
    out, into = os.pipe()
    os.set_blocking(out, False)
    pid = start(job, cpu_left, into)
    os.close(into)
    limits = job["limits"]
    limit = None
    terminal = Terminal(out)
    done, status, usage = 0, 0, resource.getrusage(resource.RUSAGE_SELF)
    while not done:
        readable = select.select([out, wake], [], [], TICK_S)[0]
        if wake in readable:
            os.read(wake, 4096)
        terminal.drain()
        done, status, usage = os.wait4(pid, os.WNOHANG)
        if limit is None:
            files, size = measure_folder(".", limits["files"])
            if files > limits["files"]:
                limit = "file_limit"
            elif size > limits["output_mb"] * 1024 * 1024:
                limit = "output_limit"
            elif time.monotonic() > deadline:
                limit = "wall_limit"
            if limit and not done:
                kill_group(pid)
    # Whatever the pass left running in the background goes too.
    kill_group(pid)
    terminal.drain()
    os.close(out)
    killed_by = os.WTERMSIG(status) if os.WIFSIGNALED(status) else None
    if limit is None:
        if killed_by == signal.SIGXCPU:
            limit = "cpu_limit"
        elif killed_by == signal.SIGXFSZ:
            limit = "output_limit"
    return {
        "limit": limit,
        "signal": killed_by,
        "exit": os.WEXITSTATUS(status) if os.WIFEXITED(status) else None,
        "cpu": usage.ru_utime + usage.ru_stime,
        "rss": usage.ru_maxrss,
    }, terminal


class Terminal:
    """What TeX says on its terminal: the last of it, and the bitmap fonts it sends for."""

    def __init__(self, fd: int) -> None:
        self.fd = fd
        self.tail = b""
        self.bitmap_fonts: set[str] = set()

    def drain(self) -> None:
        """Read what is there, no more than some megabytes at once."""
        for _ in range(64):
            try:
                got = os.read(self.fd, 65536)
            except (BlockingIOError, InterruptedError):
                break
            if not got:
                break
            self.tail += got
            if len(self.bitmap_fonts) < 100:
                found = _BITMAP_FONT.findall(self.tail)
                self.bitmap_fonts.update(f.decode("ascii", "replace") for f in found)
            self.tail = self.tail[-TERMINAL_TAIL:]


def run(job: dict[str, Any], source: bytes) -> tuple[dict[str, Any], bytes, bytes]:
    """All passes. Gives the report, the log and the PDF."""
    wake, wake_in = os.pipe()
    os.set_blocking(wake, False)
    os.set_blocking(wake_in, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(wake_in)
    deadline = time.monotonic() + job["limits"]["wall_s"]
    cpu_left = job["limits"]["cpu_s"]
    with open("doc.tex", "wb") as f:
        f.write(source)

    def read(name: str) -> bytes:
        return read_plain(name, LOG_HEAD)[0]

    before: dict[str, bytes] = {}
    passes = 0
    bitmap_fonts: set[str] = set()
    while True:
        report, terminal = run_pass(job, wake, cpu_left, deadline)
        passes += 1
        bitmap_fonts |= terminal.bitmap_fonts
        cpu_left -= report["cpu"]
        log, log_state = read_log("doc.log")
        if report["limit"] is None and cpu_left <= 0:
            report["limit"] = "cpu_limit"
        if report["limit"] or report["signal"] or passes >= job["max_passes"]:
            break
        after = rerun_state(read, os.listdir("."))
        if not os.path.lexists("doc.pdf") or not needs_another_pass(log, before, after):
            break
        before = after
    pdf, pdf_state = read_plain("doc.pdf", job["limits"]["output_mb"] * 1024 * 1024)
    files, size = measure_folder(".", job["limits"]["files"])
    report.update(
        passes=passes,
        pdf_state=pdf_state,
        log_state=log_state,
        terminal=terminal.tail.decode("utf-8", "replace"),
        bitmap_fonts=sorted(bitmap_fonts),
        files=files,
        bytes=size,
    )
    return report, log, pdf


def read_log(path: str) -> tuple[bytes, str]:
    """The log, its middle cut out where it is huge; and whether it is a plain file."""
    data, state = read_plain(path, 1 << 30)
    if len(data) > LOG_HEAD + LOG_TAIL:
        data = data[:LOG_HEAD] + b"\n[... cut ...]\n" + data[-LOG_TAIL:]
    return data, state


def link_font_names(fonts: str) -> None:
    """Put LuaTeX's list of fonts where it looks for it: only in the folder it may write to."""
    names = "luatex-cache/generic/names"
    if not fonts or not os.path.isdir(f"{fonts}/{names}"):
        return
    os.makedirs(f"texmf-var/{names}")
    for name in os.listdir(f"{fonts}/{names}"):
        if name.startswith("luaotfload-names."):
            os.symlink(f"{fonts}/{names}/{name}", f"texmf-var/{names}/{name}")


def pack_folder(top: str) -> list[tuple[str, bytes]]:
    """Every plain file below `top`, as (relative name, bytes); for the font cache."""
    found = []
    for folder, _, names in os.walk(top):
        for name in names:
            path = os.path.join(folder, name)
            data, state = read_plain(path, 1 << 28)
            if state == "ok":
                found.append((os.path.relpath(path, top), data))
    return found


def main() -> None:
    job = json.loads(sys.stdin.buffer.readline())
    source = sys.stdin.buffer.read(job["source_bytes"])
    os.chdir(job["folder"])
    link_font_names(job["fonts"])
    report, log, pdf = run(job, source)
    kept = pack_folder(job["keep"]) if job.get("keep") else []
    report.update(
        log_bytes=len(log), pdf_bytes=len(pdf), kept=[[name, len(data)] for name, data in kept]
    )
    out = sys.stdout.buffer
    out.write(json.dumps(report).encode() + b"\n")
    out.write(log)
    out.write(pdf)
    for _, data in kept:
        out.write(data)
    out.flush()


if __name__ == "__main__":
    main()
