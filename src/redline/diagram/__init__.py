"""The diagram track: prompts, conditions, reading replies, measures, baselines, stages.

`DiagramTask` says what is asked; the stages Generate (or FromOutputs), RenderStage, Measure and
JudgeStage carry it out; `make_rows` and `summarize` turn what they kept into results.
"""

from redline.diagram.baselines import BASELINES
from redline.diagram.conditions import (
    CONDITIONS,
    INPUTS,
    condition_fault,
    parse_inputs,
    prompt_hashes,
    supports,
)
from redline.diagram.generate import Generate
from redline.diagram.judging import JudgeStage
from redline.diagram.measuring import Measure
from redline.diagram.outputs import FromOutputs, Outputs, find_outputs
from redline.diagram.reading import Reading, read_reply
from redline.diagram.references import InputPictures, ReferenceFault, references
from redline.diagram.rendering import RenderStage
from redline.diagram.results import GROUPINGS, Group, Metric, breakdown, summarize
from redline.diagram.rows import Facts, Row, make_rows
from redline.diagram.task import MODEL_ROLE, VERBALIZER_ROLE, DiagramTask, Judging, digest

__all__ = [
    "BASELINES",
    "CONDITIONS",
    "GROUPINGS",
    "INPUTS",
    "MODEL_ROLE",
    "VERBALIZER_ROLE",
    "DiagramTask",
    "Facts",
    "FromOutputs",
    "Generate",
    "Group",
    "InputPictures",
    "JudgeStage",
    "Judging",
    "Measure",
    "Metric",
    "Outputs",
    "Reading",
    "ReferenceFault",
    "RenderStage",
    "Row",
    "breakdown",
    "condition_fault",
    "digest",
    "find_outputs",
    "make_rows",
    "parse_inputs",
    "prompt_hashes",
    "read_reply",
    "references",
    "summarize",
    "supports",
]
