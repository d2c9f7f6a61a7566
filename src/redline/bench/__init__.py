"""What is measured: samples, the folder format, importers; pure, compiles nothing."""

from redline.bench.exporting import FORMATS, export, unpack
from redline.bench.faults import BenchmarkError, Fault
from redline.bench.folder import check, load
from redline.bench.image_sample import SCALES, ImageSample, Question, Scale, Turn
from redline.bench.importers.image_formats import IMAGE_FORMATS, import_images
from redline.bench.importers.report import ImportReport
from redline.bench.importers.vtikz import import_vtikz
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

__all__ = [
    "DRAWN_WITH",
    "EDIT_TYPES",
    "FORMATS",
    "IMAGE_FORMATS",
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
    "import_images",
    "import_vtikz",
    "load",
    "of_track",
    "published_rows",
    "select",
    "unpack",
]
