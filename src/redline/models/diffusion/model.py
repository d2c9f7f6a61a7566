"""A diffusion pipeline as a model: calls wait in a queue for one thread that holds the pipeline."""

from __future__ import annotations

import asyncio
import contextlib
import json
import queue
import secrets
import threading
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path

from redline.models.diffusion.adapters import Adapter, Edit, adapter
from redline.models.diffusion.config import load_local
from redline.models.diffusion.pipeline import GivenUp, Made, Pipeline
from redline.models.diffusion.settings import DiffusionError, DiffusionSettings, diffusion_settings
from redline.models.diffusion.weights import (
    Weights,
    of_local,
    of_repository,
    require_packages,
)
from redline.models.protocol import (
    PicturePart,
    ProviderError,
    Reply,
    Request,
    Settings,
    TextPart,
    Usage,
)
from redline.pixels import PictureError, encode_png, load_picture

WINDOW_S = 0.2
"""How long a batch that is not full waits for more calls."""

_LOADING = threading.Lock()
"""transformers changes torch's default dtype while it loads: one pipeline at a time."""


@dataclass(eq=False)
class _Waiting:
    """A call in the queue. `given_up`: its caller is gone."""

    edit: Edit
    notes: tuple[str, ...]
    came: Future[Made]
    given_up: threading.Event = field(default_factory=threading.Event)

    @property
    def shape(self) -> tuple[tuple[int, int], ...]:
        return tuple(p.size for p in self.edit.pictures)


