"""Conditions and inputs: what a model is shown of a sample, and the request that shows it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal, get_args

from redline.bench.sample import DiagramSample
from redline.diagram.prompts import Prompt, combined_hash, prompt, sentence
from redline.models.protocol import Message, Part, PicturePart, Request, TextPart

Condition = Literal["visual", "text", "visual+text", "verbalized", "visual+verbalized"]
CONDITIONS: tuple[Condition, ...] = get_args(Condition)

Input = Literal["code", "picture", "instruction"]
INPUTS: tuple[Input, ...] = get_args(Input)
"""What a model may be given: the original's code, its picture, the picture with the instruction
drawn on it. Ablations are subsets; their order is always this one."""

Told = Condition | Literal["blind"]
"""How the instruction reaches the model that edits; "blind": not at all."""

ASKING_VERSION = 1
"""Raised whenever the code that makes requests sends something else (beside the prompt files, which
have hashes of their own): what was generated before is then stale."""

LABELS: Mapping[str, str] = {"picture": "original", "instruction": "instruction"}


def parse_inputs(text: str) -> tuple[Input, ...]:
    """`code,picture,instruction` or a part of it, also none. Raises ValueError with a sentence."""
    names = [t.strip() for t in text.split(",") if t.strip()]
    if any(n not in INPUTS for n in names):
        raise ValueError(
            f"Inputs are some of {', '.join(INPUTS)}, separated by commas; got {text!r}."
        )
    return tuple(i for i in INPUTS if i in names)


def told(condition: Condition, inputs: Iterable[Input]) -> Told:
    """How the instruction reaches the model under a condition with these inputs. Without the input
    `instruction` nobody sees the drawing: nobody can put it into words either, and a condition
    that has nothing else is blind."""
    if "instruction" in inputs or condition == "text":
        return condition
    return "text" if condition == "visual+text" else "blind"


def sees_drawing(how: Told) -> bool:
    """Whether the model that edits is shown the drawn instruction."""
    return how.startswith("visual")


def reads_text(how: Told) -> bool:
    """Whether the model that edits is given the sample's instruction in words."""
    return how.endswith("text")


def verbalizes(how: Told) -> bool:
    """Whether a first call puts the drawing into words."""
    return how.endswith("verbalized")


def shown(condition: Condition, inputs: Iterable[Input]) -> tuple[Input, ...]:
    """What of `inputs` the editing model is shown: the drawing only where the condition has it."""
    given = tuple(inputs)
    return tuple(i for i in given if i != "instruction" or sees_drawing(told(condition, given)))


def pictures_sent(condition: Condition, inputs: Iterable[Input]) -> tuple[Input, ...]:
    """The pictures that anybody is sent, the model that edits or the one that verbalizes."""
    given = tuple(inputs)
    if verbalizes(told(condition, given)):
        return tuple(i for i in given if i != "code")
    return tuple(i for i in shown(condition, given) if i != "code")


def condition_fault(condition: str, inputs: Iterable[Input]) -> str | None:
    """Why this combination can't be run, or None. Any part of the inputs may be left out; only a
    model that would be given nothing at all can't be asked."""
    given = tuple(inputs)
    known = next((c for c in CONDITIONS if c == condition), None)
    if known is None:
        return f"There is no condition {condition!r}; choose one of {', '.join(CONDITIONS)}."
    if told(known, given) == "blind" and not shown(known, given):
        return (
            f"Under condition {condition} with these inputs the model would be given nothing; "
            f"add some of {', '.join(INPUTS)} to --inputs."
        )
    return None


def supports(sample: DiagramSample, how: Told) -> bool:
    """Whether the sample has what is to reach the model of its instruction."""
    return how == "blind" or how in sample.conditions


def _given(inputs: Iterable[Input]) -> str:
    lines = [sentence("given", i).text for i in inputs]
    return "\n".join([sentence("given", "intro").text, *lines]) + "\n" if lines else ""


def _parts(
    sample: DiagramSample, inputs: Iterable[Input], pictures: Mapping[str, bytes], text: str
) -> tuple[Part, ...]:
    parts: list[Part] = []
    for i in inputs:
        if i == "code":
            parts.append(TextPart(sentence("part", "code").fill(code=sample.code.rstrip())))
        else:
            parts += [
                TextPart(sentence("part", "picture").fill(label=LABELS[i])),
                PicturePart(pictures[i], label=LABELS[i]),
            ]
    return (*parts, TextPart(text))


def verbalize_request(
    sample: DiagramSample, inputs: Iterable[Input], pictures: Mapping[str, bytes]
) -> Request:
    """Ask a model to put the drawn instruction into words.

    `pictures` maps "picture" and "instruction" to PNG bytes, where they are among `inputs`.
    """
    given = tuple(inputs)
    text = prompt("verbalize").fill(given=_given(given))
    return Request((Message("user", _parts(sample, given, pictures, text)),))


def _task(how: Told, given: Iterable[Input], want: str) -> Prompt:
    """The sentence that says what to do, by what of the original the model is shown."""
    looked_at = {"code": ("code", "picture"), "picture": ("picture", "code")}[want]
    seen = {"picture" if i == "instruction" else i for i in given}
    by = next((i for i in looked_at if i in seen), "nothing")
    return sentence(f"edit-{want}", f"blind-{by}" if how == "blind" else by)


def edit_request(
    sample: DiagramSample,
    condition: Condition,
    inputs: Iterable[Input],
    pictures: Mapping[str, bytes],
    words: str,
    want: Literal["code", "picture"],
) -> Request:
    """Ask a model for the edit. `words` is the instruction text or the verbalisation."""
    asked_for = tuple(inputs)
    how, given = told(condition, asked_for), shown(condition, asked_for)
    text = prompt(f"edit-{want}").fill(
        given=_given(given),
        instruction=sentence("instruction", how).fill(text=words),
        task=_task(how, given, want).text,
        marks=sentence("marks", "drawn").text if sees_drawing(how) else "",
    )
    message = Message("user", _parts(sample, given, pictures, text))
    return Request((message,), want="picture" if want == "picture" else "text")


def prompt_hashes(condition: Condition, inputs: Iterable[Input], want: str) -> dict[str, str]:
    """By prompt file, the SHA-256 over it and the sentences that it is filled with under this
    condition with these inputs."""
    asked_for = tuple(inputs)
    how, given = told(condition, asked_for), shown(condition, asked_for)
    edit = [prompt(f"edit-{want}"), sentence("instruction", how), _task(how, given, want)]
    if sees_drawing(how):
        edit.append(sentence("marks", "drawn"))
    made = {f"edit-{want}": combined_hash([*edit, *_around(given)])}
    if verbalizes(how):
        made["verbalize"] = combined_hash([prompt("verbalize"), *_around(asked_for)])
    return made


def _around(given: Iterable[Input]) -> list[Prompt]:
    """The sentences that name and introduce what is given."""
    names = {i: ("code" if i == "code" else "picture") for i in given}
    listed = [sentence("given", i) for i in ("intro", *names)] if names else []
    return [*listed, *(sentence("part", p) for p in dict.fromkeys(names.values()))]
