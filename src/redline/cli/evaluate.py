"""`redline eval`, `score`, `judge` and `measure`: run stages of the diagram track."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from redline.cli import samples_file
from redline.cli.options import (
    AsJson,
    Bench,
    Budget,
    Cache,
    CodeRubric,
    ConfigOption,
    Connections,
    Dtype,
    EditType,
    Ids,
    ImageRubric,
    Judge,
    JudgeInputsOption,
    JudgeKeyEnv,
    JudgeLevels,
    JudgeRepeats,
    JudgeSetting,
    KeyEnv,
    Limit,
    Measures,
    Origin,
    Out,
    Profiles,
    Questions,
    Retention,
    Rpm,
    Rubric,
    Scale,
    Stages,
    Tpm,
    Trunk,
    Turns,
    Unsandboxed,
    Weights,
    Workers,
    json_object,
    judge_options,
    limits_from,
    names_of,
    sample_ids,
    settings_from,
)
from redline.errors import plain

if TYPE_CHECKING:
    from redline.cli.composing import EvalOptions, JudgeOptions
    from redline.run import Options, Role


def eval_command(
    bench: Bench,
    model: Annotated[
        str, typer.Option(help="provider/name, URL#name, baseline/NAME, command/NAME, replay/RUN.")
    ],
    judge: Judge = None,
    condition: Annotated[
        str,
        typer.Option(
            help="visual, text, visual+text, verbalized or visual+verbalized; by default visual "
            "for diagrams, text for photographs."
        ),
    ] = "",
    inputs: Annotated[
        str, typer.Option(help="What the model is given, of code, picture, instruction.")
    ] = "code,picture,instruction",
    verbalizer: Annotated[
        str, typer.Option(help="Another model that puts the drawing into words.")
    ] = "",
    ids: Ids = None,
    limit: Limit = None,
    edit_type: EditType = None,
    scale: Scale = None,
    origin: Origin = None,
    turns: Turns = "auto",
    profiles: Profiles = "corrected",
    measures: Measures = "",
    weights: Weights = None,
    trunk: Trunk = "vgg",
    dtype: Dtype = "fp32",
    epochs: Annotated[int, typer.Option(min=1, help="Answers a sample.")] = 1,
    temperature: Annotated[float | None, typer.Option(help="Of the model.")] = None,
    max_tokens: Annotated[int | None, typer.Option(min=1, help="Of the model's reply.")] = None,
    seed: Annotated[
        int | None, typer.Option(help="Sent to the model; seeds baselines too.")
    ] = None,
    thinking: Annotated[str, typer.Option(help="on, off or default.")] = "default",
    extra_body: Annotated[
        str | None, typer.Option(help="JSON object merged into the request's body.")
    ] = None,
    timeout: Annotated[float, typer.Option(min=1, help="Of one call, in seconds.")] = 600.0,
    answers: Annotated[
        str, typer.Option(help="code or picture; auto takes what the model's card says.")
    ] = "auto",
    verbalizer_setting: Annotated[
        list[str] | None, typer.Option(help="A sampling setting of the verbalizer, NAME=VALUE.")
    ] = None,
    input_size: Annotated[
        int, typer.Option(min=64, max=4096, help="Side in pixels of the square all pictures get.")
    ] = 1024,
    judge_inputs: JudgeInputsOption = "",
    judge_levels: JudgeLevels = "image,code",
    judge_repeats: JudgeRepeats = 1,
    judge_setting: JudgeSetting = None,
    image_rubric: ImageRubric = "viseditbench-image-v1",
    code_rubric: CodeRubric = "viseditbench-code-v1",
    questions: Questions = "referee",
    rubric: Rubric = "",
    retention: Retention = False,
    budget: Budget = None,
    connections: Connections = 32,
    rpm: Rpm = None,
    tpm: Tpm = None,
    workers: Workers = None,
    cache: Cache = False,
    key_env: KeyEnv = None,
    judge_key_env: JudgeKeyEnv = None,
    unsandboxed: Unsandboxed = False,
    stages: Stages = "",
    out: Out = None,
    config: ConfigOption = None,
    as_json: AsJson = False,
) -> None:
    """Run a benchmark with a model: generate, render, measure and, with a judge, judge.

    Starting the same command again resumes. Exit status: 0 complete, 3 unscored or missing rows
    left or stopped by the budget, 2 wrong usage, 1 crash or full disk, 130/143 interrupted.
    """
    from redline.cli.composing import EvalOptions

    settings: dict[str, Any] = {"thinking": thinking, "timeout_s": timeout}
    settings |= {
        k: v
        for k, v in {"temperature": temperature, "max_tokens": max_tokens, "seed": seed}.items()
        if v is not None
    }
    if extra_body:
        settings["extra_body"] = json_object(extra_body, "--extra-body")
    options = EvalOptions(
        bench=bench,
        model=model,
        condition=condition,
        inputs=inputs,
        ids=sample_ids(ids),
        limit=limit,
        edit_type=edit_type,
        scale=scale,
        origin=origin,
        turns=turns,
        profiles=names_of(profiles),
        measures=names_of(measures),
        weights=weights,
        trunk=trunk,
        dtype=dtype,
        epochs=epochs,
        seed=seed or 0,
        input_size=input_size,
        settings=settings,
        verbalizer=verbalizer,
        verbalizer_settings=settings_from(verbalizer_setting),
        answers=answers,
        sandbox="none" if unsandboxed else "bubblewrap",
    )
    chosen = judge_options(
        judge, image_rubric, code_rubric, judge_inputs, judge_levels, judge_repeats, judge_setting,
        questions, rubric, retention,
    )  # fmt: skip
    limits = limits_from(connections, rpm, tpm, workers, budget, cache)
    only = names_of(stages)
    _run(options, chosen, limits, out, config, key_env, judge_key_env, as_json, only)


def score_command(
    bench: Bench,
    outputs: Annotated[
        Path,
        typer.Argument(help="Folder of ID.tex or ID.png, or a manifest (JSONL or CSV: id, path)."),
    ],
    name: Annotated[str, typer.Option(help="What to call these outputs.")] = "",
    judge: Judge = None,
    ids: Ids = None,
    limit: Limit = None,
    edit_type: EditType = None,
    scale: Scale = None,
    origin: Origin = None,
    turns: Turns = "auto",
    profiles: Profiles = "corrected",
    measures: Measures = "",
    weights: Weights = None,
    trunk: Trunk = "vgg",
    dtype: Dtype = "fp32",
    condition: Annotated[str, typer.Option(help="Under which they were made; recorded.")] = "",
    pattern: Annotated[
        str | None,
        typer.Option(help="Photographs: how files are named, as in {id}_{round}; see the docs."),
    ] = None,
    input_size: Annotated[int, typer.Option(min=64, max=4096)] = 1024,
    judge_inputs: JudgeInputsOption = "",
    judge_levels: JudgeLevels = "image,code",
    judge_repeats: JudgeRepeats = 1,
    judge_setting: JudgeSetting = None,
    image_rubric: ImageRubric = "viseditbench-image-v1",
    code_rubric: CodeRubric = "viseditbench-code-v1",
    questions: Questions = "referee",
    rubric: Rubric = "",
    retention: Retention = False,
    budget: Budget = None,
    connections: Connections = 32,
    rpm: Rpm = None,
    tpm: Tpm = None,
    workers: Workers = None,
    cache: Cache = False,
    judge_key_env: JudgeKeyEnv = None,
    unsandboxed: Unsandboxed = False,
    stages: Stages = "",
    out: Out = None,
    config: ConfigOption = None,
    as_json: AsJson = False,
) -> None:
    """Score outputs made elsewhere. Files that fit no sample and samples without a file are
    listed; the latter count as missing."""
    from redline.cli.composing import EvalOptions

    options = EvalOptions(
        bench=bench,
        model=f"outputs/{name or outputs.resolve().name}",
        pattern=pattern,
        condition=condition,
        ids=sample_ids(ids),
        limit=limit,
        edit_type=edit_type,
        scale=scale,
        origin=origin,
        turns=turns,
        profiles=names_of(profiles),
        measures=names_of(measures),
        weights=weights,
        trunk=trunk,
        dtype=dtype,
        input_size=input_size,
        sandbox="none" if unsandboxed else "bubblewrap",
    )
    chosen = judge_options(
        judge, image_rubric, code_rubric, judge_inputs, judge_levels, judge_repeats, judge_setting,
        questions, rubric, retention,
    )  # fmt: skip
    limits = limits_from(connections, rpm, tpm, workers, budget, cache)
    only = names_of(stages)
    _run(options, chosen, limits, out, config, None, judge_key_env, as_json, only, outputs)


def judge_command(
    run: Annotated[Path, typer.Argument(help="A run folder.")],
    judge: Annotated[str, typer.Option(help="The judge, as provider/name.")],
    bench: Annotated[
        str | None, typer.Option(help="The run's benchmark folder, where it is not bundled.")
    ] = None,
    judge_inputs: JudgeInputsOption = "",
    judge_levels: JudgeLevels = "image,code",
    judge_repeats: JudgeRepeats = 1,
    judge_setting: JudgeSetting = None,
    image_rubric: ImageRubric = "viseditbench-image-v1",
    code_rubric: CodeRubric = "viseditbench-code-v1",
    questions: Questions = "referee",
    rubric: Rubric = "",
    retention: Retention = False,
    budget: Budget = None,
    connections: Connections = 32,
    rpm: Rpm = None,
    tpm: Tpm = None,
    workers: Workers = None,
    cache: Cache = False,
    judge_key_env: JudgeKeyEnv = None,
    config: ConfigOption = None,
    as_json: AsJson = False,
) -> None:
    """Judge a run, or judge it again with another judge; older verdicts are kept."""
    chosen = judge_options(
        judge, image_rubric, code_rubric, judge_inputs, judge_levels, judge_repeats, judge_setting,
        questions, rubric, retention,
    )  # fmt: skip
    limits = limits_from(connections, rpm, tpm, workers, budget, cache)
    _again(run, bench, chosen, limits, config, judge_key_env, as_json, only=("judge",))


def measure_command(
    run: Annotated[Path, typer.Argument(help="A run folder.")],
    bench: Annotated[
        str | None, typer.Option(help="The run's benchmark folder, where it is not bundled.")
    ] = None,
    profiles: Profiles = "corrected",
    weights: Weights = None,
    workers: Workers = None,
    stages: Stages = "",
    as_json: AsJson = False,
) -> None:
    """Render and measure what a run generated, as far as that is missing or stale; photographs by
    other profiles too."""
    limits = limits_from(32, None, None, workers, None, False)
    image = {"profiles": names_of(profiles), "weights": weights}
    _again(run, bench, None, limits, None, None, as_json, names_of(stages), image)


def _run(
    options: EvalOptions,
    judge: JudgeOptions | None,
    limits: Options,
    out: Path | None,
    config: Path | None,
    key_env: str | None,
    judge_key_env: str | None,
    as_json: bool,
    only: tuple[str, ...] = (),
    outputs: Path | None = None,
) -> None:
    from redline.cli import composing
    from redline.run import RunFolder

    benchmark = composing.load_benchmark(options)
    with closing(composing.make_run(options, benchmark, judge, outputs, config)) as run:
        if benchmark.defaults.get("judge") and judge is None:
            suggested = benchmark.defaults["judge"]
            typer.echo(f"{benchmark.name} suggests the judge {suggested}.", err=True)
        roles = run.roles(config, key_env, judge_key_env)
        path = composing.resolve_out(out, options, benchmark, outputs)
        with RunFolder.create_or_open(path, run.manifest()) as folder:
            scaling = {name: role.card.scaling(run.input_size) for name, role in roles.items()}
            samples_file.write(path, run.facts(), scaling)
            status = drive(folder, run.stages(only), roles, limits)
    finish(path, run.judge, status, as_json)


def _again(
    path: Path,
    bench: str | None,
    judge: JudgeOptions | None,
    limits: Options,
    config: Path | None,
    judge_key_env: str | None,
    as_json: bool,
    only: tuple[str, ...],
    image: Mapping[str, Any] | None = None,
) -> None:
    """Stages of a run that is there. `image` are options of the image track to go on with;
    without `only`, every stage but generating and judging is meant."""
    from redline.cli import composing
    from redline.run import RunFolder

    options, benchmark, manifest = composing.reopen(path, bench)
    if benchmark.track == "image":
        options = replace(options, **(image or {}))
    if not only:
        only = ("measure",) if benchmark.track == "image" else ("render", "measure")
    with closing(composing.make_run(options, benchmark, judge, None, config)) as run:
        roles: dict[str, Role] = (
            composing.judge_roles(judge, config, judge_key_env) if judge else {}
        )
        if run.judge:
            manifest = manifest.with_judge(run.judge)
        with RunFolder.create_or_open(path, manifest) as folder:
            scaling = {name: role.card.scaling(run.input_size) for name, role in roles.items()}
            samples_file.write(path, run.facts(), scaling)
            status = drive(folder, run.stages(only), roles, limits)
    finish(path, run.judge, status, as_json)


def drive(folder: Any, stages: Any, roles: Mapping[str, Role], limits: Options) -> int:
    """Run the stages, close the models, and say in one line where everything is."""
    import asyncio
    import sys

    from redline.run import Bars, Lines, execute

    def log(sentence: str) -> None:
        typer.echo(plain(sentence), err=True)

    progress = Bars() if sys.stderr.isatty() else Lines(log)

    async def run() -> Any:
        try:
            return await execute(folder, stages, roles, limits, progress)
        finally:
            for role in roles.values():
                await role.model.close()

    summary = asyncio.run(run())
    if summary.stopped:
        typer.echo(f"Stopped: {plain(summary.stopped)}", err=True)
    typer.echo(summary.sentence(), err=True)
    return int(summary.exit_status)


def finish(path: Path, judge: Mapping[str, Any] | None, status: int, as_json: bool) -> None:
    """Show the results and end with the run's exit status."""
    from redline.cli.reading_runs import view
    from redline.cli.result_tables import result_tables
    from redline.cli.results import result_json
    from redline.cli.tables import show

    seen = view(path, judge)
    if as_json:
        typer.echo(json.dumps(result_json(seen), indent=2, ensure_ascii=False))
    else:
        for table in result_tables([seen]):
            show(table)
    if status == 0 and not seen.complete:
        status = 3
    if status:
        raise typer.Exit(status)
