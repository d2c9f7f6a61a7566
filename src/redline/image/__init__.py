"""The image track: picture measures, turns, questions, baselines, stages, results.

`ImageTask` says what is asked and what is left out; the stages Generate (or FromOutputs), Measure
and JudgeStage carry it out; `make_rows` turns what they kept into rows of a result, and `analyse`
looks at these by turn. Nothing here imports torch; `measuring.Measurer` does where it needs it.
"""

from redline.image.baselines import BASELINES
from redline.image.generate import Generate
from redline.image.judging import ImageJudging, JudgeStage, verdict_keys
from redline.image.measure_stage import GoldSides, Measure, long_names, profiles_measured
from redline.image.outputs import NO_OUTPUT, FromOutputs, Outputs, find_outputs
from redline.image.profiles import PROFILES, profile_named
from redline.image.question_writing import write_questions
from redline.image.questions import PROTOCOLS
from redline.image.results import (
    COLUMNS,
    GROUPINGS,
    averages,
    columns,
    facts,
    left_out_notes,
    notes,
)
from redline.image.rows import answers, make_rows, row_keys
from redline.image.sending import prompt_hashes
from redline.image.task import CONDITIONS, MODEL_ROLE, MODES, ImageTask, LeftOut, resolve_mode
from redline.image.turns import TurnAnalysis, analyse

__all__ = [
    "BASELINES",
    "COLUMNS",
    "CONDITIONS",
    "GROUPINGS",
    "MODEL_ROLE",
    "MODES",
    "NO_OUTPUT",
    "PROFILES",
    "PROTOCOLS",
    "FromOutputs",
    "Generate",
    "GoldSides",
    "ImageJudging",
    "ImageTask",
    "JudgeStage",
    "LeftOut",
    "Measure",
    "Outputs",
    "TurnAnalysis",
    "analyse",
    "answers",
    "averages",
    "columns",
    "facts",
    "find_outputs",
    "left_out_notes",
    "long_names",
    "make_rows",
    "notes",
    "profile_named",
    "profiles_measured",
    "prompt_hashes",
    "resolve_mode",
    "row_keys",
    "verdict_keys",
    "write_questions",
]
