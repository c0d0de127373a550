"""The publish stream of a client: one task that opens it when there is something to
send, feeds it from the outbox, and opens another one when it breaks."""

from __future__ import annotations

import asyncio
import collections
import dataclasses
from collections.abc import Callable
from typing import Any

import grpc

from headrace import errors
from headrace._backoff import Backoff
from headrace._batch import MessageId, Result
from headrace._message import Payload, encode, wire_bytes
from headrace._outbox import BatchLimits, Outbox
from headrace._stream import HEARTBEAT_SECONDS, Ear, read_frame, write_frame
from headrace.v1 import publisher_service_pb2, stream_pb2

_Request = publisher_service_pb2.PublishStreamRequest
_Response = publisher_service_pb2.PublishStreamResponse
Open = Callable[[], Any]


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


class Publisher:
    """Publishes for one client, within its event loop."""

    def __init__(
        self, open_stream: Open, settings: PublishSettings, *, producer_id: str, client_id: str, connect_timeout: float
    ) -> None:
        self._open_stream = open_stream
        self._settings = settings
        self._producer_id = producer_id
        self._client_id = client_id
        self._connect_timeout = connect_timeout
        self._outbox = Outbox(settings.batch, lasting=bool(settings.producer_id))
        self._wake = asyncio.Event()
        self._room: collections.deque[asyncio.Future[None]] = collections.deque()
        self._changed = asyncio.Condition()
        self._task: asyncio.Task[None] | None = None
        self._closing = False
        self._ended: errors.HeadraceError | None = None
        self._opened_once = False

    async def publish(self, topic: str, payload: Payload, *, one_way: bool = False) -> Result | None:
        """Accepts a message, waiting for room, and gives the future of its id."""
        message = encode(payload)
        size = wire_bytes(message)
        while not self._has_room(size):
            if self._settings.overflow_error:
                raise errors.BufferFullError("the publish buffer is full", reason="BUFFER_FULL", retryable=True)
            room = asyncio.get_running_loop().create_future()
            self._room.append(room)
            await room
        self._check_open()
        loop = asyncio.get_running_loop()
        result: Result | None = None if one_way else loop.create_future()
        self._outbox.accept(topic, message, size, loop.time(), result)
        self._wake.set()
        if self._task is None:
            self._task = loop.create_task(self._run(), name="headrace-publish")
        return result

    def _has_room(self, size: int) -> bool:
        self._check_open()
        o, s = self._outbox, self._settings
        if o.pending_messages == 0:
            return True
        return o.pending_messages < s.max_pending_messages and o.pending_bytes + size <= s.max_pending_bytes

    def _check_open(self) -> None:
        if self._closing:
            raise errors.ClosedError("the client is closed", reason="CLOSED")
        if self._ended is not None:
            raise self._ended

    async def flush(self) -> None:
        """Waits until everything accepted before has its result."""
        self._outbox.seal()
        self._wake.set()
        async with self._changed:
            await self._changed.wait_for(lambda: self._outbox.empty or self._task is None)

    async def close(self, timeout: float) -> None:
        """Flushes, at most this many seconds, and ends the stream."""
        self._closing = True
        self._outbox.seal()
        self._wake.set()
        self._let_in()
        if self._task is None:
            return
        done, _ = await asyncio.wait({self._task}, timeout=timeout)
        if not done:
            self._task.cancel()
            await asyncio.wait({self._task})
        self._outbox.fail_all(
            errors.ClosedError("the client was closed first", reason="CLOSED"),
            errors.unknown_outcome("the client was closed before the result came"),
        )

    # The rest belongs to the task.

    async def _run(self) -> None:
        backoff = Backoff()
        loop = asyncio.get_running_loop()
        unreachable_at = loop.time() + self._connect_timeout
        while not (self._closing and self._outbox.empty):
            if self._outbox.empty:
                self._wake.clear()
                await self._wake.wait()
                unreachable_at = loop.time() + self._connect_timeout
                continue
            error = await self._stream_once(backoff)
            if error is not None and self._give_up(error, loop.time() > unreachable_at):
                await self._tell_changed()
                return
            if error is not None:
                await asyncio.sleep(backoff.wait(error.retry_after))

    def _give_up(self, error: errors.HeadraceError, late: bool) -> bool:
        """Fails everything when no stream can be had, and says whether that is final."""
        if errors.ends_stream(error):
            self._ended = error
            self._outbox.fail_all(error, errors.unknown_outcome(f"the stream ended: {error}"))
        elif late and not self._opened_once:
            unreachable = errors.unreachable(error)
            self._outbox.fail_all(unreachable, unreachable)
            self._task = None
            self._let_in()
            return True
        self._let_in()
        return self._ended is not None

    async def _stream_once(self, backoff: Backoff) -> errors.HeadraceError | None:
        """Uses one stream until it ends; None when it ended in order."""
        call = self._open_stream()
        ear = Ear()
        receiver: asyncio.Task[None] | None = None
        try:
            await call.write(_Request(open=_Request.Open(producer_id=self._producer_id, client_id=self._client_id)))
            opened = await read_frame(call, self._connect_timeout)
            if opened is None or opened.WhichOneof("frame") != "opened":
                return errors.HeadraceError("the server's first frame is not Opened")
            backoff.reset()
            self._opened_once = True
            self._outbox.begin()
            receiver = asyncio.create_task(self._receive(call, ear), name="headrace-results")
            await self._send(call, ear, receiver)
            return None
        except (grpc.aio.AioRpcError, errors.HeadraceError) as error:
            return errors.from_rpc_error(error)
        finally:
            call.cancel()
            if receiver is not None:
                receiver.cancel()
                await asyncio.wait({receiver})

    async def _send(self, call: Any, ear: Ear, receiver: asyncio.Task[None]) -> None:
        loop = asyncio.get_running_loop()
        while not ((self._closing or ear.leaving) and self._outbox.landed and (ear.leaving or self._outbox.empty)):
            self._wake.clear()
            if receiver.done():
                receiver.result()
                raise errors.UnavailableError("the server ended the stream", reason="", retryable=True)
            now = loop.time()
            frame, wait = (None, HEARTBEAT_SECONDS) if ear.leaving else self._outbox.take(now)
            frame = frame or self._outbox.question()
            if frame is None and ear.beat_due(now):
                frame = _Request(heartbeat=stream_pb2.Heartbeat())
            if frame is not None:
                ear.spoke(now)
                await write_frame(call, frame, receiver)
                if self._outbox.empty:  # One-way batches have no result.
                    await self._tell_changed()
                continue
            ear.check_silence(now)
            timer = loop.call_later(min(wait, ear.next_beat(now)), self._wake.set)
            await self._wake.wait()
            timer.cancel()
        await call.done_writing()
        await asyncio.wait({receiver}, timeout=self._connect_timeout)

    async def _receive(self, call: Any, ear: Ear) -> None:
        try:
            while (frame := await read_frame(call)) is not None:
                ear.heard(asyncio.get_running_loop().time())
                await self._take(frame, ear)
        finally:
            self._wake.set()

    async def _take(self, frame: _Response, ear: Ear) -> None:
        kind = frame.WhichOneof("frame")
        if kind == "publish_result":
            self._outbox.resolve(frame.publish_result)
            self._let_in()
            if self._outbox.empty:
                await self._tell_changed()
        elif kind == "publish_window":
            self._outbox.raise_window(frame.publish_window)
        elif kind == "looked_up":
            self._outbox.looked_up(frame.looked_up)
            self._let_in()
        elif kind == "go_away":
            ear.leaving = True
        self._wake.set()

    def _let_in(self) -> None:
        """Wakes those who wait for room; each looks for itself."""
        while self._room:
            if not (waiter := self._room.popleft()).done():
                waiter.set_result(None)

    async def _tell_changed(self) -> None:
        async with self._changed:
            self._changed.notify_all()


__all__ = ["BatchLimits", "MessageId", "PublishSettings", "Publisher"]
