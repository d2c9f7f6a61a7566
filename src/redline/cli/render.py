"""`redline render`: documents to PNG, PDF and log."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_args

import typer

from redline.errors import UserError

if TYPE_CHECKING:
    from redline.tex import Render


def render_command(
    files: Annotated[list[Path], typer.Argument(help="TeX documents.")],
    out: Annotated[
        Path, typer.Option("--out", help="Folder for PNG, PDF and log of each document.")
    ] = Path("renders"),
    engine: Annotated[
        str, typer.Option("--engine", help="pdflatex, lualatex or xelatex; else by the preamble.")
    ] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    unsandboxed: Annotated[
        bool,
        typer.Option("--unsandboxed", help="Run without a sandbox; only for trusted documents."),
    ] = False,
    workers: Annotated[int, typer.Option("--workers", min=1, help="Documents at a time.")] = 2,
) -> None:
    """Render documents; exit 0 if all gave a page, 3 if some did not."""
    from redline.bench import cache_root
    from redline.tex import Engine, Renderer, described

    if engine and engine not in get_args(Engine):
        raise UserError(f"No engine {engine!r}. Engines are: {', '.join(get_args(Engine))}.")
    sources = [(path, _read(path)) for path in files]
    try:
        out.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise UserError(f"{out} is a file; --out names a folder.") from None
    asked: Any = engine or None
    sandbox: Any = "none" if unsandboxed else "bubblewrap"
    renderer = Renderer(sandbox=sandbox, cache_dir=cache_root() / "renders")
    with renderer, ThreadPoolExecutor(workers) as pool:
        renders = list(pool.map(lambda source: renderer.render(source[1], asked), sources))
    rows = []
    for (path, code), render in zip(sources, renders, strict=True):
        told = {**described(render), "seconds": render.seconds}
        rows.append({"file": str(path), **told, **_write(out, path, code, render)})
    if as_json:
        typer.echo(json.dumps({"out": str(out), "renders": rows}, indent=2, ensure_ascii=False))
    else:
        _show(sources, renders, out)
    if any(render.png is None for render in renders):
        raise typer.Exit(3)


def _read(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8", "replace")
    except IsADirectoryError:
        raise UserError(f"{path} is a folder; name its files, as in {path}/*.tex.") from None
    except FileNotFoundError:
        raise UserError(f"There is no file {path}.") from None


def _write(out: Path, path: Path, code: str, render: Render) -> dict[str, str | None]:
    """Write what there is under the document's name and hash; gives the file names."""
    digest = hashlib.sha256(code.encode("utf-8", "replace")).hexdigest()
    stem = f"{path.stem}-{digest[:12]}-{render.engine}"
    parts = {"png": render.png, "pdf": render.pdf, "log": render.log.encode("utf-8", "replace")}
    names: dict[str, str | None] = {"sha256": digest}
    for kind, data in parts.items():
        names[kind] = f"{stem}.{kind}" if data else None
        if data:
            (out / f"{stem}.{kind}").write_bytes(data)
    return names


def _show(sources: Sequence[tuple[Path, str]], renders: Sequence[Render], out: Path) -> None:
    from redline.cli.tables import Table, show

    rows = []
    for (path, _), render in zip(sources, renders, strict=True):
        size = "x".join(map(str, render.size_px)) if render.size_px else "-"
        rows.append(
            [path.name, render.status, render.engine, str(render.pages), size, _why(render)]
        )
    columns = ["file", "status", "engine", "pages", "pixels", "first error"]
    notes = [f"PNG, PDF and log of each document are in {out}."]
    if not all(render.sandboxed for render in renders):
        notes.append("Run without a sandbox.")
    show(Table("", columns, rows, notes, words=("status", "engine", "first error")))


def _why(render: Render) -> str:
    dropped = len(render.missing_characters)
    if render.error is None:
        return f"{dropped} missing character{'s' * (dropped > 1)}" if dropped else ""
    line = f"line {render.error.line}: " if render.error.line else ""
    return f"{render.error.kind}, {line}{render.error.message}"
