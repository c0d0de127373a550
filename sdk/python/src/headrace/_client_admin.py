"""Managing topics and subscriptions without asyncio."""

from __future__ import annotations

import builtins
from collections.abc import Iterator, Sequence
from typing import Any, TypeVar

from headrace import _subscriptions, _topics
from headrace._loop import Loop
from headrace._message import Position
from headrace._places import SeekResult, SeekTarget, Start
from headrace._service import Listing
from headrace.v1 import (
    dead_letter_pb2,
    explanation_pb2,
    parked_key_pb2,
    peek_pb2,
    snapshot_pb2,
    subscription_pb2,
    topic_pb2,
)
from headrace.v1 import subscription_service_pb2 as spb

ItemT = TypeVar("ItemT")


class Topics:
    """The server's topics. A name is ``name`` or ``namespace/name``; every change is durable
    when its call returns. The calls take and raise what those of :class:`headrace.aio.Topics` do."""

    def __init__(self, loop: Loop, topics: _topics.Topics) -> None:
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
        return [*_walk(self._loop, self._topics.list(namespace))]

    def update(self, topic: topic_pb2.Topic | str, paths: Sequence[str] = (), **fields: Any) -> topic_pb2.Topic:
        """Changes a topic: the fields of a message that the paths name, such as
        ``retention.min_age``, or those given with a name."""
        return self._loop.run(self._topics.update(topic, paths, **fields))

    def delete(self, name: str) -> None:
        """Deletes a topic, which has no subscriptions any more."""
        self._loop.run(self._topics.delete(name))

    def stats(self, name: str) -> topic_pb2.TopicStats:
        """Figures of a topic at this moment."""
        return self._loop.run(self._topics.stats(name))


