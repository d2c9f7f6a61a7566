"""Stage generate: ask the model (or a baseline) for the picture of each round."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from redline.errors import UserError
from redline.image import baselines, sending
from redline.image.baselines import degraded
from redline.image.lineage import FOLLOWS, START
from redline.image.sending import (
    Sent,
    edit_prompt,
    edit_request,
    sent_picture,
    shows_drawing,
    shows_words,
)
from redline.image.starts import FileHashes, Start, first_start
from redline.image.task import MODEL_ROLE, ImageTask, Step
from redline.models.protocol import Reply
from redline.pixels import (
    FileFault,
    PictureError,
    encode_png,
    load_picture,
    read_file,
    sha256_bytes,
)
from redline.pixels.loading import MAX_BYTES
from redline.track import Context, Finder, Finished, Unit, calls_nobody, digest

FOLLOWS_FAILED = "follows_failed_round"
"""The reason of a row whose dialogue ended before it because the model gave no picture in an
earlier round: there is nothing to go on from. It counts as failed, so that a model can't gain by
refusing a hard round."""

FOLLOWS_UNSCORED = "follows_unscored_round"
"""The same where nobody can say what the model would have given; tried again with that round."""


@dataclass(frozen=True)
class _Ask:
    """A round to be asked."""

    step: Step
    start: Start


@dataclass(frozen=True)
class _Follows:
    """A round that can't be asked, since the dialogue ended in `round`."""

    status: Literal["failed", "unscored"]
    round: int


