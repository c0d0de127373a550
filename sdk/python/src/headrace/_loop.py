"""An event loop in a thread of its own, for callers that have none."""

from __future__ import annotations

import asyncio
import collections
import os
import threading
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from headrace import errors

ResultT = TypeVar("ResultT")

_MAX_CALLS = 10_000
"""Calls that wait for the loop; beyond it callers wait."""


class Loop:
    """An event loop in a thread, and a bounded queue of calls for it, so that many calls
    from other threads cost one wake-up."""

    def __init__(self) -> None:
        self._process = os.getpid()
        self._loop = asyncio.new_event_loop()
        self._calls: collections.deque[tuple[Callable[..., Any], tuple[Any, ...]]] = collections.deque()
        self._room = threading.Condition()
        self._asleep = True
        self._thread = threading.Thread(target=self._loop.run_forever, name="headrace", daemon=True)
        self._thread.start()

    def run(self, coroutine: Coroutine[Any, Any, ResultT]) -> ResultT:
        """Runs a coroutine to its end; the caller waits, and an interrupt cancels it."""
        self._check(coroutine)
        future = asyncio.run_coroutine_threadsafe(coroutine, self._loop)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    def post(self, call: Callable[..., Any], *args: Any) -> None:
        """Has a function called on the loop, soon and in order."""
        self._check()
        with self._room:
            self._room.wait_for(lambda: len(self._calls) < _MAX_CALLS or self._loop.is_closed())
            self._calls.append((call, args))
            wake, self._asleep = self._asleep, False
        if wake:
            self._loop.call_soon_threadsafe(self._work)

    def _work(self) -> None:
        with self._room:
            calls, self._calls = self._calls, collections.deque()
            self._asleep = True
            self._room.notify_all()
        for call, args in calls:
            call(*args)

    def _check(self, coroutine: Coroutine[Any, Any, Any] | None = None) -> None:
        error: errors.HeadraceError | None = None
        if os.getpid() != self._process:
            error = errors.ForkedError("this client was made before a fork; make one in the child", reason="FORKED")
        elif self._loop.is_closed():
            error = errors.ClosedError("the client is closed", reason="CLOSED")
        if error is not None:
            if coroutine is not None:
                coroutine.close()
            raise error

    def close(self) -> None:
        """Ends the thread."""
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
        with self._room:
            self._room.notify_all()
