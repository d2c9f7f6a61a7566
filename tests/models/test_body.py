"""Bodies put together around pictures."""

from __future__ import annotations

import base64
import json

from hypothesis import given
from hypothesis import strategies as st

from redline.models import PicturePart
from redline.models.body import Body, EncodedPictures, merged


@given(st.lists(st.binary(max_size=300), max_size=4), st.text())
def test_a_body_is_the_json_that_the_standard_library_reads_back(
    pictures: list[bytes], text: str
) -> None:
    body = Body()
    document = {
        "text": text,
        "pictures": [body.data_url(PicturePart(p, "x")) for p in pictures],
        "after": {"again": text},
    }
    read = json.loads(body.encode(document))
    clean = text.encode("utf-8", "replace").decode()
    assert read["text"] == read["after"]["again"] == clean
    assert [
        base64.b64decode(u.removeprefix("data:image/png;base64,")) for u in read["pictures"]
    ] == (pictures)


def test_encoded_pictures_are_kept_up_to_a_limit_of_bytes() -> None:
    kept = EncodedPictures(limit=1000)
    first = kept.get(b"a" * 300)
    assert kept.get(b"a" * 300) is first
    kept.get(b"b" * 300)  # 700 bytes each with its text: the older one has to go
    assert kept.get(b"a" * 300) is not first
    assert kept.get(b"a" * 300) == base64.b64encode(b"a" * 300)


def test_a_picture_larger_than_the_limit_is_encoded_all_the_same() -> None:
    assert EncodedPictures(limit=10).get(b"abc" * 100) == base64.b64encode(b"abc" * 100)


def test_extra_body_is_merged_last_and_deep() -> None:
    base = {"a": 1, "config": {"x": 1, "y": [1]}}
    assert merged(base, {"a": 2, "config": {"y": [2], "z": 3}, "b": None}) == {
        "a": 2, "config": {"x": 1, "y": [2], "z": 3}, "b": None,
    }  # fmt: skip
    assert base == {"a": 1, "config": {"x": 1, "y": [1]}}
