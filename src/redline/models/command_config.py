"""`[command.NAME]` in the user's own TOML: which program plays a model, and how it is called."""

from __future__ import annotations

import hashlib
import json
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from redline.errors import UserError
from redline.models.names import ModelNameError

EXAMPLE = '[command.NAME]\nargv = ["python3", "/path/to/program.py"]\nmode = "stdin"'


class CommandConfigError(UserError):
    """A configuration that can't be used."""


@dataclass(frozen=True)
class CommandConfig:
    """`argv` is run as it is, without a shell. `env` names the only variables that are passed on.
    `timeout_s` None: the time-out of the model's settings; a batch has as many times that as it has
    requests. `batch` and `window_s` are for mode `batch`: the most requests of one start, and how
    long a batch that is not full waits after the last call."""

    name: str
    argv: tuple[str, ...]
    mode: Literal["stdin", "files", "batch"]
    env: tuple[str, ...]
    timeout_s: float | None
    batch: int = 32
    window_s: float = 2.0

    @property
    def identity(self) -> str:
        """The program's own name and a SHA-256 over what decides which program answers: another
        one behind the same `command/NAME` is another model. `argv` itself is never written down:
        it may hold paths and secrets."""
        told = json.dumps([self.mode, *self.argv]).encode()
        return f"{Path(self.argv[0]).name} {hashlib.sha256(told).hexdigest()}"


def load_command(name: str, path: Path) -> CommandConfig:
    """Read `[command.NAME]`. Raises ModelNameError for a name that isn't there and
    CommandConfigError with a sentence for a file that can't be used."""
    from pydantic import BaseModel, ConfigDict, Field, ValidationError

    class Entry(BaseModel):
        model_config = ConfigDict(extra="forbid", strict=True)
        argv: list[str] = Field(min_length=1)
        mode: Literal["stdin", "files", "batch"] = "stdin"
        env: list[str] = []
        timeout_s: float | None = Field(default=None, gt=0)
        batch: int = Field(default=32, ge=1)
        window_s: float = Field(default=2.0, ge=0)

    try:
        data = tomllib.loads(path.read_text())
    except FileNotFoundError:
        raise ModelNameError(
            f"command/{name} is not set up: {path} does not exist. Write into it:\n{EXAMPLE}"
        ) from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as e:
        raise CommandConfigError(f"{path} can't be read: {e}.") from None
    table = data.get("command")
    entries = table if isinstance(table, dict) else {}
    if name not in entries:
        known = ", ".join(f"command/{n}" for n in entries) or "none"
        raise ModelNameError(
            f"{path} has no [command.{name}] (there: {known}). Write into it:\n{EXAMPLE}"
        )
    try:
        entry = Entry.model_validate(entries[name])
    except ValidationError as e:
        faults = "; ".join(
            f"{'.'.join(map(str, f['loc'])) or 'the entry'}: {f['msg']}" for f in e.errors()
        )
        raise CommandConfigError(f"[command.{name}] in {path} is wrong: {faults}.") from None
    return CommandConfig(
        name,
        tuple(entry.argv),
        entry.mode,
        tuple(entry.env),
        entry.timeout_s,
        entry.batch,
        entry.window_s,
    )
