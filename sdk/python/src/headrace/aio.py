"""The asynchronous client: what :mod:`headrace` has, for asyncio.

::

    async with headrace.aio.Client("localhost:7070") as c:
        await c.topic("orders").publish(b"two loaves")
        async with c.subscribe("billing") as deliveries:
            async for d in deliveries:
                d.ack()
"""

from __future__ import annotations

import os
import uuid
from collections.abc import Callable
from types import TracebackType
from typing import Any, TypeVar, overload

import grpc
from google.protobuf.message import Message as ProtobufMessage

from headrace import errors
from headrace._admin import Subscriptions, Topics
from headrace._batch import MessageId, Result
from headrace._delivery import Delivery
from headrace._message import Payload
from headrace._publisher import Publisher, PublishSettings
from headrace._subscriber import Handler, Subscriber, SubscribeSettings
from headrace._workers import Workers
from headrace.v1 import publisher_service_pb2_grpc, subscriber_service_pb2_grpc

__all__ = ["Client", "Delivery", "Subscriber", "Subscriptions", "Topic", "Topics"]

DEFAULT_TARGET = "localhost:7070"
_PING_SECONDS = 30
_LARGEST_FRAME_BYTES = 64 << 20

ProtobufT = TypeVar("ProtobufT", bound=ProtobufMessage)


class Topic:
    """A topic to publish to, by name."""

    def __init__(self, publisher: Publisher, name: str) -> None:
        """Made by :meth:`Client.topic`."""
        self._publisher = publisher
        self.name = name

    async def publish(self, payload: Payload) -> MessageId:
        """Publishes, and returns when the message is stored as the topic's durability says.

        :param payload: a :class:`headrace.Message`, bytes, or a Protobuf message.
        :raises NotFoundError: TOPIC_NOT_FOUND.
        :raises InvalidArgumentError: MESSAGE_TOO_LARGE, INVALID_FIELD, MALFORMED_MESSAGE.
        :raises ResourceExhaustedError: DISK_FULL; retryable.
        :raises UnknownOutcomeError: it may be stored: the client was closed first, or
            another program took the producer's place.
        """
        return await (await self.publish_async(payload))

    async def publish_async(self, payload: Payload) -> Result:
        """Publishes, and returns when the message is accepted: the future of its id."""
        result = await self._publisher.publish(self.name, payload)
        assert result is not None
        return result

    async def publish_one_way(self, payload: Payload) -> None:
        """Publishes, and nobody hears of a failure."""
        await self._publisher.publish(self.name, payload, one_way=True)


class Client:
    """A connection to a server, for one event loop and one process.

    It connects when it is first used, and again by itself.
    """

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
        self.target = target or os.environ.get("HEADRACE_ADDR") or DEFAULT_TARGET
        self._client_id = client_id
        self._connect_timeout = connect_timeout
        self._close_timeout = close_timeout
        self._process = os.getpid()
        self._made: grpc.aio.Channel | None = None
        self._publishing: Publisher | None = None
        self._publish = publish or PublishSettings()
        self._subscribers: list[Subscriber[Any]] = []
        self._closed = False
        self.topics = Topics(self._channel, connect_timeout)
        """The server's topics."""
        self.subscriptions = Subscriptions(self._channel, connect_timeout)
        """The server's subscriptions."""

    async def __aenter__(self) -> Client:
        """The client itself."""
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Closes."""
        await self.close()

    def _channel(self) -> grpc.aio.Channel:
        if os.getpid() != self._process:
            raise errors.ForkedError("this client was made before a fork; make one in the child", reason="FORKED")
        if self._closed:
            raise errors.ClosedError("the client is closed", reason="CLOSED")
        if self._made is None:
            self._made = grpc.aio.insecure_channel(
                self.target,
                options=[
                    ("grpc.max_receive_message_length", _LARGEST_FRAME_BYTES),
                    ("grpc.max_send_message_length", _LARGEST_FRAME_BYTES),
                    ("grpc.keepalive_time_ms", _PING_SECONDS * 1_000),
                    ("grpc.use_local_subchannel_pool", 1),
                ],
            )
        return self._made

    def _open_publish(self) -> Any:
        stub: Any = publisher_service_pb2_grpc.PublisherServiceStub
        return stub(self._channel()).PublishStream()

    def _open_subscribe(self) -> Any:
        stub: Any = subscriber_service_pb2_grpc.SubscriberServiceStub
        return stub(self._channel()).Subscribe()

    def topic(self, name: str) -> Topic:
        """A topic to publish to: ``name`` or ``namespace/name``."""
        self._channel()
        if self._publishing is None:
            self._publishing = Publisher(
                self._open_publish,
                self._publish,
                producer_id=self._publish.producer_id or uuid.uuid4().hex,
                client_id=self._client_id,
                connect_timeout=self._connect_timeout,
            )
        return Topic(self._publishing, name)

    @overload
    def subscribe(self, subscription: str, payload: None = None, **settings: Any) -> Subscriber[bytes]: ...
    @overload
    def subscribe(self, subscription: str, payload: type[ProtobufT], **settings: Any) -> Subscriber[ProtobufT]: ...

    def subscribe(self, subscription: str, payload: Any = None, **settings: Any) -> Subscriber[Any]:
        """Deliveries of a subscription, to iterate over in an ``async with`` block.

        :param payload: the Protobuf class of :attr:`Delivery.payload`. Default: bytes.
        :param settings: those of :class:`headrace.SubscribeSettings`.
        """
        return self.subscriber(subscription, payload, Delivery, settings)

    def subscriber(
        self, subscription: str, payload: Any, make: Callable[..., Any], settings: dict[str, Any]
    ) -> Subscriber[Any]:
        """A subscriber whose deliveries are of a class of their own: :meth:`subscribe` is
        what programs call."""
        self._channel()
        subscriber: Subscriber[Any] = Subscriber(
            self._open_subscribe,
            subscription,
            SubscribeSettings(**settings),
            client_id=self._client_id or uuid.uuid4().hex,
            connect_timeout=self._connect_timeout,
            parse=payload.FromString if payload is not None else None,
            make=make,
        )
        self._subscribers.append(subscriber)
        return subscriber

    async def receive(
        self, subscription: str, handler: Handler[Any], payload: Any = None, *, concurrency: int = 1, **settings: Any
    ) -> None:
        """Calls a handler for each delivery until the client is closed or this is cancelled.

        A handler that returns acks, one that raises retries. In the order that
        the subscription keeps: those of one ordering key one after the other.

        :param concurrency: handlers at once; default 1.
        """
        async with self.subscribe(subscription, payload, **settings) as subscriber:
            await Workers(subscriber, handler, concurrency).run()

    async def flush(self) -> None:
        """Waits until everything published before has its result."""
        if self._publishing is not None:
            await self._publishing.flush()

    async def close(self) -> None:
        """Drains the subscribers, flushes what was published, and disconnects."""
        for subscriber in self._subscribers:
            await subscriber.close()
        if self._publishing is not None:
            await self._publishing.close(self._close_timeout)
        self._closed = True
        if self._made is not None:
            await self._made.close(None)