class DiffusionModel:
    """`diffusers/...`. The pipeline is loaded by the first call and freed by `close`.

    `Settings.timeout_s` holds for the edit itself, not for the wait in the queue. A seed makes
    the same picture of the same request every time; without one each call draws its own, which
    the reply's record tells.
    """

    def __init__(
        self, name: str, weights: Weights, how: Adapter, settings: Settings, own: DiffusionSettings
    ) -> None:
        self._name = name
        self._weights = weights
        self._adapter = how
        self._settings = settings
        self._own = own
        self._queue: queue.SimpleQueue[_Waiting | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._closing = threading.Event()
        self.editing = threading.Event()
        """Set while an edit is under way."""

    def __repr__(self) -> str:
        return f"<model {self._name}>"

    @property
    def name(self) -> str:
        return self._name

    async def complete(self, request: Request) -> Reply:
        """Edit one picture. Raises ProviderError: `not_found` where the pipeline can't be loaded,
        `bad_request` for what it can't do, `transient` for an edit that took too long."""
        edit, notes = await asyncio.to_thread(self._read, request)
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name=self._name, daemon=True)
            self._thread.start()
        waiting = _Waiting(edit, notes, Future())
        self._queue.put(waiting)
        try:
            made = await asyncio.wrap_future(waiting.came)
        except asyncio.CancelledError:
            waiting.given_up.set()
            raise
        raw = json.dumps(made.facts, ensure_ascii=False, sort_keys=True).encode()
        model_id = f"{self._weights.base.name}@{self._weights.base.revision[:12]}"
        if made.array is None:
            filtered = ("the weights' safety checker blacked the picture out",)
            return Reply(
                "", "content_filter", model_id=model_id, notes=(*notes, *filtered), raw=raw
            )
        return Reply(
            text="",
            finish="stop",
            pictures=(await asyncio.to_thread(encode_png, made.array),),
            usage=Usage(pictures=1),
            model_id=model_id,
            notes=notes,
            raw=raw,
        )

    async def close(self) -> None:
        """End the thread and free the memory; an edit under way ends after its step."""
        self._closing.set()
        if self._thread is not None:
            self._queue.put(None)
            await asyncio.to_thread(self._thread.join)
            self._thread = None

    def _read(self, request: Request) -> tuple[Edit, tuple[str, ...]]:
        """What is asked: the texts of the last message are the instruction, its pictures what is
        edited. Pipelines hold no conversation."""
        if request.want != "picture":
            raise ProviderError(
                "bad_request", f"{self._name} answers with pictures only; a text was asked for."
            )
        parts = request.messages[-1].parts if request.messages else ()
        words = [request.system, *(p.text for p in parts if isinstance(p, TextPart))]
        prompt = "\n\n".join(w.strip() for w in words if w.strip())
        sent = [p for p in parts if isinstance(p, PicturePart)]
        if not prompt or not sent:
            raise ProviderError(
                "bad_request", f"{self._name} needs an instruction and a picture to edit."
            )
        if len(sent) > self._adapter.most_pictures:
            labels = ", ".join(p.label for p in sent)
            raise ProviderError(
                "bad_request",
                f"{self._adapter.pipeline} takes at most {self._adapter.most_pictures} "
                f"picture(s); {len(sent)} were sent ({labels}).",
            )
        from PIL import Image

        try:
            loaded = [load_picture(p.data) for p in sent]
        except PictureError as e:
            raise ProviderError("bad_request", f"A picture that was sent: {e}") from None
        notes = tuple(
            f'picture "{p.label}": {n}'
            for p, one in zip(sent, loaded, strict=True)
            for n in one.notes
        )
        seed = self._settings.seed
        pictures = tuple(Image.fromarray(one.array) for one in loaded)
        return Edit(prompt, pictures, secrets.randbits(32) if seed is None else seed), notes

    # -- the thread ---------------------------------------------------------------------------

    def _work(self) -> None:
        pipeline: Pipeline | None = None
        held: list[_Waiting] = []
        while not self._closing.is_set():
            group = self._group(held)
            if not group:
                break
            try:
                if pipeline is None:
                    with _LOADING:
                        pipeline = Pipeline(self._weights, self._adapter, self._own)
                self.editing.set()
                made = pipeline.edit(
                    [w.edit for w in group],
                    self._settings.timeout_s * len(group),
                    lambda group=group: self._wanted(group),  # type: ignore[misc]
                )
            except GivenUp:
                _fail(group, ProviderError("transient", f"The edit of {self._name} was given up."))
            except DiffusionError as e:
                # Every call would end like this: the run stops and says why.
                _fail(group, ProviderError("not_found", str(e)))
            except ProviderError as e:
                _fail(group, e)
            except Exception as e:
                _fail(group, e)
            else:
                for waiting, one in zip(group, made, strict=True):
                    waiting.came.set_result(one)
            finally:
                self.editing.clear()
        if pipeline is not None:
            pipeline.close()
        with contextlib.suppress(queue.Empty):
            while True:
                if (left := self._queue.get_nowait()) is not None:
                    held.append(left)
        _fail(held, ProviderError("transient", f"{self._name} was closed."))

    def _group(self, held: list[_Waiting]) -> list[_Waiting]:
        """The next calls to do in one go: pictures of one size, at most `batch`. Empty at the
        end. `held` keeps those that did not fit."""
        while True:
            if not held:
                first = self._queue.get()
                if first is None:
                    return []
                held.append(first)
            while sum(w.shape == held[0].shape for w in held) < self._own.batch:
                try:
                    more = self._queue.get(timeout=WINDOW_S)
                except queue.Empty:
                    break
                if more is None:
                    self._queue.put(None)
                    break
                held.append(more)
            group = [w for w in held if w.shape == held[0].shape][: self._own.batch]
            held[:] = [w for w in held if w not in group]
            # A call whose caller is gone is not begun.
            if live := [w for w in group if w.came.set_running_or_notify_cancel()]:
                return live

    def _wanted(self, group: list[_Waiting]) -> bool:
        return not self._closing.is_set() and not all(w.given_up.is_set() for w in group)


def _fail(group: list[_Waiting], error: Exception) -> None:
    for waiting in group:
        if not waiting.came.done():
            waiting.came.set_exception(error)


def open_diffusion(name: str, model: str, settings: Settings, config: Path) -> DiffusionModel:
    """Open `diffusers/MODEL`. Loads nothing yet; raises DiffusionError or ModelNameError for what
    could not be loaded or called."""
    require_packages()
    own = diffusion_settings(settings, name)
    weights = find_weights(model, config)
    how = adapter(weights.pipeline, name)
    how.check(own)
    return DiffusionModel(name, weights, how, settings, own)


def find_weights(model: str, config: Path) -> Weights:
    """The weights behind OWNER/NAME, OWNER/NAME@REVISION or local:NAME, pinned. Raises
    DiffusionError or ModelNameError."""
    if model.startswith("local:"):
        return of_local(load_local(model.removeprefix("local:"), config))
    repository, _, revision = model.partition("@")
    return of_repository(repository, revision or None)
