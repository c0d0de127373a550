"""A subscription to receive from, for asyncio."""

from __future__ import annotations

from typing import Any, TypeVar, overload

from google.protobuf.message import Message as ProtobufMessage

from headrace._pull import Pulled, Puller, TokenFailure
from headrace._subscriber import Handler, Subscriber
from headrace._topic import Receive

ProtobufT = TypeVar("ProtobufT", bound=ProtobufMessage)


class Subscription:
    """A subscription to receive from, by name: by a stream, or by pulls."""

    def __init__(self, name: str, subscribe: Any, receive: Receive, puller: Puller) -> None:
        """Made by :meth:`Client.subscription`."""
        self._subscribe = subscribe
        self._receive = receive
        self._puller = puller
        self.name = name
        """The full name, with its namespace."""

    @overload
    def deliveries(self, payload: None = None, **settings: Any) -> Subscriber[bytes]: ...
    @overload
    def deliveries(self, payload: type[ProtobufT], **settings: Any) -> Subscriber[ProtobufT]: ...

    def deliveries(self, payload: Any = None, **settings: Any) -> Subscriber[Any]:
        """Its deliveries: :meth:`Client.subscribe`."""
        subscriber: Subscriber[Any] = self._subscribe(self.name, payload, **settings)
        return subscriber

    async def receive(
        self, handler: Handler[Any], payload: Any = None, *, concurrency: int = 1, **settings: Any
    ) -> None:
        """Calls a handler for each delivery: :meth:`Client.receive`."""
        await self._receive(self.name, handler, payload, concurrency=concurrency, **settings)

    @overload
    async def pull(
        self,
        payload: None = None,
        *,
        max_messages: int = 100,
        max_bytes: int = 0,
        wait: float = 10.0,
        lease: float | None = None,
    ) -> list[Pulled[bytes]]: ...
    @overload
    async def pull(
        self,
        payload: type[ProtobufT],
        *,
        max_messages: int = 100,
        max_bytes: int = 0,
        wait: float = 10.0,
        lease: float | None = None,
    ) -> list[Pulled[ProtobufT]]: ...

    async def pull(
        self,
        payload: Any = None,
        *,
        max_messages: int = 100,
        max_bytes: int = 0,
        wait: float = 10.0,
        lease: float | None = None,
    ) -> list[Pulled[Any]]:
        """Takes what is at hand, or waits for something; nothing is no error. It needs no
        stream, and suits programs that are short, or cannot keep one: where you can, a stream
        is cheaper, extends leases, and loses no attempt to an answer that is lost. A pull that
        is cancelled gives back what it took.

        :param payload: the Protobuf class of :attr:`Pulled.payload`. Default: bytes.
        :param max_messages: 1 to 1,000; default 100.
        :param max_bytes: a larger message comes alone. Default: what an answer holds, 4 MiB
            less 64 KiB.
        :param wait: seconds to wait for a first message, 0 to 60; default 10.
        :param lease: seconds until what is pulled goes to somebody else, 1 to 43,200.
            Default: the subscription's.
        :raises NotFoundError: SUBSCRIPTION_NOT_FOUND.
        :raises FailedPreconditionError: SUBSCRIPTION_DELETED, EXCLUSIVE_SESSION_EXISTS,
            TAKEN_OVER.
        :raises ResourceExhaustedError: LIMIT_REACHED.
        :raises UnavailableError: DRAINING, UNREACHABLE.
        """
        return await self._puller.pull(payload, max_messages=max_messages, max_bytes=max_bytes, wait=wait, lease=lease)

    async def ack_tokens(self, *tokens: str) -> list[TokenFailure]:
        """Settles what was pulled as done, durably when it returns, and gives the tokens that
        reached nothing.

        :raises NotFoundError: SUBSCRIPTION_NOT_FOUND.
        :raises UnknownOutcomeError: some may be settled.
        """
        return await self._puller.settle(tokens, "ack")

    async def retry_tokens(
        self, *tokens: str, delay: float | None = None, code: str = "", reason: str = ""
    ) -> list[TokenFailure]:
        """Settles what was pulled as failed: :meth:`Delivery.retry`. It raises what
        :meth:`ack_tokens` does."""
        return await self._puller.settle(tokens, "retry", delay, code, reason)

    async def reject_tokens(self, *tokens: str, code: str = "", reason: str = "") -> list[TokenFailure]:
        """Sends what was pulled to the dead letters. It raises what :meth:`ack_tokens` does."""
        return await self._puller.settle(tokens, "reject", None, code, reason)

    async def release_tokens(self, *tokens: str) -> list[TokenFailure]:
        """Gives back untouched what was pulled. It raises what :meth:`ack_tokens` does."""
        return await self._puller.settle(tokens, "release")

    async def extend_tokens(self, *tokens: str, lease: float | None = None) -> list[TokenFailure]:
        """Moves the end of the leases of what was pulled, and gives the tokens that reached
        nothing. It raises what :meth:`ack_tokens` does.

        :param tokens: of what was pulled.
        :param lease: seconds from now on, 1 to 43,200. Default: the lease that was pulled with.
        """
        return await self._puller.extend(tokens, lease)
