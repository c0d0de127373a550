"""The client without asyncio: the same names, over an event loop in a thread of its own."""

from __future__ import annotations

import asyncio
import builtins
import collections
import concurrent.futures
import functools
import os
import threading
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Sequence
from types import TracebackType
from typing import Any, Generic, TypeVar, overload

from headrace import aio, errors
from headrace._delivery import BaseDelivery, PayloadT
from headrace._message import Payload
from headrace._outbox import MessageId
from headrace._publisher import PublishSettings
from headrace._subscriber import Subscriber as AsyncSubscriber
from headrace._workers import Workers
from headrace.v1 import dead_letter_pb2, subscription_pb2, topic_pb2
from headrace.v1 import subscription_service_pb2 as spb

ResultT = TypeVar("ResultT")

_MAX_CALLS = 10_000
"""Calls that wait for the loop; beyond it callers wait."""
_HANDED_OVER = 256
"""Deliveries that are taken from the loop at once."""


class _Loop:
    """An event loop in a thread, and a bounded queue of calls for it, so that many calls
    from other threads cost one wake-up."""

    def __init__(self) -> None:
        self._process = os.getpid()
        self._loop = asyncio.new_event_loop()
        self._calls: collections.deque[tuple[Callable[..., Any], tuple[Any, ...]]] = collections.deque()
        self._room = threading.Condition()
        self._asleep = True
        self._thread = threading.Thread(target=self._loop.run_forever, name="headrace", daemon=True)
        self._thread.start()

    def run(self, coroutine: Coroutine[Any, Any, ResultT]) -> ResultT:
        """Runs a coroutine to its end; the caller waits, and an interrupt cancels it."""
        self._check(coroutine)
        future = asyncio.run_coroutine_threadsafe(coroutine, self._loop)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    def post(self, call: Callable[..., Any], *args: Any) -> None:
        """Has a function called on the loop, soon and in order."""
        self._check()
        with self._room:
            self._room.wait_for(lambda: len(self._calls) < _MAX_CALLS or self._loop.is_closed())
            self._calls.append((call, args))
            wake, self._asleep = self._asleep, False
        if wake:
            self._loop.call_soon_threadsafe(self._work)

    def _work(self) -> None:
        with self._room:
            calls, self._calls = self._calls, collections.deque()
            self._asleep = True
            self._room.notify_all()
        for call, args in calls:
            call(*args)

    def _check(self, coroutine: Coroutine[Any, Any, Any] | None = None) -> None:
        error: errors.HeadraceError | None = None
        if os.getpid() != self._process:
            error = errors.ForkedError("this client was made before a fork; make one in the child", reason="FORKED")
        elif self._loop.is_closed():
            error = errors.ClosedError("the client is closed", reason="CLOSED")
        if error is not None:
            if coroutine is not None:
                coroutine.close()
            raise error

    def close(self) -> None:
        """Ends the thread."""
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
        with self._room:
            self._room.notify_all()


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

    def __init__(self, loop: _Loop, settler: Any) -> None:
        self._loop = loop
        self._settler = settler

    def settle(self, delivery: Any, verdict: str, delay: float | None = None, code: str = "", reason: str = "") -> None:
        """Ends a delivery, soon."""
        self._loop.post(self._settler.settle, delivery, verdict, delay, code, reason)


class _Feeder:
    """Publishes what other threads hand over, in their order, as far as the buffer goes."""

    def __init__(self, loop: _Loop, settings: PublishSettings) -> None:
        self._loop = loop
        self._settings = settings
        self._room = threading.BoundedSemaphore(settings.max_pending_messages)
        self._inbox: collections.deque[tuple[aio.Topic, Payload, concurrent.futures.Future[MessageId]]] = (
            collections.deque()
        )
        self._task: asyncio.Task[None] | None = None

    def feed(self, topic: aio.Topic, payload: Payload) -> concurrent.futures.Future[MessageId]:
        """Hands a message over; waits while too many have no result."""
        if not self._room.acquire(blocking=not self._settings.overflow_error):
            raise errors.BufferFullError("the publish buffer is full", reason="BUFFER_FULL", retryable=True)
        future: concurrent.futures.Future[MessageId] = concurrent.futures.Future()
        future.add_done_callback(self._leave)
        try:
            self._loop.post(self._take, topic, payload, future)
        except errors.HeadraceError as error:
            future.set_exception(error)
        return future

    def _leave(self, _: Any) -> None:
        self._room.release()

    # On the loop.

    def _take(self, topic: aio.Topic, payload: Payload, future: concurrent.futures.Future[MessageId]) -> None:
        self._inbox.append((topic, payload, future))
        if self._task is None or self._task.done():
            self._task = asyncio.get_running_loop().create_task(self._work())

    async def _work(self) -> None:
        while self._inbox:
            topic, payload, future = self._inbox.popleft()
            try:
                result = await topic.publish_async(payload)
            except Exception as error:
                future.set_exception(error)
                continue
            result.add_done_callback(functools.partial(_copy, future))

    async def settled(self) -> None:
        """Waits until everything handed over is accepted."""
        while self._inbox or (self._task is not None and not self._task.done()):
            await asyncio.wait({self._task}) if self._task is not None else await asyncio.sleep(0)


