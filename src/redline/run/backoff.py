"""How long to wait before a call is sent again."""

from __future__ import annotations

import random

from redline.run.options import Options


def wait_s(options: Options, tried: int, retry_after_s: float | None, draw: random.Random) -> float:
    """Seconds after the `tried`-th failure (1, 2, ...): full jitter over an exponential range,
    or what the provider asked for (capped) and a little jitter, so that waiters spread."""
    if retry_after_s is not None:
        asked = min(max(retry_after_s, 0.0), options.retry_after_cap_s)
        return asked + draw.uniform(0, options.backoff_s)
    return draw.uniform(0, min(options.backoff_cap_s, options.backoff_s * 2.0 ** (tried - 1)))
