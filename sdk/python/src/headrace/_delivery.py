"""One delivery: a message in a subscriber's hands."""

from __future__ import annotations

import asyncio
import concurrent.futures
import datetime
from collections.abc import Callable, Mapping
from typing import Any, Generic, Protocol, TypeVar, cast

from headrace import errors
from headrace._message import Position
from headrace.v1 import message_pb2

PayloadT = TypeVar("PayloadT")


class Settler(Protocol):
    """Takes what becomes of deliveries."""

    def settle(self, delivery: Any, verdict: str, delay: float | None = None, code: str = "", reason: str = "") -> None:
        """Ends a delivery; one that is settled or lost already stays as it is."""


class BaseDelivery(Generic[PayloadT]):
    """A message that is yours until you settle it, or lose it.

    Settle it once, with :meth:`ack`, :meth:`retry`, :meth:`reject` or :meth:`release`;
    later ones are ignored. Settles are sent in groups within 10 ms. Its lease is extended
    as long as you hold it. When it is lost (its lease ended, it was revoked, its session
    broke) :attr:`lost` tells, its handler is cancelled, and somebody else gets it.
    """

    __slots__ = (
        "_message",
        "_parse",
        "_payload",
        "acked",
        "attempt",
        "confirmed",
        "ended",
        "handler",
        "held_since",
        "leased_at",
        "lost",
        "position",
        "sequence",
        "settled",
        "settler",
        "started_at",
        "when_ended",
    )

    def __init__(
        self,
        session: Settler,
        message: message_pb2.Message,
        sequence: int,
        position: Position,
        attempt: int,
        parse: Any,
    ) -> None:
        """Made by the subscriber."""
        self.settler = session
        """What takes its settle: the session, or what brings it there from another thread."""
        self._message = message
        self._parse = parse
        self._payload: PayloadT | None = None
        self.sequence = sequence
        """Its number in the session, from 1."""
        self.position = position
        """Where it stands in the topic's log: a :class:`headrace.Position`."""
        self.attempt = attempt
        """1 for the first one: 1 + failed + expired attempts."""
        self.lost = ""
        """Why it is no longer yours; empty while it is."""
        self.settled = False
        """It was settled, or is lost: another settle changes nothing. In the client without
        asyncio it is so a moment after the settle."""
        self.acked = False
        """It was settled by an ack."""
        self.ended = False
        """It is lost, or its settle is confirmed."""
        self.when_ended: Callable[[], None] | None = None
        """The client's own: called at the end."""
        self.started_at: float | None = None
        """When work on it began, in seconds of the event loop's clock; None: it has not."""
        self.held_since = 0.0
        """When it came, by the same clock."""
        self.leased_at = 0.0
        """When its lease was begun or extended last, by the same clock."""
        self.handler: asyncio.Task[Any] | None = None
        """The client's own: the task of its handler, which is cancelled when it is lost."""
        self.confirmed: asyncio.Future[None] | concurrent.futures.Future[None] | None = None
        """The client\'s own: what waits for the confirmation of its settle."""

    @property
    def data(self) -> bytes:
        """The payload as bytes."""
        return self._message.data

    def parse(self) -> None:
        """Parses the payload, if a type was asked for.

        :raises google.protobuf.message.DecodeError: it is not of that type.
        """
        if self._parse is not None:
            _ = self.payload

    @property
    def payload(self) -> PayloadT:
        """The payload, parsed as the type that was given to subscribe; bytes without one.

        :raises google.protobuf.message.DecodeError: it is not of that type.
        """
        if self._payload is None:
            self._payload = cast("PayloadT", self._parse(self._message.data) if self._parse else self._message.data)
        return self._payload

    @property
    def attributes(self) -> Mapping[str, str]:
        """The free labels."""
        return self._message.attributes

    @property
    def ordering_key(self) -> str:
        """The ordering key; empty: none."""
        return self._message.ordering_key

    @property
    def content_type(self) -> str:
        """The media type of the data; empty: not told."""
        return self._message.content_type

    @property
    def id(self) -> str:
        """The message's id, the same for every subscription and attempt."""
        return self._message.message_id or str(self.position)

    @property
    def publish_time(self) -> datetime.datetime:
        """When the server received it, in UTC, by its wall clock."""
        return self._message.publish_time.ToDatetime(tzinfo=datetime.timezone.utc)

    @property
    def message(self) -> message_pb2.Message:
        """The message of the contract, with fields of later versions."""
        return self._message

    def ack(self) -> None:
        """Done: this subscription never sees the message again."""
        self.settler.settle(self, "ack")

    def retry(self, delay: float | None = None, *, code: str = "", reason: str = "") -> None:
        """Failed: counts as an attempt and comes back.

        :param delay: seconds; below 0.1 counts as 0.1, above 12 h as 12 h. Default: the
            subscription's backoff.
        :param code: kept with the failure, at most 255 bytes.
        :param reason: kept with the failure, at most 1,024 bytes.
        """
        self.settler.settle(self, "retry", delay, code, reason)

    def reject(self, *, code: str = "", reason: str = "") -> None:
        """Hopeless: to the dead letters, at once.

        :param code: kept with the dead letter, at most 255 bytes.
        :param reason: kept with the dead letter, at most 1,024 bytes.
        """
        self.settler.settle(self, "reject", None, code, reason)

    def release(self) -> None:
        """Gives it back untouched: no attempt is charged, somebody else gets it."""
        self.settler.settle(self, "release")

    def end(self) -> None:
        """Nothing of it is open any more: it is lost, or its settle is confirmed."""
        self.ended = True
        if self.when_ended is not None:
            self.when_ended()

    def _refuse_twice(self) -> None:
        if self.confirmed is not None:
            raise errors.StaleDeliveryError(f"{self} was settled before", reason="STALE_DELIVERY")

    def __repr__(self) -> str:
        """Its place and attempt, not its payload."""
        return f"<Delivery {self.id} attempt {self.attempt}{' lost: ' + self.lost if self.lost else ''}>"


class Delivery(BaseDelivery[PayloadT]):
    """A delivery for asyncio. What ends in ``_confirmed`` waits until the settle is durable,
    and raises

    - :class:`headrace.StaleDeliveryError`: it was no longer yours; somebody else gets it;
    - :class:`headrace.UnknownOutcomeError`: the session was lost before the answer.
    """

    __slots__ = ()

    async def ack_confirmed(self) -> None:
        """Acks, and returns when that is durable.

        :raises StaleDeliveryError: it was no longer yours; somebody else gets it.
        :raises UnknownOutcomeError: the session was lost before the answer.
        """
        await self._confirm("ack")

    async def retry_confirmed(self, delay: float | None = None, *, code: str = "", reason: str = "") -> None:
        """:meth:`retry`, and returns when that is durable. It raises what
        :meth:`ack_confirmed` does."""
        await self._confirm("retry", delay, code, reason)

    async def reject_confirmed(self, *, code: str = "", reason: str = "") -> None:
        """:meth:`reject`, and returns when that is durable. It raises what
        :meth:`ack_confirmed` does."""
        await self._confirm("reject", None, code, reason)

    async def release_confirmed(self) -> None:
        """:meth:`release`, and returns when that is durable. It raises what
        :meth:`ack_confirmed` does."""
        await self._confirm("release")

    async def _confirm(self, verdict: str, delay: float | None = None, code: str = "", reason: str = "") -> None:
        self._refuse_twice()
        confirmed = self.confirmed = asyncio.get_running_loop().create_future()
        self.settler.settle(self, verdict, delay, code, reason)
        await confirmed
