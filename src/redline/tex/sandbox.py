"""The kernel sandbox (bubblewrap) that TeX and the drawing of pages run in."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

from redline.errors import UserError
from redline.tex.installation import Installation

SandboxMode = Literal["bubblewrap", "none"]

_HERE = Path(__file__).parent
# What TeX reads below /etc and /var: font and format settings. Not passwd, not hosts, not ssl.
_READABLE = (
    "/etc/ld.so.cache",
    "/etc/alternatives",
    "/etc/fonts",
    "/etc/texmf",
    "/etc/texlive",
    "/var/lib/texmf",
    "/var/cache/fontconfig",
)
_SYSTEM_FOLDERS = ("/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")


class SandboxUnavailable(UserError):
    """Bubblewrap is missing or can't run here; the message says why and what to do."""


@dataclass(frozen=True)
class Inside:
    """Where things lie for a program started by `command`: the same words for both modes."""

    argv: tuple[str, ...]
    folder: str
    texmf_var: str


def _python() -> tuple[Path, str]:
    """The folder of the running Python's installation and its program below it."""
    prefix = Path(sys.base_prefix).resolve()
    program = Path(sys.executable).resolve()
    if not program.is_relative_to(prefix):
        program = prefix / "bin" / f"python{sys.version_info.major}.{sys.version_info.minor}"
    return prefix, str(program.relative_to(prefix))


def pdfium_folder() -> Path:
    """Where the PDFium lies that pages are drawn with."""
    spec = find_spec("pypdfium2_raw")
    if spec is None or spec.origin is None:
        raise UserError("pypdfium2 is not installed completely. Run: pip install pypdfium2")
    return Path(spec.origin).parent


def _below_usr(path: Path) -> bool:
    return path.is_relative_to("/usr")


def _frame(size_mb: int, readable: Sequence[tuple[Path, str]]) -> list[str]:
    """Arguments of bubblewrap: a bare read-only system, no network, no other process in sight,
    one writable folder /job of limited size in memory that goes away with the process."""
    # --as-pid-1: bubblewrap then waits for its child, where else it would leave it to the system's
    # init, which not every container has.
    argv = ["--unshare-all", "--as-pid-1", "--unshare-user", "--uid", "1000", "--gid", "1000"]
    argv += ["--new-session", "--hostname", "sandbox", "--clearenv", "--ro-bind", "/usr", "/usr"]
    for folder in _SYSTEM_FOLDERS:
        if Path(folder).is_symlink():
            argv += ["--symlink", str(Path(folder).readlink()), folder]
        elif Path(folder).is_dir():
            argv += ["--ro-bind", folder, folder]
    for path in _READABLE:
        argv += ["--ro-bind-try", path, path]
    if Path("/nix/store").is_dir():
        argv += ["--ro-bind", "/nix/store", "/nix/store"]
    for source, target in readable:
        argv += ["--ro-bind", str(source), target]
    # bubblewrap's own root and /dev are writable memory without a limit: close them.
    argv += ["--dev", "/dev", "--remount-ro", "/dev"]
    argv += ["--size", str(size_mb * 1024 * 1024), "--tmpfs", "/job"]
    argv += ["--remount-ro", "/", "--chdir", "/job"]
    return argv


def _python_inside() -> tuple[list[tuple[Path, str]], str, list[str]]:
    """Binds, program and environment that give the sandbox this Python's standard library."""
    prefix, program = _python()
    if _below_usr(prefix):
        return [], str(prefix / program), []
    # Under a neutral name: a home folder's path is nothing a document should learn.
    return (
        [(prefix, "/python")],
        f"/python/{program}",
        ["--setenv", "LD_LIBRARY_PATH", "/python/lib"],
    )


