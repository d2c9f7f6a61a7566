"""Connections to one provider, each used by one call at a time.

httpx's own pool looks at every connection for every other one whenever a call begins or ends: with
64 connections that costs more than sending the pictures. Here each connection has a transport of
its own, the free ones lie on a stack, and taking one costs nothing.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from urllib.request import getproxies

import httpx


def client(timeout: httpx.Timeout, *, proxies: bool) -> httpx.AsyncClient:
    """A client for one provider. `proxies`: whether the proxies of the environment are used;
    where there are any, httpx's own pool does the work."""
    if proxies and any(scheme != "no" for scheme in getproxies()):
        every = httpx.Limits(max_connections=None, max_keepalive_connections=None)
        return httpx.AsyncClient(limits=every, timeout=timeout, follow_redirects=False)
    return httpx.AsyncClient(
        transport=OneCallEach(), timeout=timeout, follow_redirects=False, trust_env=False
    )


class OneCallEach(httpx.AsyncBaseTransport):
    """As many connections as there are calls at once; the engine bounds those."""

    def __init__(self) -> None:
        # Shared, since reading the certificate authorities takes 20 ms.
        self._tls = httpx.create_ssl_context()
        self._all: list[httpx.AsyncHTTPTransport] = []
        self._free: list[httpx.AsyncHTTPTransport] = []

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        transport = self._free.pop() if self._free else self._another()
        try:
            response = await transport.handle_async_request(request)
        except BaseException:
            self._free.append(transport)
            raise
        assert isinstance(response.stream, httpx.AsyncByteStream)
        response.stream = _Borrowed(response.stream, lambda: self._free.append(transport))
        return response

    async def aclose(self) -> None:
        for transport in self._all:
            await transport.aclose()

    def _another(self) -> httpx.AsyncHTTPTransport:
        transport = httpx.AsyncHTTPTransport(
            verify=self._tls, limits=httpx.Limits(max_connections=1, max_keepalive_connections=1)
        )
        self._all.append(transport)
        return transport


class _Borrowed(httpx.AsyncByteStream):
    """A body being read; its connection is free again once it is closed."""

    def __init__(self, stream: httpx.AsyncByteStream, give_back: Callable[[], None]) -> None:
        self._stream = stream
        self._give_back: Callable[[], None] | None = give_back

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for piece in self._stream:
            yield piece

    async def aclose(self) -> None:
        try:
            await self._stream.aclose()
        finally:
            if self._give_back is not None:
                self._give_back()
                self._give_back = None
