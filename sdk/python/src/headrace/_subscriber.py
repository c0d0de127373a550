"""A subscriber: one task that keeps a stream open, and what hands deliveries over."""

from __future__ import annotations

import asyncio
import collections
import contextlib
import dataclasses
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from types import TracebackType
from typing import Any, Generic

import grpc

from headrace import errors
from headrace._backoff import Backoff
from headrace._delivery import BaseDelivery, Delivery, PayloadT
from headrace._session import Session
from headrace._stream import HEARTBEAT_SECONDS, Ear, read_frame, write_frame
from headrace.v1 import stream_pb2
from headrace.v1 import subscriber_service_pb2 as pb

_FEATURES = (pb.FEATURE_KEY_BATCHES, pb.FEATURE_RECALL, pb.FEATURE_STARTED, pb.FEATURE_RESUME, pb.FEATURE_DEAD_LETTERS)
_LEASE_LOOKS = 6
"""How many times a lease is looked at whether to extend it."""

Handler = Callable[[Delivery[PayloadT]], Awaitable[Any]]


@dataclasses.dataclass(frozen=True, slots=True)
class SubscribeSettings:
    """How a subscriber receives.

    :ivar max_messages: held unsettled at most; default 1,000.
    :ivar max_bytes: the same in bytes; default 64 MiB.
    :ivar lease: seconds of a delivery's work lease, 1 to 43,200; None: the subscription's.
    :ivar max_extension: seconds that a delivery is extended at most; None: the
        subscription's ``max_lease``.
    :ivar drain_timeout: seconds that deliveries may take to be settled after a stop.
    :ivar takeover: take the place of an exclusive subscription's session.
    :ivar labels: free, for the server's statistics.
    :ivar max_frame_bytes: the largest frame to receive; raise it for topics whose
        messages are larger. Default 4,128,768.
    """

    max_messages: int = 1_000
    max_bytes: int = 64 << 20
    lease: float | None = None
    max_extension: float | None = None
    drain_timeout: float = 30.0
    takeover: bool = False
    labels: Mapping[str, str] = dataclasses.field(default_factory=dict)
    max_frame_bytes: int = 0


