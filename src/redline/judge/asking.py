"""Asks a judge: one call, and one repair turn where its reply cannot be read."""

from __future__ import annotations

from redline.judge.requests import repair_request
from redline.judge.rubric import Rubric
from redline.judge.verdict import Malformed, Verdict, read_verdict
from redline.models.protocol import Reply, Request
from redline.track import Context


async def ask(
    context: Context, role: str, rubric: Rubric, request: Request, about: str = ""
) -> Verdict | Malformed:
    """A verdict, or why there is none; `Malformed.kind` is then the reason to be unscored.

    `request` comes from `verdict_request`. The steps are "verdict" and "repair", with `about`
    before them where a unit asks several. Unanswered passes through.
    """
    reply = await context.call(role, f"{about}verdict", request)
    found = _read(reply, rubric)
    if isinstance(found, Verdict) or found.kind == "judge_refused":
        return found
    repair = repair_request(rubric, request, reply.text, found)
    return _read(await context.call(role, f"{about}repair", repair), rubric)


def _read(reply: Reply, rubric: Rubric) -> Verdict | Malformed:
    if reply.finish in ("refusal", "content_filter"):
        return Malformed(f"The judge gave no verdict ({reply.finish}).", "judge_refused")
    return read_verdict(reply.text, rubric)
