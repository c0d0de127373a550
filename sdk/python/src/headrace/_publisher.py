"""The publish stream of a client: one task that opens it when there is something to
send, feeds it from the outbox, and opens another one when it breaks."""

from __future__ import annotations

import asyncio
import collections
import dataclasses
from collections.abc import Callable
from typing import Any

from headrace import errors
from headrace._batch import MessageId, Result
from headrace._events import Event, EventKind, Hook, silent
from headrace._message import Payload, encode, wire_bytes
from headrace._outbox import BatchLimits, Outbox
from headrace._stream import HEARTBEAT_SECONDS, StreamLoop, go_away_name
from headrace.v1 import message_pb2, publisher_service_pb2, stream_pb2

_Request = publisher_service_pb2.PublishStreamRequest
_Response = publisher_service_pb2.PublishStreamResponse


@dataclasses.dataclass(frozen=True, slots=True)
class PublishSettings:
    """How a client publishes.

    :ivar batch: when a batch is sent at the latest.
    :ivar max_pending_messages: accepted and without a result; default 10,000.
    :ivar max_pending_bytes: the same in bytes; default 64 MiB. One message larger than
        that is accepted alone.
    :ivar overflow_error: at that bound publishing fails with BUFFER_FULL instead of
        waiting. Default: it waits.
    :ivar producer_id: the producer's lasting name, at most 255 bytes, unique to one
        client at a time: it publishes without duplicates over restarts of the program,
        too. Default: a random one for this client.
    """

    batch: BatchLimits = dataclasses.field(default_factory=BatchLimits)
    max_pending_messages: int = 10_000
    max_pending_bytes: int = 64 << 20
    overflow_error: bool = False
    producer_id: str = ""


class Publisher(StreamLoop):
    """Publishes for one client, within its event loop."""

    def __init__(
        self,
        open_stream: Callable[[], Any],
        settings: PublishSettings,
        *,
        producer_id: str,
        client_id: str,
        connect_timeout: float,
        events: Hook = silent,
    ) -> None:
        super().__init__(open_stream, connect_timeout, events)
        self._settings = settings
        self._producer_id = producer_id
        self._client_id = client_id
        self._outbox = Outbox(settings.batch, lasting=bool(settings.producer_id))
        self._room: collections.deque[asyncio.Future[None]] = collections.deque()
        self._flushes: list[tuple[int, asyncio.Future[None]]] = []
        self._task: asyncio.Task[None] | None = None
        self._leaving = False
        self._ended: errors.HeadraceError | None = None

    async def publish(self, topic: str, payload: Payload, *, one_way: bool = False) -> asyncio.Future[MessageId] | None:
        """Accepts a message, waiting for room, and gives the future of its id."""
        message = encode(payload)
        result = None if one_way else asyncio.get_running_loop().create_future()
        await self.put(topic, message, wire_bytes(message), result)
        return result

    async def put(self, topic: str, message: message_pb2.Message, size: int, result: Result | None) -> None:
        """Accepts a message, waiting for room."""
        while not self.offer(topic, message, size, result):
            if self._settings.overflow_error:
                raise errors.BufferFullError("the publish buffer is full", reason="BUFFER_FULL", retryable=True)
            room = asyncio.get_running_loop().create_future()
            self._room.append(room)
            await room

    def offer(self, topic: str, message: message_pb2.Message, size: int, result: Result | None) -> bool:
        """Accepts a message if there is room."""
        if not self._has_room(size):
            return False
        loop = asyncio.get_running_loop()
        self._outbox.accept(topic, message, size, loop.time(), result)
        self._wake.set()
        if self._task is None:
            self._task = loop.create_task(self._run(), name="headrace-publish")
        return True

    def _has_room(self, size: int) -> bool:
        if self._stopping:
            raise errors.ClosedError("the client is closed", reason="CLOSED")
        if self._ended is not None:
            raise self._ended
        o, s = self._outbox, self._settings
        if o.pending_messages == 0:
            return True
        return o.pending_messages < s.max_pending_messages and o.pending_bytes + size <= s.max_pending_bytes

    async def flush(self) -> None:
        """Waits until everything accepted before has its result."""
        through = self._outbox.seal()
        if not self._outbox.holds(through):
            return
        flushed = asyncio.get_running_loop().create_future()
        self._flushes.append((through, flushed))
        self._wake.set()
        await flushed

    async def close(self, timeout: float) -> None:
        """Flushes, at most this many seconds, and ends the stream."""
        self._stopping = True
        self._outbox.seal()
        self._wake.set()
        self._look()
        if self._task is None:
            return
        try:
            await asyncio.wait({self._task}, timeout=timeout)
        finally:
            self._task.cancel()
            self._outbox.fail_all(
                errors.ClosedError("the client was closed first", reason="CLOSED"),
                errors.unknown_outcome("the client was closed before the result came"),
            )
            self._look()
        await asyncio.wait({self._task})

    # The rest belongs to the task.

    def _open(self) -> _Request:
        return _Request(open=_Request.Open(producer_id=self._producer_id, client_id=self._client_id))

    def _opened(self, frame: _Response) -> bool:
        if frame.WhichOneof("frame") != "opened":
            return False
        self._leaving = False
        self._outbox.begin()
        self._tell(Event(EventKind.PUBLISH_OPENED))
        return True

    def _heartbeat(self) -> _Request:
        return _Request(heartbeat=stream_pb2.Heartbeat())

    def _wanted(self) -> bool:
        return not self._outbox.empty

    def _done(self) -> bool:
        return self._ended is not None or (self._stopping and self._outbox.empty)

    def _leaves(self) -> bool:
        return self._outbox.landed and (self._leaving or (self._stopping and self._outbox.empty))

    def _next(self, now: float) -> tuple[list[_Request], float]:
        if self._flushes:
            self._look()  # One-way batches have no result, and are written by now.
        if self._leaving:
            return [], HEARTBEAT_SECONDS
        frame, wait = self._outbox.take(now)
        frame = frame or self._outbox.question()
        return ([] if frame is None else [frame]), wait

    def _take(self, frame: _Response, now: float) -> None:
        kind = frame.WhichOneof("frame")
        if kind == "publish_result":
            self._outbox.resolve(frame.publish_result)
            self._look()
        elif kind == "publish_window":
            self._outbox.raise_window(frame.publish_window)
        elif kind == "looked_up":
            self._outbox.looked_up(frame.looked_up)
            self._look()
        elif kind == "go_away":
            self._leaving = True
            self._tell(Event(EventKind.GO_AWAY_RECEIVED, detail=go_away_name(frame.go_away.reason)))
        self._wake.set()

    def _broken(self, error: errors.HeadraceError, wait: float) -> None:
        self._tell(Event(EventKind.PUBLISH_BROKEN, error=error, wait=wait))

    def _give_up(self, error: errors.HeadraceError, *, for_good: bool) -> None:
        if for_good:
            self._ended = error
        self._outbox.fail_all(error, errors.unknown_outcome(f"the stream ended: {error}") if for_good else error)
        self._look()

    def _look(self) -> None:
        """Wakes those who wait for room, each looks for itself, and for the results of what
        was accepted before."""
        while self._room:
            if not (waiter := self._room.popleft()).done():
                waiter.set_result(None)
        waiting, self._flushes = self._flushes, []
        for through, flushed in waiting:
            if self._outbox.holds(through):
                self._flushes.append((through, flushed))
            elif not flushed.done():
                flushed.set_result(None)
