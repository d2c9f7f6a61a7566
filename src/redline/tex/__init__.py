"""TikZ to pixels, safely; knows nothing of benchmarks."""

from redline.tex.doctor import Fact, diagnose, install_lines
from redline.tex.engines import ENGINES, choose_engine
from redline.tex.installation import tex_version
from redline.tex.lazy import LazyRenderer
from redline.tex.pages import page_scale, pixel_size
from redline.tex.renderer import Renderer
from redline.tex.result import (
    Engine,
    Limits,
    Profile,
    Render,
    RenderStatus,
    TexError,
    described,
)
from redline.tex.sandbox import SandboxMode, SandboxUnavailable

__all__ = [
    "ENGINES",
    "Engine",
    "Fact",
    "LazyRenderer",
    "Limits",
    "Profile",
    "Render",
    "RenderStatus",
    "Renderer",
    "SandboxMode",
    "SandboxUnavailable",
    "TexError",
    "choose_engine",
    "described",
    "diagnose",
    "install_lines",
    "page_scale",
    "pixel_size",
    "tex_version",
]