class Subscriber(Generic[PayloadT]):
    """Deliveries of one subscription: an asynchronous iterator and context manager.

    Leaving the block drains: what was not begun is given back uncharged, what was is
    waited for, and every settle is confirmed.
    """

    def __init__(
        self,
        open_stream: Callable[[], Any],
        subscription: str,
        settings: SubscribeSettings,
        *,
        client_id: str,
        connect_timeout: float,
        parse: Any = None,
        make: Callable[..., Any] = Delivery,
    ) -> None:
        """Made by :meth:`Client.subscribe`."""
        self._open_stream = open_stream
        self._subscription = subscription
        self._settings = settings
        self._client_id = client_id
        self._connect_timeout = connect_timeout
        self._session = Session(self._wake_up, settings.max_messages, settings.max_extension, make, parse)
        self._ready: collections.deque[Delivery[PayloadT]] = collections.deque()
        self._takers: collections.deque[asyncio.Future[None]] = collections.deque()
        self._wake = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._stopping = False
        self._drained = False
        self._error: errors.HeadraceError | None = None
        self._opened_once = False
        self._ordered_by = 0
        self._blocked_by: tuple[str, ...] = ()

    @property
    def ordered_by(self) -> int:
        """The order to keep among deliveries held at the same time, as the contract has it."""
        return self._ordered_by

    @property
    def blocked_by(self) -> tuple[str, ...]:
        """Why nothing comes, as the server last said; empty while deliveries can flow."""
        return self._blocked_by

    async def __aenter__(self) -> Subscriber[PayloadT]:
        """Begins to receive."""
        self._begin()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Drains."""
        await self.close()

    def __aiter__(self) -> AsyncIterator[Delivery[PayloadT]]:
        """The deliveries, as they come."""
        return self

    async def __anext__(self) -> Delivery[PayloadT]:
        """The next delivery; the iteration ends when the subscriber is closed."""
        delivery = await self.next_queued()
        if delivery is None:
            raise StopAsyncIteration
        self.start(delivery)
        return delivery

    def start(self, delivery: Delivery[PayloadT]) -> None:
        """Says that work on a delivery begins: from now on its work lease runs."""
        self._session.start(delivery, asyncio.get_running_loop().time())

    async def next_queued(self) -> Delivery[PayloadT] | None:
        """The next delivery, not started; None when the subscriber is closed."""
        self._begin()
        while True:
            if (delivery := self.queued()) is not None:
                return delivery
            if self._error is not None:
                raise self._error
            if self._stopping:
                return None
            taker = asyncio.get_running_loop().create_future()
            self._takers.append(taker)
            await taker

    def queued(self) -> Delivery[PayloadT] | None:
        """The next delivery that is here already, not started."""
        while self._ready:
            delivery = self._ready.popleft()
            if not delivery.settled:
                return delivery
        return None

    def _begin(self) -> None:
        if self._task is None and not self._stopping:
            self._task = asyncio.get_running_loop().create_task(self._run(), name=f"headrace-{self._subscription}")

    def _wake_up(self) -> None:
        self._wake.set()

    def _offer(self) -> None:
        """Wakes those who wait for a delivery; each looks for itself."""
        while self._takers:
            if not (taker := self._takers.popleft()).done():
                taker.set_result(None)

    async def close(self) -> None:
        """Drains, within ``drain_timeout``, and ends the stream."""
        self._stop()
        if self._task is not None:
            limit = self._settings.drain_timeout + self._connect_timeout
            done, _ = await asyncio.wait({self._task}, timeout=limit)
            if not done:
                self._task.cancel()
                await asyncio.wait({self._task})
        self._cancel(self._session.begin_anew())

    def _stop(self) -> None:
        self._stopping = True
        for delivery in self._ready:
            self._session.settle(delivery, "release")
        self._ready.clear()
        self._offer()
        self._wake.set()

    # The rest belongs to the task.

    async def _run(self) -> None:
        backoff = Backoff()
        loop = asyncio.get_running_loop()
        unreachable_at = loop.time() + self._connect_timeout
        while True:
            error = await self._stream_once(backoff)
            if self._stopping and (error is None or not self._session.held):
                return
            error = error or errors.UnavailableError("the server ended the stream", retryable=True)
            late = not self._opened_once and loop.time() > unreachable_at
            if errors.ends_stream(error) or late:
                self._end(errors.unreachable(error) if late else error)
                return
            await self._pause(backoff.wait(error.retry_after))

    def _end(self, error: errors.HeadraceError) -> None:
        self._error = error
        self._ready.clear()
        self._cancel(self._session.begin_anew())
        self._offer()

    async def _pause(self, seconds: float) -> None:
        with contextlib.suppress(asyncio.TimeoutError):
            if not self._stopping:
                await asyncio.wait_for(self._stopped(), seconds)

    async def _stopped(self) -> None:
        while not self._stopping:
            self._wake.clear()
            await self._wake.wait()

    def _open(self) -> pb.SubscribeRequest:
        s = self._settings
        frame = pb.SubscribeRequest.Open(
            subscription=self._subscription,
            client_id=self._client_id,
            labels=s.labels,
            window=pb.SubscribeRequest.Window(messages=s.max_messages, bytes=s.max_bytes),
            features=_FEATURES,
            max_frame_bytes=s.max_frame_bytes,
            takeover=s.takeover and not self._opened_once,
            resume=self._session.resume(),
        )
        if s.lease is not None:
            frame.lease.FromNanoseconds(round(s.lease * 1e9))
        return pb.SubscribeRequest(open=frame)

    async def _stream_once(self, backoff: Backoff) -> errors.HeadraceError | None:
        """Uses one stream until it ends; None when it ended in order."""
        call = self._open_stream()
        ear = Ear()
        receiver: asyncio.Task[None] | None = None
        try:
            await call.write(self._open())
            first = await read_frame(call, self._connect_timeout)
            if first is None or first.WhichOneof("frame") != "opened":
                return errors.HeadraceError("the server's first frame is not Opened")
            self._ordered_by = first.opened.ordered_by
            self._cancel(self._session.opened(first.opened))
            backoff.reset()
            self._opened_once, self._drained = True, False
            receiver = asyncio.create_task(self._receive(call, ear), name="headrace-deliveries")
            return await self._send(call, ear, receiver)
        except (grpc.aio.AioRpcError, errors.HeadraceError, asyncio.InvalidStateError) as error:
            return errors.from_rpc_error(error)
        finally:
            call.cancel()
            if receiver is not None:
                receiver.cancel()
                await asyncio.wait({receiver})

    async def _send(self, call: Any, ear: Ear, receiver: asyncio.Task[None]) -> errors.HeadraceError | None:
        loop = asyncio.get_running_loop()
        asked_to_drain = False
        while not receiver.done():
            self._wake.clear()
            now = loop.time()
            if self._stopping and not asked_to_drain:
                asked_to_drain = True
                await write_frame(call, self._drain_frame(), receiver)
            if self._drained and not self._session.settling:
                break
            due = self._session.due(now)
            frames = self._session.frames(flush=due <= 0) + self._session.extends(now)
            if not frames and ear.beat_due(now):
                frames = [pb.SubscribeRequest(heartbeat=stream_pb2.Heartbeat())]
            for frame in frames:
                ear.spoke(now)
                await write_frame(call, frame, receiver)
            if frames:
                continue
            ear.check_silence(now)
            look = self._session.lease_seconds / _LEASE_LOOKS
            timer = loop.call_later(min(due, look, ear.next_beat(now), HEARTBEAT_SECONDS), self._wake.set)
            await self._wake.wait()
            timer.cancel()
        if not receiver.done():
            await call.done_writing()
            await asyncio.wait({receiver}, timeout=self._connect_timeout)
        if receiver.done():
            receiver.result()
        return None

    def _drain_frame(self) -> pb.SubscribeRequest:
        frame = pb.SubscribeRequest(drain=pb.SubscribeRequest.Drain())
        frame.drain.grace.FromNanoseconds(round(self._settings.drain_timeout * 1e9))
        return frame

    async def _receive(self, call: Any, ear: Ear) -> None:
        loop = asyncio.get_running_loop()
        try:
            while (frame := await read_frame(call)) is not None:
                now = loop.time()
                ear.heard(now)
                self._take(frame, now)
        finally:
            self._wake.set()

    def _take(self, frame: pb.SubscribeResponse, now: float) -> None:
        kind = frame.WhichOneof("frame")
        if kind == "batch":
            self._deliver(self._session.batch(frame.batch, now))
        elif kind == "settle_result":
            self._session.result(frame.settle_result)
            self._wake.set()
        elif kind == "flow_state":
            self._blocked_by = tuple(_blocked(b) for b in frame.flow_state.blocked_by)
        elif kind == "recall":
            self._session.recall(frame.recall.ranges)
            self._wake.set()
        elif kind == "revoked":
            self._cancel(self._session.revoked(frame.revoked))
        elif kind == "drained":
            self._drained = True
            self._wake.set()
        elif kind == "go_away" and frame.go_away.reason == stream_pb2.GO_AWAY_REASON_SHUTDOWN:
            self._give_back()

    def _deliver(self, deliveries: list[Any]) -> None:
        if self._stopping:
            for delivery in deliveries:
                self._session.settle(delivery, "release")
            return
        self._ready.extend(deliveries)
        self._offer()

    def _give_back(self) -> None:
        """The server stops: what was not begun goes back at once."""
        for delivery in self._ready:
            self._session.settle(delivery, "release")
        self._ready.clear()

    def _cancel(self, lost: list[BaseDelivery[Any]]) -> None:
        for delivery in lost:
            if delivery.handler is not None:
                delivery.handler.cancel()


def _blocked(reason: int) -> str:
    if reason in pb.BlockedBy.values():
        return pb.BlockedBy.Name(reason).removeprefix("BLOCKED_BY_")
    return f"REASON_{reason}"
