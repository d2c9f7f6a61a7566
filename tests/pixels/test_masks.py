"""A mask file comes out as the foreground that was meant, and what is odd about it is said."""

import io
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from redline.pixels import PictureError, load_picture, read_mask

# Left half outside, right half inside, by hand.
HALF = np.array([[False, False, True, True]] * 2)


def saved(image: Image.Image, format: str = "PNG", **options: object) -> bytes:
    out = io.BytesIO()
    image.save(out, format, **options)
    return out.getvalue()


def grey(low: int, high: int) -> Image.Image:
    return Image.fromarray(np.where(HALF, high, low).astype(np.uint8))


def palette(*colours: tuple[int, int, int]) -> Image.Image:
    image = Image.fromarray(HALF.astype(np.uint8), "P")
    image.putpalette([v for c in colours for v in c])
    return image


def rgba(outside: tuple[int, ...], inside: tuple[int, ...]) -> Image.Image:
    pixels = np.where(HALF[..., None], np.uint8(inside), np.uint8(outside))
    return Image.fromarray(pixels.astype(np.uint8))


SIXTEEN = Image.fromarray(np.where(HALF, 65535, 0).astype(np.uint16))
SIXTEEN_LOW = Image.fromarray(np.where(HALF, 255, 0).astype(np.uint16))

SAME: dict[str, tuple[bytes, str]] = {
    "0 and 255": (saved(grey(0, 255)), ""),
    "one bit": (saved(Image.fromarray(HALF)), ""),
    "0 and 1": (saved(grey(0, 1)), "only 0 and 1; they were taken for 0 and 255"),
    "just above the threshold": (saved(grey(128, 129)), "lie between 0 and 255"),
    "colour file of grey": (saved(grey(0, 255).convert("RGB")), ""),
    "palette": (saved(palette((0, 0, 0), (255, 255, 255))), "Palette"),
    "palette of 0 and 1": (saved(palette((0, 0, 0), (1, 1, 1))), "only 0 and 1"),
    "16 bits": (saved(SIXTEEN), "16 bits"),
    "16 bits up to 255": (saved(SIXTEEN_LOW), "only 0 and 1"),
    "white object on nothing": (
        saved(rgba((255, 255, 255, 0), (255, 255, 255, 255))), "taken for background",
    ),
    "opaque alpha": (saved(rgba((0, 0, 0, 255), (255, 255, 255, 255))), ""),
    "TIFF": (saved(grey(0, 255), "TIFF"), ""),
    "tinted grey": (saved(rgba((0, 3, 0, 255), (255, 250, 255, 255))), "lie between"),
}  # fmt: skip


@pytest.mark.parametrize("case", SAME)
def test_one_mask_in_many_files_is_one_foreground(case: str) -> None:
    data, said = SAME[case]
    mask = read_mask(data)
    assert np.array_equal(mask.array, HALF)
    assert mask.share == 0.5
    assert not mask.coloured
    assert said in " ".join(mask.notes)
    if case in ("0 and 255", "one bit", "opaque alpha"):
        assert (mask.notes, mask.soft) == ((), 0.0)


def test_a_file_is_read_as_its_bytes_are(tmp_path: Path) -> None:
    (tmp_path / "m.png").write_bytes(saved(grey(0, 255)))
    assert np.array_equal(read_mask(tmp_path / "m.png").array, HALF)


def test_128_is_outside_and_a_mask_that_never_gets_above_it_is_told() -> None:
    mask = read_mask(saved(grey(0, 128)))
    assert mask.share == 0
    assert any("reach only 128 of 255" in n for n in mask.notes)


def test_an_empty_and_a_full_mask_need_no_sentence() -> None:
    assert (read_mask(saved(grey(0, 0))).share, read_mask(saved(grey(0, 0))).notes) == (0, ())
    assert (read_mask(saved(grey(255, 255))).share, read_mask(saved(grey(1, 1))).share) == (1, 1)


def test_a_label_map_and_a_photograph_are_called_coloured() -> None:
    mask = read_mask(saved(palette((0, 0, 0), (128, 0, 0))))
    assert mask.coloured
    assert any("colours" in n for n in mask.notes)
    # Luma of (128, 0, 0) is 38: nothing would be foreground.
    assert mask.share == 0


def test_soft_edges_keep_their_threshold_and_their_share_is_told() -> None:
    image = Image.fromarray(np.array([[0, 60, 128, 129, 200, 255, 255, 255]], np.uint8))
    mask = read_mask(saved(image))
    assert mask.array.tolist() == [[False] * 3 + [True] * 5]
    assert (mask.share, mask.soft) == (5 / 8, 4 / 8)
    assert any("50.0 %" in n for n in mask.notes)


def test_holes_are_the_foreground_where_they_are_asked_for() -> None:
    # A photograph with a hole: over white or black it is no mask at all.
    photo = saved(rgba((90, 120, 30, 255), (10, 200, 70, 0)))
    mask = read_mask(photo, holes=True)
    assert np.array_equal(mask.array, HALF)
    assert mask.notes == ("Transparent parts were taken for foreground.",)
    assert read_mask(photo).coloured
    whole = read_mask(saved(Image.new("RGB", (4, 2), "red")), holes=True)
    assert whole.share == 0
    assert "Nothing in it is transparent" in whole.notes[0]


def test_orientation_is_that_of_the_picture_it_belongs_to() -> None:
    exif = Image.Exif()
    exif[0x0112] = 6
    data = saved(grey(0, 255), exif=exif)
    assert read_mask(data).array.shape == load_picture(data).array.shape[:2] == (4, 2)


def test_the_array_of_a_mask_cannot_be_written() -> None:
    with pytest.raises(ValueError, match="read-only"):
        read_mask(saved(grey(0, 255))).array[0, 0] = True


def test_what_is_no_picture_is_told(tmp_path: Path) -> None:
    with pytest.raises(PictureError, match="no such file"):
        read_mask(tmp_path / "none.png")
    with pytest.raises(PictureError, match="not a picture"):
        read_mask(b"npy")


# Beside the plain mask.png: how many of 76,800 pixels may differ, and a word of the note.
ODD = {
    "mask_01.png": (0, "only 0 and 1"),
    "mask.jpg": (0, "lie between"),
    "mask_soft.png": (0, "lie between"),
}


@pytest.mark.parametrize("name", ODD)
def test_odd_files_of_one_mask_are_that_mask(odd_pictures: Path, name: str) -> None:
    most, said = ODD[name]
    plain, mask = read_mask(odd_pictures / "mask.png"), read_mask(odd_pictures / name)
    assert plain.notes == ()
    assert (plain.array != mask.array).sum() <= most
    assert said in " ".join(mask.notes)


def test_an_inverted_a_half_size_an_empty_and_a_full_mask_come_as_they_are(
    odd_pictures: Path,
) -> None:
    plain = read_mask(odd_pictures / "mask.png").array
    assert np.array_equal(read_mask(odd_pictures / "mask_inverted.png").array, ~plain)
    assert read_mask(odd_pictures / "mask_half_size.png").array.shape == (120, 160)
    assert read_mask(odd_pictures / "mask_empty.png").share == 0
    assert read_mask(odd_pictures / "mask_full.png").share == 1
