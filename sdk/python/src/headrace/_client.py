"""The client without asyncio: the same names, over an event loop in a thread of its own."""

from __future__ import annotations

import asyncio
import collections
import concurrent.futures
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import Any, Generic, overload

from headrace import aio
from headrace._batch import MessageId
from headrace._client_admin import Subscriptions, Topics
from headrace._delivery import BaseDelivery, PayloadT
from headrace._feeder import Feeder
from headrace._loop import Loop
from headrace._message import Payload
from headrace._publisher import PublishSettings
from headrace._subscriber import Subscriber as AsyncSubscriber
from headrace._workers import Workers

__all__ = ["Client", "Delivery", "Subscriber", "Subscriptions", "Topic", "Topics"]

_HANDED_OVER = 256
"""Deliveries that are taken from the loop at once."""


class Delivery(BaseDelivery[PayloadT]):
    """A delivery without asyncio. :meth:`ack_confirmed` waits until its ack is durable."""

    __slots__ = ()

    def ack_confirmed(self, timeout: float | None = None) -> None:
        """Acks, and returns when that is durable.

        :param timeout: seconds to wait at most.
        :raises TimeoutError: the time was over; the ack may still become durable.
        :raises StaleDeliveryError: it was no longer yours; somebody else gets it.
        :raises UnknownOutcomeError: the session was lost before the answer.
        """
        confirmed: concurrent.futures.Future[None] = concurrent.futures.Future()
        self.confirmed = confirmed
        self.settler.settle(self, "ack")
        confirmed.result(timeout)


class _Poster:
    """Settles on the loop what other threads settle."""

    def __init__(self, loop: Loop, settler: Any) -> None:
        self._loop = loop
        self._settler = settler

    def settle(self, delivery: Any, verdict: str, delay: float | None = None, code: str = "", reason: str = "") -> None:
        """Ends a delivery, soon."""
        self._loop.post(self._settler.settle, delivery, verdict, delay, code, reason)


class Topic:
    """A topic to publish to, by name."""

    def __init__(self, loop: Loop, feeder: Feeder, topic: aio.Topic) -> None:
        """Made by :meth:`Client.topic`."""
        self._loop = loop
        self._feeder = feeder
        self._topic = topic
        self.name = topic.name

    def publish(self, payload: Payload) -> concurrent.futures.Future[MessageId]:
        """Publishes; the future of the id is done when the message is stored as the
        topic's durability says. Waits while the buffer is full.

        :param payload: a :class:`headrace.Message`, bytes, or a Protobuf message.
        """
        return self._feeder.feed(self._topic, payload)

    def publish_one_way(self, payload: Payload) -> None:
        """Publishes, and nobody hears of a failure."""
        self._loop.run(self._topic.publish_one_way(payload))


