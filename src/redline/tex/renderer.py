"""From TikZ source to pixels: the one entry to this room."""

from __future__ import annotations

import hashlib
import io
import re
import shutil
import tempfile
import time
import weakref
from dataclasses import asdict, replace
from pathlib import Path
from types import TracebackType

import numpy as np
from PIL import Image

from redline.tex.cache import RenderCache, cache_key
from redline.tex.engines import choose_engine, named_engine
from redline.tex.fontcache import FontCache
from redline.tex.installation import Installation, installation
from redline.tex.job import TexRun, run_tex
from redline.tex.known import exists_elsewhere
from redline.tex.log import cap, first_error, lacks, missing_characters, wanted_engine
from redline.tex.pages import fit_scale, pixel_size, usable_page
from redline.tex.raster import RasterFault, Rasteriser, pdfium_version
from redline.tex.result import Engine, ErrorClass, Limits, Profile, Render, RenderStatus, TexError
from redline.tex.sandbox import SandboxMode, require_sandbox

RENDERING_VERSION = 1
"""Raised whenever the code of this room gives another render of the same document: how TeX is run,
how its log is read, how the page is drawn. What was rendered before is then stale."""

# Limits that speak of the machine's load rather than of the document.
_MACHINE_LIMITS = frozenset({"wall_limit"})
_MEMORY = re.compile(r"memory exhausted|not enough memory|std::bad_alloc|annot allocate memory")
_DISK = re.compile(r"No space left on device")
_MB = 1024 * 1024


