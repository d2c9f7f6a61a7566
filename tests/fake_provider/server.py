"""A provider that is none: OpenAI, Gemini and Anthropic APIs on one port, with faults on order.

    python -m tests.fake_provider.server --port 0 [--latency-ms 50] [--cheap]

It prints its port. `GET /_calls` gives the journal of all calls, `POST /_faults` sets the script
of faults, `POST /_answers` the rules of answers, `POST /_reset` forgets everything. `--cheap` finds
the pictures without decoding them and keeps neither texts nor headers.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import sys
from collections import Counter
from http import HTTPStatus
from typing import Any

from tests.fake_provider.calls import Call, read_call
from tests.fake_provider.faults import Faults, Wire, wire


class State:
    """What all connections share."""

    def __init__(self, latency_s: float, cheap: bool) -> None:
        self.latency_s = latency_s
        self.cheap = cheap
        self.reset()

    def reset(self) -> None:
        self.calls: list[Call] = []
        self.faults = Faults()
        self.answers: dict[str, Any] = {}
        self.attempts: Counter[str] = Counter()
        self.open = 0
        self.most_open = 0
        self.connections = 0

    def control(self, method: str, path: str, body: bytes) -> Wire:
        if (method, path) == ("GET", "/_calls"):
            value: Any = [c.as_json() for c in self.calls]
        elif (method, path) == ("GET", "/_stats"):
            value = {
                "calls": len(self.calls),
                "most_open": self.most_open,
                "connections": self.connections,
            }
        elif method == "POST" and path in ("/_faults", "/_answers", "/_reset"):
            given = json.loads(body or b"null")
            try:
                if path == "/_faults":
                    self.faults.set(given)
                elif path == "/_answers":
                    self.answers = given
                else:
                    self.reset()
            except (ValueError, KeyError) as e:
                return Wire(400, body=json.dumps({"error": str(e)}).encode())
            value = {"ok": True}
        else:
            return Wire(404, body=b'{"error": {"message": "no such path"}}')
        return Wire(body=json.dumps(value).encode())


class Connection(asyncio.Protocol):
    """One client connection; requests are answered one after another."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.buffer = bytearray()
        self.need = 0
        self.head: tuple[str, str, dict[str, str]] | None = None
        self.task: asyncio.Task[None] | None = None
        self.drained = asyncio.Event()
        self.drained.set()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self.state.connections += 1

    def connection_lost(self, exc: Exception | None) -> None:
        self.drained.set()
        if self.task:
            self.task.cancel()

    def pause_writing(self) -> None:
        self.drained.clear()

    def resume_writing(self) -> None:
        self.drained.set()

    def data_received(self, data: bytes) -> None:
        self.buffer += data
        if self.head is None:
            end = self.buffer.find(b"\r\n\r\n")
            if end < 0:
                return
            lines = bytes(self.buffer[:end]).decode("latin-1").split("\r\n")
            method, path, _ = lines[0].split(" ", 2)
            headers = {}
            for line in lines[1:]:
                name, _, value = line.partition(":")
                headers[name.strip().lower()] = value.strip()
            self.head = (method, path.partition("?")[0], headers)
            self.need = int(headers.get("content-length", "0"))
            del self.buffer[: end + 4]
            if headers.get("expect", "").lower() == "100-continue":
                self.transport.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        if len(self.buffer) >= self.need:
            body = bytes(self.buffer[: self.need])
            del self.buffer[: self.need]
            head, self.head = self.head, None
            self.task = asyncio.ensure_future(self.handle(*head, body))

    async def handle(self, method: str, path: str, headers: dict[str, str], body: bytes) -> None:
        state = self.state
        if path.startswith("/_") or method != "POST":
            await self.send(state.control(method, path, body))
            return
        state.open += 1
        state.most_open = max(state.most_open, state.open)
        try:
            call, answer = self.answer(path, headers, body)
            delay = state.latency_s + answer.delay_s
            if delay:
                await asyncio.sleep(delay)
            whole = await self.send(answer)
            if call:
                call.acknowledged = whole
        finally:
            state.open -= 1

    def answer(self, path: str, headers: dict[str, str], body: bytes) -> tuple[Call | None, Wire]:
        state = self.state
        try:
            call = read_call(len(state.calls), path, headers, body, cheap=state.cheap)
        except (ValueError, KeyError, TypeError, AttributeError) as e:
            said = {"error": {"message": f"unreadable request: {e!r}"}}
            return None, Wire(
                404 if "no such path" in str(e) else 400, body=json.dumps(said).encode()
            )
        call.attempt = state.attempts[call.fingerprint]
        state.attempts[call.fingerprint] += 1
        state.calls.append(call)
        fault = state.faults.pick(call)
        call.fault = str(fault["fault"]) if fault else None
        made = wire(call, state.answers, fault)
        call.picture_bytes = []
        call.status = None if made.drop else made.status
        return call, made

    async def send(self, answer: Wire) -> bool:
        """Write an answer; True when all of it went out to a client that was still there."""
        if answer.drop:
            self.transport.close()
            return False
        reason = HTTPStatus(answer.status).phrase if answer.status in _STATUSES else "Status"
        headers = {
            "content-type": "application/json",
            **answer.headers,
            "content-length": str(len(answer.body)),
        }
        head = "".join(f"{k}: {v}\r\n" for k, v in headers.items())
        body = answer.body[: len(answer.body) - answer.cut]
        if self.transport.is_closing():
            return False
        self.transport.write(f"HTTP/1.1 {answer.status} {reason}\r\n{head}\r\n".encode() + body)
        await self.drained.wait()
        whole = not self.transport.is_closing() and not answer.cut
        if answer.cut:
            self.transport.close()
        return whole


_STATUSES = {s.value for s in HTTPStatus}


async def serve(port: int, latency_s: float, cheap: bool, until_stdin_closes: bool) -> None:
    state = State(latency_s, cheap)
    loop = asyncio.get_running_loop()
    server = await loop.create_server(
        lambda: Connection(state), "127.0.0.1", port, backlog=512, reuse_address=True
    )
    print(server.sockets[0].getsockname()[1], flush=True)
    if until_stdin_closes:
        # A server whose parent was killed must not stay behind.
        reader = asyncio.StreamReader()
        await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
        await reader.read()
        return
    await server.serve_forever()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--latency-ms", type=float, default=0.0)
    parser.add_argument("--cheap", action="store_true")
    parser.add_argument("--until-stdin-closes", action="store_true")
    args = parser.parse_args()
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(serve(args.port, args.latency_ms / 1000, args.cheap, args.until_stdin_closes))


if __name__ == "__main__":
    main()
