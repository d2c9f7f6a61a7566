"""What is measured: samples, the folder format, importers; pure, compiles nothing."""

from redline.bench.exporting import FORMATS, export, unpack
from redline.bench.faults import BenchmarkError, Fault
from redline.bench.folder import check, load
from redline.bench.places import bundled, cache_root, derived_picture_dir, find
from redline.bench.published_rows import PublishedRow, published_rows
from redline.bench.sample import DRAWN_WITH, EDIT_TYPES, Benchmark, DiagramSample
from redline.bench.selecting import select
from redline.bench.vtikz import ImportReport, import_vtikz

__all__ = [
    "DRAWN_WITH",
    "EDIT_TYPES",
    "FORMATS",
    "Benchmark",
    "BenchmarkError",
    "DiagramSample",
    "Fault",
    "ImportReport",
    "PublishedRow",
    "bundled",
    "cache_root",
    "check",
    "derived_picture_dir",
    "export",
    "find",
    "import_vtikz",
    "load",
    "published_rows",
    "select",
    "unpack",
]
