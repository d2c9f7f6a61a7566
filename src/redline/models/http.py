"""The one HTTP client: a single attempt a call, whole answers, every fault a ProviderError."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

import httpx

from redline.models.failures import Answer, told
from redline.models.keys import Key, Secrets
from redline.models.protocol import ErrorKind

MAX_ANSWER_BYTES = 64 * 1024 * 1024
CONNECT_S = 20.0
MAX_CONNECTIONS = 1024
"""Far above what the engine sends at once: its limits decide, never a queue in here."""

NO_SECRETS = Secrets(())


class Wire:
    """Posts JSON to one provider. Holds the connections of one model.

    `timeout_s` covers the whole call. Redirects are never followed: they would carry the key and
    the pictures to another host.
    """

    def __init__(self, where: str, timeout_s: float, key: Key | None, *, proxies: bool) -> None:
        self.where = where
        self.secrets: Secrets = key or NO_SECRETS
        self._timeout_s = timeout_s
        self._client = httpx.AsyncClient(
            limits=httpx.Limits(
                max_connections=MAX_CONNECTIONS, max_keepalive_connections=MAX_CONNECTIONS
            ),
            timeout=httpx.Timeout(timeout_s, connect=min(CONNECT_S, timeout_s), pool=None),
            follow_redirects=False,
            trust_env=proxies,
        )

    async def post(self, url: str, headers: Mapping[str, str], body: bytes) -> Answer:
        """Send once and read the whole answer, whatever its status. Raises ProviderError."""
        kind: ErrorKind = "transient"
        try:
            async with asyncio.timeout(self._timeout_s):
                return await self._exchange(url, headers, body)
        except TimeoutError:
            why = f"{self.where} gave no answer within {self._timeout_s:g} s"
        except (httpx.ConnectError, httpx.ConnectTimeout, httpx.ProxyError) as e:
            kind, why = "unreachable", f"{self.where} can't be reached ({_why(e)})"
        except httpx.TimeoutException:
            why = f"{self.where} stopped answering for {self._timeout_s:g} s"
        except httpx.DecodingError as e:
            why = f"The answer of {self.where} can't be decompressed ({_why(e)})"
        except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError, OSError) as e:
            why = f"The connection to {self.where} broke ({_why(e)})"
        # Raised out here, so that the error does not drag httpx's along, whose request has the key.
        raise told(kind, why, self.secrets)

    async def _exchange(self, url: str, headers: Mapping[str, str], body: bytes) -> Answer:
        sent = {"content-type": "application/json", "accept-encoding": "identity", **headers}
        async with self._client.stream("POST", url, headers=sent, content=body) as response:
            pieces: list[bytes] = []
            size = 0
            async for piece in response.aiter_bytes():
                size += len(piece)
                if size > MAX_ANSWER_BYTES:
                    raise told(
                        "bad_request",
                        f"The answer of {self.where} is larger than {MAX_ANSWER_BYTES >> 20} MB",
                        self.secrets,
                        status=response.status_code,
                    )
                pieces.append(piece)
            got = {k.lower(): v for k, v in response.headers.items()}
            return Answer(response.status_code, got, b"".join(pieces))

    async def close(self) -> None:
        await self._client.aclose()


def _why(error: BaseException) -> str:
    return str(error) or type(error).__name__
