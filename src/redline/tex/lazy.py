"""A renderer that is made when it is first needed, so that work that draws nothing needs no TeX."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from types import TracebackType

from redline.tex.renderer import Renderer
from redline.tex.result import Engine, Render


class LazyRenderer:
    """Stands for the renderer that `make` gives; until something asks it, nothing is looked for
    and nothing is started. Thread-safe."""

    def __init__(self, make: Callable[[], Renderer]) -> None:
        self._make = make
        self._made: Renderer | None = None
        self._lock = Lock()

    def ready(self) -> Renderer:
        """The renderer itself, made now at the latest. Raises SandboxUnavailable."""
        with self._lock:
            if self._made is None:
                self._made = self._make()
            return self._made

    def fingerprint(self) -> str:
        """As of Renderer. Raises SandboxUnavailable."""
        return self.ready().fingerprint()

    def render(self, code: str, engine: Engine | None = None, scale: float | None = None) -> Render:
        """As of Renderer. Raises SandboxUnavailable."""
        return self.ready().render(code, engine, scale)

    def close(self) -> None:
        """End the drawing processes, if there are any."""
        if self._made is not None:
            self._made.close()

    def __enter__(self) -> LazyRenderer:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self.close()
