"""Where a subscription begins, and where it is moved to."""

from __future__ import annotations

import dataclasses
import datetime

from headrace._fields import timestamp
from headrace._message import Position
from headrace.v1 import message_pb2, seek_pb2, subscription_pb2


@dataclasses.dataclass(frozen=True, slots=True)
class Start:
    """Where a new subscription begins; made by :func:`from_latest` and its like.

    :ivar position: the same as the contract has it.
    """

    position: subscription_pb2.StartPosition


def from_latest() -> Start:
    """After the last message at the moment of creation. This is the default."""
    return Start(subscription_pb2.StartPosition(latest=True))


def from_earliest() -> Start:
    """At the first message that is retained."""
    return Start(subscription_pb2.StartPosition(earliest=True))


def from_time(time: datetime.datetime) -> Start:
    """At the first message that the log took in at or after a time, which has a zone."""
    return Start(subscription_pb2.StartPosition(time=timestamp(time)))


def from_positions(*positions: Position) -> Start:
    """At these positions, one a partition; partitions that are not named begin at latest."""
    return Start(subscription_pb2.StartPosition(offsets=_offsets(positions)))


@dataclasses.dataclass(frozen=True, slots=True)
class SeekTarget:
    """Where a subscription is moved: what is before it counts as acked, what is at it and
    behind it as unacked. Made by :func:`to_time`, :func:`to_positions`, :func:`to_start`,
    :func:`to_end` and :func:`to_snapshot`.

    :ivar target: the same as the contract has it.
    """

    target: seek_pb2.SeekTarget


def to_time(time: datetime.datetime) -> SeekTarget:
    """Before the first message that the log took in at or after a time, which has a zone."""
    return SeekTarget(seek_pb2.SeekTarget(time=timestamp(time)))


def to_positions(*positions: Position) -> SeekTarget:
    """Before these positions; partitions that are not named stay as they are."""
    return SeekTarget(seek_pb2.SeekTarget(offsets=_offsets(positions)))


def to_start() -> SeekTarget:
    """Before the first message that is retained."""
    return SeekTarget(seek_pb2.SeekTarget(start=True))


def to_end() -> SeekTarget:
    """Behind the last message."""
    return SeekTarget(seek_pb2.SeekTarget(end=True))


def to_snapshot(name: str) -> SeekTarget:
    """Where the snapshot's subscription stood when it was taken: what was acked then counts
    as acked, what was not, and what came since, as unacked."""
    return SeekTarget(seek_pb2.SeekTarget(snapshot=name))


@dataclasses.dataclass(frozen=True, slots=True)
class SeekResult:
    """What a seek did, or would do.

    :ivar generation: the subscription's afterwards.
    :ivar unacked: messages that were acked and are to be delivered again.
    :ivar acked: messages that were not and count as acked now.
    """

    generation: int
    unacked: int
    acked: int


def _offsets(positions: tuple[Position, ...]) -> subscription_pb2.StartOffsets:
    return subscription_pb2.StartOffsets(
        positions=[message_pb2.Position(partition=p.partition, offset=p.offset) for p in positions]
    )
