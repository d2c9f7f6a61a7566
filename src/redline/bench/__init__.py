"""What is measured: samples, the folder format, importers; pure, compiles nothing."""

from redline.bench.exporting import FORMATS, export, unpack
from redline.bench.faults import BenchmarkError, Fault
from redline.bench.folder import check, load
from redline.bench.image_sample import SCALES, ImageSample, Question, Scale, Turn
from redline.bench.places import bundled, cache_root, derived_picture_dir, find
from redline.bench.published_rows import PublishedRow, published_rows
from redline.bench.sample import (
    DRAWN_WITH,
    EDIT_TYPES,
    TRACKS,
    Benchmark,
    DiagramSample,
    Sample,
    Track,
    of_track,
)
from redline.bench.selecting import select
from redline.bench.vtikz import ImportReport, import_vtikz

__all__ = [
    "DRAWN_WITH",
    "EDIT_TYPES",
    "FORMATS",
    "SCALES",
    "TRACKS",
    "Benchmark",
    "BenchmarkError",
    "DiagramSample",
    "Fault",
    "ImageSample",
    "ImportReport",
    "PublishedRow",
    "Question",
    "Sample",
    "Scale",
    "Track",
    "Turn",
    "bundled",
    "cache_root",
    "check",
    "derived_picture_dir",
    "export",
    "find",
    "import_vtikz",
    "load",
    "of_track",
    "published_rows",
    "select",
    "unpack",
]
