"""Composes the rooms into a run of the diagram track."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import typer

from redline.bench import Benchmark, DiagramSample
from redline.cli.composing import (
    EvalOptions,
    JudgeOptions,
    Who,
    asked_digest,
    candidate_roles,
    judge_roles,
    make_renderer,
    open_role,
    select_stages,
    who,
)
from redline.diagram import (
    BASELINES,
    COLUMNS,
    MODEL_ROLE,
    VERBALIZER_ROLE,
    DiagramTask,
    FromOutputs,
    Generate,
    InputPictures,
    JudgeStage,
    Judging,
    Measure,
    Outputs,
    RenderStage,
    condition_fault,
    facts,
    find_outputs,
    parse_inputs,
    prompt_hashes,
    supports,
    verbalizes,
)
from redline.diagram.rows import JUDGED_CODE, JUDGED_IMAGE
from redline.diagram.task import Level
from redline.errors import UserError
from redline.judge import JudgeInputs, load_rubric
from redline.models import card
from redline.rows import Facts
from redline.run import Manifest, Role
from redline.tex import LazyRenderer, Renderer, tex_version
from redline.track import Stage, calls_nobody

STAGES = ("generate", "render", "measure", "judge")


class DiagramRun:
    """A run of a diagram benchmark; see `composing.TrackRun`."""

    def __init__(
        self,
        options: EvalOptions,
        benchmark: Benchmark[DiagramSample],
        judge: JudgeOptions | None,
        outputs: Path | None = None,
        config: Path | None = None,
        renderer: Renderer | None = None,
    ) -> None:
        """`outputs` takes the place of a model; `renderer` is shared, and left open, where given.
        Raises UserError for combinations that can't be run and samples that lack what they need."""
        options = replace(options, condition=options.condition or "visual")
        self._options = options
        self._asked = judge
        self._model, self._verbalizer = _who_answers(options, config)
        self._outputs = find_outputs(outputs, benchmark) if outputs else None
        self._task = _make_task(options, benchmark, self._outputs, self._model, self._verbalizer)
        self._judging = _make_judging(judge, who(judge.name, config)) if judge else None
        self._close = renderer is None
        self._renderer = renderer or LazyRenderer(
            lambda: make_renderer(options.sandbox, options.input_size)
        )
        if self._outputs:
            _tell_outputs(self._outputs)

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
        options = self._options
        roles = candidate_roles(MODEL_ROLE, options, BASELINES, config, key_env)
        if roles and verbalizes(self._task.told):
            roles[VERBALIZER_ROLE] = (
                open_role(options.verbalizer, options.verbalizer_settings, config, key_env)
                if options.verbalizer
                else roles[MODEL_ROLE]
            )
        return roles | (judge_roles(self._asked, config, judge_key_env) if self._asked else {})

    def manifest(self) -> Manifest:
        task, options, b = self._task, self._options, self._task.benchmark
        plain = calls_nobody(options.model)
        params = {
            "track": "diagram",
            "condition": task.condition,
            "inputs": list(task.inputs),
            "want": task.want,
            "epochs": task.epochs,
            "seed": task.seed,
            "input_size": task.input_size,
            "verbalizer": self._verbalizer.name if options.verbalizer else "",
            "verbalizer_settings": dict(options.verbalizer_settings),
            "sandbox": options.sandbox,
        }
        if self._model.identity:
            params["identity"] = self._model.identity
        if options.verbalizer and self._verbalizer.identity:
            params["verbalizer_identity"] = self._verbalizer.identity
        return Manifest(
            benchmark=f"{b.name} {b.version}",
            benchmark_hash=b.hash,
            sample_set_hash=b.sample_set_hash(),
            samples=len(b.samples),
            model=self._model.name,
            settings={k: v for k, v in options.settings.items() if k != "timeout_s"},
            prompts={} if plain else prompt_hashes(task.condition, task.inputs, task.want),
            params=params,
            versions={"tex": tex_version()},
            judges=(self._judging.entry(),) if self._judging else (),
        )

    def facts(self) -> list[Facts]:
        return [facts(s) for s in self._task.benchmark.samples]

    def stages(self, only: Sequence[str] = ()) -> list[Stage]:
        task, renderer = self._task, self._renderer
        if "render" in (only or STAGES):
            # A machine that can't render says so before a model is paid.
            renderer.fingerprint()
        pictures = InputPictures(renderer, task.input_size)
        stages: list[Stage] = [
            FromOutputs(task, self._outputs)
            if self._outputs
            else Generate(task, pictures, renderer),
            RenderStage(task, renderer),
            Measure(task),
        ]
        if self._judging is not None:
            stages.append(JudgeStage(task, self._judging, pictures))
        return select_stages(stages, only, STAGES)

    def close(self) -> None:
        if self._close:
            self._renderer.close()


