"""Named points at which a test may kill the process, to prove that nothing is lost there.

Only tests set `REDLINE_FAULT=POINT:N`: the process then kills itself with SIGKILL when it passes
POINT for the N-th time. Without the variable a fault point does nothing.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable

_point, _, _count = os.environ.get("REDLINE_FAULT", "").rpartition(":")
_left = int(_count) if _point else 0


def faultpoint(name: str, before: Callable[[], object] | None = None) -> None:
    """Die here if a test asked for it, after `before` has left its half-done work behind."""
    global _left
    if not _point or name != _point:
        return
    _left -= 1
    if _left == 0:
        if before is not None:
            before()
        os.kill(os.getpid(), signal.SIGKILL)
