"""An event loop in a thread of its own, for callers that have none."""

from __future__ import annotations

import asyncio
import collections
import os
import threading
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from headrace import _fork, errors

ResultT = TypeVar("ResultT")

_MAX_CALLS = 10_000
"""Calls that wait for the loop; beyond it callers wait."""

_INTERRUPTED_SECONDS = 1.0
"""How long an interrupted caller waits for what it began."""

_CLOSING_SECONDS = 6.0
"""How long the end of the thread waits for what callers began."""

_TELLING_TURNS = 3
"""Turns of the loop in which callers are told of what has just ended, before it stops."""


class Loop:
    """An event loop in a thread, and a bounded queue of calls for it, so that many calls
    from other threads cost one wake-up."""

    def __init__(self) -> None:
        self._process = os.getpid()
        self._loop = asyncio.new_event_loop()
        self._calls: collections.deque[tuple[Callable[..., Any], tuple[Any, ...]]] = collections.deque()
        self._room = threading.Condition()
        self._asleep = True
        self._closing = False
        self._running: set[asyncio.Task[Any]] = set()
        self._thread = threading.Thread(target=self._loop.run_forever, name="headrace", daemon=True)
        self._thread.start()

    @property
    def forked(self) -> bool:
        """The process that made the loop is not this one, so there is none here."""
        return os.getpid() != self._process

    def run(self, coroutine: Coroutine[Any, Any, ResultT]) -> ResultT:
        """Runs a coroutine to its end, behind every call that was posted before; the caller
        waits. An interrupt cancels it, and is raised when it has ended, or after a second."""
        self.check(coroutine)  # Before the lock: in a child whoever held it is not there.
        ended = threading.Event()
        with self._room:
            self.check(coroutine)
            future = asyncio.run_coroutine_threadsafe(self._ending(coroutine, ended), self._loop)
        try:
            return future.result()
        except BaseException:
            if future.cancel():
                ended.wait(_INTERRUPTED_SECONDS)
            raise

    async def _ending(self, coroutine: Coroutine[Any, Any, ResultT], ended: threading.Event) -> ResultT:
        task = asyncio.current_task()
        assert task is not None
        self._running.add(task)
        try:
            self._work()
            return await coroutine
        finally:
            self._running.discard(task)
            ended.set()

    def post(self, call: Callable[..., Any], *args: Any) -> None:
        """Has a function called on the loop, soon and in order. An interrupt may come between
        any two steps: what is not woken now is by the next call."""
        self.check()
        with self._room:
            while len(self._calls) >= _MAX_CALLS and not self._closing:
                self._room.wait()
            self._calls.append((call, args))
            if self._asleep:
                self._loop.call_soon_threadsafe(self._work)
                self._asleep = False

    def _work(self) -> None:
        with self._room:
            calls, self._calls = self._calls, collections.deque()
            self._asleep = True
            self._room.notify_all()
        for call, args in calls:
            call(*args)

    def check(self, coroutine: Coroutine[Any, Any, Any] | None = None) -> None:
        """Raises when nothing can run on the loop any more; a coroutine is closed then."""
        try:
            _fork.check_process(self._process)
            if self._closing:
                raise errors.ClosedError("the client is closed", reason="CLOSED")
        except errors.HeadraceError:
            if coroutine is not None:
                coroutine.close()
            raise

    def close(self) -> None:
        """Ends the thread, when every caller has what it waits for, or after some seconds."""
        with self._room:
            self._closing = True
            asyncio.run_coroutine_threadsafe(self._finish(), self._loop)
        self._thread.join()
        self._loop.close()
        with self._room:
            self._room.notify_all()

    async def _finish(self) -> None:
        if self._running:
            _, late = await asyncio.wait(self._running, timeout=_CLOSING_SECONDS)
            for task in late:
                task.cancel()
            if late:
                await asyncio.wait(late, timeout=_INTERRUPTED_SECONDS)
        for _ in range(_TELLING_TURNS):
            await asyncio.sleep(0)
        self._loop.stop()
