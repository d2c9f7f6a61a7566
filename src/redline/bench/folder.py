"""A benchmark folder: found faulty with all its faults at once, or loaded."""

from __future__ import annotations

import io
import os
import tomllib
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from redline.bench.diagram_lines import diagram_faults, read_diagram
from redline.bench.faults import BenchmarkError, Fault
from redline.bench.image_checks import context_faults, image_faults
from redline.bench.image_keys import image_line_faults
from redline.bench.image_lines import read_image
from redline.bench.image_sample import ImageSample
from redline.bench.keys import line_faults, toml_faults
from redline.bench.named_files import NamedFiles, NameFault, folder_hash
from redline.bench.reading import Reading
from redline.bench.sample import TRACKS, Benchmark, DiagramSample, Sample
from redline.bench.strict_json import JsonFault, parse_object
from redline.bench.values import safe_name

TOML = "benchmark.toml"
LINES = "samples.jsonl"
LONGEST_LINE = 1 << 20
MOST_FAULTS = 10_000
"""Where reading ends: a file of some other kind would give one fault a line."""

ContentCheck = Callable[[DiagramSample], Iterable[Fault]]


def check(folder: Path | str, content: ContentCheck | None = None) -> list[Fault]:
    """Every fault of a benchmark folder, in file order, and for pictures with turns also notes
    (faults of severity `note`, which leave the folder well-formed); empty where there is none.

    Looks at benchmark.toml, each line of samples.jsonl, each file named there, and how a sample's
    pictures, masks and drawings fit together. It compiles nothing: `content` is asked for the
    faults of each diagram sample whose form is right (the diagram track compiles the codes).
    Never raises for what is in the folder.
    """
    reading = _read(Path(folder))
    diagrams = [s for s in reading.samples if isinstance(s, DiagramSample)]
    images = [s for s in reading.samples if isinstance(s, ImageSample)]
    for sample in diagrams:
        found = list(diagram_faults(sample))
        if not found and content is not None:
            found = list(content(sample))
        reading.faults += found
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        for faults in pool.map(lambda s: list(image_faults(s)), images):
            reading.faults += faults
    hashes = {name: file.sha256 for name, file in reading.files.known.items()}
    reading.faults += context_faults(images, hashes)
    return reading.faults


def load(folder: Path | str) -> Benchmark[Sample]:
    """Read a benchmark folder. Raises BenchmarkError with all faults it meets.

    It looks at everything that `check` does except into the pictures and scenes, whose bytes it
    only hashes, and gives no notes. `hash` is SHA-256 over the lines `SHA256  PATH\\n`, sorted by
    path (as bytes of UTF-8 compare), of benchmark.toml, samples.jsonl and every file that
    samples.jsonl names, each once; so any change of a byte in them changes it. Files that no line
    names never do: a README, or pictures derived from the codes, which live in a cache
    (`derived_picture_dir`).
    """
    root = Path(folder)
    reading = _read(root)
    if reading.faults or reading.toml is None:
        raise BenchmarkError(root, reading.faults)
    toml = reading.toml
    return Benchmark(
        root=reading.files.root,
        name=toml["name"],
        version=toml["version"],
        track=toml["track"],
        licence=toml["licence"],
        samples=tuple(reading.samples),
        hash=folder_hash({n: f.sha256 for n, f in reading.files.known.items()}),
        description=toml.get("description", ""),
        citation=toml.get("citation", ""),
        defaults=dict(toml.get("defaults", {})),
        origin=toml.get("origin", ""),
    )


def _read(folder: Path) -> Reading:
    reading = Reading(NamedFiles(folder))
    if not folder.is_dir():
        reading.add("", str(folder), "is not a folder", "Name a folder with a benchmark.toml")
        return reading
    _read_toml(reading)
    first_line: dict[str, int] = {}
    for number, line in _lines(reading):
        _read_line(reading, number, line, first_line)
    return reading


def _read_toml(reading: Reading) -> None:
    try:
        data = reading.files.read(TOML, "toml")
    except NameFault as e:
        reading.add("", TOML, str(e), e.do)
        return
    try:
        if data.startswith(b"\xef\xbb\xbf"):
            raise ValueError("it begins with a byte order mark")
        table = tomllib.loads(data.decode("utf-8"))
    except (ValueError, RecursionError) as e:
        said = "it is nested too deep" if isinstance(e, RecursionError) else str(e)
        reading.add("", TOML, f"can't be read as TOML: {said}", "Mend it; save it as plain UTF-8")
        return
    if table.get("track") in TRACKS:
        reading.track = table["track"]
    faults = toml_faults(table)
    for fault in faults:
        reading.add("", f"{TOML}, key {fault.key}", fault.what, fault.do)
    if not faults:
        reading.toml = table


def _lines(reading: Reading) -> Iterator[tuple[int, bytes]]:
    """Numbered lines of samples.jsonl that are not blank."""
    try:
        data = reading.files.read(LINES, "lines")
    except NameFault as e:
        reading.add("", LINES, str(e), e.do)
        return
    count = 0
    for number, line in enumerate(io.BytesIO(data), start=1):
        if not line.strip():
            continue
        count += 1
        if len(reading.faults) >= MOST_FAULTS:
            reading.add(
                "", f"{LINES} line {number}", f"was not looked at after {MOST_FAULTS:,} faults",
                "Mend those first",
            )  # fmt: skip
            return
        if len(line) > LONGEST_LINE:
            reading.add(
                "", f"{LINES} line {number}", f"has {len(line):,} bytes",
                f"Keep a line below {LONGEST_LINE:,}; name long texts by files",
            )  # fmt: skip
            continue
        yield number, line.rstrip(b"\r\n")
    if not count:
        reading.add("", LINES, "has no samples", "Write one sample a line")


def _read_line(reading: Reading, number: int, data: bytes, first_line: dict[str, int]) -> None:
    where = f"{LINES} line {number}"
    try:
        line = parse_object(data)
    except JsonFault as e:
        reading.add("", where, str(e), "Write one JSON object a line, in plain UTF-8")
        return
    named = line.get("id")
    sample = named if isinstance(named, str) and safe_name(named) else ""
    before = len(reading.faults)
    # A benchmark.toml that names no track is told elsewhere; the lines say what they are of.
    image = (reading.track or ("image" if "turns" in line else "diagram")) == "image"
    faults = image_line_faults(line) if image else line_faults(line)
    for fault in faults:
        reading.add(sample, f"{where}, key {fault.key}", fault.what, fault.do)
    if sample:
        # Two ids that differ only in case are one file on some systems.
        first = first_line.setdefault(sample.casefold(), number)
        if first != number:
            reading.add(
                sample, f"{where}, key id", f"is the same as in line {first}",
                "Give each sample an id of its own (upper and lower case count as the same)",
            )  # fmt: skip
    read = read_image if image else read_diagram
    make: Callable[[], Sample] = read(reading, sample, where, line, {f.key for f in faults})
    if len(reading.faults) == before:
        reading.samples.append(make())
