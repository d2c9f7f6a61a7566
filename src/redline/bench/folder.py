"""A benchmark folder: found faulty with all its faults at once, or loaded."""

from __future__ import annotations

import hashlib
import io
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from redline.bench.drawing_checks import picture_faults, scene_faults
from redline.bench.faults import BenchmarkError, Fault
from redline.bench.holes import TemplateFault, parse_template
from redline.bench.keys import FILE_KEYS, line_faults, safe_name, toml_faults
from redline.bench.named_files import NamedFiles, NameFault, folder_hash
from redline.bench.sample import Benchmark, DiagramSample, Sample
from redline.bench.strict_json import JsonFault, parse_object

TOML = "benchmark.toml"
LINES = "samples.jsonl"
LONGEST_LINE = 1 << 20
MOST_FAULTS = 10_000
"""Where reading ends: a file of some other kind would give one fault a line."""

ContentCheck = Callable[[DiagramSample], Iterable[Fault]]


@dataclass
class _Reading:
    """A folder while it is read: what was found so far."""

    files: NamedFiles
    faults: list[Fault] = field(default_factory=list)
    toml: Mapping[str, Any] | None = None
    samples: list[DiagramSample] = field(default_factory=list)
    codes: dict[str, str] = field(default_factory=dict)

    def add(self, sample: str, where: str, what: str, do: str) -> None:
        self.faults.append(Fault(sample, where, what, do))


def check(folder: Path | str, content: ContentCheck | None = None) -> list[Fault]:
    """Every fault of a benchmark folder, in file order; empty where there is none.

    Looks at benchmark.toml, each line of samples.jsonl, each file named there, and how a sample's
    pictures and drawing fit together. It compiles nothing: `content` is asked for the faults of
    each sample whose form is right (the diagram track compiles the codes). Never raises for what
    is in the folder.
    """
    reading = _read(Path(folder))
    for sample in reading.samples:
        found = list(_deep_faults(sample))
        if not found and content is not None:
            found = list(content(sample))
        reading.faults += found
    return reading.faults


