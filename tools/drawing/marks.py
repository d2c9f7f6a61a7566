"""From a drawing spec to Excalidraw elements: freedraw by pen, built-in shapes by tool."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Mapping, Sequence
from typing import Any

import hand

Spec = Mapping[str, Any]
Element = dict[str, Any]
MARKS = ("circle", "rect", "arrow", "line", "cross", "strike", "scribble", "curve", "write")


def elements(spec: Spec) -> list[Element]:
    """The elements of a spec, in order; the same spec gives the same elements.

    Raises ValueError for an unknown mark.
    """
    make = _pen if spec["drawn_with"] == "pen" else _tool
    found: list[Element] = []
    for k, mark in enumerate(spec["marks"]):
        if mark["mark"] not in MARKS:
            raise ValueError(f"{spec['id']}: mark {k + 1} is {mark['mark']!r}, not one of {MARKS}")
        style = {
            "strokeColor": mark.get("color", spec.get("color", "#e03131")),
            "strokeWidth": mark.get("width", _width(spec, mark)),
        }
        for part, element in enumerate(make(mark, random.Random(f"{spec['id']}/{k}"))):
            element |= style
            number = hashlib.sha256(f"{spec['id']}/{k}/{part}".encode()).digest()
            element["id"] = f"mark-{k + 1}-{part + 1}"
            element["seed"] = int.from_bytes(number[:4], "big") >> 1
            found.append(element)
    return found


def _width(spec: Spec, mark: Mapping[str, Any]) -> float:
    """A pen writes finer than it draws; a width of 1 in freedraw is about 4 pixels."""
    if spec["drawn_with"] == "tool":
        return 3
    return 0.6 if mark["mark"] == "write" else 1


def _pen(mark: Mapping[str, Any], rng: random.Random) -> list[Element]:
    kind = mark["mark"]
    paths: list[hand.Path]
    if kind == "circle":
        paths = [hand.loop(mark["box"], rng)]
    elif kind == "rect":
        paths = hand.box_outline(mark["box"], rng)
    elif kind == "arrow":
        paths = hand.arrow(_points(mark), rng)
    elif kind == "curve":
        paths = [hand.stroke(_points(mark), rng)]
    elif kind in ("line", "strike"):
        paths = [hand.polyline(_points(mark), rng)]
    elif kind == "cross":
        paths = hand.cross(mark["box"], rng)
    elif kind == "scribble":
        paths = [hand.scribble(mark["box"], rng)]
    else:
        paths = hand.write(mark["text"], tuple(mark["at"]), mark["size"], mark.get("angle", 0), rng)
    return [_freedraw(path) for path in paths]


def _freedraw(path: hand.Path) -> Element:
    """A whole freedraw element. Excalidraw thins fast parts itself (simulatePressure)."""
    x0, y0 = path[0]
    points = [[round(x - x0, 2), round(y - y0, 2)] for x, y in path]
    xs, ys = [p[0] for p in points], [p[1] for p in points]
    return {
        "type": "freedraw", "x": round(x0, 2), "y": round(y0, 2), "points": points,
        "width": round(max(xs) - min(xs), 2), "height": round(max(ys) - min(ys), 2),
        "pressures": [], "simulatePressure": True, "lastCommittedPoint": points[-1],
        "angle": 0, "backgroundColor": "transparent", "fillStyle": "solid", "strokeStyle": "solid",
        "roughness": 1, "roundness": None, "opacity": 100, "version": 1, "versionNonce": 1,
        "index": None, "isDeleted": False, "groupIds": [], "frameId": None, "boundElements": None,
        "updated": 1, "link": None, "locked": False,
    }  # fmt: skip


def _tool(mark: Mapping[str, Any], rng: random.Random) -> list[Element]:
    kind = mark["mark"]
    if kind == "circle":
        return [{"type": "ellipse", **_box(mark["box"])}]
    if kind == "rect":
        return [{"type": "rectangle", **_box(mark["box"])}]
    if kind == "scribble":
        fill = {"backgroundColor": mark.get("color", "#e03131"), "fillStyle": "hachure"}
        return [{"type": "rectangle", **_box(mark["box"]), **fill}]
    if kind == "cross":
        x0, y0, x1, y1 = mark["box"]
        return [_linear("line", [(x0, y0), (x1, y1)]), _linear("line", [(x1, y0), (x0, y1)])]
    if kind == "arrow":
        bent = {"roundness": {"type": 2}} if len(mark["points"]) > 2 else {}
        return [{**_linear("arrow", _points(mark)), "endArrowhead": "arrow", **bent}]
    if kind == "curve":
        return [{**_linear("line", _points(mark)), "roundness": {"type": 2}}]
    if kind in ("line", "strike"):
        return [_linear("line", _points(mark))]
    x, y = mark["at"]
    size = mark["size"] / 0.7  # a capital of Excalidraw's own font is about 0.7 of its size
    return [{
        "type": "text", "text": mark["text"], "x": x, "y": y - 0.28 * size, "fontSize": size,
        "fontFamily": 5, "angle": mark.get("angle", 0) * 3.141592653589793 / 180,
    }]  # fmt: skip


def _points(mark: Mapping[str, Any]) -> list[tuple[float, float]]:
    return [(float(x), float(y)) for x, y in mark["points"]]


def _box(box: Sequence[float]) -> dict[str, float]:
    x0, y0, x1, y1 = box
    return {"x": x0, "y": y0, "width": x1 - x0, "height": y1 - y0}


def _linear(kind: str, points: Sequence[tuple[float, float]]) -> Element:
    x0, y0 = points[0]
    moved = [[x - x0, y - y0] for x, y in points]
    xs, ys = [p[0] for p in moved], [p[1] for p in moved]
    return {"type": kind, "x": x0, "y": y0, "points": moved,
            "width": max(xs) - min(xs), "height": max(ys) - min(ys)}  # fmt: skip
