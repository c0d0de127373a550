"""A topic to publish to and a subscription to receive from, without asyncio."""

from __future__ import annotations

import concurrent.futures
from collections.abc import Callable
from typing import Any, overload

from headrace import _subscription, _topic
from headrace._batch import MessageId
from headrace._client_subscriber import Delivery, Subscriber
from headrace._feeder import Feeder
from headrace._loop import Loop
from headrace._message import Payload
from headrace._pull import Pulled, TokenFailure
from headrace._subscription import ProtobufT
from headrace._threads import ThreadHandler
from headrace._tracing import Tracing, as_message


class Topic:
    """A topic to publish to, by name."""

    def __init__(
        self,
        loop: Loop,
        feeder: Feeder,
        topic: _topic.Topic,
        flush: Callable[[], None],
        tracing: Tracing | None,
    ) -> None:
        """Made by :meth:`Client.topic`."""
        self._loop = loop
        self._feeder = feeder
        self._topic = topic
        self._publisher = topic.publisher
        self._flush = flush
        self._tracing = tracing
        self.name = topic.name
        """The full name, with its namespace."""

    def publish(self, payload: Payload) -> concurrent.futures.Future[MessageId]:
        """Publishes; the future of the id is done when the message is stored as the
        topic's durability says. Waits while the buffer is full.

        :param payload: a :class:`headrace.Message`, bytes, or a Protobuf message.
        :raises BufferFullError: BUFFER_FULL, if that was asked for. What else can fail is
            the future's: see :meth:`headrace.aio.Topic.publish`.
        """
        if self._tracing is None:
            return self._feeder.feed(self._publisher, self.name, payload)
        message, end = self._tracing.send(self.name, as_message(payload))
        result: concurrent.futures.Future[MessageId] | None = None
        try:
            result = self._feeder.feed(self._publisher, self.name, message)
        finally:
            end(result)
        return result

    def publish_one_way(self, payload: Payload) -> None:
        """Publishes, and nobody hears of a failure. Waits while the buffer is full."""
        if self._tracing is not None:
            payload, end = self._tracing.send(self.name, as_message(payload))
            end(None)
        self._feeder.feed_one_way(self._publisher, self.name, payload)

    def flush(self) -> None:
        """Waits until everything published before, to any topic, has its result."""
        self._flush()

    def broadcast(
        self,
        handler: Callable[[Delivery[Any]], Any],
        payload: Any = None,
        *,
        concurrency: int = 1,
        **settings: Any,
    ) -> None:
        """Calls a handler, in threads, with every message that is published from now on,
        whoever else receives it, until the client is closed: see
        :meth:`headrace.aio.Topic.broadcast`."""
        in_threads(self._loop, self._topic.broadcast, handler, payload, concurrency, settings)


class Subscription:
    """A subscription to receive from, by name: by a stream, or by pulls. The calls take and
    raise what those of :class:`headrace.aio.Subscription` do."""

    def __init__(self, loop: Loop, subscription: _subscription.Subscription, subscribe: Any, receive: Any) -> None:
        """Made by :meth:`Client.subscription`."""
        self._loop = loop
        self._subscription = subscription
        self._subscribe = subscribe
        self._receive = receive
        self.name = subscription.name
        """The full name, with its namespace."""

    @overload
    def deliveries(self, payload: None = None, **settings: Any) -> Subscriber[bytes]: ...
    @overload
    def deliveries(self, payload: type[ProtobufT], **settings: Any) -> Subscriber[ProtobufT]: ...

    def deliveries(self, payload: Any = None, **settings: Any) -> Subscriber[Any]:
        """Its deliveries: :meth:`Client.subscribe`."""
        subscriber: Subscriber[Any] = self._subscribe(self.name, payload, **settings)
        return subscriber

    def receive(
        self, handler: Callable[[Delivery[Any]], Any], payload: Any = None, *, concurrency: int = 1, **settings: Any
    ) -> None:
        """Calls a handler, in threads, for each delivery: :meth:`Client.receive`."""
        self._receive(self.name, handler, payload, concurrency=concurrency, **settings)

    @overload
    def pull(
        self,
        payload: None = None,
        *,
        max_messages: int = 100,
        max_bytes: int = 0,
        wait: float = 10.0,
        lease: float | None = None,
    ) -> list[Pulled[bytes]]: ...
    @overload
    def pull(
        self,
        payload: type[ProtobufT],
        *,
        max_messages: int = 100,
        max_bytes: int = 0,
        wait: float = 10.0,
        lease: float | None = None,
    ) -> list[Pulled[ProtobufT]]: ...

    def pull(
        self,
        payload: Any = None,
        *,
        max_messages: int = 100,
        max_bytes: int = 0,
        wait: float = 10.0,
        lease: float | None = None,
    ) -> list[Pulled[Any]]:
        """Takes what is at hand, or waits for something, without a stream; nothing is no
        error. See :meth:`headrace.aio.Subscription.pull`."""
        return self._loop.run(
            self._subscription.pull(payload, max_messages=max_messages, max_bytes=max_bytes, wait=wait, lease=lease)
        )

    def ack_tokens(self, *tokens: str) -> list[TokenFailure]:
        """Settles what was pulled as done, durably when it returns, and gives the tokens that
        reached nothing."""
        return self._loop.run(self._subscription.ack_tokens(*tokens))

    def retry_tokens(
        self, *tokens: str, delay: float | None = None, code: str = "", reason: str = ""
    ) -> list[TokenFailure]:
        """Settles what was pulled as failed: :meth:`Delivery.retry`."""
        return self._loop.run(self._subscription.retry_tokens(*tokens, delay=delay, code=code, reason=reason))

    def reject_tokens(self, *tokens: str, code: str = "", reason: str = "") -> list[TokenFailure]:
        """Sends what was pulled to the dead letters."""
        return self._loop.run(self._subscription.reject_tokens(*tokens, code=code, reason=reason))

    def release_tokens(self, *tokens: str) -> list[TokenFailure]:
        """Gives back untouched what was pulled."""
        return self._loop.run(self._subscription.release_tokens(*tokens))

    def extend_tokens(self, *tokens: str, lease: float | None = None) -> list[TokenFailure]:
        """Moves the end of the leases of what was pulled to so many seconds from now."""
        return self._loop.run(self._subscription.extend_tokens(*tokens, lease=lease))


def in_threads(
    loop: Loop, receive: Any, handler: Callable[[Any], Any], payload: Any, concurrency: int, settings: dict[str, Any]
) -> None:
    """Receives on the loop with a handler that is called in threads; returns when all of
    them are done."""
    if concurrency < 1:
        raise ValueError("concurrency is at least 1")
    with concurrent.futures.ThreadPoolExecutor(concurrency, "headrace-handler") as pool:
        handle = ThreadHandler(loop, pool, handler)
        loop.run(receive(handle, payload, concurrency=concurrency, make=Delivery, **settings))
