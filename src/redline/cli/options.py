"""Options that several commands share, and what they are turned into."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from redline.json_hooks import JsonFault, unique_keys

if TYPE_CHECKING:
    from redline.cli.composing import JudgeOptions
    from redline.run import Options

Bench = Annotated[str, typer.Argument(help="A bundled benchmark's name or a benchmark folder.")]
Out = Annotated[Path | None, typer.Option(help="The run folder; by default under runs/.")]
Judge = Annotated[str | None, typer.Option(help="The judge, as provider/name.")]
JudgeInputsOption = Annotated[
    str,
    typer.Option(
        "--judge-inputs",
        help="What the judge sees, of original, instruction_picture, instruction_text, gold, "
        "candidate; by default all.",
    ),
]
JudgeLevels = Annotated[
    str, typer.Option("--judge-levels", help="At which levels to judge: image, code or both.")
]
JudgeRepeats = Annotated[int, typer.Option(min=1, help="Verdicts a row.")]
JudgeSetting = Annotated[
    list[str] | None,
    typer.Option(help="A sampling setting of the judge, NAME=VALUE (JSON value); repeatable."),
]
ImageRubric = Annotated[str, typer.Option(help="Rubric at image level: a name or a TOML file.")]
CodeRubric = Annotated[str, typer.Option(help="Rubric at code level: a name or a TOML file.")]
Ids = Annotated[str | None, typer.Option(help="Only these samples, separated by commas.")]
Limit = Annotated[int | None, typer.Option(min=1, help="Only the first N samples.")]
EditType = Annotated[str | None, typer.Option(help="Only samples of this edit type.")]
Budget = Annotated[
    float | None, typer.Option(min=0, help="Stop before spending more than this, in USD.")
]
Connections = Annotated[int, typer.Option(min=1, help="Most calls at once to one model.")]
Rpm = Annotated[int | None, typer.Option(min=1, help="Most calls a minute to one model.")]
Tpm = Annotated[int | None, typer.Option(min=1, help="Most tokens a minute to one model.")]
Workers = Annotated[int | None, typer.Option(min=1, help="Documents rendered at once.")]
Cache = Annotated[
    bool, typer.Option("--cache", help="Use replies that earlier runs got to the same requests.")
]
KeyEnv = Annotated[
    str | None,
    typer.Option(help="Variable that holds the key of an http:// or https:// model."),
]
JudgeKeyEnv = Annotated[str | None, typer.Option(help="The same for the judge.")]
Unsandboxed = Annotated[
    bool, typer.Option("--unsandboxed", help="Run TeX without a sandbox; recorded in the run.")
]
Stages = Annotated[
    str, typer.Option(help="Only these stages: generate, render, measure, judge; all by default.")
]
Scale = Annotated[
    str | None, typer.Option(help="Photographs: only samples with a turn of it, low or high.")
]
Origin = Annotated[str | None, typer.Option(help="Only samples from this set.")]
Turns = Annotated[
    str,
    typer.Option(
        help="Photographs: cumulative (each round starts from the model's own picture) or "
        "gt_input (from the last gold); auto is cumulative where there are dialogues."
    ),
]
Profiles = Annotated[
    str, typer.Option(help="Photographs: corrected, upstream, aspect, or several by commas.")
]
Measures = Annotated[
    str, typer.Option(help="Photographs: names of picture measures; the benchmark's by default.")
]
Weights = Annotated[
    Path | None,
    typer.Option(
        help="Photographs: folder with weights of LPIPS, CLIP and DINO (docs/measures.md)."
    ),
]
Trunk = Annotated[str, typer.Option(help="Photographs: LPIPS trunk: vgg, alex or squeeze.")]
Dtype = Annotated[str, typer.Option(help="Photographs: fp32, or bf16 where the processor has it.")]
Questions = Annotated[
    str, typer.Option(help="Photographs: question protocol: referee, answer-match or none.")
]
Rubric = Annotated[
    str, typer.Option(help="Photographs: rubric scored beside the questions: a name or TOML file.")
]
Retention = Annotated[
    bool, typer.Option("--retention", help="Photographs: ask earlier rounds' questions again.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print the results as JSON.")]
ConfigOption = Annotated[
    Path | None,
    typer.Option(
        "--config",
        help="TOML file with any of these options (command line wins), and [command.NAME] and "
        "[diffusers.NAME] models (docs/files-of-your-own.md).",
        is_eager=True,
        callback=lambda ctx, value: _defaults(ctx, value),
    ),
]


MODEL_TABLES = ("command", "diffusers")
"""Tables of the user's TOML that set up models; all else in it is an option."""


