"""`redline doctor`: what is there, what is missing, and the command that mends it."""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path
from typing import Annotated

import typer


def doctor_command(
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Check engines, packages, fonts, sandbox, keys (never shown) and disk; exit 2 if the demo
    could not run."""
    from redline.models import keys_present
    from redline.tex import diagnose
    from redline.version import __version__

    facts = [{"name": f.name, "ok": f.ok, "detail": f.detail, "mend": f.mend} for f in diagnose()]
    facts.insert(0, {
        "name": "python", "ok": True, "mend": None,
        "detail": f"{sys.version.split()[0]}, redline {__version__}",
    })  # fmt: skip
    keys = [
        {"provider": provider, "variable": variable, "present": there}
        for provider, variable, there in keys_present(os.environ)
    ]
    free = shutil.disk_usage(Path.cwd()).free / 1e9
    facts.append({
        "name": "disk for runs", "ok": free > 1, "detail": f"{free:.1f} GB free here",
        "mend": None if free > 1 else "Free some disk space, or run in another folder.",
    })  # fmt: skip
    ok = all(f["ok"] for f in facts)
    if as_json:
        typer.echo(json.dumps({"ok": ok, "facts": facts, "keys": keys}, indent=2))
    else:
        for f in facts:
            typer.echo(f"{'ok     ' if f['ok'] else 'MISSING'}  {f['name']}: {f['detail']}")
            if not f["ok"] and f["mend"]:
                typer.echo(
                    "".join(f"         {line}\n" for line in str(f["mend"]).splitlines()), nl=False
                )
        for k in keys:
            said = "is set" if k["present"] else "is not set"
            typer.echo(f"key      {k['provider']}: {k['variable']} {said}")
    if not ok:
        raise typer.Exit(2)
