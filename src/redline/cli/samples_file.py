"""samples.json beside run.json: what results need to know of each sample, so that a run folder is
enough, and what each provider does to pictures of the run's size."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from redline.errors import UserError

if TYPE_CHECKING:
    from redline.rows import Facts

NAME = "samples.json"


@dataclass(frozen=True)
class SamplesFile:
    """`facts` in the order of the run's rows; `picture_scaling` by role or judge: a sentence on
    what its provider does to the pictures it is sent."""

    facts: Sequence[Facts]
    picture_scaling: Mapping[str, str]


def write(run: Path, facts: Sequence[Facts], picture_scaling: Mapping[str, str]) -> None:
    """Keep the facts once, whole; a role or judge that joins the run later is added."""
    from redline.run.disk import replace

    path = run / NAME
    kept = dict(read(run).picture_scaling) if path.exists() else None
    if kept is not None and picture_scaling.items() <= kept.items():
        return
    data = {
        "samples": [f.as_json() for f in facts],
        "picture_scaling": {**(kept or {}), **picture_scaling},
    }
    replace(path, json.dumps(data, ensure_ascii=False).encode())


def read(run: Path) -> SamplesFile:
    """Raises UserError for a file that is not there or damaged."""
    from redline.rows import Facts

    path = run / NAME
    try:
        kept = json.loads(path.read_bytes())
        facts = [Facts.read(s) for s in kept["samples"]]
        return SamplesFile(facts, {str(k): str(v) for k, v in kept["picture_scaling"].items()})
    except FileNotFoundError:
        raise UserError(
            f"{run} has no {NAME}: its run stopped while it began. Start its command again."
        ) from None
    except OSError as e:
        raise UserError(f"{path} can't be read ({e.strerror}).") from e
    except (ValueError, KeyError, TypeError, AttributeError) as e:
        raise UserError(
            f"{path} is damaged ({type(e).__name__}: {e}); delete it and start the run's command "
            "again, which makes it anew."
        ) from e
