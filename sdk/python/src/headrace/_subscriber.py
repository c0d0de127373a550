"""A subscriber: one task that keeps a stream open, and what hands deliveries over."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from types import TracebackType
from typing import Any, Generic

from headrace._delivery import Delivery, PayloadT
from headrace._events import Hook, silent
from headrace._receiver import Receiver
from headrace._subscribe_settings import SubscribeSettings

_RELEASE_SECONDS = 1.0
"""How long a stop that releases everything waits for the server."""

Handler = Callable[[Delivery[PayloadT]], Awaitable[Any]]


class Subscriber(Receiver, Generic[PayloadT]):
    """Deliveries of one subscription: an asynchronous iterator and context manager.

    Leaving the block drains: what was not begun is given back uncharged, what was is
    waited for, and every settle is confirmed. An exception that leaves the block, a
    cancellation too, gives back what is not settled, and returns within a second or so.
    """

    def __init__(
        self,
        open_stream: Callable[[], Any],
        subscription: str,
        settings: SubscribeSettings,
        *,
        client_id: str,
        connect_timeout: float,
        events: Hook = silent,
        parse: Any = None,
        make: Callable[..., Any] = Delivery,
    ) -> None:
        """Made by :meth:`Client.subscribe`."""
        super().__init__(
            open_stream,
            subscription,
            settings,
            client_id=client_id,
            connect_timeout=connect_timeout,
            events=events,
            parse=parse,
            make=make,
        )

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
        """Drains; after an exception it releases."""
        await self._close(release=kind is not None or self._settings.release_on_stop)

    def __aiter__(self) -> AsyncIterator[Delivery[PayloadT]]:
        """The deliveries, as they come."""
        return self

    async def __anext__(self) -> Delivery[PayloadT]:
        """The next delivery; the iteration ends when the subscriber is closed.

        :raises NotFoundError: SUBSCRIPTION_NOT_FOUND.
        :raises FailedPreconditionError: SUBSCRIPTION_DELETED, EXCLUSIVE_SESSION_EXISTS,
            TAKEN_OVER, SESSION_SUPERSEDED.
        :raises UnavailableError: UNREACHABLE: the server was never reached.
        """
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
            if self._credit is not None:
                self._wake.set()
            await taker

    def queued(self) -> Delivery[PayloadT] | None:
        """The next delivery that is here already, not started."""
        while self._ready:
            delivery: Delivery[PayloadT] = self._ready.popleft()
            if not delivery.settled:
                return delivery
        return None

    def _begin(self) -> None:
        if self._task is None and not self._stopping:
            self._task = asyncio.get_running_loop().create_task(self._run(), name=f"headrace-{self._subscription}")

    async def close(self) -> None:
        """Drains, within ``drain_timeout``, and ends the stream."""
        await self._close(release=self._settings.release_on_stop)

    async def _close(self, *, release: bool) -> None:
        self._stop()
        if release:
            self._release()
        if self._task is not None:
            limit = _RELEASE_SECONDS if release else self._settings.drain_timeout + self._connect_timeout
            try:
                await asyncio.wait({self._task}, timeout=limit)
            finally:
                self._task.cancel()
                self._cancel(self._session.begin_anew())
            await asyncio.wait({self._task})

    def _stop(self) -> None:
        self._stopping = True
        self._give_back()
        self._offer()
        self._wake.set()
