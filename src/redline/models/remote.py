"""What all models behind HTTP share: one post, one reading, the schema given up where refused."""

from __future__ import annotations

import asyncio
import json
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from redline.models.failures import NO_JSON, Answer, document, error_inside, failure, told
from redline.models.http import Wire
from redline.models.keys import Key
from redline.models.protocol import ProviderError, Reply, Request, Settings

SCHEMA_REFUSED = "the server refused the JSON schema; asked again without it"

_ABOUT_SCHEMA = re.compile(
    r"response_?format|output_config|structured output|grammar|schema",
    re.IGNORECASE,
)
_FILTERED = {"content_filter", "content_policy_violation", "moderation_blocked"}


class RemoteModel(ABC):
    """A model behind HTTP. Subclasses say what is posted where and how the answer reads."""

    def __init__(
        self, name: str, model: str, base_url: str, settings: Settings, key: Key | None
    ) -> None:
        self._name = name
        self._model = model
        self._base_url = base_url.rstrip("/")
        self._settings = settings
        self._key = key
        # A server one names by http:// stands on one's own machine or network: no proxy.
        self._wire = Wire(
            self._base_url, settings.timeout_s, key, proxies=base_url.startswith("https://")
        )

    def __repr__(self) -> str:
        return f"<model {self._name}>"

    @property
    def name(self) -> str:
        return self._name

    async def complete(self, request: Request) -> Reply:
        """Send one request. A server that refuses the JSON schema as such is asked once more
        without it, and the reply says so: a refused request was never worked on."""
        notes: tuple[str, ...] = ()
        answer = await self._ask(request)
        if request.schema is not None and self._refuses_schema(answer):
            notes = (SCHEMA_REFUSED,)
            answer = await self._ask(replace(request, schema=None))
        reply = self._read(answer, request)
        if request.want == "picture":
            reply = await self._look_at(reply)
        return replace(reply, notes=(*notes, *reply.notes)) if notes else reply

    async def close(self) -> None:
        await self._wire.close()

    @abstractmethod
    def url(self, request: Request) -> str:
        """Where this request is posted to."""

    @abstractmethod
    def body(self, request: Request) -> bytes:
        """What is posted. Raises ProviderError("bad_request") for what the API can't say."""

    @abstractmethod
    def headers(self) -> dict[str, str]:
        """Headers of every call, with the key."""

    @abstractmethod
    def read(self, body: Mapping[str, Any], request: Request) -> Reply:
        """The reply in a body; `raw` is filled in by the caller. Raises Unreadable."""

    async def _ask(self, request: Request) -> Answer:
        return await self._wire.post(self.url(request), self.headers(), self.body(request))

    async def _look_at(self, reply: Reply) -> Reply:
        # Imported here: most calls are about texts, and Pillow takes a while to load.
        from redline.models.pictures_received import NoPicture, looked_at

        try:
            return await asyncio.to_thread(looked_at, reply)
        except NoPicture as e:
            problem = e
        where = self._wire.where
        why = f"The answer of {where} holds {problem}"
        raise told(problem.kind, why, self._wire.secrets, status=200)

    def _refuses_schema(self, answer: Answer) -> bool:
        if answer.status not in (400, 422):
            return False
        error = failure(answer, self._wire.where, self._wire.secrets)
        return error.kind == "bad_request" and bool(_ABOUT_SCHEMA.search(str(error)))

    def _read(self, answer: Answer, request: Request) -> Reply:
        where, secrets = self._wire.where, self._wire.secrets
        if not 200 <= answer.status < 300:
            if self._filtered(answer):
                raw = secrets.scrub_bytes(answer.body)
                return Reply("", "content_filter", raw=raw, notes=("refused by the provider",))
            raise failure(answer, where, secrets)
        if not answer.body.strip():
            raise told("transient", f"{where} answered with an empty body", secrets, status=200)
        raw = secrets.scrub_bytes(answer.body)
        got = document(raw)
        if not isinstance(got, dict):
            what = "JSON that is no object" if got is not None else NO_JSON
            raise told("transient", f"{where} answered with {what}", secrets, status=200)
        body = secrets.scrub_json(got)
        if body != got:
            # The key was hidden behind JSON escapes: the bytes can't be kept as they are.
            raw = json.dumps(body).encode()
        if error := error_inside(body, where, secrets):
            raise error
        problem: ProviderError | None = None
        try:
            return replace(self.read(body, request), raw=raw)
        except Unreadable as e:
            problem = told("transient", f"The answer of {where} holds {e}", secrets, status=200)
        raise problem

    def _filtered(self, answer: Answer) -> bool:
        """Whether a 400 is the provider's content filter speaking: an answer, not a fault."""
        body = document(answer.body) if answer.status == 400 else None
        error = body.get("error") if isinstance(body, dict) else None
        return isinstance(error, dict) and error.get("code") in _FILTERED


class Unreadable(Exception):
    """A body that is no reply; the message ends the sentence "The answer holds ..."."""
