"""Handlers that are functions: called in threads, their settles posted to the loop."""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextvars
import functools
from collections.abc import Callable
from typing import Any

from headrace._loop import Loop


class Poster:
    """Settles on the loop what other threads settle."""

    def __init__(self, loop: Loop) -> None:
        self._loop = loop
        self._settler: Any = None

    def hand_over(self, delivery: Any) -> None:
        """Has a delivery settled by way of the loop. Called on the loop."""
        self._settler = delivery.settler if delivery.settler is not self else self._settler
        delivery.settler = self

    def settle(self, delivery: Any, verdict: str, delay: float | None = None, code: str = "", reason: str = "") -> None:
        """Ends a delivery, soon."""
        self._loop.post(self._settler.settle, delivery, verdict, delay, code, reason)


class ThreadHandler:
    """A function as a handler for asyncio.

    A thread cannot be cancelled: it sees :attr:`Delivery.lost`. Until it returns its place
    is taken and its key waits, so that nothing of one key is ever worked on twice at once.
    """

    def __init__(self, loop: Loop, pool: concurrent.futures.Executor, handler: Callable[[Any], Any]) -> None:
        self._poster = Poster(loop)
        self._pool = pool
        self._handler = handler

    async def __call__(self, delivery: Any) -> None:
        """Calls the function in a thread, and waits for it."""
        self._poster.hand_over(delivery)
        call = functools.partial(contextvars.copy_context().run, self._handler, delivery)
        working = asyncio.get_running_loop().run_in_executor(self._pool, call)
        try:
            await asyncio.shield(working)
        except asyncio.CancelledError:
            await asyncio.wait({working})
            raise
