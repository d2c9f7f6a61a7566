"""What a run is asked with, and the parts that runs of both tracks are composed of."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from redline.errors import UserError
from redline.track import calls_nobody, digest

if TYPE_CHECKING:
    from redline.bench import Benchmark, Sample
    from redline.models.protocol import Settings
    from redline.rows import Facts
    from redline.run import Manifest, Role
    from redline.tex import Renderer
    from redline.track import Stage


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
    questions: str = "referee"
    rubric: str = ""
    retention: bool = False


@dataclass(frozen=True)
class EvalOptions:
    """A run as asked for on the command line. Options that only one track has are refused by the
    other (`refuse_foreign`)."""

    bench: str
    model: str
    condition: str = ""
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
    scale: str | None = None
    origin: str | None = None
    turns: str = "auto"
    profiles: tuple[str, ...] = ("corrected",)
    measures: tuple[str, ...] = ()
    weights: Path | None = None
    trunk: str = "vgg"
    dtype: str = "fp32"
    pattern: str | None = None
    identity: str | None = None
    """Of a run that is opened again: what told its model apart then; the model is not called."""


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


def asked_digest(model: Who, values: Mapping[str, Any]) -> str:
    """SHA-256 over who is asked and the settings that change what it answers."""

    return digest(model.name, model.identity, settings_of(values).digest())


class TrackRun(Protocol):
    """A run of one track, checked and ready: all that the commands need to know of it."""

    @property
    def input_size(self) -> int:
        """The side in pixels that every picture is brought to."""

    @property
    def judge(self) -> Mapping[str, Any] | None:
        """The judge as run.json lists it."""

    def roles(
        self, config: Path | None, key_env: str | None, judge_key_env: str | None
    ) -> dict[str, Role]:
        """Everybody that the run calls, by role."""

    def manifest(self) -> Manifest:
        """What run.json says. Neither keys nor paths of this machine go into it."""

    def facts(self) -> list[Facts]: ...

    def stages(self, only: Sequence[str] = ()) -> list[Stage]:
        """The stages in order; `only` picks some by name. Raises UserError for an unknown one."""

    def close(self) -> None: ...


ONLY_DIAGRAM = ("inputs", "edit_type", "verbalizer", "verbalizer_settings", "answers")
ONLY_DIAGRAM_JUDGE = ("image_rubric", "code_rubric", "levels")
ONLY_IMAGE = (
    "scale", "turns", "profiles", "measures", "weights", "trunk", "dtype", "pattern",
)  # fmt: skip
ONLY_IMAGE_JUDGE = ("questions", "rubric", "retention")


def refuse_foreign(options: EvalOptions, judge: JudgeOptions | None, track: str) -> None:
    """Raises UserError for options that the track has not and that were given all the same."""
    others: tuple[str, ...] = ONLY_IMAGE if track == "diagram" else ONLY_DIAGRAM
    given = [n for n in others if getattr(options, n) != getattr(EvalOptions("", ""), n)]
    if judge is not None:
        others = ONLY_IMAGE_JUDGE if track == "diagram" else ONLY_DIAGRAM_JUDGE
        given += [n for n in others if getattr(judge, n) != getattr(JudgeOptions(""), n)]
    if given:
        named = ", ".join(f"--{n.replace('_', '-')}" for n in given)
        raise UserError(f"{named}: this is a benchmark of track {track}, which has no such option.")


def load_benchmark(options: EvalOptions) -> Benchmark[Sample]:
    """The benchmark, cut down to the samples asked for."""
    from redline.bench import find, load, select

    benchmark = load(find(options.bench))
    chosen = select(
        benchmark,
        ids=options.ids or None,
        limit=options.limit,
        edit_type=options.edit_type,
        scale=options.scale,
        origin=options.origin,
    )
    if not chosen.samples:
        raise UserError("No sample is left after what was picked (--ids, --limit and the like).")
    return chosen


def make_run(
    options: EvalOptions,
    benchmark: Benchmark[Sample],
    judge: JudgeOptions | None,
    outputs: Path | None = None,
    config: Path | None = None,
) -> TrackRun:
    """The run of the benchmark's track. Raises UserError for what can't be run."""
    from redline.bench import of_track

    refuse_foreign(options, judge, benchmark.track)
    if benchmark.track == "image":
        from redline.cli.image_run import ImageRun

        return ImageRun(options, of_track(benchmark, "image"), judge, outputs, config)
    from redline.cli.diagram_run import DiagramRun

    return DiagramRun(options, of_track(benchmark, "diagram"), judge, outputs, config)


def select_stages(
    stages: Sequence[Stage], only: Sequence[str], known: Sequence[str]
) -> list[Stage]:
    """Those of `stages` named in `only`, all where it is empty. `known` are the names there are
    with a judge."""
    if unknown := set(only) - {s.name for s in stages}:
        if unknown <= {"judge"}:
            raise UserError("Stage judge needs a judge: name one with --judge.")
        raise UserError(f"There is no stage {min(unknown)!r}; stages are {', '.join(known)}.")
    return [s for s in stages if not only or s.name in only]


def make_renderer(sandbox: str, input_size: int | None = None) -> Renderer:
    """The renderer; refuses to run without a sandbox unless told to. Pages are drawn at the size
    in pixels that models and judges see pictures at; by default the profile's own."""
    from redline.bench import cache_root
    from redline.tex import Profile, Renderer

    profile = Profile() if input_size is None else Profile().with_long_side(input_size)
    return Renderer(profile, sandbox=sandbox, cache_dir=cache_root() / "renders")  # type: ignore[arg-type]


