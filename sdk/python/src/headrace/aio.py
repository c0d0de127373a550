"""The asynchronous client: what :mod:`headrace` has, for asyncio.

::

    async with headrace.aio.Client("localhost:7070") as c:
        await c.topic("orders").publish(b"two loaves")
        async with c.subscribe("billing") as deliveries:
            async for d in deliveries:
                d.ack()
"""

from __future__ import annotations

import uuid
from collections.abc import Callable
from types import TracebackType
from typing import Any, TypeVar, overload

from google.protobuf.message import Message as ProtobufMessage

from headrace import _connection
from headrace._connection import Address, Connection, Tls
from headrace._delivery import Delivery
from headrace._events import Hook, silent
from headrace._publisher import Publisher, PublishSettings
from headrace._pull import Puller
from headrace._service import Listing
from headrace._subscribe_settings import SubscribeSettings
from headrace._subscriber import Handler, Subscriber
from headrace._subscription import Subscription
from headrace._subscriptions import Subscriptions
from headrace._topic import Topic, full_name, remove
from headrace._topics import Topics
from headrace._tracing import Tracing
from headrace._window import Window
from headrace._workers import Workers
from headrace.v1 import publisher_service_pb2_grpc, subscriber_service_pb2_grpc

__all__ = [
    "Client",
    "Delivery",
    "Listing",
    "Subscriber",
    "Subscription",
    "Subscriptions",
    "Topic",
    "Topics",
    "Window",
]

ProtobufT = TypeVar("ProtobufT", bound=ProtobufMessage)


