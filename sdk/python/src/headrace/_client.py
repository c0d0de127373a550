"""The client without asyncio: the same names, over an event loop in a thread of its own."""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import TracebackType
from typing import Any, overload

from headrace import _connection, aio
from headrace._client_admin import Subscriptions, Topics
from headrace._client_faces import Subscription, Topic, in_threads
from headrace._client_subscriber import Delivery, Subscriber
from headrace._connection import Tls
from headrace._events import Hook, silent
from headrace._feeder import Feeder
from headrace._loop import Loop
from headrace._publisher import PublishSettings
from headrace._subscriber import Subscriber as AsyncSubscriber
from headrace._tracing import Tracing

__all__ = ["Client", "Delivery", "Subscriber", "Subscription", "Subscriptions", "Topic", "Topics"]


class Client:
    """A connection to a server, for any number of threads of one process."""

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
        :param events: called with each :class:`headrace.Event`, in the client's own thread; it
            must not block. Default: the client is silent.
        :param tracing: what traces its messages: :class:`headrace.opentelemetry.Tracing`.
            Default: nothing.
        :param connect_timeout: seconds that the first use may take to reach the server.
        :param close_timeout: seconds that closing waits for results.
        """
        settings = publish or PublishSettings()
        self._client = aio.Client(
            target,
            client_id=client_id,
            token=token,
            tls=tls,
            publish=settings,
            events=events,
            tracing=tracing,
            connect_timeout=connect_timeout,
            close_timeout=close_timeout,
        )
        self._loop = Loop()
        self._feeder = Feeder(self._loop, settings)
        self._tracing = tracing
        self._closed = False
        self.target = self._client.target
        """The server's host and port."""
        self.topics = Topics(self._loop, self._client.topics)
        """The server's topics."""
        self.subscriptions = Subscriptions(self._loop, self._client.subscriptions)
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

    def __enter__(self) -> Client:
        """The client itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Closes."""
        self.close()

    def topic(self, name: str) -> Topic:
        """A topic to publish to: ``name`` or ``namespace/name``. Whether it exists shows when
        it is used."""
        return Topic(self._loop, self._feeder, self._loop.run(self._make_topic(name)), self.flush, self._tracing)

    async def _make_topic(self, name: str) -> aio.Topic:
        return self._client.topic(name)

    def subscription(self, name: str) -> Subscription:
        """A subscription to receive from: ``name`` or ``namespace/name``. Whether it exists
        shows when it is used."""
        return Subscription(self._loop, self._client.subscription(name), self.subscribe, self.receive)

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
        the subscription keeps: those of one ordering key one after the other. A thread cannot
        be cancelled: a handler that takes long looks at :attr:`Delivery.lost`.

        :param payload: the Protobuf class of :attr:`Delivery.payload`. Default: bytes.
        :param concurrency: handlers at once; default 1.
        :param settings: those of :class:`headrace.SubscribeSettings`.
        :raises HeadraceError: what :meth:`headrace.aio.Client.receive` does.
        """
        receive = functools.partial(self._client.receive, subscription)
        in_threads(self._loop, receive, handler, payload, concurrency, settings)

    def flush(self) -> None:
        """Waits until everything published before has its result."""
        self._loop.run(self._flush())

    async def _flush(self) -> None:
        await self._feeder.settled()
        await self._client.flush()

    def close(self) -> None:
        """Drains the subscribers, flushes what was published, and disconnects. In a child of
        the process that made the client there is nothing to close."""
        if self._closed or self._loop.forked:
            return
        self._closed = True
        self._loop.run(self._close())
        self._loop.close()

    async def _close(self) -> None:
        await self._feeder.settled()
        await self._client.close()