def tex_command(
    mode: SandboxMode, tex: Installation, size_mb: int, folder: Path | None, texmf_var: Path | None
) -> Inside:
    """How to start `inside.py`. `folder` is the job's folder where mode is "none"; `texmf_var`
    an existing font cache, read by the document and never written."""
    if mode == "none":
        outside = (sys.executable, "-I", "-S", "-B", str(_HERE / "inside.py"))
        return Inside(outside, str(folder), str(texmf_var or ""))
    binds, python, environment = _python_inside()
    binds.append((_HERE / "inside.py", "/redline/inside.py"))
    trees = [t for t in tex.trees if not _below_usr(t) and str(t) not in _READABLE]
    trees += [e.parent for e in tex.engines.values() if not _below_usr(e)]
    binds += [(tree, str(tree)) for tree in dict.fromkeys(trees)]
    if texmf_var is not None:
        binds.append((texmf_var, "/texmf-var"))
    argv = (
        _bubblewrap(),
        # The thread that starts the document waits for it, so its death is the caller's.
        "--die-with-parent",
        *_frame(size_mb, binds),
        *environment,
        *(python, "-I", "-S", "-B", "/redline/inside.py"),
    )
    return Inside(argv, "/job", "/texmf-var" if texmf_var is not None else "")


def raster_command(mode: SandboxMode) -> tuple[str, ...]:
    """How to start `raster_inside.py`. It ends when its stdin is closed, and must not die with
    the thread that happened to start it."""
    site = pdfium_folder()
    if mode == "none":
        script = str(_HERE / "raster_inside.py")
        return (sys.executable, "-I", "-S", "-B", script, str(site.parent))
    binds, python, environment = _python_inside()
    binds.append((_HERE / "raster_inside.py", "/redline/raster_inside.py"))
    binds.append((site, "/site/pypdfium2_raw"))
    script = "/redline/raster_inside.py"
    return (
        _bubblewrap(),
        *_frame(1, binds),
        *environment,
        *(python, "-I", "-S", "-B", script, "/site"),
    )


def _bubblewrap() -> str:
    found = shutil.which("bwrap")
    if found is None:
        raise SandboxUnavailable(
            "Documents are run in a sandbox, and bubblewrap is not installed. Install it "
            "(Debian, Ubuntu: sudo apt-get install bubblewrap), or pass --unsandboxed if every "
            "document is trusted."
        )
    return found


@lru_cache(maxsize=1)
def sandbox_fault() -> str | None:
    """Why the sandbox can't run here, as a sentence; None where it can. Tried once a process."""
    if sys.platform != "linux":
        return (
            "Documents are run in a bubblewrap sandbox, which needs Linux. Run Redline in a Linux "
            "machine or container, or pass --unsandboxed if every document is trusted."
        )
    try:
        bwrap = _bubblewrap()
    except SandboxUnavailable as e:
        return str(e)
    binds, python, environment = _python_inside()
    argv = [bwrap, "--die-with-parent", *_frame(1, binds), *environment]
    try:
        done = subprocess.run(
            [*argv, python, "-I", "-S", "-B", "-c", "print('inside')"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
            env={"PATH": os.defpath},
        )
    except (OSError, subprocess.TimeoutExpired) as e:
        return f"bubblewrap did not start here ({type(e).__name__}). {_ADVICE}"
    if done.stdout.strip() == "inside":
        return None
    said = done.stderr.strip().splitlines()
    why = said[-1] if said else f"it ended with status {done.returncode}"
    if "size" in why and "nknown option" in why:
        return "bubblewrap is too old: --size needs 0.7 or newer. Update it, or pass --unsandboxed."
    return f"bubblewrap can't make a sandbox here ({why}). {_ADVICE}"


_ADVICE = (
    "Unprivileged user namespaces must be allowed: in a container run with "
    "--security-opt seccomp=unconfined (or --privileged); on Ubuntu 24.04 and newer "
    "allow them with: sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0. "
    "Or pass --unsandboxed if every document is trusted."
)


def require_sandbox() -> None:
    """Raises SandboxUnavailable unless bubblewrap is able to run here."""
    if fault := sandbox_fault():
        raise SandboxUnavailable(fault)


def process_limit_works() -> bool:
    """Whether RLIMIT_NPROC counts the sandbox's own processes only: kernels from 5.14 count a
    user namespace apart, older ones would count everything the user runs. (It never binds
    root; processes are counted from outside as well.)"""
    found = re.match(r"(\d+)\.(\d+)", os.uname().release)
    return (
        sys.platform == "linux"
        and os.getuid() != 0
        and found is not None
        and (int(found[1]), int(found[2])) >= (5, 14)
    )
