"""A minimal provider in its own process: echoes prompts, and journals what it answered.

Prints its port. Journal lines: `got PROMPT` when a request is whole, `sent PROMPT` when the
answer was handed to the kernel. Prompts that begin with "verdict" for every third sample get a
malformed verdict.
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
from pathlib import Path
from typing import TextIO


class Server:
    def __init__(self, journal: TextIO, latency: float) -> None:
        self.journal = journal
        self.latency = latency

    def answer(self, prompt: str) -> str:
        kind, _, rest = prompt.partition(" ")
        sample = re.search(r"s(\d+)#", rest)
        if kind == "verdict" and sample and int(sample[1]) % 3 == 0:
            return f"malformed: {sample[0]}"
        return f"{kind} done for {rest[:40]}"

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
                length = re.search(r"content-length: (\d+)", head)
                body = await reader.readexactly(int(length[1]) if length else 0)
                prompt = body.decode()
                self.note("got", prompt)
                await asyncio.sleep(self.latency)
                text = self.answer(prompt).encode()
                writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n" % len(text) + text)
                await writer.drain()
                self.note("sent", prompt)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    def note(self, what: str, prompt: str) -> None:
        self.journal.write(json.dumps([what, prompt]) + "\n")
        self.journal.flush()


async def main(journal: Path, latency: float) -> None:
    with journal.open("a") as file:
        server = await asyncio.start_server(Server(file, latency).serve, "127.0.0.1", 0)
        print(server.sockets[0].getsockname()[1], flush=True)
        await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), float(sys.argv[2])))
