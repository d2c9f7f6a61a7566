"""What comes out of measuring a candidate: figures, or whose fault it is that there are none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from redline.errors import UserError
from redline.image.fitting import Size

Kind = Literal["candidate", "gold", "mask", "source", "harness"]


@dataclass(frozen=True)
class Figures:
    """A candidate's figures against one gold.

    `metrics` holds defined values only, by short name (PSNR in dB, `inf` for equal pixels);
    `undefined` has the others that were asked for, each with its reason. `areas` is the part of
    what was compared that FG and BG cover, 0 to 1 (empty without a mask). `sizes` are width and
    height as shown, of `candidate`, `gold` and `source`. `warnings` tell of sizes and aspects that
    differ by more than 1 %, `notes` of everything that was done to a picture or a mask.
    """

    profile: str
    metrics: Mapping[str, float]
    undefined: Mapping[str, str]
    areas: Mapping[str, float]
    sizes: Mapping[str, Size]
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Fault:
    """A row without figures. The candidate's fault makes it `failed`; the gold's, the mask's, the
    source's or ours `unscored`. `undefined` and `areas` are those that the gold and its mask fix
    for every candidate, where these could be read: a failed row is not penalised for a measure
    that no candidate could have."""

    profile: str
    kind: Kind
    reason: str
    undefined: Mapping[str, str] = field(default_factory=dict)
    areas: Mapping[str, float] = field(default_factory=dict)

    @property
    def outcome(self) -> Literal["failed", "unscored"]:
        return "failed" if self.kind == "candidate" else "unscored"


class Unusable(UserError):
    """A picture or mask that can't be measured; `kind` says which."""

    def __init__(self, kind: Kind, reason: str) -> None:
        super().__init__(reason)
        self.kind: Kind = kind
