"""Letterboxing, laying over, encoding, reading and hashing."""

import hashlib
import io
import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from redline.pixels import (
    FileFault,
    composite,
    encode_png,
    letterbox,
    load_picture,
    read_file,
    sha256_bytes,
    sha256_file,
)


def noise(height: int, width: int, channels: int = 3) -> np.ndarray:
    return np.random.default_rng(height * 1000 + width).integers(
        0, 256, (height, width, channels), dtype=np.uint8
    )


@given(st.integers(1, 40), st.integers(1, 40), st.integers(1, 40))
def test_letterboxing_keeps_shape_and_can_be_undone(height: int, width: int, side: int) -> None:
    array = noise(height, width)
    square, placement = letterbox(array, side)
    assert square.shape == (side, side, 3)
    inner = placement.undo(square)
    if max(height, width) <= side:
        assert np.array_equal(inner, array)
    else:
        assert max(inner.shape[:2]) == side
        # At most half a pixel away from the shape it had (and never less than one pixel).
        scale = side / max(height, width)
        assert abs(inner.shape[0] - max(1, height * scale)) <= 0.5
        assert abs(inner.shape[1] - max(1, width * scale)) <= 0.5
    outside = np.ones((side, side), bool)
    placement.undo(outside)[:] = False
    assert (square[outside] == 255).all()


def test_a_larger_picture_is_reduced_as_pillows_lanczos_does() -> None:
    array = noise(50, 100)
    square, placement = letterbox(array, 30)
    expected = Image.fromarray(array).resize((30, 15), Image.Resampling.LANCZOS)
    assert np.array_equal(placement.undo(square), np.asarray(expected))
    assert (placement.left, placement.top, placement.width, placement.height) == (0, 7, 30, 15)


def test_the_padding_can_be_coloured() -> None:
    square, _ = letterbox(noise(1, 3), 3, fill=(1, 2, 3))
    assert square[0, 0].tolist() == [1, 2, 3]


@pytest.mark.parametrize(("height", "width", "side"), [(0, 3, 5), (3, 0, 5), (3, 3, 0)])
def test_an_empty_picture_or_square_is_refused(height: int, width: int, side: int) -> None:
    with pytest.raises(ValueError, match="can't be put"):
        letterbox(np.zeros((height, width, 3), np.uint8), side)


def test_a_fill_of_another_number_of_channels_is_refused() -> None:
    with pytest.raises(ValueError, match="padded"):
        letterbox(noise(2, 2, 4), 5)


def test_undo_refuses_a_square_of_another_size() -> None:
    _, placement = letterbox(noise(2, 2), 5)
    with pytest.raises(ValueError, match="5 x 5"):
        placement.undo(noise(6, 6))


def test_compositing_agrees_with_pillow_to_one_step() -> None:
    under, over = noise(20, 20), noise(20, 20, 4)
    peer = Image.alpha_composite(Image.fromarray(under).convert("RGBA"), Image.fromarray(over))
    ours = composite(under, over).astype(int)
    assert np.abs(ours - np.asarray(peer.convert("RGB"))).max() <= 1


def test_compositing_changes_no_pixel_where_the_drawing_is_transparent() -> None:
    under, over = noise(9, 9), noise(9, 9, 4)
    over[..., 3] = 0
    assert np.array_equal(composite(under, over), under)
    over[..., 3] = 255
    assert np.array_equal(composite(under, over), over[..., :3])


def test_compositing_takes_a_loaded_picture() -> None:
    picture = load_picture(encode_png(noise(3, 4)))
    assert np.array_equal(composite(picture, np.zeros((3, 4, 4), np.uint8)), picture.array)


def test_compositing_refuses_other_sizes() -> None:
    with pytest.raises(ValueError, match="does not fit"):
        composite(noise(3, 3), noise(3, 4, 4))


@pytest.mark.parametrize("channels", [3, 4])
def test_a_png_holds_exactly_the_pixels(channels: int) -> None:
    array = noise(11, 6, channels)
    data = encode_png(array)
    assert np.array_equal(np.asarray(Image.open(io.BytesIO(data))), array)
    assert encode_png(array.copy()) == data
    assert encode_png(noise(12, 6, channels)[1:]) != data


def test_hashes_are_sha256(tmp_path: Path) -> None:
    data = bytes(range(256)) * 9000
    (tmp_path / "f").write_bytes(data)
    expected = hashlib.sha256(data).hexdigest()
    assert sha256_bytes(data) == expected
    assert sha256_file(tmp_path / "f") == expected


def test_a_file_is_read_up_to_its_limit_and_not_beyond(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"12345")
    assert read_file(tmp_path / "f", 5) == b"12345"
    with pytest.raises(FileFault, match="5 bytes; at most 4"):
        read_file(tmp_path / "f", 4)
    with pytest.raises(FileFault, match="at most 4"):
        sha256_file(tmp_path / "f", 4)


def test_only_regular_files_are_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    for path, said in [
        (tmp_path / "fifo", "not a regular file"),
        (tmp_path, "a folder"),
        (tmp_path / "none", "no such file"),
        (Path(f"{tmp_path}/a\0b"), "name can't be used"),
    ]:
        with pytest.raises(FileFault, match=said):
            read_file(path, 100)
        with pytest.raises(FileFault, match=said):
            sha256_file(path)