def load(folder: Path | str) -> Benchmark[Sample]:
    """Read a benchmark folder. Raises BenchmarkError with all faults it meets.

    It looks at everything that `check` does except into the pictures and scenes, whose bytes it
    only hashes. `hash` is SHA-256 over the lines `SHA256  PATH\\n`, sorted by path (as bytes of
    UTF-8 compare), of benchmark.toml, samples.jsonl and every file that samples.jsonl names, each
    once; so any change of a byte in them changes it. Files that no line names never do: a README,
    or pictures derived from the codes, which live in a cache (`derived_picture_dir`).
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
    )


def _read(folder: Path) -> _Reading:
    reading = _Reading(NamedFiles(folder))
    if not folder.is_dir():
        reading.add("", str(folder), "is not a folder", "Name a folder with a benchmark.toml")
        return reading
    _read_toml(reading)
    first_line: dict[str, int] = {}
    for number, line in _lines(reading):
        _read_line(reading, number, line, first_line)
    return reading


def _read_toml(reading: _Reading) -> None:
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
    faults = toml_faults(table)
    for fault in faults:
        reading.add("", f"{TOML}, key {fault.key}", fault.what, fault.do)
    if not faults:
        reading.toml = table


def _lines(reading: _Reading) -> Iterator[tuple[int, bytes]]:
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


def _read_line(reading: _Reading, number: int, data: bytes, first_line: dict[str, int]) -> None:
    where = f"{LINES} line {number}"
    try:
        line = parse_object(data)
    except JsonFault as e:
        reading.add("", where, str(e), "Write one JSON object a line, in plain UTF-8")
        return
    named = line.get("id")
    sample = named if isinstance(named, str) and safe_name(named) else ""
    before = len(reading.faults)
    faults = line_faults(line)
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
    bad = {f.key for f in faults}
    files = _read_files(reading, sample, where, line, bad)
    _code_faults(reading, sample, where, line, bad)
    if len(reading.faults) == before:
        reading.samples.append(_sample(reading, line, files))


def _named(line: Mapping[str, Any], key: str) -> list[str]:
    value = line.get(key)
    if value is None:
        return []
    return list(value) if isinstance(value, list) else [value]


def _read_files(
    reading: _Reading, sample: str, where: str, line: Mapping[str, Any], bad: set[str]
) -> dict[str, Path]:
    """Looks every named file up; codes are kept as text."""
    found: dict[str, Path] = {}
    for key, kind in FILE_KEYS.items():
        if key in bad:
            continue
        for name in _named(line, key):
            try:
                if kind == "code" and name not in reading.codes:
                    reading.codes[name] = read_code(reading.files.read(name, kind))
                found[name] = reading.files.touch(name, kind).path
            except NameFault as e:
                reading.add(sample, f"{where}, key {key}", str(e), e.do)
            except ValueError as e:
                reading.add(
                    sample, f"{where}, file {name}", str(e), "Save the code as plain UTF-8 text"
                )
    return found


def read_code(data: bytes) -> str:
    """TeX code as text with `\\n` line ends. Raises ValueError with what is wrong."""
    if data.startswith(b"\xef\xbb\xbf"):
        raise ValueError("begins with a byte order mark")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as e:
        line = data.count(b"\n", 0, e.start) + 1
        raise ValueError(f"is not UTF-8 (line {line})") from e
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise ValueError(f"has a NUL character (line {line})")
    if not text.strip():
        raise ValueError("is empty")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _code_faults(
    reading: _Reading, sample: str, where: str, line: Mapping[str, Any], bad: set[str]
) -> None:
    """Golds that equal the original or one another; templates that do not give their gold."""
    if "code" in bad or "gold" in bad:
        return
    seen = {essence(reading.codes[n]): "the original" for n in _named(line, "code")
            if n in reading.codes}  # fmt: skip
    golds = _named(line, "gold")
    for name in golds:
        if name in reading.codes:
            same = seen.setdefault(essence(reading.codes[name]), f"gold {name}")
            if same != f"gold {name}":
                reading.add(
                    sample, f"{where}, key gold", f"{name} is the same code as {same}",
                    "Make it an edit of the original unlike the other golds, or remove it",
                )  # fmt: skip
    if "gold_template" in bad:
        return
    for gold, name in zip(golds, _named(line, "gold_template"), strict=False):
        if gold not in reading.codes or name not in reading.codes:
            continue
        try:
            default = parse_template(reading.codes[name]).default()
        except TemplateFault as e:
            reading.add(sample, f"{where}, file {name}", str(e), "Mend the hole")
            continue
        if essence(default) != essence(reading.codes[gold]):
            reading.add(
                sample, f"{where}, key gold_template",
                f"{name} at its defaults is not the gold {gold}", "Make the gold from the template",
            )  # fmt: skip


def essence(code: str) -> str:
    """Code without trailing blanks: what two codes are compared by."""
    return "\n".join(x.rstrip() for x in code.strip().split("\n"))


def _sample(reading: _Reading, line: Mapping[str, Any], files: Mapping[str, Path]) -> DiagramSample:
    code = reading.codes[line["code"]]

    def text(key: str) -> str:
        return line.get(key) or ""

    def path(key: str) -> Path | None:
        return files[line[key]] if line.get(key) is not None else None

    return DiagramSample(
        id=line["id"],
        edit_type=line["edit_type"],
        operations=line["operations"],
        code=code,
        golds=tuple(reading.codes[n] for n in line["gold"]),
        instruction=text("instruction"),
        subtypes=tuple(line.get("subtypes") or ()),
        drawn_with=line.get("drawn_with"),
        picture=path("picture"),
        gold_picture=path("gold_picture"),
        overlay=path("overlay"),
        instruction_picture=path("instruction_picture"),
        scene=path("scene"),
        origin=text("origin"),
        source_id=text("source_id") or f"code-{hashlib.sha256(code.encode()).hexdigest()[:16]}",
        licence=text("licence"),
        instruction_model=line.get("instruction_model"),
        gold_model=line.get("gold_model"),
        annotator=line.get("annotator"),
        ratings=tuple(line.get("ratings") or ()),
        files=dict(files),
        gold_templates=tuple(reading.codes[n] for n in _named(line, "gold_template")),
        result_description=text("result_description"),
    )


def _deep_faults(sample: DiagramSample) -> Iterator[Fault]:
    """What only a look into pictures and scene shows."""
    paths = {
        key: path
        for key in ("picture", "gold_picture", "overlay", "instruction_picture")
        if (path := getattr(sample, key)) is not None
    }
    for key, what, do in picture_faults(paths):
        yield Fault(sample.id, f"{key}", what, do)
    if sample.scene is not None:
        for what, do in scene_faults(sample.scene.read_bytes(), sample.drawn_with):
            yield Fault(sample.id, f"scene {sample.scene.name}", what, do)
