"""Conditions and inputs: what a model is shown of a sample, and the request that shows it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal, get_args

from redline.bench.sample import DiagramSample
from redline.diagram.prompts import instruction_prompts, prompt
from redline.models.protocol import Message, Part, PicturePart, Request, TextPart

Condition = Literal["visual", "text", "visual+text", "verbalized", "visual+verbalized"]
CONDITIONS: tuple[Condition, ...] = get_args(Condition)

Input = Literal["code", "picture", "instruction"]
INPUTS: tuple[Input, ...] = get_args(Input)
"""What a model may be given: the original's code, its picture, the picture with the instruction
drawn on it. Ablations are subsets; their order is always this one."""

_NAMES: Mapping[str, str] = {
    "code": "the TikZ code of the diagram",
    "picture": 'a picture of the rendered diagram (labelled "original")',
    "instruction": (
        'a picture of the diagram with an edit instruction drawn over it (labelled "instruction")'
    ),
}
LABELS: Mapping[str, str] = {"picture": "original", "instruction": "instruction"}


def parse_inputs(text: str) -> tuple[Input, ...]:
    """`code,picture,instruction` or a part of it. Raises ValueError with a sentence."""
    names = [t.strip() for t in text.split(",") if t.strip()]
    unknown = [n for n in names if n not in INPUTS]
    if unknown or not names:
        raise ValueError(
            f"Inputs are some of {', '.join(INPUTS)}, separated by commas; got {text!r}."
        )
    return tuple(i for i in INPUTS if i in names)


def sees_drawing(condition: str) -> bool:
    """Whether the model that edits is shown the drawn instruction."""
    return condition.startswith("visual")


def verbalizes(condition: str) -> bool:
    """Whether a first call puts the drawing into words."""
    return condition.endswith("verbalized")


def shown(condition: str, inputs: Iterable[Input]) -> tuple[Input, ...]:
    """What of `inputs` the editing model is shown: the drawing only where the condition has it."""
    return tuple(i for i in inputs if i != "instruction" or sees_drawing(condition))


def condition_fault(condition: str, inputs: Iterable[Input], want: str) -> str | None:
    """Why this combination can't be run, or None."""
    given = set(inputs)
    if condition not in CONDITIONS:
        return f"There is no condition {condition!r}; choose one of {', '.join(CONDITIONS)}."
    if (sees_drawing(condition) or verbalizes(condition)) and "instruction" not in given:
        return f"Condition {condition} needs the input `instruction` (the drawn instruction)."
    if want == "picture" and not {"picture", "instruction"} & set(shown(condition, given)):
        return "A picture-editing model needs the input `picture` or `instruction`."
    if want == "code" and not shown(condition, given):
        return "Nothing of the original would be shown; add `code` or `picture` to the inputs."
    return None


def supports(sample: DiagramSample, condition: Condition) -> bool:
    """Whether the sample has what the condition needs."""
    drawn = sample.instruction_picture is not None
    if condition in ("visual", "verbalized", "visual+verbalized"):
        return drawn
    if condition == "visual+text":
        return drawn and bool(sample.instruction)
    return bool(sample.instruction)


def _given(inputs: Iterable[Input]) -> str:
    return "".join(f"\n- {_NAMES[i]}" for i in inputs) + "\n"


def _parts(
    sample: DiagramSample, inputs: Iterable[Input], pictures: Mapping[str, bytes], text: str
) -> tuple[Part, ...]:
    parts: list[Part] = []
    for i in inputs:
        if i == "code":
            parts.append(
                TextPart(f"The code of the diagram:\n```latex\n{sample.code.rstrip()}\n```")
            )
        else:
            parts += [
                TextPart(f'Picture "{LABELS[i]}":'),
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


def edit_request(
    sample: DiagramSample,
    condition: Condition,
    inputs: Iterable[Input],
    pictures: Mapping[str, bytes],
    words: str,
    want: Literal["code", "picture"],
) -> Request:
    """Ask a model for the edit. `words` is the instruction text or the verbalisation."""
    given = shown(condition, inputs)
    instruction = instruction_prompts()[condition].fill(text=words)
    text = prompt(f"edit-{want}").fill(given=_given(given), instruction=instruction)
    message = Message("user", _parts(sample, given, pictures, text))
    return Request((message,), want="picture" if want == "picture" else "text")


def prompt_hashes(condition: Condition, want: str) -> dict[str, str]:
    """The prompts that a run under this condition uses, by name, with their hashes."""
    used = [prompt(f"edit-{want}"), instruction_prompts()[condition]]
    if verbalizes(condition):
        used.append(prompt("verbalize"))
    return {p.name: p.hash for p in used}
