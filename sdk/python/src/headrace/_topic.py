"""A topic to publish to, for asyncio."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections.abc import Awaitable, Callable
from typing import Any

from headrace import errors
from headrace._batch import MessageId
from headrace._message import Payload
from headrace._publisher import Publisher
from headrace._subscriber import Handler
from headrace._subscriptions import Subscriptions
from headrace._tracing import Tracing, as_message

_REMOVAL_SECONDS = 5.0
"""How long the removal of a broadcast's subscription may take; a server that does not hear
of it removes it by itself a minute later."""

Receive = Callable[..., Awaitable[None]]


class Topic:
    """A topic to publish to, by name."""

    def __init__(
        self,
        publisher: Publisher,
        name: str,
        subscriptions: Subscriptions,
        receive: Receive,
        broadcasts: set[str],
        tracing: Tracing | None,
    ) -> None:
        """Made by :meth:`Client.topic`.

        :param broadcasts: the subscriptions of broadcasts, for the client to remove.
        """
        self.publisher = publisher
        """What its messages go through; the twin without asyncio uses it, too."""
        self._broadcasts = broadcasts
        self._tracing = tracing
        self._subscriptions = subscriptions
        self._receive = receive
        self.name = name
        """The full name, with its namespace."""

    async def publish(self, payload: Payload) -> MessageId:
        """Publishes, and returns when the message is stored as the topic's durability says.

        :param payload: a :class:`headrace.Message`, bytes, or a Protobuf message.
        :raises NotFoundError: TOPIC_NOT_FOUND.
        :raises InvalidArgumentError: MESSAGE_TOO_LARGE, INVALID_FIELD, MALFORMED_MESSAGE.
        :raises AlreadyExistsError: DEDUPE_CONFLICT.
        :raises ResourceExhaustedError: DISK_FULL, BACKLOG_FULL; retryable.
        :raises UnavailableError: UNREACHABLE: the server was never reached.
        :raises UnknownOutcomeError: it may be stored: the client was closed first, or
            another program took the producer's place.
        """
        return await (await self.publish_async(payload))

    async def publish_async(self, payload: Payload) -> asyncio.Future[MessageId]:
        """Publishes, and returns when the message is accepted: the future of its id.

        :raises BufferFullError: BUFFER_FULL, if that was asked for.
        :raises ClosedError: CLOSED.
        """
        result = await self._traced(payload, one_way=False)
        assert result is not None
        return result

    async def publish_one_way(self, payload: Payload) -> None:
        """Publishes, and nobody hears of a failure."""
        await self._traced(payload, one_way=True)

    async def _traced(self, payload: Payload, *, one_way: bool) -> asyncio.Future[MessageId] | None:
        if self._tracing is None:
            return await self.publisher.publish(self.name, payload, one_way=one_way)
        message, end = self._tracing.send(self.name, as_message(payload))
        result: asyncio.Future[MessageId] | None = None
        try:
            result = await self.publisher.publish(self.name, message, one_way=one_way)
        finally:
            end(result)
        return result

    async def flush(self) -> None:
        """Waits until everything published before, to any topic, has its result. It raises
        nothing: each result says how it failed."""
        await self.publisher.flush()

    async def broadcast(
        self, handler: Handler[Any], payload: Any = None, *, concurrency: int = 1, **settings: Any
    ) -> None:
        """Calls a handler with every message that is published from now on, whoever else
        receives it: each instance of a program that calls it gets them all. It works as
        :meth:`Client.receive` does, through an ephemeral subscription of its own, and removes
        that in the end.

        A broken connection is bridged as long as the subscription lives, which is 60 s without
        a session; then messages were missed: begin with a fresh view, and call again.

        :raises NotFoundError: TOPIC_NOT_FOUND; SUBSCRIPTION_NOT_FOUND: messages were missed.
        :raises FailedPreconditionError: SUBSCRIPTION_DELETED: messages were missed.
        """
        name = f"{self.name.partition('/')[0]}/broadcast-{secrets.token_hex(13)}"
        await self._subscriptions.create(name, self.name, ephemeral=True)
        self._broadcasts.add(name)
        try:
            await self._receive(name, handler, payload, concurrency=concurrency, **settings)
        finally:
            self._broadcasts.discard(name)
            await remove(self._subscriptions, name)


async def remove(subscriptions: Subscriptions, name: str) -> None:
    """Removes the subscription of a broadcast, if that can be done soon."""
    with contextlib.suppress(errors.HeadraceError, asyncio.TimeoutError):
        await asyncio.wait_for(subscriptions.delete(name), _REMOVAL_SECONDS)


def full_name(name: str) -> str:
    """A name with its namespace, so that both ways to write one name are one sequence of
    publishes."""
    return name if not name or "/" in name else f"default/{name}"
