"""Pictures in and out: one loader, one resize, hashes."""

from redline.pixels.composing import composite, encode_png
from redline.pixels.files import FileFault, read_file, sha256_bytes, sha256_file
from redline.pixels.letterboxing import Placement, letterbox
from redline.pixels.loading import Picture, PictureError, load_picture, load_rgba
from redline.pixels.masks import Mask, read_mask

__all__ = [
    "FileFault",
    "Mask",
    "Picture",
    "PictureError",
    "Placement",
    "composite",
    "encode_png",
    "letterbox",
    "load_picture",
    "load_rgba",
    "read_file",
    "read_mask",
    "sha256_bytes",
    "sha256_file",
]
