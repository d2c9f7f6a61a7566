"""The diagram track: prompts, conditions, reading replies, measures, baselines, stages.

`DiagramTask` says what is asked; the stages Generate (or FromOutputs), RenderStage, Measure and
JudgeStage carry it out; `make_rows` turns what they kept into rows of a result.
"""

from redline.diagram.baselines import BASELINES
from redline.diagram.conditions import (
    CONDITIONS,
    INPUTS,
    condition_fault,
    parse_inputs,
    prompt_hashes,
    supports,
    verbalizes,
)
from redline.diagram.generate import Generate
from redline.diagram.judging import JudgeStage
from redline.diagram.measuring import Measure
from redline.diagram.outputs import NO_OUTPUT, FromOutputs, Outputs, find_outputs
from redline.diagram.reading import Reading, read_reply
from redline.diagram.references import InputPictures, ReferenceFault, references
from redline.diagram.rendering import RenderStage
from redline.diagram.results import COLUMNS, GROUPINGS, facts
from redline.diagram.rows import make_rows
from redline.diagram.task import MODEL_ROLE, VERBALIZER_ROLE, DiagramTask, Judging

__all__ = [
    "BASELINES",
    "COLUMNS",
    "CONDITIONS",
    "GROUPINGS",
    "INPUTS",
    "MODEL_ROLE",
    "NO_OUTPUT",
    "VERBALIZER_ROLE",
    "DiagramTask",
    "FromOutputs",
    "Generate",
    "InputPictures",
    "JudgeStage",
    "Judging",
    "Measure",
    "Outputs",
    "Reading",
    "ReferenceFault",
    "RenderStage",
    "condition_fault",
    "facts",
    "find_outputs",
    "make_rows",
    "parse_inputs",
    "prompt_hashes",
    "read_reply",
    "references",
    "supports",
    "verbalizes",
]
