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

_HURRY_SECONDS = 1.0
"""How long a cancelled block waits for the confirmation of its settles, when all is settled."""

Handler = Callable[[Delivery[PayloadT]], Awaitable[Any]]


class Subscriber(Receiver, Generic[PayloadT]):
    """Deliveries of one subscription: an asynchronous iterator and context manager.

    Leaving the block drains: what was not begun is given back uncharged, what was is
    waited for, and every settle is confirmed. The delivery that the iteration handed out last
    is given back if the block is left before it is settled, by an exception for instance.
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
        bounded: bool = False,
    ) -> None:
        """Made by :meth:`Client.subscribe`."""
        self._in_hand: Delivery[PayloadT] | None = None
        super().__init__(
            open_stream,
            subscription,
            settings,
            client_id=client_id,
            connect_timeout=connect_timeout,
            events=events,
            parse=parse,
            make=make,
            bounded=bounded,
        )

    @property
    def ordered_by(self) -> int:
        """The order to keep among deliveries held at the same time, as the contract has it."""
        return self._ordered_by

    @property
    def by_hand(self) -> bool:
        """Credit is given by hand: what is taken counts as begun."""
        return self._credit is not None

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
        if self._in_hand is not None and not self._in_hand.settled:
            self._in_hand.release()
        await self._close(hurry=kind is not None)

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
        self._in_hand = None
        delivery = await self.next_queued()
        if delivery is None:
            raise StopAsyncIteration
        self.start(delivery)
        self._in_hand = delivery
        return delivery

    def start(self, delivery: Delivery[PayloadT]) -> None:
        """Says that work on a delivery begins: from now on its work lease runs."""
        self._session.start(delivery, asyncio.get_running_loop().time())

    async def next_queued(self) -> Delivery[PayloadT] | None:
        """The next delivery, not started; None when the subscriber is closed. While the stream
        is away there is none: it waits until the server goes on with the session. It raises
        what :meth:`__anext__` does."""
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

    def put_back(self, delivery: Delivery[PayloadT]) -> None:
        """Has a delivery that was taken and not started be the next one."""
        self._inbox.put_back(delivery)
        self._offer()

    def queued(self) -> Delivery[PayloadT] | None:
        """The next delivery that is here already, not started; None while the stream is away."""
        delivery: Delivery[PayloadT] | None = self._inbox.take()
        return delivery

    def _begin(self) -> None:
        if self._task is None and not self._stopping:
            self._task = asyncio.get_running_loop().create_task(self._run(), name=f"headrace-{self._subscription}")

    async def close(self) -> None:
        """Drains, within ``drain_timeout``, and ends the stream. It raises nothing: what could
        not be settled in time goes to somebody else."""
        await self._close(hurry=False)

    async def _close(self, *, hurry: bool) -> None:
        self.stop()
        if self._task is None:
            return
        held = any(not d.settled for d in self._session.held.values())
        limit = self.drain_timeout + self._connect_timeout if held or not hurry else _HURRY_SECONDS
        try:
            await asyncio.wait({self._task}, timeout=limit)
        finally:
            self._task.cancel()
            self._cancel(self._session.begin_anew())
        await asyncio.wait({self._task})
