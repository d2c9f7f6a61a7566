"""Draws PDF pages; this program itself runs inside the sandbox, once for many documents.

It reads requests on stdin (a line of JSON, then the PDF) and forks a child for each: a PDF made
by a hostile document meets a fresh process under its own limits, which ends after one page.
Replies are a line of JSON, then RGB bytes. It ends when stdin is closed.
"""

from __future__ import annotations

import ctypes
import json
import os
import resource
import select
import signal
import sys
import time
from typing import Any

sys.path.insert(0, sys.argv[1])
import pypdfium2_raw.bindings as pdfium  # type: ignore[import-untyped]


def inspect(data: bytes) -> tuple[dict[str, Any], bytes]:
    """Page count and size of the first page in points."""
    document = pdfium.FPDF_LoadMemDocument64(data, len(data), None)
    if not document:
        return {"error": "bad_pdf"}, b""
    pages = pdfium.FPDF_GetPageCount(document)
    if pages < 1:
        return {"error": "no_page"}, b""
    page = pdfium.FPDF_LoadPage(document, 0)
    if not page:
        return {"error": "bad_pdf"}, b""
    size = [pdfium.FPDF_GetPageWidthF(page), pdfium.FPDF_GetPageHeightF(page)]
    return {"pages": pages, "page_pt": size}, b""


def draw(data: bytes, width: int, height: int) -> tuple[dict[str, Any], bytes]:
    """The first page on white, exactly width x height pixels, as packed RGB. What changes pixels
    here raises RENDERING_VERSION in renderer.py."""
    document = pdfium.FPDF_LoadMemDocument64(data, len(data), None)
    page = document and pdfium.FPDF_LoadPage(document, 0)
    if not page:
        return {"error": "bad_pdf"}, b""
    buffer = ctypes.create_string_buffer(width * height * 3)
    bitmap = pdfium.FPDFBitmap_CreateEx(
        width, height, pdfium.FPDFBitmap_BGR, ctypes.addressof(buffer), width * 3
    )
    if not bitmap:
        return {"error": "bad_pdf"}, b""
    pdfium.FPDFBitmap_FillRect(bitmap, 0, 0, width, height, 0xFFFFFFFF)
    flags = pdfium.FPDF_ANNOT | pdfium.FPDF_REVERSE_BYTE_ORDER
    pdfium.FPDF_RenderPageBitmap(bitmap, page, 0, 0, width, height, 0, flags)
    return {}, buffer.raw[: width * height * 3]


def child(request: dict[str, Any], data: bytes, into: int) -> None:
    """Answer one request into a pipe; runs in a forked process."""
    mb = 1024 * 1024
    cpu = int(request["cpu_s"])
    resource.setrlimit(resource.RLIMIT_CPU, (cpu, cpu + 1))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    if sys.platform == "linux":
        resource.setrlimit(resource.RLIMIT_AS, (request["memory_mb"] * mb,) * 2)
    if request["do"] == "inspect":
        reply, pixels = inspect(data)
    else:
        reply, pixels = draw(data, request["width"], request["height"])
    with os.fdopen(into, "wb") as f:
        f.write(json.dumps(reply).encode() + b"\n" + pixels)


def answer(request: dict[str, Any], data: bytes) -> bytes:
    """Fork, watch, collect: the child's bytes, or a line that names the limit it hit."""
    out, into = os.pipe()
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            os.close(out)
            # The child must not be able to speak in this process's place.
            null = os.open(os.devnull, os.O_RDWR)
            os.dup2(null, 0)
            os.dup2(null, 1)
            child(request, data, into)
            code = 0
        except MemoryError:
            code = 3
        finally:
            os._exit(code)
    os.close(into)
    cap = 4096 + request.get("width", 0) * request.get("height", 0) * 3
    deadline = time.monotonic() + request["wall_s"]
    got, fault = bytearray(), None
    while True:
        left = deadline - time.monotonic()
        if left <= 0 or not select.select([out], [], [], left)[0]:
            fault = "wall_limit"
            break
        piece = os.read(out, 1 << 20)
        if not piece:
            break
        got += piece
        if len(got) > cap:
            fault = "crash"
            break
    if fault:
        os.kill(pid, signal.SIGKILL)
    os.close(out)
    status = os.waitpid(pid, 0)[1]
    if fault is None and status != 0:
        by = os.WTERMSIG(status) if os.WIFSIGNALED(status) else None
        memory = os.WIFEXITED(status) and os.WEXITSTATUS(status) == 3
        cpu = by in (signal.SIGXCPU, signal.SIGKILL)
        fault = "cpu_limit" if cpu else "memory_limit" if memory else "crash"
    if fault:
        return json.dumps({"error": fault}).encode() + b"\n"
    return bytes(got)


def main() -> None:
    pdfium.FPDF_InitLibrary()
    if sys.platform == "linux":
        # PR_SET_DUMPABLE 0: a child that was taken over can't trace this process.
        ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)
    requests, replies = sys.stdin.buffer, sys.stdout.buffer
    while line := requests.readline():
        request = json.loads(line)
        data = requests.read(request["bytes"])
        reply = answer(request, data)
        replies.write(len(reply).to_bytes(8, "big"))
        replies.write(reply)
        replies.flush()


if __name__ == "__main__":
    main()
