"""Managing topics and subscriptions without asyncio."""

from __future__ import annotations

import builtins
from collections.abc import AsyncIterator, Sequence
from typing import Any, TypeVar

from headrace import aio
from headrace._loop import Loop
from headrace.v1 import dead_letter_pb2, subscription_pb2, topic_pb2
from headrace.v1 import subscription_service_pb2 as spb

ResultT = TypeVar("ResultT")


class Topics:
    """The server's topics. A name is ``name`` or ``namespace/name``; see :class:`headrace.aio.Topics`."""

    def __init__(self, loop: Loop, topics: aio.Topics) -> None:
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

    def __init__(self, loop: Loop, subscriptions: aio.Subscriptions) -> None:
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
