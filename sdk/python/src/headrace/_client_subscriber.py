"""Deliveries without asyncio."""

from __future__ import annotations

import collections
import concurrent.futures
from collections.abc import Iterator
from types import TracebackType
from typing import Any, Generic

from headrace._delivery import BaseDelivery, PayloadT
from headrace._loop import Loop
from headrace._subscriber import Subscriber as AsyncSubscriber
from headrace._threads import Poster

_HANDED_OVER = 256
"""Deliveries that are taken from the loop at once."""


class Delivery(BaseDelivery[PayloadT]):
    """A delivery without asyncio. What ends in ``_confirmed`` waits until the settle is
    durable; it takes the seconds to wait at most, and raises

    - ``TimeoutError``: the time was over; the settle may still become durable;
    - :class:`headrace.StaleDeliveryError`: it was no longer yours; somebody else gets it;
    - :class:`headrace.UnknownOutcomeError`: the session was lost before the answer.
    """

    __slots__ = ()

    def ack_confirmed(self, timeout: float | None = None) -> None:
        """Acks, and returns when that is durable.

        :param timeout: seconds to wait at most. Default: as long as it takes.
        :raises TimeoutError: the time was over; the settle may still become durable.
        :raises StaleDeliveryError: it was no longer yours; somebody else gets it.
        :raises UnknownOutcomeError: the session was lost before the answer.
        """
        self._confirm("ack", timeout)

    def retry_confirmed(
        self, delay: float | None = None, *, code: str = "", reason: str = "", timeout: float | None = None
    ) -> None:
        """:meth:`retry`, and returns when that is durable. It takes the timeout and raises what
        :meth:`ack_confirmed` does."""
        self._confirm("retry", timeout, delay, code, reason)

    def reject_confirmed(self, *, code: str = "", reason: str = "", timeout: float | None = None) -> None:
        """:meth:`reject`, and returns when that is durable. It takes the timeout and raises what
        :meth:`ack_confirmed` does."""
        self._confirm("reject", timeout, None, code, reason)

    def release_confirmed(self, timeout: float | None = None) -> None:
        """:meth:`release`, and returns when that is durable. It takes the timeout and raises what
        :meth:`ack_confirmed` does."""
        self._confirm("release", timeout)

    def _confirm(
        self, verdict: str, timeout: float | None, delay: float | None = None, code: str = "", reason: str = ""
    ) -> None:
        self._refuse_twice()
        confirmed: concurrent.futures.Future[None] = concurrent.futures.Future()
        self.confirmed = confirmed
        self.settler.settle(self, verdict, delay, code, reason)
        try:
            confirmed.result(timeout)
        except concurrent.futures.TimeoutError:
            raise TimeoutError("the settle was not confirmed in time") from None


class Subscriber(Generic[PayloadT]):
    """Deliveries of one subscription: an iterator and a context manager.

    Leaving the block drains: what was not begun is given back uncharged, what was is
    waited for, and every settle is confirmed. The delivery that the iteration handed out last
    is given back if the block is left before it is settled. Closing from another thread ends
    the iteration.
    """

    def __init__(self, loop: Loop, subscriber: AsyncSubscriber[PayloadT]) -> None:
        """Made by :meth:`Client.subscribe`."""
        self._loop = loop
        self._subscriber = subscriber
        self._queued: collections.deque[Delivery[PayloadT]] = subscriber.handed_over
        self._poster = Poster(loop)
        self._in_hand: Delivery[PayloadT] | None = None

    def __enter__(self) -> Subscriber[PayloadT]:
        """Begins to receive."""
        self._loop.run(self._subscriber.__aenter__())
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Drains."""
        if self._in_hand is not None and not self._in_hand.settled:
            self._in_hand.release()
        self._loop.run(self._subscriber.__aexit__(kind, value, trace))

    def __iter__(self) -> Iterator[Delivery[PayloadT]]:
        """The deliveries, as they come."""
        return self

    def __next__(self) -> Delivery[PayloadT]:
        """The next delivery; the iteration ends when the subscriber is closed.

        :raises NotFoundError: SUBSCRIPTION_NOT_FOUND.
        :raises FailedPreconditionError: SUBSCRIPTION_DELETED, EXCLUSIVE_SESSION_EXISTS,
            TAKEN_OVER, SESSION_SUPERSEDED.
        :raises UnavailableError: UNREACHABLE: the server was never reached.
        """
        self._in_hand = None
        while True:
            try:
                delivery = self._in_hand = self._queued.popleft()
            except IndexError:
                if not self._loop.run(self._fetch()):
                    raise StopIteration from None
                continue
            if not delivery.settled:
                self._loop.post(self._subscriber.start, delivery)
                return delivery

    async def _fetch(self) -> bool:
        """Queues some deliveries that nobody started; false when the subscriber is closed."""
        fetched = 0
        delivery: Any = await self._subscriber.next_queued()
        while delivery is not None:
            self._poster.hand_over(delivery)
            self._queued.append(delivery)
            fetched += 1
            more = fetched < _HANDED_OVER and not self._subscriber.by_hand
            delivery = self._subscriber.queued() if more else None
        return fetched > 0

    @property
    def subscription(self) -> str:
        """The subscription's full name."""
        return self._subscriber.subscription

    @property
    def blocked_by(self) -> tuple[str, ...]:
        """Why nothing comes, as the server last said; empty while deliveries can flow."""
        return self._subscriber.blocked_by

    def close(self) -> None:
        """Drains, within ``drain_timeout``, and ends the stream."""
        self._loop.run(self._subscriber.close())
