"""Composes the rooms into a run of the diagram track: the one place that knows all of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from redline.errors import UserError

if TYPE_CHECKING:
    from redline.bench import Benchmark
    from redline.diagram import DiagramTask, Judging
    from redline.diagram.outputs import Outputs
    from redline.diagram.task import Level
    from redline.models.protocol import Settings
    from redline.run import Manifest, Role, RunFolder
    from redline.tex import Renderer
    from redline.track import Stage


STAGES = ("generate", "render", "measure", "judge")


@dataclass(frozen=True)
class JudgeOptions:
    """A judge as asked for on the command line."""

    name: str
    image_rubric: str = "viseditbench-image-v1"
    code_rubric: str = "viseditbench-code-v1"
    inputs: str = ""
    repeats: int = 1
    settings: Mapping[str, Any] = field(default_factory=dict)
    levels: str = "image,code"


@dataclass(frozen=True)
class EvalOptions:
    """A run as asked for on the command line; what is here (but `bench`) goes into run.json."""

    bench: str
    model: str
    condition: str = "visual"
    inputs: str = "code,picture,instruction"
    ids: tuple[str, ...] = ()
    limit: int | None = None
    edit_type: str | None = None
    epochs: int = 1
    seed: int = 0
    input_size: int = 1024
    settings: Mapping[str, Any] = field(default_factory=dict)
    verbalizer: str = ""
    verbalizer_settings: Mapping[str, Any] = field(default_factory=dict)
    sandbox: str = "bubblewrap"
    answers: str = "auto"


def settings_of(values: Mapping[str, Any]) -> Settings:
    """Sampling settings from options; unknown names and wrong values are refused."""
    from pydantic import TypeAdapter, ValidationError

    from redline.models.protocol import Settings

    names = Settings.__dataclass_fields__
    if unknown := sorted(set(values) - set(names)):
        raise UserError(f"Unknown model setting {unknown[0]!r}. Settings are: {', '.join(names)}.")
    try:
        return TypeAdapter(Settings).validate_python(dict(values))
    except ValidationError as e:
        fault = e.errors()[0]
        raise UserError(f"Model setting {fault['loc'][0]}: {fault['msg']}.") from None


def settings_digest(name: str, values: Mapping[str, Any]) -> str:
    from redline.diagram import digest

    return digest(name, {k: v for k, v in values.items() if k != "timeout_s"})


def load_benchmark(options: EvalOptions) -> Benchmark:
    """The benchmark, cut down to the samples asked for."""
    from redline.bench import find, load, select

    benchmark = load(find(options.bench))
    if benchmark.track != "diagram":
        raise UserError(
            f"{benchmark.name} is a benchmark of track {benchmark.track}; "
            "this Redline runs track diagram."
        )
    return select(
        benchmark, ids=options.ids or None, limit=options.limit, edit_type=options.edit_type
    )


def make_task(options: EvalOptions, benchmark: Benchmark, want: str | None = None) -> DiagramTask:
    """The task; refuses combinations that can't be run and samples that lack what they need."""
    from redline.diagram import DiagramTask, condition_fault, parse_inputs, supports
    from redline.models import card

    plain = options.model.partition("/")[0] in ("baseline", "outputs")
    if options.answers not in ("auto", "code", "picture"):
        raise UserError(f"--answers is auto, code or picture; got {options.answers!r}.")
    if want is None and options.answers != "auto":
        want = options.answers
    if want is None:
        want = "picture" if not plain and card(options.model).answers == "picture" else "code"
    try:
        inputs = parse_inputs(options.inputs)
    except ValueError as e:
        raise UserError(str(e)) from e
    if fault := condition_fault(options.condition, inputs, want):
        raise UserError(fault)
    if not benchmark.samples:
        raise UserError("No sample is left after --ids, --limit and --edit-type.")
    lacking = [s.id for s in benchmark.samples if not supports(s, options.condition)]  # type: ignore[arg-type]
    if lacking and not plain:
        raise UserError(
            f"{len(lacking)} of {len(benchmark.samples)} samples of {benchmark.name} can't be run "
            f"under condition {options.condition} (first: {', '.join(lacking[:3])}): they have no "
            + ("drawn instruction. Use --condition text." if options.condition != "text"
               else "instruction text.")
        )  # fmt: skip
    return DiagramTask(
        benchmark=benchmark,
        candidate=options.model,
        condition=options.condition,  # type: ignore[arg-type]
        inputs=inputs,
        want=want,  # type: ignore[arg-type]
        epochs=options.epochs,
        seed=options.seed,
        input_size=options.input_size,
        settings=settings_digest(options.model, options.settings),
        verbalizer=options.verbalizer or options.model,
        verbalizer_settings=settings_digest(options.verbalizer, options.verbalizer_settings),
    )


