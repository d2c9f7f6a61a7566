"""Any common picture comes in as sRGB with every change said; anything else as a sentence."""

import io
import os
import struct
import zlib
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageCms

from redline.pixels import PictureError, load_picture, load_rgba


def saved(image: Image.Image, format: str = "PNG", **options: object) -> bytes:
    out = io.BytesIO()
    image.save(out, format, **options)
    return out.getvalue()


def png(width: int, height: int, depth: int, colour: int, rows: bytes, extra: bytes = b"") -> bytes:
    """A PNG made by hand, as the standard says: rows already carry their filter bytes."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        body = kind + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))

    head = struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + extra
        + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
    )  # fmt: skip


def chunk(kind: bytes, data: bytes) -> bytes:
    body = kind + data
    return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))


def test_a_plain_png_comes_back_as_it_is_and_without_a_note() -> None:
    pixels = np.random.default_rng(1).integers(0, 256, (7, 5, 3), dtype=np.uint8)
    picture = load_picture(saved(Image.fromarray(pixels)))
    assert np.array_equal(picture.array, pixels)
    assert picture.notes == ()
    assert (picture.mode, picture.size, picture.format) == ("RGB", (5, 7), "PNG")


def test_the_array_of_a_picture_cannot_be_written() -> None:
    picture = load_picture(saved(Image.new("RGB", (2, 2))))
    with pytest.raises(ValueError, match="read-only"):
        picture.array[0, 0, 0] = 1


# Where the top left pixel (red) of a 2x3 picture must come out, by the EXIF standard's table.
CORNERS = {
    1: (0, 0), 2: (0, -1), 3: (-1, -1), 4: (-1, 0), 5: (0, 0), 6: (0, -1), 7: (-1, -1), 8: (-1, 0),
}  # fmt: skip


@pytest.mark.parametrize("orientation", range(1, 9))
def test_exif_orientation_is_applied_and_said(orientation: int) -> None:
    image = Image.new("RGB", (2, 3), "white")
    image.putpixel((0, 0), (255, 0, 0))
    exif = Image.Exif()
    exif[0x0112] = orientation
    picture = load_picture(saved(image, exif=exif))
    assert tuple(picture.array[CORNERS[orientation]]) == (255, 0, 0)
    assert picture.array.shape[:2] == ((3, 2) if orientation < 5 else (2, 3))
    assert picture.size == (2, 3)
    assert any("orientation" in n for n in picture.notes) == (orientation > 1)


@pytest.mark.parametrize("orientation", [0, 9, 700])
def test_an_orientation_outside_the_standard_changes_nothing(orientation: int) -> None:
    exif = Image.Exif()
    exif[0x0112] = orientation
    picture = load_picture(saved(Image.new("RGB", (2, 3)), exif=exif))
    assert picture.array.shape == (3, 2, 3)
    assert picture.notes == ()


def test_sixteen_bit_grey_is_reduced_by_257_and_not_clipped() -> None:
    values = [0, 128, 129, 257, 32896, 65535]
    row = b"\0" + b"".join(struct.pack(">H", v) for v in values)
    picture = load_picture(png(6, 1, 16, 0, row))
    assert picture.array[0, :, 0].tolist() == [0, 0, 1, 1, 128, 255]
    assert any("16 bits" in n for n in picture.notes)


def test_sixteen_bit_grey_keeps_its_transparent_value() -> None:
    row = b"\0" + struct.pack(">HH", 1000, 65535)
    data = png(2, 1, 16, 0, row, chunk(b"tRNS", struct.pack(">H", 1000)))
    assert load_rgba(data)[0, :, 3].tolist() == [0, 255]
    assert load_picture(data).array[0].tolist() == [[255] * 3, [255] * 3]


def test_sixteen_bit_colour_is_reduced_and_said() -> None:
    row = b"\0" + struct.pack(">HHH", 65535, 0, 32896)
    picture = load_picture(png(1, 1, 16, 2, row))
    assert picture.array[0, 0].tolist() == [255, 0, 128]
    assert any("16 bits" in n for n in picture.notes)


def test_a_palette_is_looked_up() -> None:
    image = Image.new("P", (2, 1))
    image.putpalette([10, 20, 30, 200, 100, 0])
    image.putpixel((1, 0), 1)
    picture = load_picture(saved(image))
    assert picture.array[0].tolist() == [[10, 20, 30], [200, 100, 0]]
    assert any("Palette" in n for n in picture.notes)


def test_a_transparent_palette_colour_shows_white() -> None:
    image = Image.new("P", (2, 1))
    image.putpalette([10, 20, 30, 200, 100, 0])
    image.putpixel((1, 0), 1)
    picture = load_picture(saved(image, transparency=0))
    assert picture.array[0].tolist() == [[255, 255, 255], [200, 100, 0]]
    assert any("white" in n for n in picture.notes)


@pytest.mark.parametrize("mode", ["1", "L"])
def test_grey_is_spread_over_three_channels(mode: str) -> None:
    picture = load_picture(saved(Image.new(mode, (1, 1), 1 if mode == "1" else 77)))
    assert picture.array[0, 0].tolist() == [255 if mode == "1" else 77] * 3
    assert any("Grey" in n for n in picture.notes)


def test_half_transparent_colours_are_mixed_with_white_by_hand_calculation() -> None:
    # 0 * 102/255 + 255 * 153/255 = 153
    picture = load_picture(saved(Image.new("RGBA", (1, 1), (0, 255, 0, 102))))
    assert picture.array[0, 0].tolist() == [153, 255, 153]
    assert any("white" in n for n in picture.notes)


def test_an_alpha_channel_that_hides_nothing_is_no_transformation() -> None:
    picture = load_picture(saved(Image.new("RGBA", (1, 1), (1, 2, 3, 255))))
    assert picture.array[0, 0].tolist() == [1, 2, 3]
    assert picture.notes == ()


def test_grey_with_alpha_is_mixed_with_white() -> None:
    picture = load_picture(saved(Image.new("LA", (1, 1), (0, 0))))
    assert picture.array[0, 0].tolist() == [255, 255, 255]


def test_cmyk_without_a_profile_is_converted_by_the_plain_formula() -> None:
    picture = load_picture(saved(Image.new("CMYK", (8, 8), (0, 255, 255, 0)), "JPEG", quality=100))
    assert np.abs(picture.array[4, 4].astype(int) - [255, 0, 0]).max() <= 3  # JPEG's own loss
    assert any("CMYK" in n for n in picture.notes)


def plain_gamma_profile(gamma: float) -> bytes:
    """An RGB profile with sRGB's primaries and a plain gamma, written by hand (ICC v2)."""

    def s15(v: float) -> bytes:
        return struct.pack(">i", round(v * 65536))

    def xyz(*v: float) -> bytes:
        return b"XYZ \0\0\0\0" + b"".join(s15(x) for x in v)

    curve = b"curv\0\0\0\0" + struct.pack(">IH", 1, round(gamma * 256)) + b"\0\0"
    name = b"Plain gamma\0"
    desc = b"desc\0\0\0\0" + struct.pack(">I", len(name)) + name + b"\0" * 79
    tags = {
        b"desc": desc, b"wtpt": xyz(0.9642, 1.0, 0.8249), b"rXYZ": xyz(0.4361, 0.2225, 0.0139),
        b"gXYZ": xyz(0.3851, 0.7169, 0.0971), b"bXYZ": xyz(0.1431, 0.0606, 0.7139),
        b"rTRC": curve, b"gTRC": curve, b"bTRC": curve,
    }  # fmt: skip
    offset = 128 + 4 + 12 * len(tags)
    table, body = struct.pack(">I", len(tags)), b""
    for tag, data in tags.items():
        data += b"\0" * (-len(data) % 4)
        table += tag + struct.pack(">II", offset + len(body), len(data))
        body += data
    head = (
        struct.pack(">I4sI4s4s4s", offset + len(body), b"none", 0x02100000, b"mntr", b"RGB ",
                    b"XYZ ")
        + b"\0" * 12 + b"acsp" + b"\0" * 28 + s15(0.9642) + s15(1) + s15(0.8249) + b"\0" * 48
    )  # fmt: skip
    return head + table + body


