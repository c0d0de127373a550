"""The way of messages from any thread to the publisher of an event loop."""

from __future__ import annotations

import asyncio
import collections
import concurrent.futures
import threading

from headrace import errors
from headrace._batch import MessageId
from headrace._loop import Loop
from headrace._message import Payload, encode, wire_bytes
from headrace._publisher import Publisher, PublishSettings
from headrace.v1 import message_pb2

_Future = concurrent.futures.Future[MessageId]
_Fed = tuple[Publisher, str, message_pb2.Message, int, "_Future | None"]


class Feeder:
    """Publishes what other threads hand over, in their order, as far as the buffer goes.

    Many messages cost one turn of the loop: it is woken by the first, and takes what is there.
    """

    def __init__(self, loop: Loop, settings: PublishSettings) -> None:
        self._loop = loop
        self._settings = settings
        self._room = threading.Condition()
        self._waiting = 0
        self._pending = 0
        """Handed over and without a result."""
        self._inbox: collections.deque[_Fed] = collections.deque()
        self._awake = False
        """The loop works on the inbox, or will."""
        self._task: asyncio.Task[None] | None = None

    def feed(self, publisher: Publisher, topic: str, payload: Payload) -> _Future:
        """Hands a message over; waits while too many have no result."""
        future = _Future()
        future.add_done_callback(self._leave)
        self._hand_over(publisher, topic, payload, future)
        return future

    def feed_one_way(self, publisher: Publisher, topic: str, payload: Payload) -> None:
        """Hands a message over of which nobody wants to hear."""
        self._hand_over(publisher, topic, payload, None)

    def _hand_over(self, publisher: Publisher, topic: str, payload: Payload, future: _Future | None) -> None:
        self._loop.check()
        message = encode(payload)
        fed = (publisher, topic, message, wire_bytes(message), future)
        try:
            self._put(fed)
        except BaseException:  # An interrupt may come between any two steps: the loop may not have been woken.
            self._awake = False
            raise

    def _put(self, fed: _Fed) -> None:
        with self._room:
            while self._pending >= self._settings.max_pending_messages:
                if self._settings.overflow_error:
                    raise errors.BufferFullError("the publish buffer is full", reason="BUFFER_FULL", retryable=True)
                self._wait()
            self._inbox.append(fed)
            self._pending += 1
            wake, self._awake = not self._awake, True
        if wake:
            self._wake()

    def _wait(self) -> None:
        self._waiting += 1
        try:
            self._room.wait()
        finally:
            self._waiting -= 1

    def _wake(self) -> None:
        try:
            self._loop.post(self._take)
        except errors.HeadraceError as error:
            with self._room:
                left, self._inbox = self._inbox, collections.deque()
                self._awake = False
            for *_, future in left:
                self._fail(future, error)

    def _fail(self, future: _Future | None, error: Exception) -> None:
        if future is None:
            self._leave(None)
        else:
            future.set_exception(error)

    def _leave(self, _: object) -> None:
        with self._room:
            self._pending -= 1
            if self._waiting:
                self._room.notify()

    # On the loop.

    def _take(self) -> None:
        if self._task is not None and not self._task.done():
            return
        self._awake = True
        self._task = asyncio.get_running_loop().create_task(self._work(), name="headrace-feed")

    async def _work(self) -> None:
        while inbox := self._taken():
            for publisher, topic, message, size, future in inbox:
                if future is not None and not future.set_running_or_notify_cancel():
                    continue
                try:
                    if not publisher.offer(topic, message, size, future):
                        await publisher.put(topic, message, size, future)
                except Exception as error:
                    self._fail(future, error)
                else:
                    if future is None:
                        self._leave(None)
            await asyncio.sleep(0)  # The stream has its turn.

    def _taken(self) -> collections.deque[_Fed]:
        """What is in the inbox; the loop may sleep when it is nothing."""
        with self._room:
            inbox, self._inbox = self._inbox, collections.deque()
            self._awake = bool(inbox)
        return inbox

    async def settled(self) -> None:
        """Waits until everything handed over is accepted."""
        if self._inbox:
            self._take()
        while self._task is not None and not self._task.done():
            await asyncio.wait({self._task})
