"""Handlers: what a subscriber's deliveries are given to, in the order of their keys."""

from __future__ import annotations

import asyncio
import collections
from typing import Any

from headrace._delivery import Delivery
from headrace._subscriber import Handler, Subscriber


class Workers:
    """Runs a handler for each delivery, several at once, but one of a key at a time.

    A handler that returns acks, one that raises retries; one that settled by itself has
    its way. When a handler of a key fails, what waits behind it is given back: the
    server sends it again after the failed one.
    """

    def __init__(self, subscriber: Subscriber[Any], handler: Handler[Any], concurrency: int) -> None:
        """:param concurrency: handlers at once, at least 1."""
        if concurrency < 1:
            raise ValueError("concurrency is at least 1")
        self._subscriber = subscriber
        self._handler = handler
        self._concurrency = concurrency
        self._lanes: dict[str, collections.deque[Delivery[Any]]] = {}
        self._running: set[asyncio.Task[None]] = set()

    async def run(self) -> None:
        """Works until the subscriber ends, and waits for the handlers."""
        try:
            while (delivery := await self._subscriber.next_queued()) is not None:
                key = delivery.ordering_key
                if key and key in self._lanes:
                    self._lanes[key].append(delivery)
                    continue
                if key:
                    self._lanes[key] = collections.deque()
                self._spawn(delivery)
                while len(self._running) >= self._concurrency:
                    await asyncio.wait(self._running, return_when=asyncio.FIRST_COMPLETED)
        finally:
            if self._running:
                await asyncio.wait(self._running)

    def _spawn(self, delivery: Delivery[Any]) -> None:
        self._subscriber.start(delivery)
        task = asyncio.get_running_loop().create_task(self._work(delivery))
        delivery.handler = task
        self._running.add(task)
        task.add_done_callback(self._running.discard)

    async def _work(self, delivery: Delivery[Any]) -> None:
        failed = True
        try:
            await self._handler(delivery)
            failed = False
            delivery.ack()
        except asyncio.CancelledError:
            delivery.release()
        except Exception as error:
            delivery.retry(code=type(error).__name__[:255], reason=str(error)[:1_000])
        finally:
            self._leave(delivery.ordering_key, failed=failed)

    def _leave(self, key: str, *, failed: bool) -> None:
        """Lets the next one of a key go, or gives all of them back."""
        if not key:
            return
        lane = self._lanes[key]
        if failed:
            for waiting in lane:
                waiting.release()
            lane.clear()
        while lane:
            delivery = lane.popleft()
            if not delivery.settled:
                self._spawn(delivery)
                return
        del self._lanes[key]
