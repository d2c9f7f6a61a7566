"""A line of samples.jsonl as a diagram sample: its files, its codes, what is wrong with them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from redline.bench.drawing_checks import picture_faults, scene_faults
from redline.bench.faults import Fault
from redline.bench.holes import TemplateFault, parse_template
from redline.bench.keys import FILE_KEYS
from redline.bench.named_files import NameFault
from redline.bench.reading import Reading
from redline.bench.sample import DiagramSample


def read_diagram(
    reading: Reading, sample: str, where: str, line: Mapping[str, Any], bad: set[str]
) -> Callable[[], DiagramSample]:
    """Looks at the files that a line names; what is wrong goes to `reading`. `bad` are keys known
    to be faulty. What comes back makes the sample, and may be called if nothing was wrong."""
    files = _read_files(reading, sample, where, line, bad)
    _code_faults(reading, sample, where, line, bad)
    return lambda: _sample(reading, line, files)


def _named(line: Mapping[str, Any], key: str) -> list[str]:
    value = line.get(key)
    if value is None:
        return []
    return list(value) if isinstance(value, list) else [value]


def _read_files(
    reading: Reading, sample: str, where: str, line: Mapping[str, Any], bad: set[str]
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
    reading: Reading, sample: str, where: str, line: Mapping[str, Any], bad: set[str]
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


def _sample(reading: Reading, line: Mapping[str, Any], files: Mapping[str, Path]) -> DiagramSample:
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


def diagram_faults(sample: DiagramSample) -> Iterator[Fault]:
    """What only a look into pictures and scene shows."""
    paths = {
        key: path
        for key in ("picture", "gold_picture", "overlay", "instruction_picture")
        if (path := getattr(sample, key)) is not None
    }
    for key, what, do in picture_faults(paths):
        yield Fault(sample.id, key, what, do)
    if sample.scene is not None:
        for what, do in scene_faults(sample.scene.read_bytes(), sample.drawn_with):
            yield Fault(sample.id, f"scene {sample.scene.name}", what, do)
