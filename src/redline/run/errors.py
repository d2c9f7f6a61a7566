"""What can be wrong with a run: sentences for the user, each with its exit status."""

from __future__ import annotations

import errno
from pathlib import Path

from redline.errors import UserError


class RunError(UserError):
    """A run that cannot be opened or go on. `exit_status`: 2 wrong use or configuration, 1 a
    full or failing disk."""


class NotARun(RunError):
    """The folder holds no run, or its run.json cannot be read."""


class FolderBusy(RunError):
    """Another process writes this run."""


class FolderNewer(RunError):
    """A newer Redline wrote this run."""


class ManifestDiffers(RunError):
    """The folder holds a run of something else."""


class BenchmarkChanged(RunError):
    """The benchmark is no longer the one the run began with."""


class FolderUnwritable(RunError):
    """The run folder cannot be written."""


class DiskFull(RunError):
    """No room is left for records."""

    exit_status = 1


class DiskFailed(RunError):
    """The disk refused a write for another reason than being full or read-only."""

    exit_status = 1


class BlobMissing(RunError):
    """A kept file is gone or is no longer what it was."""

    exit_status = 1


class BudgetUnknown(RunError):
    """A budget was given for a model whose price is not known."""


def disk_error(error: OSError, path: Path) -> RunError:
    """The sentence for a failed write under `path`."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return DiskFull(
            f"The disk that holds {path} is full. All that was finished before is saved: "
            "make room and start the same command again."
        )
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return FolderUnwritable(
            f"The run folder {path} cannot be written ({error.strerror}). Give yourself write "
            "permission there, or name another folder with --out."
        )
    if error.errno in (errno.ENOTDIR, errno.EEXIST):
        return FolderUnwritable(
            f"{path} cannot be a run folder because a file of that name is in the way. "
            "Name another folder with --out."
        )
    return DiskFailed(
        f"Writing to the run folder {path} failed ({error.strerror}). All that was finished "
        "before is saved: check the disk and start the same command again."
    )