def srgb_of_linear(v: float) -> float:
    """IEC 61966-2-1."""
    return 12.92 * v if v <= 0.0031308 else 1.055 * v ** (1 / 2.4) - 0.055


@pytest.mark.parametrize("alpha", [None, 255, 128])
def test_a_colour_profile_is_converted_to_srgb(alpha: int | None) -> None:
    value = 100
    pixel = (value,) * 3 if alpha is None else (value, value, value, alpha)
    image = Image.new("RGB" if alpha is None else "RGBA", (1, 1), pixel)
    data = saved(image, icc_profile=plain_gamma_profile(1.0))
    expected = 255 * srgb_of_linear(value / 255)
    rgba = load_rgba(data)
    assert np.abs(rgba[0, 0, :3].astype(float) - expected).max() <= 1.5
    assert rgba[0, 0, 3] == (255 if alpha is None else alpha)
    assert any("profile" in n for n in load_picture(data).notes)


def test_an_srgb_profile_changes_nothing() -> None:
    profile = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    picture = load_picture(saved(Image.new("RGB", (1, 1), (12, 34, 56)), icc_profile=profile))
    assert picture.array[0, 0].tolist() == [12, 34, 56]
    assert picture.notes == ()


@pytest.mark.parametrize(
    "profile", [b"nonsense", plain_gamma_profile(1.0)[:200]], ids=["text", "cut off"]
)
def test_a_broken_profile_is_ignored_and_said(profile: bytes) -> None:
    picture = load_picture(saved(Image.new("RGB", (1, 1), (12, 34, 56)), icc_profile=profile))
    assert picture.array[0, 0].tolist() == [12, 34, 56]
    assert any("profile" in n and "ignored" in n for n in picture.notes)


