"""What a model is sent: its own bytes where that can be, every change said, never stretched."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from redline.image.sending import edit_request, sent_picture
from redline.models.protocol import PicturePart, TextPart
from redline.pixels import encode_png
from tests.image.track.making import RED, array_of, picture


def jpeg(width: int, height: int, **save: object) -> bytes:
    out = io.BytesIO()
    ramp = np.tile(np.linspace(0, 255, width, dtype=np.uint8)[None, :, None], (height, 1, 3))
    Image.fromarray(ramp).save(out, "JPEG", **save)  # type: ignore[arg-type]
    return out.getvalue()


def test_a_picture_that_fits_goes_as_its_own_bytes() -> None:
    for data, kind in ((picture(), "image/png"), (jpeg(40, 30), "image/jpeg")):
        sent = sent_picture(data, 1024)
        assert (sent.data, sent.media_type, sent.notes) == (data, kind, ())
    assert sent_picture(jpeg(40, 30), 40).data == jpeg(40, 30), "the limit itself still fits"


def test_a_larger_picture_is_scaled_down_in_its_shape_and_that_is_said() -> None:
    sent = sent_picture(jpeg(300, 150), 100)
    assert (sent.size, sent.media_type) == ((100, 50), "image/png")
    assert sent.notes == ("It was scaled down from 300 x 150 to 100 x 50 pixels.",)
    assert array_of(sent.data).shape == (50, 100, 3)


def test_a_turned_photograph_is_sent_as_it_is_seen() -> None:
    exif = Image.Exif()
    exif[0x0112] = 6
    sent = sent_picture(jpeg(40, 20, exif=exif), 1024)
    assert (sent.size, sent.media_type) == ((20, 40), "image/png")
    assert sent.notes == ("EXIF orientation 6 was applied.",)


def test_a_format_that_not_all_take_is_sent_as_png() -> None:
    out = io.BytesIO()
    Image.fromarray(array_of(picture())).save(out, "BMP")
    sent = sent_picture(out.getvalue(), 1024)
    assert sent.media_type == "image/png" and "BMP" in sent.notes[0]
    assert (array_of(sent.data) == array_of(picture())).all()


def test_a_drawing_is_laid_over_and_changes_no_other_pixel() -> None:
    overlay = np.zeros((32, 32, 4), np.uint8)
    overlay[2:4, 2:6] = (255, 0, 255, 255)
    sent = sent_picture(picture(), 1024, encode_png(overlay))
    changed = (array_of(sent.data) != array_of(picture())).any(axis=2)
    assert changed[2:4, 2:6].all() and changed.sum() == 8
    assert sent.notes == ("The instruction was drawn on it.",)


def test_a_drawing_of_another_size_is_brought_to_the_pictures_and_that_is_said() -> None:
    overlay = np.zeros((64, 64, 4), np.uint8)
    overlay[:32] = (255, 0, 255, 255)
    sent = sent_picture(picture(), 1024, encode_png(overlay))
    assert "scaled from 64 x 64 to 32 x 32" in sent.notes[0]
    assert (array_of(sent.data)[4] == (255, 0, 255)).all()
    assert (array_of(sent.data)[28] == array_of(picture())[28]).all()


def test_under_text_a_model_gets_the_picture_and_the_bare_instruction() -> None:
    request = edit_request(sent_picture(picture(), 99), "text", "Make it {{instruction}}.")
    (message,) = request.messages
    assert request.want == "picture" and not request.system
    assert [type(p) for p in message.parts] == [PicturePart, TextPart]
    assert message.parts[1] == TextPart("Make it {{instruction}}.")


@pytest.mark.parametrize(("condition", "says"), [("visual", False), ("visual+text", True)])
def test_under_a_drawing_a_model_is_told_that_the_marks_are_instructions(
    condition: str, says: bool
) -> None:
    sent = sent_picture(picture((4, 4, RED)), 99)
    text = edit_request(sent, condition, "Paint it blue.").messages[0].parts[-1]  # type: ignore[arg-type]
    assert isinstance(text, TextPart)
    assert "The marks are instructions" in text.text
    assert ("Paint it blue." in text.text) is says and "{{" not in text.text


def test_notes_of_what_was_sent_go_into_records(tmp_path: Path) -> None:
    told = sent_picture(jpeg(300, 150), 100).as_json()
    assert told["size"] == [100, 50] and len(told["sha256"]) == 64 and len(told["notes"]) == 1