class Subscriber(Generic[PayloadT]):
    """Deliveries of one subscription: an iterator and a context manager.

    Leaving the block drains: what was not begun is given back uncharged, what was is
    waited for, and every settle is confirmed. Closing from another thread ends the
    iteration.
    """

    def __init__(self, loop: Loop, subscriber: AsyncSubscriber[PayloadT]) -> None:
        """Made by :meth:`Client.subscribe`."""
        self._loop = loop
        self.asynchronous = subscriber
        """The one beneath, for the loop."""
        self._queued: collections.deque[Delivery[PayloadT]] = collections.deque()
        self._poster: _Poster | None = None

    def __enter__(self) -> Subscriber[PayloadT]:
        """Begins to receive."""
        self._loop.run(self.asynchronous.__aenter__())
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Drains."""
        self.close()

    def __iter__(self) -> Iterator[Delivery[PayloadT]]:
        """The deliveries, as they come."""
        return self

    def __next__(self) -> Delivery[PayloadT]:
        """The next delivery; the iteration ends when the subscriber is closed."""
        while True:
            while self._queued:
                delivery = self._queued.popleft()
                if not delivery.settled:
                    self._loop.post(self.asynchronous.start, delivery)
                    return delivery
            self._queued.extend(self._loop.run(self._fetch()))
            if not self._queued:
                raise StopIteration

    async def _fetch(self) -> list[Delivery[PayloadT]]:
        """Some deliveries that nobody started; none when the subscriber is closed."""
        fetched: list[Any] = []
        delivery: Any = await self.asynchronous.next_queued()
        while delivery is not None and len(fetched) < _HANDED_OVER:
            self.hand_over(delivery)
            fetched.append(delivery)
            delivery = self.asynchronous.queued()
        if delivery is not None:
            self.hand_over(delivery)
            fetched.append(delivery)
        return fetched

    def hand_over(self, delivery: Any) -> None:
        """Has a delivery settled by way of the loop. Called on the loop."""
        if self._poster is None:
            self._poster = _Poster(self._loop, delivery.settler)
        delivery.settler = self._poster

    @property
    def blocked_by(self) -> tuple[str, ...]:
        """Why nothing comes, as the server last said; empty while deliveries can flow."""
        return self.asynchronous.blocked_by

    def close(self) -> None:
        """Drains, within ``drain_timeout``, and ends the stream."""
        while self._queued:
            self._queued.popleft().release()
        self._loop.run(self.asynchronous.close())


class Client:
    """A connection to a server, for any number of threads of one process."""

    def __init__(
        self,
        target: str | None = None,
        *,
        client_id: str = "",
        publish: PublishSettings | None = None,
        connect_timeout: float = 10.0,
        close_timeout: float = 30.0,
    ) -> None:
        """:param target: host and port. Default: HEADRACE_ADDR, else localhost:7070.
        :param client_id: a name in statistics and logs; an exclusive subscription's session
            takes the place of one with the same id. Default: a random one for each subscriber.
        :param publish: how it publishes.
        :param connect_timeout: seconds that the first use may take to reach the server.
        :param close_timeout: seconds that closing waits for results.
        """
        settings = publish or PublishSettings()
        self._loop = Loop()
        self._client = aio.Client(
            target,
            client_id=client_id,
            publish=settings,
            connect_timeout=connect_timeout,
            close_timeout=close_timeout,
        )
        self._feeder = Feeder(self._loop, settings)
        self._closed = False
        self.target = self._client.target
        self.topics = Topics(self._loop, self._client.topics)
        """The server's topics."""
        self.subscriptions = Subscriptions(self._loop, self._client.subscriptions)
        """The server's subscriptions."""

    def __enter__(self) -> Client:
        """The client itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Closes."""
        self.close()

    def topic(self, name: str) -> Topic:
        """A topic to publish to: ``name`` or ``namespace/name``."""
        return Topic(self._loop, self._feeder, self._loop.run(self._make_topic(name)))

    async def _make_topic(self, name: str) -> aio.Topic:
        return self._client.topic(name)

    @overload
    def subscribe(self, subscription: str, payload: None = None, **settings: Any) -> Subscriber[bytes]: ...
    @overload
    def subscribe(
        self, subscription: str, payload: type[aio.ProtobufT], **settings: Any
    ) -> Subscriber[aio.ProtobufT]: ...

    def subscribe(self, subscription: str, payload: Any = None, **settings: Any) -> Subscriber[Any]:
        """Deliveries of a subscription, to iterate over in a ``with`` block.

        :param payload: the Protobuf class of :attr:`Delivery.payload`. Default: bytes.
        :param settings: those of :class:`headrace.SubscribeSettings`.
        """
        return Subscriber(self._loop, self._loop.run(self._make_subscriber(subscription, payload, settings)))

    async def _make_subscriber(self, subscription: str, payload: Any, settings: dict[str, Any]) -> AsyncSubscriber[Any]:
        return self._client.subscriber(subscription, payload, Delivery, settings)

    def receive(
        self,
        subscription: str,
        handler: Callable[[Delivery[Any]], Any],
        payload: Any = None,
        *,
        concurrency: int = 1,
        **settings: Any,
    ) -> None:
        """Calls a handler, in threads, for each delivery until the client is closed.

        A handler that returns acks, one that raises retries. In the order that
        the subscription keeps: those of one ordering key one after the other.

        :param concurrency: handlers at once; default 1.
        """
        subscriber = self.subscribe(subscription, payload, **settings)
        with subscriber, concurrent.futures.ThreadPoolExecutor(concurrency, "headrace-handler") as pool:
            self._loop.run(self._receive(subscriber, handler, concurrency, pool))

    async def _receive(
        self,
        subscriber: Subscriber[Any],
        handler: Callable[[Delivery[Any]], Any],
        concurrency: int,
        pool: concurrent.futures.ThreadPoolExecutor,
    ) -> None:
        loop = asyncio.get_running_loop()

        async def in_thread(delivery: Any) -> None:
            subscriber.hand_over(delivery)
            await loop.run_in_executor(pool, handler, delivery)

        await Workers(subscriber.asynchronous, in_thread, concurrency).run()

    def flush(self) -> None:
        """Waits until everything published before has its result."""
        self._loop.run(self._flush())

    async def _flush(self) -> None:
        await self._feeder.settled()
        await self._client.flush()

    def close(self) -> None:
        """Drains the subscribers, flushes what was published, and disconnects."""
        if self._closed:
            return
        self._closed = True
        self._loop.run(self._close())
        self._loop.close()

    async def _close(self) -> None:
        await self._feeder.settled()
        await self._client.close()
