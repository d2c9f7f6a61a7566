"""The engine: stages, records, blobs, cache, limits, budget, resume, replay.

It knows a track only by its interface (redline.track). A run is a folder (RunFolder); `execute`
does what is missing in it, and every acknowledged reply is on disk before it is used."""

from redline.run.engine import execute
from redline.run.errors import (
    BenchmarkChanged,
    BudgetUnknown,
    DiskFull,
    FolderBusy,
    FolderNewer,
    FolderUnwritable,
    ManifestDiffers,
    NotARun,
    RunError,
)
from redline.run.folder import RunFolder
from redline.run.index import Totals
from redline.run.manifest import Manifest
from redline.run.options import Options, Role
from redline.run.progress import Bars, Lines, Progress, Silent
from redline.run.replay import ReplayModel
from redline.run.summary import StageCount, Summary

__all__ = [
    "Bars",
    "BenchmarkChanged",
    "BudgetUnknown",
    "DiskFull",
    "FolderBusy",
    "FolderNewer",
    "FolderUnwritable",
    "Lines",
    "Manifest",
    "ManifestDiffers",
    "NotARun",
    "Options",
    "Progress",
    "ReplayModel",
    "Role",
    "RunError",
    "RunFolder",
    "Silent",
    "StageCount",
    "Summary",
    "Totals",
    "execute",
]
