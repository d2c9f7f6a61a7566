"""Imports folders of vTikZ: TikZ codes, instructions in words, golds with holes.

vTikZ (Reux, Acher, Khelladi, Quinton, Barais: "LLM Code Customization with Visual Results: A
Benchmark on TikZ", arXiv 2505.04670) is a folder a sample: `NAME/data.json` with instruction,
result_description, difficulty, type and modif_type; `NAME/input.tex`; `NAME/solutions/*.tex`, each
an accepted gold, maybe with holes (bench.holes).

How its words become ours:

| vTikZ                                    | here                                              |
|------------------------------------------|---------------------------------------------------|
| `modif_type` add, remove, update         | `edit_type` ADD, REMOVE, UPDATE                   |
| `type` animal, scientific                | `subtypes` [animal], [scientific]                 |
| `difficulty` easy, medium, hard          | `ratings` [{"by": "vTikZ", "difficulty": ...}]    |
| `instruction`, `result_description`      | the same                                          |
| solutions/*.tex at their holes' defaults | `gold`; with their holes: `gold_template`         |
| (not said)                               | `operations` 1                                    |
| (not said)                               | `source_id` from input.tex, blanks aside          |

It knows no layout or structure edits: an `update` that moves things stays UPDATE. Another value of
`modif_type` skips the sample; another `type` or `difficulty` is kept and reported.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from redline.bench.diagram_lines import essence, read_code
from redline.bench.exporting import write_folder
from redline.bench.faults import Fault, did_you_mean, quoted
from redline.bench.folder import LINES, TOML
from redline.bench.holes import TemplateFault, oddities, parse_template
from redline.bench.importers.report import ImportReport
from redline.bench.keys import line_faults
from redline.bench.named_files import NamedFiles, NameFault
from redline.bench.strict_json import JsonFault, parse_object
from redline.bench.values import safe_name
from redline.errors import UserError

EDIT_TYPE_OF = {"add": "ADD", "remove": "REMOVE", "update": "UPDATE"}
TYPES = ("animal", "scientific")
DIFFICULTIES = ("easy", "medium", "hard")

Renders = Callable[[str], str | None]
"""From a code to why it does not render here, or None where it does."""


@dataclass(frozen=True)
class _Imported:
    line: dict[str, Any]
    files: dict[str, str]


class _Skip(Exception):
    def __init__(self, where: str, what: str, do: str) -> None:
        super().__init__(what)
        self.told = (where, what, do)


def import_vtikz(
    src: Path | str,
    dest: Path | str,
    renders: Renders | None = None,
    *,
    name: str = "vtikz",
    version: str = "1",
    licence: str = "unknown (see the vTikZ repository)",
) -> ImportReport:
    """Make the benchmark folder `dest` of a vTikZ folder, whose subfolders are the samples.

    A sample that can't be used (a malformed hole, no solution, an unknown modif_type) is skipped
    and reported with file and line; the others go on. `renders` is asked about every original and
    gold. Raises UserError where `src` has no sample, none is left, or `dest` is not empty.
    """
    src, dest = Path(src), Path(dest)
    if not src.is_dir():
        raise UserError(f"{src} is not a folder. Name the vTikZ folder with one folder a sample.")
    if dest.exists() and (not dest.is_dir() or any(dest.iterdir())):
        raise UserError(f"{dest} is there already and not empty. Name another place.")
    source = NamedFiles(src)
    names = sorted(
        p.name for p in src.iterdir() if (p / "data.json").exists() or (p / "input.tex").exists()
    )
    if not names:
        raise UserError(f"{src} has no vTikZ sample: expected NAME/data.json and NAME/input.tex.")
    made: list[_Imported] = []
    skipped: list[Fault] = []
    notes: list[Fault] = []
    for sample in names:
        try:
            made.append(_sample(source, sample, notes))
        except _Skip as e:
            skipped.append(Fault(sample, *e.told))
    if not made:
        raise UserError(
            f"No sample of {src} can be imported:\n" + "\n".join(f"  {f}" for f in skipped[:20])
        )
    unrendered = tuple(_unrendered(made, renders)) if renders is not None else ()
    write_folder(dest, _folder(made, name, version, licence))
    return ImportReport(
        dest, tuple(m.line["id"] for m in made), tuple(skipped), unrendered, tuple(notes)
    )


def _sample(source: NamedFiles, name: str, notes: list[Fault]) -> _Imported:
    if not safe_name(name):
        raise _Skip(f"folder {name!a}", "has a name that is unsafe as an id", "Rename the folder")
    data = _data(source, name)
    original = _text(source, f"{name}/input.tex")
    code = f"code/{name}.tex"
    files = {code: original}
    golds: list[str] = []
    templates: list[str] = []
    seen = {essence(original): "input.tex"}
    holes = False
    for path in _solutions(source, name):
        text = _text(source, path)
        try:
            template = parse_template(text)
        except TemplateFault as e:
            raise _Skip(
                f"{path} line {e.line}, column {e.column}", e.what, "Mend the hole and import anew"
            ) from e
        notes += [
            Fault(name, path, o, "The default is used all the same") for o in oddities(template)
        ]
        gold = template.default()
        same = seen.setdefault(essence(gold), path)
        if same != path:
            notes.append(
                Fault(name, path, f"is at its defaults the same code as {same}", "It was left out")
            )
            continue
        holes |= bool(template.holes)
        number = len(golds) + 1
        golds.append(f"code/{name}.gold{number}.tex")
        templates.append(f"code/{name}.gold{number}.template.tex")
        files[golds[-1]] = gold
        files[templates[-1]] = text
    if not golds:
        raise _Skip(f"{name}/solutions", "has no solution that differs from the input", "Add one")
    if not holes:
        for path in templates:
            del files[path]
    line = _line(name, data, original, golds, templates if holes else [], notes)
    for fault in line_faults(line):
        raise _Skip(f"{name}/data.json", f"{fault.key} {fault.what}", fault.do)
    return _Imported(line, files)


def _data(source: NamedFiles, name: str) -> dict[str, Any]:
    where = f"{name}/data.json"
    try:
        data = parse_object(source.read(where, "toml"))
    except NameFault as e:
        raise _Skip(where, str(e), e.do) from e
    except JsonFault as e:
        raise _Skip(where, str(e), "Mend the JSON") from e
    instruction = data.get("instruction")
    if not isinstance(instruction, str) or not instruction.strip():
        raise _Skip(where, "has no instruction", "Add one")
    edit = data.get("modif_type")
    if not isinstance(edit, str) or edit.lower() not in EDIT_TYPE_OF:
        hint = did_you_mean(edit, EDIT_TYPE_OF) if isinstance(edit, str) else ""
        raise _Skip(
            where, f"has modif_type {quoted(edit)}{hint}", f"Use one of {', '.join(EDIT_TYPE_OF)}"
        )
    return data


def _line(
    name: str,
    data: dict[str, Any],
    original: str,
    golds: list[str],
    templates: list[str],
    notes: list[Fault],
) -> dict[str, Any]:
    def word(key: str, known: tuple[str, ...]) -> str:
        value = data.get(key)
        text = value.strip().lower() if isinstance(value, str) else ""
        if text not in known:
            notes.append(
                Fault(name, f"{name}/data.json", f"has {key} {quoted(value)}, which is not one of "
                      f"{', '.join(known)}", "It was kept" if text else "It was left out")
            )  # fmt: skip
        return text

    kind, difficulty = word("type", TYPES), word("difficulty", DIFFICULTIES)
    described = data.get("result_description")
    blank = re.sub(r"\s+", " ", original).strip()
    line: dict[str, Any] = {
        "id": name,
        "edit_type": EDIT_TYPE_OF[data["modif_type"].lower()],
        "subtypes": [kind] if kind else [],
        "operations": 1,
        "code": f"code/{name}.tex",
        "gold": golds,
        "gold_template": templates or None,
        "instruction": data["instruction"].strip(),
        "result_description": described.strip() if isinstance(described, str) else "",
        "origin": f"vTikZ {name}",
        "source_id": f"vtikz-{hashlib.sha256(blank.encode()).hexdigest()[:16]}",
        "ratings": [{"by": "vTikZ", "difficulty": difficulty}] if difficulty else None,
    }
    return {k: v for k, v in line.items() if v not in (None, "", [])}


def _text(source: NamedFiles, name: str) -> str:
    try:
        return read_code(source.read(name, "code"))
    except NameFault as e:
        raise _Skip(name, str(e), e.do) from e
    except ValueError as e:
        raise _Skip(name, str(e), "Save the code as plain UTF-8 text") from e


def _solutions(source: NamedFiles, name: str) -> list[str]:
    """Paths of the solutions: 2 before 10."""
    folder = source.root / name / "solutions"
    found = [p.name for p in folder.iterdir() if p.suffix == ".tex"] if folder.is_dir() else []

    def order(text: str) -> list[tuple[int, int, str]]:
        pieces = re.split(r"(\d+)", text)
        return [(0, int(p), "") if p.isdecimal() else (1, 0, p) for p in pieces]

    return [f"{name}/solutions/{n}" for n in sorted(found, key=order)]


def _unrendered(made: list[_Imported], renders: Renders) -> Iterator[Fault]:
    for one in made:
        for path in (one.line["code"], *one.line["gold"]):
            if (why := renders(one.files[path])) is not None:
                yield Fault(
                    one.line["id"], path, f"does not render here: {why.rstrip('.')}",
                    "Install what it needs, or leave the sample out",
                )  # fmt: skip


def _folder(
    made: list[_Imported], name: str, version: str, licence: str
) -> Iterator[tuple[str, bytes]]:
    toml = {
        "name": name, "version": version, "track": "diagram", "licence": licence,
        "description": "vTikZ, imported by Redline: edits of TikZ codes instructed in words.",
        "citation": "Reux, Acher, Khelladi, Quinton, Barais: LLM Code Customization with Visual "
                    "Results: A Benchmark on TikZ. arXiv 2505.04670.",
    }  # fmt: skip
    # A JSON string without non-ASCII escapes is a TOML basic string.
    rows = [f"{k} = {json.dumps(v, ensure_ascii=False)}\n" for k, v in toml.items()]
    yield TOML, "".join(rows).encode()
    yield LINES, b"".join((json.dumps(m.line, ensure_ascii=False) + "\n").encode() for m in made)
    for one in made:
        for path, text in one.files.items():
            yield path, text.encode()