class Subscriptions:
    """The server's subscriptions. A name is ``name`` or ``namespace/name``; every change is
    durable when its call returns. The calls take and raise what those of
    :class:`headrace.aio.Subscriptions` do."""

    def __init__(self, loop: Loop, subscriptions: _subscriptions.Subscriptions) -> None:
        """Made by the client."""
        self._loop = loop
        self._subscriptions = subscriptions

    def create(
        self,
        subscription: subscription_pb2.Subscription | str,
        topic: str = "",
        *,
        start: Start | subscription_pb2.StartPosition | None = None,
        **fields: Any,
    ) -> subscription_pb2.Subscription:
        """Creates a subscription: a message of the contract, or names and fields, durations
        in seconds: ``mode="exclusive", lease=60, retry={"max_attempts": 5}``."""
        return self._loop.run(self._subscriptions.create(subscription, topic, start=start, **fields))

    def get(self, name: str) -> subscription_pb2.Subscription:
        """A subscription."""
        return self._loop.run(self._subscriptions.get(name))

    def list(self, namespace: str = "", *, topic: str = "") -> list[subscription_pb2.Subscription]:
        """The subscriptions of a namespace, or of a topic, in order of their names."""
        return [*_walk(self._loop, self._subscriptions.list(namespace, topic=topic))]

    def update(
        self, subscription: subscription_pb2.Subscription | str, paths: Sequence[str] = (), **fields: Any
    ) -> subscription_pb2.Subscription:
        """Changes a subscription: the fields of a message that the paths name, such as
        ``retry.max_attempts``, or those given with a name."""
        return self._loop.run(self._subscriptions.update(subscription, paths, **fields))

    def delete(self, name: str) -> None:
        """Ends a subscription and its sessions."""
        self._loop.run(self._subscriptions.delete(name))

    def stats(self, name: str) -> subscription_pb2.SubscriptionStats:
        """Figures of a subscription and its sessions at this moment."""
        return self._loop.run(self._subscriptions.stats(name))

    def pause(self, name: str) -> subscription_pb2.Subscription:
        """Stops deliveries until :meth:`resume`, also over restarts of the server."""
        return self._loop.run(self._subscriptions.pause(name))

    def resume(self, name: str) -> subscription_pb2.Subscription:
        """Ends a pause; without one it does nothing."""
        return self._loop.run(self._subscriptions.resume(name))

    def move_sessions(self, name: str, session: str = "", *, grace: float = 30.0) -> int:
        """Asks a session, or all of a subscription, to leave their streams within a grace in
        seconds, and gives how many were asked."""
        return self._loop.run(self._subscriptions.move_sessions(name, session, grace=grace))

    def seek(self, name: str, to: SeekTarget) -> SeekResult:
        """Moves a subscription to :func:`headrace.to_time`, … What sessions hold is revoked."""
        return self._loop.run(self._subscriptions.seek(name, to))

    def seek_dry_run(self, name: str, to: SeekTarget) -> SeekResult:
        """What :meth:`seek` would do; nothing is done."""
        return self._loop.run(self._subscriptions.seek_dry_run(name, to))

    def create_snapshot(self, name: str, subscription: str, *, keep: float | None = None) -> snapshot_pb2.Snapshot:
        """Keeps what a subscription has not acked, and what comes, under a name of its own,
        for so many seconds, at most 7 days, which is the default."""
        return self._loop.run(self._subscriptions.create_snapshot(name, subscription, keep=keep))

    def snapshot(self, name: str) -> snapshot_pb2.Snapshot:
        """A snapshot."""
        return self._loop.run(self._subscriptions.snapshot(name))

    def snapshots(self, namespace: str = "", *, topic: str = "") -> builtins.list[snapshot_pb2.Snapshot]:
        """The snapshots of a namespace, or of a topic, in order of their names."""
        return [*_walk(self._loop, self._subscriptions.snapshots(namespace, topic=topic))]

    def delete_snapshot(self, name: str) -> None:
        """Ends a snapshot."""
        self._loop.run(self._subscriptions.delete_snapshot(name))

    def peek(
        self, name: str, at: Position | None = None, *, include_acked: bool = False
    ) -> Iterator[peek_pb2.PeekedMessage]:
        """The messages of a partition that a subscription has not acked, in order of their
        offsets from ``at`` on, got page by page. It takes nothing."""
        return _walk(self._loop, self._subscriptions.peek(name, at, include_acked=include_acked))

    def explain(self, name: str) -> explanation_pb2.ExplainSubscriptionResponse:
        """Why deliveries from a subscription flow or do not."""
        return self._loop.run(self._subscriptions.explain(name))

    def explain_message(self, name: str, at: Position) -> explanation_pb2.MessageExplanation:
        """Where the message at a position stands, and why."""
        return self._loop.run(self._subscriptions.explain_message(name, at))

    def explain_message_id(self, name: str, message_id: str) -> explanation_pb2.MessageExplanation:
        """Where the message with an id stands, of one whose id names its position."""
        return self._loop.run(self._subscriptions.explain_message_id(name, message_id))

    def explain_key(self, name: str, key: str) -> Sequence[explanation_pb2.KeyExplanation]:
        """How an ordering key stands, one entry a partition."""
        return self._loop.run(self._subscriptions.explain_key(name, key))

    def explain_session(self, name: str, session: str) -> explanation_pb2.ExplainSessionResponse:
        """What a session, by its name in the statistics, holds and what holds it back."""
        return self._loop.run(self._subscriptions.explain_session(name, session))

    def parked_keys(self, name: str) -> builtins.list[parked_key_pb2.ParkedKey]:
        """The ordering keys of a subscription that wait to be released."""
        return [*_walk(self._loop, self._subscriptions.parked_keys(name))]

    def release_parked_keys(self, name: str, *keys: str) -> int:
        """Lets up to 1,000 parked ordering keys go on, and gives how many were parked."""
        return self._loop.run(self._subscriptions.release_parked_keys(name, *keys))

    def release_parked_partitions(self, name: str, *partitions: int) -> int:
        """:meth:`release_parked_keys` for all keys of some partitions."""
        return self._loop.run(self._subscriptions.release_parked_partitions(name, *partitions))

    def release_all_parked_keys(self, name: str) -> int:
        """:meth:`release_parked_keys` for all keys."""
        return self._loop.run(self._subscriptions.release_all_parked_keys(name))

    def dead_letters(
        self,
        name: str,
        *,
        filter: spb.DeadLetterFilter | None = None,
        from_sequence: int = 0,
        without_messages: bool = False,
    ) -> Iterator[dead_letter_pb2.DeadLetter]:
        """What a subscription gave up, in order of their sequences, got page by page; nothing
        is taken away. ``forward`` of a letter says where its copy stands in the
        ``dead_letter_topic``, or why there is none: see
        :meth:`headrace.aio.Subscriptions.dead_letters`."""
        return _walk(
            self._loop,
            self._subscriptions.dead_letters(
                name, filter=filter, from_sequence=from_sequence, without_messages=without_messages
            ),
        )

    def peek_dead_letter(self, name: str, sequence: int) -> dead_letter_pb2.DeadLetter | None:
        """A dead letter with its message and failures; None: there is none of this sequence."""
        return self._loop.run(self._subscriptions.peek_dead_letter(name, sequence))

    def export_dead_letters(self, name: str, *, filter: spb.DeadLetterFilter | None = None) -> Iterator[str]:
        """The messages of dead letters as JSON lines, as ``headrace pub --input jsonl`` reads
        them; nothing is taken away."""
        return _walk(self._loop, self._subscriptions.export_dead_letters(name, filter=filter))

    def redrive_dead_letters(self, name: str, sequences: Sequence[int]) -> Sequence[int]:
        """Has dead letters delivered again, in this order, 1 to 1,000 of them; gives those
        that were there."""
        return self._loop.run(self._subscriptions.redrive_dead_letters(name, sequences))

    def discard_dead_letters(self, name: str, sequences: Sequence[int]) -> Sequence[int]:
        """Deletes dead letters for good, 1 to 1,000 of them; gives those that were there."""
        return self._loop.run(self._subscriptions.discard_dead_letters(name, sequences))


def _walk(loop: Loop, listing: Listing[ItemT]) -> Iterator[ItemT]:
    """The elements of a list, page by page: one turn of the loop each."""
    while not listing.ended:
        yield from loop.run(listing.page())