def make_judging(options: JudgeOptions) -> Judging:
    """How the judge is asked; refuses rubrics of another level and inputs a rubric can't do
    without, before anything is paid for."""
    from redline.diagram import Judging
    from redline.judge import JudgeInputs, load_rubric

    judging = Judging(
        judge=options.name,
        image=load_rubric(options.image_rubric),
        code=load_rubric(options.code_rubric),
        inputs=JudgeInputs.parse(options.inputs) if options.inputs else JudgeInputs.all(),
        repeats=options.repeats,
        settings=settings_digest(options.name, options.settings),
        levels=_levels(options.levels),
    )
    for level in judging.levels:
        rubric = judging.rubric(level)
        if rubric.level != level:
            raise UserError(
                f"Rubric {rubric.name} judges at {rubric.level} level; --{level}-rubric needs one "
                f"for {level} level."
            )
        rubric.shown(judging.inputs)
    return judging


def _levels(text: str) -> tuple[Level, ...]:
    known: tuple[Level, ...] = ("image", "code")
    asked = {name.strip() for name in text.split(",") if name.strip()}
    if not asked or asked - set(known):
        raise UserError(f"--judge-levels is image, code or both; got {text!r}.")
    return tuple(n for n in known if n in asked)


def make_renderer(sandbox: str) -> Renderer:
    """The renderer; refuses to run without a sandbox unless told to."""
    from redline.bench import cache_root
    from redline.tex import Renderer

    return Renderer(sandbox=sandbox, cache_dir=cache_root() / "renders")  # type: ignore[arg-type]


def manifest(task: DiagramTask, options: EvalOptions, judges: Sequence[Judging]) -> Manifest:
    """What run.json says. Neither keys nor paths of this machine go into it."""
    from redline.diagram import prompt_hashes
    from redline.run import Manifest
    from redline.tex import tex_version

    b = task.benchmark
    plain = options.model.partition("/")[0] in ("baseline", "outputs")
    params = {
        "track": "diagram",
        "condition": task.condition,
        "inputs": list(task.inputs),
        "want": task.want,
        "epochs": task.epochs,
        "seed": task.seed,
        "input_size": task.input_size,
        "verbalizer": options.verbalizer,
        "verbalizer_settings": dict(options.verbalizer_settings),
        "sandbox": options.sandbox,
    }
    return Manifest(
        benchmark=f"{b.name} {b.version}",
        benchmark_hash=b.hash,
        sample_set_hash=b.sample_set_hash(),
        samples=len(b.samples),
        model=options.model,
        settings={k: v for k, v in options.settings.items() if k != "timeout_s"},
        prompts={} if plain else prompt_hashes(task.condition, task.want),
        params=params,
        versions={"tex": tex_version()},
        judges=tuple(j.entry() for j in judges),
    )


def write_facts(
    folder: RunFolder, benchmark: Benchmark, roles: Mapping[str, Role], side: int
) -> None:
    """Keep the samples' facts, and what providers do to pictures of `side` pixels."""
    from redline.cli import samples_file
    from redline.diagram import facts

    scaling = {name: role.card.scaling(side) for name, role in roles.items()}
    samples_file.write(folder.path, [facts(s) for s in benchmark.samples], scaling)


def make_stages(
    task: DiagramTask,
    renderer: Renderer,
    judging: Judging | None,
    outputs: Outputs | None = None,
    only: Sequence[str] = (),
) -> list[Stage]:
    """The stages in order; `only` picks some by name. Raises UserError for an unknown name."""
    from redline.diagram import (
        FromOutputs,
        Generate,
        InputPictures,
        JudgeStage,
        Measure,
        RenderStage,
    )

    pictures = InputPictures(renderer, task.input_size)
    first: Stage = FromOutputs(task, outputs) if outputs else Generate(task, pictures, renderer)
    stages: list[Stage] = [
        first,
        RenderStage(task, renderer, renderer.fingerprint()),
        Measure(task),
    ]
    if judging is not None:
        stages.append(JudgeStage(task, judging, pictures))
    if unknown := set(only) - {s.name for s in stages}:
        if unknown == {"judge"}:
            raise UserError("Stage judge needs a judge: name one with --judge.")
        raise UserError(f"There is no stage {min(unknown)!r}; stages are {', '.join(STAGES)}.")
    return [s for s in stages if not only or s.name in only]


