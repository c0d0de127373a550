"""How long to wait before a stream is opened again."""

from __future__ import annotations

import random

MIN_SECONDS = 0.1
MAX_SECONDS = 10.0


class Backoff:
    """Doubles from 0.1 to 10 s, each time varied by up to 20 % either way, so that
    clients which lost a server together do not come back together."""

    def __init__(self, jitter: random.Random | None = None) -> None:
        self._jitter = jitter or random.Random()
        self._next = MIN_SECONDS

    def reset(self) -> None:
        """Begins anew: a stream was opened."""
        self._next = MIN_SECONDS

    def wait(self, at_least: float | None = None) -> float:
        """The seconds to wait now; at_least is what the server asked for."""
        seconds, self._next = self._next, min(self._next * 2, MAX_SECONDS)
        return max(seconds * self._jitter.uniform(0.8, 1.2), at_least or 0.0)