def resolve_out(
    out: Path | None,
    options: EvalOptions,
    benchmark: Benchmark[Sample],
    outputs: Path | None = None,
) -> Path:
    """The run folder: the one named, else one whose name follows from what is asked, so that the
    same command finds its own folder again. Two folders of outputs that are called alike have
    runs of their own; where they lie is in a digest only."""
    if out is not None:
        return out

    settings = {k: v for k, v in options.settings.items() if k != "timeout_s"}
    asked = asdict(replace(options, bench=benchmark.hash, settings=settings))
    told = options.model
    if told.startswith("replay/"):
        told = f"replay/{Path(told.partition('/')[2]).resolve().name}"
    model = "".join(c if c.isalnum() or c in "-._" else "-" for c in told).strip("-")
    condition = "" if calls_nobody(options.model) else f"--{options.condition}"
    place = str(outputs.resolve()) if outputs else None
    name = f"{benchmark.name}--{model[:60]}{condition}--{digest(asked, place)[:8]}"
    return Path("runs") / name


@dataclass(frozen=True)
class Who:
    """A model as a run's records name it: without a path, and with what tells it apart from
    another that goes by the same name (a program behind `command/`, a replayed run)."""

    name: str
    identity: str = ""


def who(name: str, config: Path | None) -> Who:
    """Raises what opening the model would raise for a name that means nothing."""
    from redline.models import program_identity
    from redline.run import ReplayModel

    if name.startswith("replay/"):
        replayed = ReplayModel.open(Path(name.partition("/")[2]))
        with closing(replayed.folder):
            return Who(replayed.name, replayed.identity)
    return Who(name, program_identity(name, config=config))


def open_role(
    name: str, values: Mapping[str, Any], config: Path | None, key_env: str | None
) -> Role:
    """A model that can be called, with its card. `replay/RUN` answers from a run's records."""
    from redline.models import card, open_model, program_identity
    from redline.run import ReplayModel, Role

    settings = settings_of(values)
    if name.startswith("replay/"):
        model = ReplayModel.open(Path(name.partition("/")[2]))
        known = model.card(card(model.folder.manifest.model))
        return Role(model, known, settings, model.identity)
    opened = open_model(name, settings, key_env=key_env, config=config)
    return Role(opened, card(name), settings, program_identity(name, config=config))


def candidate_roles(
    role: str,
    options: EvalOptions,
    baselines: Collection[str],
    config: Path | None,
    key_env: str | None,
) -> dict[str, Role]:
    """The model as the one who plays `role`; nobody for baselines and outputs made elsewhere.
    Raises UserError for a baseline that is not among `baselines`."""
    kind, _, rest = options.model.partition("/")
    if kind == "baseline" and rest not in baselines:
        raise UserError(f"There is no baseline {rest!r}; choose {', '.join(baselines)}.")
    if calls_nobody(options.model):
        return {}
    return {role: open_role(options.model, options.settings, config, key_env)}


def judge_roles(judge: JudgeOptions, config: Path | None, key_env: str | None) -> dict[str, Role]:
    role = open_role(judge.name, judge.settings, config, key_env)
    return {role.model.name: role}


def reopen(run: Path, bench: str | None) -> tuple[EvalOptions, Benchmark[Sample], Manifest]:
    """What a run asked, its benchmark, and its manifest under the benchmark as it is now (so that
    a changed one is refused when the run is opened for writing)."""
    from redline.bench import find, load, select
    from redline.cli import samples_file
    from redline.run import RunFolder

    with RunFolder.open(run) as folder:
        manifest = folder.manifest
    # A row of the image track is SAMPLE/ROUND.
    ids = dict.fromkeys(f.id.partition("/")[0] for f in samples_file.read(run).facts)
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
    shared = EvalOptions(
        bench=bench or name,
        model=manifest.model,
        condition=params["condition"],
        epochs=params["epochs"],
        seed=params["seed"],
        input_size=params["input_size"],
        settings=manifest.settings,
        identity=params.get("identity", ""),
    )
    if params["track"] == "image":
        options = replace(
            shared,
            turns=params["turns"],
            measures=tuple(params["measures"]),
            trunk=params["trunk"],
            dtype=params["dtype"],
        )
    else:
        options = replace(
            shared,
            inputs=",".join(params["inputs"]),
            verbalizer=params["verbalizer"],
            verbalizer_settings=params["verbalizer_settings"],
            sandbox=params["sandbox"],
            answers=params["want"],
        )
    return options, benchmark, replace(manifest, benchmark_hash=benchmark.hash)