def _defaults(ctx: typer.Context, path: Path | None) -> Path | None:
    """Options from a TOML file become this command's defaults."""
    if path is None:
        return None
    import tomllib

    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as e:
        raise typer.BadParameter(f"{path} can't be read as TOML: {e}") from e
    given = {k.replace("-", "_"): v for k, v in data.items() if k not in MODEL_TABLES}
    known = {p.name for p in ctx.command.params}
    unknown = sorted(set(given) - known)
    if unknown:
        raise typer.BadParameter(f"{path} sets {', '.join(unknown)}, which this command has not.")
    for name, value in given.items():
        if isinstance(value, dict) and name in ("setting", "judge_setting", "verbalizer_setting"):
            given[name] = [f"{k}={json.dumps(v)}" for k, v in value.items()]
        elif isinstance(value, (list, dict)) and name == "ids":
            given[name] = ",".join(value)
        elif isinstance(value, dict):
            given[name] = json.dumps(value)
    ctx.default_map = {**(ctx.default_map or {}), **given}
    return path


def sample_ids(text: str | None) -> tuple[str, ...]:
    if text is None:
        return ()
    found = tuple(i.strip() for i in text.split(",") if i.strip())
    if not found:
        raise typer.BadParameter("--ids names no sample.")
    return found


def names_of(text: str) -> tuple[str, ...]:
    return tuple(n.strip() for n in text.split(",") if n.strip())


def settings_from(pairs: list[str] | None) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for pair in pairs or []:
        name, equals, text = pair.partition("=")
        if not equals:
            raise typer.BadParameter(f"A setting is NAME=VALUE; got {pair!r}.")
        try:
            found[name.strip()] = json.loads(text, object_pairs_hook=unique_keys)
        except JsonFault as e:
            raise typer.BadParameter(f"Setting {name.strip()}: {e}.") from e
        except ValueError:
            found[name.strip()] = text.strip()
    return found


def json_object(text: str, option: str) -> Mapping[str, Any]:
    try:
        value = json.loads(text, object_pairs_hook=unique_keys)
    except ValueError as e:
        raise typer.BadParameter(f"{option} is not JSON: {e}") from e
    if not isinstance(value, dict):
        raise typer.BadParameter(f"{option} must be a JSON object.")
    return value


def judge_options(
    name: str | None,
    image_rubric: str,
    code_rubric: str,
    inputs: str,
    levels: str,
    repeats: int,
    setting: list[str] | None,
    questions: str = "referee",
    rubric: str = "",
    retention: bool = False,
) -> JudgeOptions | None:
    from redline.cli.composing import JudgeOptions

    if name is None:
        return None
    return JudgeOptions(
        name, image_rubric, code_rubric, inputs, repeats, settings_from(setting), levels,
        questions, rubric, retention,
    )  # fmt: skip


def limits_from(
    connections: int,
    rpm: int | None,
    tpm: int | None,
    workers: int | None,
    budget: float | None,
    cache: bool,
) -> Options:
    from redline.bench import cache_root
    from redline.run import Options

    options = Options(
        connections=connections,
        requests_per_minute=rpm,
        tokens_per_minute=tpm,
        budget_usd=budget,
        cache_dir=cache_root() / "replies" if cache else None,
    )
    return options if workers is None else replace(options, workers=workers)
