"""The way of messages from any thread to the publisher of an event loop."""

from __future__ import annotations

import asyncio
import collections
import concurrent.futures
import functools
import threading
from typing import Any

from headrace import aio, errors
from headrace._batch import MessageId
from headrace._loop import Loop
from headrace._message import Payload
from headrace._publisher import PublishSettings


class Feeder:
    """Publishes what other threads hand over, in their order, as far as the buffer goes."""

    def __init__(self, loop: Loop, settings: PublishSettings) -> None:
        self._loop = loop
        self._settings = settings
        self._room = threading.BoundedSemaphore(settings.max_pending_messages)
        self._inbox: collections.deque[tuple[aio.Topic, Payload, concurrent.futures.Future[MessageId]]] = (
            collections.deque()
        )
        self._task: asyncio.Task[None] | None = None

    def feed(self, topic: aio.Topic, payload: Payload) -> concurrent.futures.Future[MessageId]:
        """Hands a message over; waits while too many have no result."""
        if not self._room.acquire(blocking=not self._settings.overflow_error):
            raise errors.BufferFullError("the publish buffer is full", reason="BUFFER_FULL", retryable=True)
        future: concurrent.futures.Future[MessageId] = concurrent.futures.Future()
        future.add_done_callback(self._leave)
        try:
            self._loop.post(self._take, topic, payload, future)
        except errors.HeadraceError as error:
            future.set_exception(error)
        return future

    def _leave(self, _: Any) -> None:
        self._room.release()

    # On the loop.

    def _take(self, topic: aio.Topic, payload: Payload, future: concurrent.futures.Future[MessageId]) -> None:
        self._inbox.append((topic, payload, future))
        if self._task is None or self._task.done():
            self._task = asyncio.get_running_loop().create_task(self._work())

    async def _work(self) -> None:
        while self._inbox:
            topic, payload, future = self._inbox.popleft()
            try:
                result = await topic.accept(payload)
            except Exception as error:
                future.set_exception(error)
                continue
            result.add_done_callback(functools.partial(_copy, future))

    async def settled(self) -> None:
        """Waits until everything handed over is accepted."""
        while self._inbox or (self._task is not None and not self._task.done()):
            await asyncio.wait({self._task}) if self._task is not None else await asyncio.sleep(0)


def _copy(future: concurrent.futures.Future[MessageId], result: asyncio.Future[MessageId]) -> None:
    if not future.set_running_or_notify_cancel():
        return
    if result.cancelled():
        future.set_exception(errors.unknown_outcome("the client was closed before the result came"))
    elif (error := result.exception()) is not None:
        future.set_exception(error)
    else:
        future.set_result(result.result())