def resolve_out(out: Path | None, options: EvalOptions, benchmark: Benchmark) -> Path:
    """The run folder: the one named, else one whose name follows from what is asked, so that the
    same command finds its own folder again."""
    if out is not None:
        return out
    from redline.diagram import digest

    settings = {k: v for k, v in options.settings.items() if k != "timeout_s"}
    asked = asdict(replace(options, bench=benchmark.hash, settings=settings))
    model = "".join(c if c.isalnum() or c in "-._" else "-" for c in options.model).strip("-")
    condition = (
        "" if options.model.startswith(("baseline/", "outputs/")) else f"--{options.condition}"
    )
    name = f"{benchmark.name}--{model[:60]}{condition}--{digest(asked)[:8]}"
    return Path("runs") / name


def open_role(
    name: str, values: Mapping[str, Any], config: Path | None, key_env: str | None
) -> Role:
    """A model that can be called, with its card. `replay/RUN` answers from a run's records."""
    from redline.models import card, open_model
    from redline.run import ReplayModel, Role

    settings = settings_of(values)
    if name.startswith("replay/"):
        model = ReplayModel.open(Path(name.partition("/")[2]))
        return Role(model, model.card(card(model.folder.manifest.model)), settings)
    return Role(open_model(name, settings, key_env=key_env, config=config), card(name), settings)


def judge_roles(judge: JudgeOptions, config: Path | None, key_env: str | None) -> dict[str, Role]:
    return {judge.name: open_role(judge.name, judge.settings, config, key_env)}


def make_roles(
    options: EvalOptions,
    judge: JudgeOptions | None,
    config: Path | None,
    key_env: str | None,
    judge_key_env: str | None,
    task: DiagramTask,
) -> dict[str, Role]:
    """Everybody that a run calls, by role. Baselines and outputs made elsewhere call nobody."""
    from redline.diagram import BASELINES, MODEL_ROLE, VERBALIZER_ROLE

    roles: dict[str, Role] = {}
    kind, _, rest = options.model.partition("/")
    if kind == "baseline":
        if rest not in BASELINES:
            raise UserError(f"There is no baseline {rest!r}; choose {', '.join(BASELINES)}.")
    elif kind != "outputs":
        roles[MODEL_ROLE] = open_role(options.model, options.settings, config, key_env)
        if task.condition.endswith("verbalized"):
            roles[VERBALIZER_ROLE] = (
                open_role(options.verbalizer, options.verbalizer_settings, config, key_env)
                if options.verbalizer
                else roles[MODEL_ROLE]
            )
    if judge:
        roles |= judge_roles(judge, config, judge_key_env)
    return roles


def reopen(run: Path, bench: str | None) -> tuple[EvalOptions, Benchmark, Manifest]:
    """What a run asked, its benchmark, and its manifest under the benchmark as it is now (so that
    a changed one is refused when the run is opened for writing)."""
    from redline.bench import find, load, select
    from redline.cli import samples_file
    from redline.run import RunFolder

    with RunFolder.open(run) as folder:
        manifest = folder.manifest
    ids = [f.id for f in samples_file.read(run).facts]
    name = manifest.benchmark.rpartition(" ")[0]
    try:
        whole = load(find(bench or name))
    except UserError as e:
        if bench:
            raise
        raise UserError(
            f"The benchmark {name!r} of {run} is not bundled: name it by --bench."
        ) from e
    benchmark = select(whole, ids=ids)
    params = manifest.params
    options = EvalOptions(
        bench=bench or name,
        model=manifest.model,
        condition=params["condition"],
        inputs=",".join(params["inputs"]),
        epochs=params["epochs"],
        seed=params["seed"],
        input_size=params["input_size"],
        settings=manifest.settings,
        verbalizer=params["verbalizer"],
        verbalizer_settings=params["verbalizer_settings"],
        sandbox=params["sandbox"],
    )
    return options, benchmark, replace(manifest, benchmark_hash=benchmark.hash)
