"""Pages are drawn in processes of their own, which may die without harm."""

import os
import signal
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from redline.tex.raster import RasterFault, Rasteriser

pytestmark = pytest.mark.tex  # The sandbox it runs in comes with the TeX set-up.

# Written by hand: one page of 200 x 100 pt, its left half black.
PDF = b"""%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 100]/Contents 4 0 R>>endobj
4 0 obj<</Length 20>>stream
0 g 0 0 100 100 re f
endstream endobj
trailer<</Root 1 0 R>>
"""


@pytest.fixture
def rasteriser() -> Iterator[Rasteriser]:
    made = Rasteriser("bubblewrap")
    yield made
    made.close()


def test_a_page_is_measured_and_drawn_exactly(rasteriser: Rasteriser) -> None:
    assert rasteriser.inspect(PDF) == (1, (200.0, 100.0))
    pixels = rasteriser.draw(PDF, (4, 2))
    black, white = b"\x00\x00\x00", b"\xff\xff\xff"
    assert pixels == (black * 2 + white * 2) * 2


@pytest.mark.parametrize("data", [b"", b"not a PDF", PDF[:60], b"%PDF-1.7\n" + os.urandom(5000)])
def test_what_is_no_pdf_is_a_fault_and_the_next_page_is_drawn(
    rasteriser: Rasteriser, data: bytes
) -> None:
    with pytest.raises(RasterFault) as fault:
        rasteriser.inspect(data)
    assert fault.value.kind in ("bad_pdf", "no_page")
    assert rasteriser.inspect(PDF)[0] == 1


def test_a_drawing_process_that_died_is_replaced(rasteriser: Rasteriser) -> None:
    rasteriser.inspect(PDF)
    killed = 0
    for task in Path(f"/proc/{os.getpid()}/task").iterdir():
        with suppress(FileNotFoundError):  # another test's thread may end while we look
            for child in (task / "children").read_text().split():
                if b"raster_inside" in Path(f"/proc/{child}/cmdline").read_bytes():
                    os.kill(int(child), signal.SIGKILL)
                    killed += 1
    assert killed
    assert rasteriser.inspect(PDF)[0] == 1
