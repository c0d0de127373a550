"""Handlers: what a subscriber's deliveries are given to, in the order that it keeps."""

from __future__ import annotations

import asyncio
import collections
import functools
from typing import Any

from google.protobuf.message import DecodeError

from headrace._delivery import Delivery
from headrace._subscriber import Handler, Subscriber
from headrace._tracing import Tracing
from headrace.v1 import subscriber_service_pb2 as pb

UNDECODABLE = "UNDECODABLE"
"""The code with which a payload is rejected that is none of the type that was asked for."""


class Workers:
    """Runs a handler for each delivery, several at once, but one of a lane at a time.

    A handler that returns acks, one that raises retries; one that settled by itself has
    its way. What is no payload of the type that was asked for never comes to it, and is
    rejected with the code UNDECODABLE.
    """

    def __init__(
        self, subscriber: Subscriber[Any], handler: Handler[Any], concurrency: int, tracing: Tracing | None = None
    ) -> None:
        """:param concurrency: handlers at once, at least 1."""
        if concurrency < 1:
            raise ValueError("concurrency is at least 1")
        self._subscriber = subscriber
        self._handler = handler
        self._tracing = tracing
        self._concurrency = concurrency
        self._lanes: dict[str | int, collections.deque[Delivery[Any]]] = {}
        """What waits behind a delivery of a key, or of a partition where that is the order."""
        self._running: set[asyncio.Task[None]] = set()

    async def run(self) -> None:
        """Works until the subscriber ends or this is cancelled, and waits for the handlers;
        after a cancellation for ``drain_timeout`` at most, then they are cancelled, too."""
        try:
            await self._work_off()
        except asyncio.CancelledError:
            self._subscriber.stop()
            await self._finish(self._subscriber.drain_timeout)
            raise
        finally:
            await self._finish(None)

    async def _work_off(self) -> None:
        while (delivery := await self._next()) is not None:
            lane = self._lane_of(delivery)
            if lane is not None and not self._enters(delivery, lane):
                continue
            self._spawn(delivery, lane)
            while len(self._running) >= self._concurrency:
                await asyncio.wait(self._running, return_when=asyncio.FIRST_COMPLETED)

    async def _next(self) -> Delivery[Any] | None:
        """The next delivery, not started; None behind the last one. When the subscriber is closed
        some may still wait in lanes, where what came at most once is worked off."""
        while (delivery := await self._subscriber.next_queued()) is None and self._running:
            if not any(self._lanes.values()):
                break
            await asyncio.wait(self._running, return_when=asyncio.FIRST_COMPLETED)
        return delivery

    async def _finish(self, seconds: float | None) -> None:
        """Waits for the handlers, and cancels those that take longer, or all of them when
        nobody wants to wait."""
        try:
            if self._running:
                await asyncio.wait(self._running, timeout=seconds)
        finally:
            for task in self._running:
                task.cancel()
        if self._running:
            await asyncio.wait(self._running)

    def _lane_of(self, delivery: Delivery[Any]) -> str | int | None:
        order = self._subscriber.ordered_by
        if order == pb.ORDERED_BY_PARTITION:
            return delivery.position.partition
        return delivery.ordering_key or None if order == pb.ORDERED_BY_KEY else None

    def _enters(self, delivery: Delivery[Any], name: str | int) -> bool:
        """Whether it is a delivery's turn; if not it waits in its lane."""
        lane = self._lanes.get(name)
        if lane is None:
            self._lanes[name] = collections.deque()
        elif delivery.when_ended is not None:
            delivery.when_ended = None
        else:
            lane.append(delivery)
            return False
        return True

    def _spawn(self, delivery: Delivery[Any], lane: str | int | None) -> None:
        self._subscriber.start(delivery)
        task = asyncio.get_running_loop().create_task(self._work(delivery, lane))
        delivery.handler = task
        self._running.add(task)
        task.add_done_callback(functools.partial(self._ended, delivery, lane))

    def _ended(self, delivery: Delivery[Any], lane: str | int | None, task: asyncio.Task[None]) -> None:
        self._running.discard(task)
        if not task.cancelled():
            return
        if not delivery.lost:  # It was cancelled before its first step, and has done nothing.
            delivery.release()
        if lane is not None:
            self._leave(delivery, lane, acked=False)

    async def _work(self, delivery: Delivery[Any], lane: str | int | None) -> None:
        acked = False
        try:
            if self._rejects(delivery):
                return
            await self._handle(delivery)
            acked = delivery.acked or not delivery.settled
            delivery.ack()
        except asyncio.CancelledError:
            if not delivery.lost:
                delivery.release()
        except Exception as error:
            delivery.retry(code=type(error).__name__[:255], reason=str(error)[:1_000])
        finally:
            if lane is not None:
                self._leave(delivery, lane, acked=acked)

    @staticmethod
    def _rejects(delivery: Delivery[Any]) -> bool:
        """Rejects what is no payload of the type that was asked for: no handler can do
        anything with it, now or at a later attempt."""
        try:
            delivery.parse()
        except DecodeError as error:
            delivery.reject(code=UNDECODABLE, reason=str(error)[:1_000])
            return True
        return False

    async def _handle(self, delivery: Delivery[Any]) -> None:
        if self._tracing is None:
            await self._handler(delivery)
            return
        with self._tracing.process(self._subscriber.subscription, delivery):
            await self._handler(delivery)

    def _leave(self, delivery: Delivery[Any], lane: str | int, *, acked: bool) -> None:
        """Lets the next one of a lane go; behind one that failed, when that is confirmed: by
        then the server has taken back what came behind it."""
        if acked or delivery.ended:
            self._go_on(lane)
        else:
            delivery.when_ended = functools.partial(self._go_on, lane)

    def _go_on(self, name: str | int) -> None:
        """Has the next one of a lane be the next of all; one that is lost before it is begun
        leaves its turn to the one behind it."""
        lane = self._lanes[name]
        while lane:
            delivery = lane.popleft()
            if not delivery.settled:
                delivery.when_ended = functools.partial(self._go_on, name)
                self._subscriber.put_back(delivery)
                return
        del self._lanes[name]