def _copy(future: concurrent.futures.Future[MessageId], result: asyncio.Future[MessageId]) -> None:
    if not future.set_running_or_notify_cancel():
        return
    if result.cancelled():
        future.set_exception(errors.unknown_outcome("the client was closed before the result came"))
    elif (error := result.exception()) is not None:
        future.set_exception(error)
    else:
        future.set_result(result.result())


class Topic:
    """A topic to publish to, by name."""

    def __init__(self, loop: _Loop, feeder: _Feeder, topic: aio.Topic) -> None:
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

    def __init__(self, loop: _Loop, subscriber: AsyncSubscriber[PayloadT]) -> None:
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


class Topics:
    """The server's topics. A name is ``name`` or ``namespace/name``; see :class:`headrace.aio.Topics`."""

    def __init__(self, loop: _Loop, topics: aio.Topics) -> None:
        """Made by the client."""
        self._loop = loop
        self._topics = topics

    def create(self, topic: topic_pb2.Topic | str, **fields: Any) -> topic_pb2.Topic:
        """Creates a topic: a message of the contract, or a name and its fields."""
        return self._loop.run(self._topics.create(topic, **fields))

    def get(self, name: str) -> topic_pb2.Topic:
        """A topic."""
        return self._loop.run(self._topics.get(name))

    def list(self, namespace: str = "") -> list[topic_pb2.Topic]:
        """The topics of a namespace in order of their names; "-" means all of them."""
        return self._loop.run(_gather(self._topics.list(namespace)))

    def update(self, topic: topic_pb2.Topic, paths: Sequence[str]) -> topic_pb2.Topic:
        """Changes the fields that the paths name, such as ``retention.min_age``."""
        return self._loop.run(self._topics.update(topic, paths))

    def delete(self, name: str) -> None:
        """Deletes a topic, which has no subscriptions any more."""
        self._loop.run(self._topics.delete(name))

    def stats(self, name: str) -> topic_pb2.TopicStats:
        """Figures of a topic at this moment."""
        return self._loop.run(self._topics.stats(name))


class Subscriptions:
    """The server's subscriptions; see :class:`headrace.aio.Subscriptions`."""

    def __init__(self, loop: _Loop, subscriptions: aio.Subscriptions) -> None:
        """Made by the client."""
        self._loop = loop
        self._subscriptions = subscriptions

    def create(
        self,
        subscription: subscription_pb2.Subscription | str,
        topic: str = "",
        *,
        start: subscription_pb2.StartPosition | None = None,
        **fields: Any,
    ) -> subscription_pb2.Subscription:
        """Creates a subscription: a message of the contract, or names and fields."""
        return self._loop.run(self._subscriptions.create(subscription, topic, start=start, **fields))

    def get(self, name: str) -> subscription_pb2.Subscription:
        """A subscription."""
        return self._loop.run(self._subscriptions.get(name))

    def list(self, namespace: str = "", *, topic: str = "") -> list[subscription_pb2.Subscription]:
        """The subscriptions of a namespace, or of a topic, in order of their names."""
        return self._loop.run(_gather(self._subscriptions.list(namespace, topic=topic)))

    def update(
        self, subscription: subscription_pb2.Subscription, paths: Sequence[str]
    ) -> subscription_pb2.Subscription:
        """Changes the fields that the paths name, such as ``retry.max_attempts``."""
        return self._loop.run(self._subscriptions.update(subscription, paths))

    def delete(self, name: str) -> None:
        """Ends a subscription and its sessions."""
        self._loop.run(self._subscriptions.delete(name))

    def stats(self, name: str) -> subscription_pb2.SubscriptionStats:
        """Figures of a subscription and its sessions at this moment."""
        return self._loop.run(self._subscriptions.stats(name))

    def dead_letters(
        self, name: str, *, filter: spb.DeadLetterFilter | None = None, without_messages: bool = False
    ) -> builtins.list[dead_letter_pb2.DeadLetter]:
        """What a subscription gave up, in order of their sequences; nothing is taken away."""
        letters = self._subscriptions.dead_letters(name, filter=filter, without_messages=without_messages)
        return self._loop.run(_gather(letters))

    def redrive_dead_letters(self, name: str, sequences: Sequence[int]) -> Sequence[int]:
        """Has dead letters delivered again, in this order, 1 to 1,000 of them."""
        return self._loop.run(self._subscriptions.redrive_dead_letters(name, sequences))

    def discard_dead_letters(self, name: str, sequences: Sequence[int]) -> Sequence[int]:
        """Deletes dead letters for good, 1 to 1,000 of them."""
        return self._loop.run(self._subscriptions.discard_dead_letters(name, sequences))


async def _gather(items: AsyncIterator[ResultT]) -> builtins.list[ResultT]:
    return [item async for item in items]


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
        self._loop = _Loop()
        self._client = aio.Client(
            target,
            client_id=client_id,
            publish=settings,
            connect_timeout=connect_timeout,
            close_timeout=close_timeout,
        )
        self._feeder = _Feeder(self._loop, settings)
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

        A handler that returns acks, one that raises retries. Deliveries of one ordering key
        are handled one after the other.

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