class Renderer:
    """Renders documents; one object serves any number of threads.

    Every document runs in a kernel sandbox with the given limits. `sandbox="none"` runs it with
    the user's own rights instead, which only trusted documents deserve, and is recorded in each
    result. `cache_dir` keeps renders and the font cache between processes. Raises
    SandboxUnavailable where the sandbox is wanted and can't run.
    """

    def __init__(
        self,
        profile: Profile | None = None,
        limits: Limits | None = None,
        sandbox: SandboxMode = "bubblewrap",
        cache_dir: Path | None = None,
        reuse: bool = True,
    ) -> None:
        """`reuse=False` neither reads nor writes kept renders (the font cache is still kept)."""
        if sandbox == "bubblewrap":
            require_sandbox()
        self.profile = profile or Profile()
        self.limits = limits or Limits()
        self._mode: SandboxMode = sandbox
        self._tex: Installation = installation()
        self._cache = RenderCache(cache_dir / "pages") if cache_dir is not None and reuse else None
        if cache_dir is None:
            own = tempfile.mkdtemp(prefix="redline-fonts-")
            weakref.finalize(self, shutil.rmtree, own, ignore_errors=True)
            cache_dir = Path(own)
        self._fonts = FontCache(cache_dir / "fonts", self._tex, sandbox)
        self._rasteriser = Rasteriser(sandbox)
        weakref.finalize(self, self._rasteriser.close)

    def __enter__(self) -> Renderer:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the drawing processes; the renderer may be used again."""
        self._rasteriser.close()

    def fingerprint(self) -> str:
        """A digest over what makes pixels beside the document: profile, limits, sandbox, the TeX
        installation, PDFium and the version of our drawing code."""
        return self._key()

    def _key(self, **document: object) -> str:
        """The one digest of this renderer, alone and with a document: what a run takes for a
        change and what the cache takes for one are never two things."""
        return cache_key(
            profile=asdict(self.profile),
            limits=asdict(self.limits),
            sandbox=self._mode,
            tex=self._tex.version(),
            stamp=self._tex.stamp,
            pdfium=pdfium_version(),
            code=RENDERING_VERSION,
            **document,
        )

    def render(self, code: str, engine: Engine | None = None, scale: float | None = None) -> Render:
        """Render one document; blocks, thread-safe, never raises for what a document does.

        `engine` fixes the engine; without it the preamble chooses, and an error that calls for
        another engine gets one more try with that. `scale` fixes pixels per point; without it
        the page is fitted to the profile's long side.
        """
        begun = time.monotonic()
        source = code.encode("utf-8", "replace")
        key = self._key(document=hashlib.sha256(source).hexdigest(), engine=engine, scale=scale)
        if self._cache is not None and (kept := self._cache.get(key)) is not None:
            return kept
        made = self._render(source, code, engine, scale)
        made = replace(made, seconds=round(time.monotonic() - begun, 4))
        if self._cache is not None:
            self._cache.put(key, made)
        return made

    def _render(
        self, source: bytes, code: str, engine: Engine | None, scale: float | None
    ) -> Render:
        chosen = engine or choose_engine(code)
        if len(source) > self.limits.source_kb * 1024:
            return self._fault(
                chosen, "failed", "too_long",
                f"The document has {len(source) // 1024} KB of {self.limits.source_kb} KB allowed",
            )  # fmt: skip
        first = self._once(source, chosen, scale)
        if engine is not None or first.status in ("ok", "unavailable"):
            return first
        wanted = wanted_engine(first.error, chosen)
        if wanted is None or wanted == named_engine(code):
            return first
        second = self._once(source, wanted, scale)
        if first.png is not None:
            return second if second.status == "ok" else first
        # That this machine can't run the engine the document calls for is no fault of its maker.
        return second if second.png is not None or second.status == "unavailable" else first

    def _fault(
        self, engine: Engine, status: RenderStatus, kind: ErrorClass, message: str
    ) -> Render:
        error = TexError(kind, message)
        return Render(status, engine, error=error, sandboxed=self._mode != "none")

    def _once(self, source: bytes, engine: Engine, scale: float | None) -> Render:
        """The document under one engine."""
        if engine not in self._tex.engines:
            return self._fault(
                engine, "unavailable", "no_engine",
                f"{engine} is not installed here; `redline doctor` says how to get it",
            )  # fmt: skip
        run = self._run(source, engine)
        if run.fault is not None:
            return self._fault(
                engine, "unavailable", "sandbox", f"The sandbox did not start: {run.fault}"
            )
        log = self._clean(run.log)
        error = first_error(log)
        if error is not None and wanted_engine(error, engine) is not None:
            error = replace(error, kind="engine_mismatch")
        base = Render(
            "failed",
            engine,
            error=error,
            passes=run.passes,
            missing_characters=missing_characters(log),
            sandboxed=self._mode != "none",
            log=cap(log),
        )
        if ended := self._ended_early(run, base.error):
            status: RenderStatus = "unavailable" if ended.kind in _MACHINE_LIMITS else "failed"
            if ended.kind == "crash" and run.signal == 9:
                status = "unavailable"  # Killed from outside: the kernel, short of memory.
            return replace(base, status=status, error=ended)
        if any(exists_elsewhere(lack) for lack in lacks(log)):
            return replace(base, status="unavailable")
        if run.pdf_state != "ok":
            return replace(base, error=base.error or _no_pdf(run.pdf_state))
        return self._draw(base, run, scale)

    def _run(self, source: bytes, engine: Engine) -> TexRun:
        """TeX on the document. Fonts it had to draw are kept for the next; where that ate up
        its limits, the document gets a second start with the fonts at hand."""
        fonts = self._fonts.folder(lua=engine == "lualatex")
        passes = self.profile.max_passes
        run = run_tex(source, engine, self._tex, self.limits, passes, self._mode, fonts)
        if run.bitmap_fonts and fonts is not None:
            learnt = self._fonts.learn(run.bitmap_fonts)
            if learnt and run.limit is not None:
                run = run_tex(source, engine, self._tex, self.limits, passes, self._mode, fonts)
        return run

    def _ended_early(self, run: TexRun, error: TexError | None) -> TexError | None:
        """The limit or crash that ended TeX, if one did."""
        line = error.line if error else None
        kind: ErrorClass | None = run.limit
        words = f"{run.terminal}\n{error.message if error else ''}"
        if kind is None and run.pdf_state == "too_large":
            kind = "output_limit"
        if kind is None and run.exit != 0:
            full = run.bytes_written > 0.97 * self.limits.output_mb * _MB
            if _MEMORY.search(words):
                kind = "memory_limit"
            elif full or _DISK.search(words):
                kind = "output_limit"
            elif run.signal is not None:
                close = run.rss_kb > 0.7 * self.limits.memory_mb * 1024
                kind = "memory_limit" if close else "crash"
        return TexError(kind, _limit_words(self.limits)[kind], line) if kind else None

    def _draw(self, base: Render, run: TexRun, scale: float | None) -> Render:
        """The first page as pixels, with caps and the blank check."""
        try:
            pages, page_pt = self._rasteriser.inspect(run.pdf)
            base = replace(base, pages=pages, page_pt=page_pt, pdf=run.pdf)
            if not usable_page(page_pt, self.profile):
                said = f"The page is {page_pt[0]:.0f} x {page_pt[1]:.0f} pt; no side may pass "
                too_large = TexError("page_too_large", f"{said}{self.profile.max_page_pt:.0f} pt")
                return replace(base, error=too_large)
            fitted, reduced = fit_scale(page_pt, scale, self.profile)
            size = pixel_size(page_pt, fitted)
            pixels = self._rasteriser.draw(run.pdf, size)
        except RasterFault as e:
            status: RenderStatus = "unavailable" if e.kind in _MACHINE_LIMITS else "failed"
            # What TeX complained of says more than that the page it made can't be read.
            error = base.error if e.kind in ("bad_pdf", "no_page") else None
            return replace(base, status=status, error=error or TexError(e.kind, str(e)))
        base = replace(base, size_px=size, scale=fitted, scale_reduced=reduced)
        picture = np.frombuffer(pixels, dtype=np.uint8).reshape(size[1], size[0], 3)
        if (picture == picture[0, 0]).all():
            blank = TexError("blank_page", "The first page shows nothing")
            return replace(base, error=base.error or blank)
        error = base.error
        if error is None and run.exit != 0:
            error = TexError("other", f"TeX ended with status {run.exit}")
        done: RenderStatus = "ok_with_errors" if error else "ok"
        return replace(base, status=done, error=error, png=_png(picture))

    def _clean(self, log: str) -> str:
        """The log without paths of this machine."""
        for tree in sorted(map(str, self._tex.trees), key=len, reverse=True):
            log = log.replace(f"{tree}/", "<texmf>/")
        for program in self._tex.engines.values():
            log = log.replace(f"{program.parent}/", "")
        return re.sub(r"/(?:tmp|var/tmp|private)/\S*redline-(?:job|fonts)-[^/\s]*/", "./", log)


def _png(picture: np.ndarray[tuple[int, ...], np.dtype[np.uint8]]) -> bytes:
    out = io.BytesIO()
    Image.fromarray(picture).save(out, "PNG", compress_level=3)
    return out.getvalue()


def _no_pdf(state: str) -> TexError:
    if state == "absent":
        return TexError("no_page", "The document makes no page")
    return TexError("bad_pdf", "The document put something else in the place of its PDF")


def _limit_words(limits: Limits) -> dict[ErrorClass, str]:
    return {
        "cpu_limit": f"The document took more than {limits.cpu_s:g} s of CPU time",
        "wall_limit": f"The document was not done after {limits.wall_s:g} s on the clock",
        "memory_limit": f"The document took more than {limits.memory_mb} MB of memory",
        "output_limit": f"The document wrote more than {limits.output_mb} MB",
        "file_limit": f"The document made more than {limits.files} files",
        "process_limit": f"The document ran more than {limits.processes} processes",
        "crash": "TeX crashed on the document",
    }