def _who_answers(options: EvalOptions, config: Path | None) -> tuple[Who, Who]:
    """The model and the verbalizer, which is the model itself unless another is named."""
    if options.identity is not None:
        model = Who(options.model, options.identity)
        return model, Who(options.verbalizer) if options.verbalizer else model
    model = Who(options.model) if calls_nobody(options.model) else who(options.model, config)
    return model, who(options.verbalizer, config) if options.verbalizer else model


def _make_task(
    options: EvalOptions,
    benchmark: Benchmark[DiagramSample],
    outputs: Outputs | None,
    model: Who,
    verbalizer: Who,
) -> DiagramTask:
    """The task; refuses combinations that can't be run and samples that lack what they need."""
    plain = calls_nobody(options.model)
    if options.answers not in ("auto", "code", "picture"):
        raise UserError(f"--answers is auto, code or picture; got {options.answers!r}.")
    want = outputs.want if outputs else options.answers
    if want == "auto":
        want = "picture" if not plain and card(options.model).answers == "picture" else "code"
    try:
        inputs = parse_inputs(options.inputs)
    except ValueError as e:
        raise UserError(str(e)) from e
    if fault := condition_fault(options.condition, inputs):
        raise UserError(fault)
    task = DiagramTask(
        benchmark=benchmark,
        candidate=model.name,
        condition=options.condition,  # type: ignore[arg-type]
        inputs=inputs,
        want=want,  # type: ignore[arg-type]
        epochs=options.epochs,
        seed=options.seed,
        input_size=options.input_size,
        settings=asked_digest(model, options.settings),
        verbalizer=verbalizer.name,
        verbalizer_settings=asked_digest(verbalizer, options.verbalizer_settings),
    )
    lacking = [s.id for s in benchmark.samples if not supports(s, task.told)]
    if lacking and not plain:
        raise UserError(
            f"{len(lacking)} of {len(benchmark.samples)} samples of {benchmark.name} can't be run "
            f"under condition {options.condition} (first: {', '.join(lacking[:3])}): they have no "
            + ("drawn instruction. Use --condition text." if options.condition != "text"
               else "instruction text.")
        )  # fmt: skip
    return task


def _make_judging(options: JudgeOptions, judge: Who) -> Judging:
    """How the judge is asked; refuses rubrics of another level and inputs a rubric can't do
    without, before anything is paid for."""
    judging = Judging(
        judge=judge.name,
        image=load_rubric(options.image_rubric),
        code=load_rubric(options.code_rubric),
        inputs=JudgeInputs.parse(options.inputs) if options.inputs else JudgeInputs.all(),
        repeats=options.repeats,
        settings=asked_digest(judge, options.settings),
        levels=_levels(options.levels),
    )
    judged = (*JUDGED_IMAGE, "residue", *JUDGED_CODE)
    known = {c.name: (c.low, c.high) for c in COLUMNS if c.name in judged}
    for level in judging.levels:
        rubric = judging.rubric(level)
        if rubric.level != level:
            raise UserError(
                f"Rubric {rubric.name} judges at {rubric.level} level; --{level}-rubric needs one "
                f"for {level} level."
            )
        rubric.shown(judging.inputs)
        for criterion in rubric.criteria:
            span = known.get(criterion.name)
            if span != (criterion.low, criterion.high):
                what = (
                    "which results have no column for"
                    if span is None
                    else (
                        f"from {criterion.low} to {criterion.high}; results take it from "
                        f"{span[0]:g} to {span[1]:g}"
                    )
                )
                raise UserError(
                    f"Rubric {rubric.name} has the criterion {criterion.name}, {what}. Criteria of "
                    f"diagrams are {', '.join(known)}."
                )
    return judging


def _levels(text: str) -> tuple[Level, ...]:
    known: tuple[Level, ...] = ("image", "code")
    asked = {name.strip() for name in text.split(",") if name.strip()}
    if not asked or asked - set(known):
        raise UserError(f"--judge-levels is image, code or both; got {text!r}.")
    return tuple(n for n in known if n in asked)


def _tell_outputs(outputs: Outputs) -> None:
    told = (
        ("Fits no sample", outputs.surplus),
        ("Sample without an output", outputs.missing),
    )
    for what, names in told:
        for name in names:
            typer.echo(f"{what}: {name}", err=True)