class Client:
    """A connection to a server, for one event loop and one process.

    It connects when it is first used, and again by itself.
    """

    def __init__(
        self,
        target: str | None = None,
        *,
        client_id: str = "",
        token: str = "",
        tls: Tls | bool = False,
        publish: PublishSettings | None = None,
        events: Hook = silent,
        tracing: Tracing | None = None,
        connect_timeout: float = 10.0,
        close_timeout: float = 30.0,
    ) -> None:
        """:param target: host and port. Default: HEADRACE_ADDR, else localhost:7070.
        :param client_id: a name in statistics and logs; an exclusive subscription's session
            takes the place of one with the same id. Default: a random one for each subscriber.
        :param token: what the server knows the caller by. Default: none.
        :param tls: how the connection is encrypted; True: by the system's certificate
            authorities. Default: it is not.
        :param publish: how it publishes.
        :param events: called with each :class:`headrace.Event`, on the event loop; it must
            not block. Default: the client is silent.
        :param tracing: what traces its messages: :class:`headrace.opentelemetry.Tracing`.
            Default: nothing.
        :param connect_timeout: seconds that the first use may take to reach the server.
        :param close_timeout: seconds that closing waits for results.
        """
        encryption = Tls() if tls is True else tls or None
        self._connection = Connection(
            Address(target or _connection.environment().target, token, encryption), connect_timeout
        )
        self.target = self._connection.address.target
        """The server's host and port."""
        self._client_id = client_id
        self._close_timeout = close_timeout
        self._events = events
        self._tracing = tracing
        self._publishing: Publisher | None = None
        self._publish = publish or PublishSettings()
        self._subscribers: list[Subscriber[Any]] = []
        self._broadcasts: set[str] = set()
        self.topics = Topics(self._connection)
        """The server's topics."""
        self.subscriptions = Subscriptions(self._connection)
        """The server's subscriptions."""

    @classmethod
    def from_env(cls, **settings: Any) -> Client:
        """A client of the server that the environment names: HEADRACE_ADDR (default
        localhost:7070), HEADRACE_TOKEN, and for an encrypted connection HEADRACE_TLS=true,
        HEADRACE_TLS_CA, HEADRACE_TLS_CERT and HEADRACE_TLS_KEY (files in PEM) and
        HEADRACE_TLS_SERVER_NAME; each of these encrypts.

        :param settings: the other ones of :class:`Client`.
        :raises InvalidArgumentError: INVALID_FIELD: a variable is malformed.
        """
        address = _connection.environment()
        return cls(address.target, token=address.token, tls=address.tls or False, **settings)

    async def __aenter__(self) -> Client:
        """The client itself."""
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Closes."""
        await self.close()

    def _open_publish(self) -> Any:
        stub: Any = publisher_service_pb2_grpc.PublisherServiceStub
        return stub(self._connection.channel()).PublishStream(metadata=self._connection.metadata)

    def _open_subscribe(self) -> Any:
        stub: Any = subscriber_service_pb2_grpc.SubscriberServiceStub
        return stub(self._connection.channel()).Subscribe(metadata=self._connection.metadata)

    def topic(self, name: str) -> Topic:
        """A topic to publish to: ``name`` or ``namespace/name``. Whether it exists shows when
        it is used."""
        self._connection.channel()
        if self._publishing is None:
            self._publishing = Publisher(
                self._open_publish,
                self._publish,
                producer_id=self._publish.producer_id or uuid.uuid4().hex,
                client_id=self._client_id,
                connect_timeout=self._connection.timeout,
                events=self._events,
            )
        return Topic(
            self._publishing, full_name(name), self.subscriptions, self.receive, self._broadcasts, self._tracing
        )

    def subscription(self, name: str) -> Subscription:
        """A subscription to receive from: ``name`` or ``namespace/name``. Whether it exists
        shows when it is used."""
        name = full_name(name)
        puller = Puller(self._connection, name, self._client_id)
        return Subscription(name, self.subscribe, self.receive, puller)

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
        self._connection.channel()
        subscriber: Subscriber[Any] = Subscriber(
            self._open_subscribe,
            full_name(subscription),
            SubscribeSettings(**settings),
            client_id=self._client_id or uuid.uuid4().hex,
            connect_timeout=self._connection.timeout,
            events=self._events,
            parse=payload.FromString if payload is not None else None,
            make=make,
            bounded=not settings.keys().isdisjoint(("max_messages", "max_bytes")),
        )
        self._subscribers.append(subscriber)
        return subscriber

    async def receive(
        self,
        subscription: str,
        handler: Handler[Any],
        payload: Any = None,
        *,
        concurrency: int = 1,
        make: Callable[..., Any] = Delivery,
        **settings: Any,
    ) -> None:
        """Calls a handler for each delivery until the client is closed or this is cancelled.

        A handler that returns acks, one that raises retries. In the order that
        the subscription keeps: those of one ordering key one after the other. The handler of a
        delivery that is lost is cancelled.

        :param payload: the Protobuf class of :attr:`Delivery.payload`. Default: bytes.
        :param concurrency: handlers at once; default 1.
        :param make: the class of the deliveries; leave it.
        :param settings: those of :class:`headrace.SubscribeSettings`.
        :raises NotFoundError: SUBSCRIPTION_NOT_FOUND.
        :raises FailedPreconditionError: SUBSCRIPTION_DELETED, EXCLUSIVE_SESSION_EXISTS,
            TAKEN_OVER, SESSION_SUPERSEDED.
        :raises UnavailableError: UNREACHABLE: the server was never reached.
        """
        async with self.subscriber(subscription, payload, make, settings) as subscriber:
            await Workers(subscriber, handler, concurrency, self._tracing).run()

    async def flush(self) -> None:
        """Waits until everything published before has its result. It raises nothing: each
        result says how it failed."""
        if self._publishing is not None:
            await self._publishing.flush()

    async def close(self) -> None:
        """Drains the subscribers, each within its ``drain_timeout``, flushes what was published,
        within ``close_timeout``, and disconnects. It raises nothing: what has no result by then
        fails with UnknownOutcomeError or ClosedError."""
        for subscriber in self._subscribers:
            await subscriber.close()
        for name in list(self._broadcasts):
            await remove(self.subscriptions, name)
        if self._publishing is not None:
            await self._publishing.close(self._close_timeout)
        await self._connection.close()