class Generate:
    """One unit a row. Keeps the candidate's bytes as they came, as blob `picture`.

    Under `cumulative` the stage has rounds: a row is offered once the row before it is finished,
    and its inputs cover that row's picture. Where a dialogue ends early, its later rows are offered
    to be closed without a call.
    """

    name = "generate"

    def __init__(self, task: ImageTask) -> None:
        self._task = task
        self._hashes = FileHashes()
        self._tried: set[tuple[str, str]] = set()
        self.in_rounds = task.mode == "cumulative"

    def units(self, done: Finder) -> Iterable[Unit]:
        """Replies are kept by call and not by the digest of a unit: a unit that is stale because
        its reply is read in another way now is read again and not bought again. Outputs made
        elsewhere can't be made again from here."""
        if self._task.candidate.startswith("outputs/"):
            return
        for dialogue in self._task.dialogues():
            if self.in_rounds:
                yield from self._in_rounds(dialogue, done)
            else:
                for step in dialogue:
                    yield self._unit(step, first_start(step, self._hashes))

    def _in_rounds(self, dialogue: Sequence[Step], done: Finder) -> Iterator[Unit]:
        start = first_start(dialogue[0], self._hashes)
        for n, step in enumerate(dialogue):
            unit = self._unit(step, start)
            yield unit
            made = done.get(self.name, step.key)
            if made is None or made.inputs != unit.inputs:
                return
            if made.status == "ok":
                start = Start(made.blobs["picture"], None)
                continue
            # An unscored round may still come out otherwise in this process, until it was tried.
            if made.status == "failed" or (unit.key, unit.inputs) in self._tried:
                follows = _Follows(made.status, step.turn.round)
                for later in dialogue[n + 1 :]:
                    yield Unit(later.key, digest(FOLLOWS, follows.status, follows.round), follows)
            return

    def _unit(self, step: Step, start: Start) -> Unit:
        inputs = self._of_baseline if calls_nobody(self._task.candidate) else self._of_model
        return Unit(step.key, inputs(step, start.sha256), _Ask(step, start))

    def _of_baseline(self, step: Step, start: str) -> str:
        t = self._task
        files = [step.sample.start_of(step.turn), step.turn.gold]
        hashes = [self._hashes.maybe(f) for f in files]
        return digest(t.candidate, t.seed, start, hashes, baselines.BASELINES_VERSION)

    def _of_model(self, step: Step, start: str) -> str:
        t = self._task
        drawing = self._hashes.maybe(step.turn.overlay) if shows_drawing(t.condition) else None
        return digest(
            start,
            step.turn.instruction if shows_words(t.condition) else None,
            drawing,
            [t.candidate, t.settings, t.condition, t.input_size, t.seed],
            [edit_prompt(t.condition).hash, sending.SENDING_VERSION],
        )

    async def run(self, unit: Unit, context: Context) -> Finished:
        asked: _Ask | _Follows = unit.payload
        if isinstance(asked, _Follows):
            reason = FOLLOWS_FAILED if asked.status == "failed" else FOLLOWS_UNSCORED
            return Finished(asked.status, reason, {FOLLOWS: asked.round})
        self._tried.add((unit.key, unit.inputs))
        try:
            start = await context.in_thread(asked.start.read, context)
        except FileFault as e:
            return Finished("unscored", "input_picture", {"message": str(e)})
        except UserError:
            # Its bytes are gone from the run folder; the round before is made again first.
            message = "The picture of the round before was not there. Start the run again."
            return Finished("unscored", "input_picture", {"message": message})
        if calls_nobody(self._task.candidate):
            return await context.in_thread(self._baseline, asked.step, start)
        return await self._model(asked.step, start, context)

    async def _model(self, step: Step, start: bytes, context: Context) -> Finished:
        t = self._task
        try:
            sent = await context.in_thread(self._sent, step, start)
        except (PictureError, FileFault) as e:
            return Finished("unscored", "input_picture", {"message": str(e)})
        request = edit_request(sent, t.condition, step.turn.instruction)
        reply = await context.call(MODEL_ROLE, "edit", request)
        value: dict[str, Any] = {
            START: sha256_bytes(start),
            "sent": sent.as_json(),
            "finish": reply.finish,
            "model_id": reply.model_id,
            "pictures": len(reply.pictures),
        }
        if reply.notes:
            value["reply_notes"] = list(reply.notes)
        return await context.in_thread(_read, reply, value)

    def _sent(self, step: Step, start: bytes) -> Sent:
        drawn = step.turn.overlay if shows_drawing(self._task.condition) else None
        overlay = read_file(drawn, MAX_BYTES) if drawn else None
        return sent_picture(start, self._task.input_size, overlay)

    def _baseline(self, step: Step, start: bytes) -> Finished:
        kind = self._task.candidate.partition("/")[2]
        value: dict[str, Any] = {START: sha256_bytes(start)}
        if kind == "identity":
            return Finished("ok", None, value, {"picture": start})
        if step.turn.gold is None:
            message = f"Round {step.turn.round} of {step.sample.id} has no gold to make it of."
            return Finished("unscored", "no_gold", {**value, "message": message})
        gold = read_file(step.turn.gold, MAX_BYTES)
        if kind == "oracle":
            return Finished("ok", None, value, {"picture": gold})
        before = step.sample.start_of(step.turn)
        array = load_picture(start).array
        edited, note = degraded(
            array,
            load_picture(read_file(before, MAX_BYTES)).array if before else array,
            load_picture(gold).array,
            f"{self._task.seed}/{step.id}",
        )
        picture = start if note else encode_png(edited)
        return Finished("ok", None, {**value, "note": note}, {"picture": picture})


def _read(reply: Reply, value: dict[str, Any]) -> Finished:
    """The last picture of a reply, where it can be read."""
    if reply.finish == "content_filter":
        return Finished("unscored", "provider_content_filter", value)
    if not reply.pictures:
        reason = {"refusal": "refusal", "length": "cut_off"}.get(reply.finish, "no_picture")
        return Finished("failed", reason, value)
    data = reply.pictures[-1]
    try:
        picture = load_picture(data)
    except PictureError as e:
        return Finished("failed", "unreadable_picture", {**value, "message": str(e)})
    height, width = picture.array.shape[:2]
    value = {**value, "size": [width, height], "notes": list(picture.notes)}
    return Finished("ok", None, value, {"picture": data})
