"""A chat endpoint in its own process that answers anything after a fixed time. Prints its port."""

from __future__ import annotations

import asyncio
import json
import sys

ANSWER = json.dumps(
    {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "fake-1",
        "choices": [
            {
                "index": 0,
                "finish_reason": "stop",
                "message": {"role": "assistant", "content": "\\draw (0,0) -- (1,1);\n" * 60},
            }
        ],
        "usage": {"prompt_tokens": 3000, "completion_tokens": 500, "total_tokens": 3500},
    }
).encode()
RESPONSE = (
    b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n" % len(ANSWER)
) + ANSWER


class Endpoint(asyncio.Protocol):
    """Counts bytes instead of keeping them, so that the server costs as little as it can."""

    def __init__(self, latency_s: float) -> None:
        self._latency_s = latency_s
        self._head = b""
        self._body_left = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        if self._body_left == 0:
            self._head += data
            head, end, body = self._head.partition(b"\r\n\r\n")
            if not end:
                return
            self._head = b""
            names = dict(
                line.lower().split(b":", 1) for line in head.split(b"\r\n")[1:] if b":" in line
            )
            self._body_left = int(names[b"content-length"]) - len(body)
        else:
            self._body_left -= len(data)
        if self._body_left == 0:
            asyncio.get_running_loop().call_later(self._latency_s, self._answer)

    def _answer(self) -> None:
        if not self._transport.is_closing():
            self._transport.write(RESPONSE)


async def main(latency_s: float) -> None:
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: Endpoint(latency_s), "127.0.0.1", 0, backlog=256)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main(float(sys.argv[1])))
