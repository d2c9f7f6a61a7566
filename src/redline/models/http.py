"""The one HTTP layer: a single attempt a call, whole answers, every fault a ProviderError.

httpx's client looks through all of its connections for each request; with 64 of them that costs
more than sending two pictures (measured: 15 ms a call). So each connection is a transport of its
own here, taken from a stack and put back, and nothing is ever searched. Without the client there
are no cookies, no redirects and no retries either, which is what is wanted.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Mapping
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import httpx

from redline.models.failures import Answer, told
from redline.models.keys import Key, Secrets
from redline.models.protocol import ErrorKind
from redline.version import __version__

MAX_ANSWER_BYTES = 64 * 1024 * 1024
CONNECT_S = 20.0
NO_SECRETS = Secrets(())


class Wire:
    """Posts JSON to one provider and holds its connections: as many as calls are in flight.

    `timeout_s` covers a whole call. Redirects are never followed: they would carry the key and
    the pictures to another host. `proxies`: whether the environment's proxies are used.
    """

    def __init__(self, where: str, timeout_s: float, key: Key | None, *, proxies: bool) -> None:
        self.where = where
        self.secrets: Secrets = key or NO_SECRETS
        self._timeout_s = timeout_s
        limit = httpx.Timeout(timeout_s, connect=min(CONNECT_S, timeout_s), pool=None)
        self._extensions = {"timeout": limit.as_dict()}
        self._proxy = _proxy_for(where) if proxies else None
        # Made once: reading the certificates anew for each connection would cost 20 ms each.
        # A bare context trusts nobody, which is right where no TLS is spoken.
        self._tls = (
            httpx.create_ssl_context()
            if where.startswith("https://")
            else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        )
        self._idle: list[httpx.AsyncHTTPTransport] = []

    async def post(self, url: str, headers: Mapping[str, str], body: bytes) -> Answer:
        """Send once and read the whole answer, whatever its status. Raises ProviderError."""
        kind: ErrorKind = "transient"
        try:
            async with asyncio.timeout(self._timeout_s):
                return await self._exchange(url, headers, body)
        except (TimeoutError, httpx.ReadTimeout, httpx.WriteTimeout):
            why = f"{self.where} gave no answer within {self._timeout_s:g} s"
        except (httpx.ConnectError, httpx.ConnectTimeout, httpx.ProxyError) as e:
            kind, why = "unreachable", f"{self.where} can't be reached ({_said(e)})"
        except httpx.DecodingError as e:
            why = f"The answer of {self.where} can't be decompressed ({_said(e)})"
        except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError, OSError) as e:
            why = f"The connection to {self.where} broke ({_said(e)})"
        # Raised out here, so that the error does not drag httpx's along, whose request has the key.
        raise told(kind, why, self.secrets)

    async def close(self) -> None:
        while self._idle:
            await self._idle.pop().aclose()

    async def _exchange(self, url: str, headers: Mapping[str, str], body: bytes) -> Answer:
        request = httpx.Request(
            "POST",
            url,
            headers={
                "content-type": "application/json",
                "accept": "application/json",
                "accept-encoding": "identity",
                "user-agent": f"redline/{__version__}",
                **headers,
            },
            content=body,
            extensions=self._extensions,
        )
        transport = self._idle.pop() if self._idle else self._connection()
        whole = False
        try:
            response = await transport.handle_async_request(request)
            try:
                data = await self._read(response)
                whole = True
            finally:
                await response.aclose()
        finally:
            if whole:
                self._idle.append(transport)
            else:
                await transport.aclose()
        return Answer(
            response.status_code, {k.lower(): v for k, v in response.headers.items()}, data
        )

    async def _read(self, response: httpx.Response) -> bytes:
        pieces: list[bytes] = []
        size = 0
        async for piece in response.aiter_bytes():
            size += len(piece)
            if size > MAX_ANSWER_BYTES:
                why = f"The answer of {self.where} is larger than {MAX_ANSWER_BYTES >> 20} MB"
                raise told("bad_request", why, self.secrets, status=response.status_code)
            pieces.append(piece)
        return b"".join(pieces)

    def _connection(self) -> httpx.AsyncHTTPTransport:
        limits = httpx.Limits(max_connections=1, max_keepalive_connections=1)
        return httpx.AsyncHTTPTransport(
            verify=self._tls, limits=limits, proxy=self._proxy, trust_env=False
        )


def _proxy_for(url: str) -> str | None:
    """The proxy that the environment names for this address, or None."""
    parts = urlsplit(url)
    if proxy_bypass(parts.netloc):
        return None
    proxies = getproxies()
    return proxies.get(parts.scheme) or proxies.get("all")


def _said(error: BaseException) -> str:
    return str(error) or type(error).__name__
