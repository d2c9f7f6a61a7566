"""Composes the rooms into a run of the image track."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import typer

from redline.bench import Benchmark, ImageSample
from redline.cli.composing import (
    EvalOptions,
    JudgeOptions,
    Who,
    asked_digest,
    candidate_roles,
    judge_roles,
    select_stages,
    who,
)
from redline.errors import UserError
from redline.image.baselines import BASELINES
from redline.image.generate import Generate
from redline.image.judging import ImageJudging, JudgeStage
from redline.image.measure_stage import GoldSides, Measure
from redline.image.measuring import Measurer
from redline.image.names import STANDARD
from redline.image.networks import Dtype
from redline.image.outputs import FromOutputs, find_outputs
from redline.image.profiles import profile_named
from redline.image.questions import PROTOCOLS
from redline.image.results import facts
from redline.image.sending import edit_prompt
from redline.image.task import CONDITIONS, MODEL_ROLE, ImageTask, resolve_mode
from redline.judge import JudgeInputs, load_rubric
from redline.rows import Facts
from redline.run import Manifest, Role
from redline.track import Stage, calls_nobody

STAGES = ("generate", "measure", "judge")


class ImageRun:
    """A run of a benchmark of photographs; see `composing.TrackRun`."""

    def __init__(
        self,
        options: EvalOptions,
        benchmark: Benchmark[ImageSample],
        judge: JudgeOptions | None,
        outputs: Path | None = None,
        config: Path | None = None,
    ) -> None:
        """`outputs` takes the place of a model. Raises UserError for what can't be run; tells
        turns that are left out, outputs that fit no row and measures that can't be had here."""
        self._options = options
        self._asked = judge
        self._model = _who_answers(options, config)
        self._task = _make_task(options, benchmark, self._model)
        self._outputs = find_outputs(outputs, self._task, options.pattern) if outputs else None
        self._judging = _make_judging(judge, who(judge.name, config)) if judge else None
        self._measurers: list[Measurer] | None = None
        if options.dtype not in get_args(Dtype):
            raise UserError(f"--dtype is {' or '.join(get_args(Dtype))}; got {options.dtype!r}.")
        for name in options.profiles:
            profile_named(name)
        for left in self._task.left_out():
            typer.echo(f"Left out: round {left.round} of {left.sample}: {left.why}.", err=True)
        if self._outputs:
            told = (("Fits no row", self._outputs.surplus), ("No output", self._outputs.missing))
            for what, names in told:
                for name in names:
                    typer.echo(f"{what}: {name}", err=True)

    @property
    def input_size(self) -> int:
        return self._task.input_size

    @property
    def judge(self) -> Mapping[str, Any] | None:
        return self._judging.entry() if self._judging else None

    def roles(
        self, config: Path | None, key_env: str | None, judge_key_env: str | None
    ) -> dict[str, Role]:
        """Everybody that the run calls."""
        roles = candidate_roles(MODEL_ROLE, self._options, BASELINES, config, key_env)
        return roles | (judge_roles(self._asked, config, judge_key_env) if self._asked else {})

    def manifest(self) -> Manifest:
        task, options, b = self._task, self._options, self._task.benchmark
        plain = calls_nobody(options.model)
        prompt = edit_prompt(task.condition)
        return Manifest(
            benchmark=f"{b.name} {b.version}",
            benchmark_hash=b.hash,
            sample_set_hash=b.sample_set_hash(),
            samples=len(b.samples),
            model=self._model.name,
            settings={k: v for k, v in options.settings.items() if k != "timeout_s"},
            prompts={} if plain else {prompt.name: prompt.hash},
            params={
                "track": "image",
                "condition": task.condition,
                "turns": task.mode,
                "epochs": task.epochs,
                "seed": task.seed,
                "input_size": task.input_size,
                "identity": self._model.identity,
                "measures": list(options.measures),
                "trunk": options.trunk,
                "dtype": options.dtype,
                "left_out": len(task.left_out()),
            },
            judges=(self._judging.entry(),) if self._judging else (),
        )

    def facts(self) -> list[Facts]:
        return facts(self._task)

    def stages(self, only: Sequence[str] = ()) -> list[Stage]:
        task = self._task
        stages: list[Stage] = [
            FromOutputs(task, self._outputs) if self._outputs else Generate(task)
        ]
        if "measure" in (only or STAGES):
            stages.append(Measure(task, self._open_measurers(), GoldSides()))
        if self._judging is not None:
            stages.append(JudgeStage(task, self._judging))
        return select_stages(stages, only, STAGES)

    def _open_measurers(self) -> list[Measurer]:
        options = self._options
        if self._measurers is None:
            self._measurers = [
                Measurer(
                    profile_named(name),
                    options.measures or STANDARD,
                    weights_dir=options.weights,
                    trunk=options.trunk,
                    dtype=options.dtype,  # type: ignore[arg-type]
                )
                for name in options.profiles
            ]
            reasons: dict[str, list[str]] = {}
            for name, reason in self._measurers[0].absent.items():
                reasons.setdefault(reason, []).append(name)
            for reason, names in reasons.items():
                typer.echo(f"Absent: {', '.join(names)}. {reason}", err=True)
        return self._measurers

    def close(self) -> None:
        """Nothing is held open."""


def _who_answers(options: EvalOptions, config: Path | None) -> Who:
    if options.identity is not None:
        return Who(options.model, options.identity)
    return Who(options.model) if calls_nobody(options.model) else who(options.model, config)


def _make_task(options: EvalOptions, benchmark: Benchmark[ImageSample], model: Who) -> ImageTask:
    condition = options.condition or "text"
    if condition not in CONDITIONS:
        raise UserError(f"--condition of photographs is one of {', '.join(CONDITIONS)}.")
    task = ImageTask(
        benchmark=benchmark,
        candidate=model.name,
        mode=resolve_mode(benchmark, options.turns),
        condition=condition,
        epochs=options.epochs,
        seed=options.seed,
        input_size=options.input_size,
        settings=asked_digest(model, options.settings),
    )
    if not any(True for _ in task.rows()):
        why = next((f": {x.why}" for x in task.left_out()), "")
        raise UserError(f"{benchmark.name} has no turn that can be run this way{why}.")
    return task


def _make_judging(options: JudgeOptions, judge: Who) -> ImageJudging:
    if options.questions not in (*PROTOCOLS, "none"):
        raise UserError(
            f"--questions is {', '.join(PROTOCOLS)} or none; got {options.questions!r}."
        )
    judging = ImageJudging(
        judge=judge.name,
        protocol=None if options.questions == "none" else options.questions,  # type: ignore[arg-type]
        rubric=load_rubric(options.rubric) if options.rubric else None,
        retention=options.retention,
        repeats=options.repeats,
        settings=asked_digest(judge, options.settings),
    )
    return replace(judging, inputs=JudgeInputs.parse(options.inputs)) if options.inputs else judging