def test_a_profile_for_another_kind_of_pixels_is_ignored_and_said() -> None:
    data = saved(Image.new("L", (1, 1), 9), icc_profile=plain_gamma_profile(1.0))
    picture = load_picture(data)
    assert picture.array[0, 0].tolist() == [9, 9, 9]
    assert any("ignored" in n for n in picture.notes)


def test_floating_point_pixels_are_refused() -> None:
    with pytest.raises(PictureError, match="no fixed range"):
        load_picture(saved(Image.new("F", (1, 1), 0.5), "TIFF"))


@pytest.mark.parametrize("format", ["GIF", "PNG", "WEBP", "TIFF"])
def test_several_frames_are_refused(format: str) -> None:
    frames = [Image.new("RGB", (4, 4), c) for c in ("red", "blue")]
    data = saved(frames[0], format, save_all=True, append_images=frames[1:])
    with pytest.raises(PictureError, match="several frames"):
        load_picture(data)


def test_of_a_cameras_mpo_the_first_picture_is_taken_and_said() -> None:
    frames = [Image.new("RGB", (8, 8), c) for c in ("red", "blue")]
    picture = load_picture(saved(frames[0], "MPO", save_all=True, append_images=frames[1:]))
    assert picture.array[4, 4, 0] > 240
    assert any("first picture" in n for n in picture.notes)


@pytest.mark.parametrize("format", ["PNG", "JPEG", "WEBP"])
@pytest.mark.parametrize("kept", [0.1, 0.5, 0.9])
def test_a_cut_off_file_is_never_half_a_picture(format: str, kept: float) -> None:
    pixels = np.random.default_rng(2).integers(0, 256, (64, 64, 3), dtype=np.uint8)
    data = saved(Image.fromarray(pixels), format)
    with pytest.raises(PictureError, match=r"cut off|not a picture"):
        load_picture(data[: int(len(data) * kept)])


def test_too_many_pixels_are_refused_before_they_are_decoded() -> None:
    # Only a head: decoding it would end in "cut off", so the sentence shows what came first.
    huge = png(30000, 30000, 8, 2, b"")
    with pytest.raises(PictureError, match=r"30000 x 30000|too large"):
        load_picture(huge)
    with pytest.raises(PictureError, match="9000 x 9000 pixels; at most 64 million"):
        load_picture(png(9000, 9000, 8, 2, b""))


def test_the_most_pixels_can_be_set() -> None:
    data = saved(Image.new("RGB", (10, 10)))
    assert load_picture(data, max_pixels=100).size == (10, 10)
    with pytest.raises(PictureError, match="10 x 10 pixels"):
        load_picture(data, max_pixels=99)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "has no bytes"),
        (b"<!DOCTYPE html><p>404", "HTML page"),
        (b"  <html><p>404", "HTML page"),
        (b"<svg xmlns='x'/>", "XML or SVG"),
        (b"%PDF-1.5\n", "PDF"),
        (b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n", "not a picture"),
        (b"version https://git-lfs.github.com/spec/v1\n", "git lfs pull"),
        (b"\x89PNG\r\n\x1a\n", "damaged|not a picture"),
        (b"\0" * 100, "not a picture"),
    ],
)
def test_what_is_no_picture_is_refused_in_a_sentence(data: bytes, said: str) -> None:
    with pytest.raises(PictureError, match=said):
        load_picture(data)


def test_a_missing_file_a_folder_and_a_fifo_are_refused_by_name(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo.png")
    (tmp_path / "folder.png").mkdir()
    for name in ("none.png", "fifo.png", "folder.png"):
        with pytest.raises(PictureError, match=name):
            load_picture(tmp_path / name)


def test_a_file_is_loaded_like_its_bytes(tmp_path: Path) -> None:
    data = saved(Image.new("RGB", (3, 2), (9, 8, 7)))
    (tmp_path / "a.png").write_bytes(data)
    assert np.array_equal(load_picture(tmp_path / "a.png").array, load_picture(data).array)


def test_load_rgba_keeps_straight_alpha() -> None:
    rgba = load_rgba(saved(Image.new("RGBA", (1, 1), (10, 20, 30, 40))))
    assert rgba.tolist() == [[[10, 20, 30, 40]]]


def test_the_odd_pictures_end_as_they_should(odd_pictures: Path) -> None:
    plain = load_picture(odd_pictures / "gen.png").array
    refused = {"gen_bomb_12000.png", "gen_empty.png", "gen_not_an_image.png", "gen_truncated.jpg",
               "gen_truncated.png", "gen_two_frames.gif"}  # fmt: skip
    for path in sorted(odd_pictures.iterdir()):
        if path.name in refused:
            with pytest.raises(PictureError):
                load_picture(path)
        else:
            assert load_picture(path).array.dtype == np.uint8
    assert load_picture(odd_pictures / "gen_exif6.jpg").array.shape == plain.shape
