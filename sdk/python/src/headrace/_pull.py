"""Messages without a stream: taken by a call, settled by their tokens."""

from __future__ import annotations

import dataclasses
import datetime
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Generic, TypeVar

from headrace import _fields, errors
from headrace._message import Position
from headrace._service import Service
from headrace.v1 import message_pb2, subscriber_service_pb2_grpc
from headrace.v1 import subscriber_service_pb2 as pb

PayloadT = TypeVar("PayloadT")

_TOKENS_PER_CALL = 1_000
_LONGEST_WAIT_SECONDS = 60.0


@dataclasses.dataclass(frozen=True, slots=True)
class Pulled(Generic[PayloadT]):
    """A message that was pulled: held until it is settled by its token, by whoever has it, or
    until its lease ends, which charges an attempt. Nothing extends it by itself.

    :ivar message: the message of the contract.
    :ivar payload: its data, parsed as the type that was given to the pull; bytes without one.
    :ivar position: where it stands.
    :ivar attempt: which attempt this is, from 1.
    :ivar token: names the delivery; at most 170 bytes.
    """

    message: message_pb2.Message
    payload: PayloadT
    position: Position
    attempt: int
    token: str

    @property
    def data(self) -> bytes:
        """The payload as bytes."""
        return self.message.data

    @property
    def attributes(self) -> Mapping[str, str]:
        """The free labels."""
        return self.message.attributes

    @property
    def ordering_key(self) -> str:
        """The ordering key; empty: none."""
        return self.message.ordering_key

    @property
    def content_type(self) -> str:
        """The media type of the data; empty: not told."""
        return self.message.content_type

    @property
    def id(self) -> str:
        """The message's id, the same for every subscription and attempt."""
        return self.message.message_id or str(self.position)

    @property
    def publish_time(self) -> datetime.datetime:
        """When the server received it, in UTC, by its wall clock."""
        return self.message.publish_time.ToDatetime(tzinfo=datetime.timezone.utc)


@dataclasses.dataclass(frozen=True, slots=True)
class TokenFailure:
    """Why a token reached nothing.

    :ivar token: the token.
    :ivar error: with the reason STALE_DELIVERY, INVALID_TOKEN or NOT_SERVED; of an
        extension also LEASE_CAPPED, when it was cut at the longest lease.
    """

    token: str
    error: errors.HeadraceError


class Puller(Service):
    """Pulls from one subscription, and settles by tokens."""

    def __init__(self, connection: Any, subscription: str, client_id: str) -> None:
        """Made by the client."""
        super().__init__(connection)
        self._subscription = subscription
        self._client_id = client_id

    @property
    def _subscriber(self) -> Any:
        return self._stub(subscriber_service_pb2_grpc.SubscriberServiceStub)

    async def pull(
        self, payload: Any, *, max_messages: int, max_bytes: int, wait: float, lease: float | None
    ) -> list[Pulled[Any]]:
        """Takes what is at hand, or waits for something."""
        request = pb.PullRequest(
            subscription=self._subscription,
            max_messages=max_messages,
            max_bytes=max_bytes,
            wait=_fields.duration(wait),
            lease=None if lease is None else _fields.duration(lease),
            client_id=self._client_id,
        )
        patience = min(max(wait, 0.0), _LONGEST_WAIT_SECONDS)
        answer = await self._call(self._subscriber.Pull, request, pb.PullResponse, patience=patience)
        parse: Any = bytes if payload is None else payload.FromString
        return [_pulled(m, parse) for m in answer.messages]

    async def settle(
        self, tokens: Sequence[str], verdict: str, delay: float | None = None, code: str = "", reason: str = ""
    ) -> list[TokenFailure]:
        """Settles, durably when it returns."""
        request = pb.SettleRequest(
            subscription=self._subscription,
            verdict=f"VERDICT_{verdict.upper()}",
            delay=None if delay is None else _fields.duration(delay),
            code=code,
            reason=reason,
        )
        return await self._each(tokens, request, lambda r: self._call(self._subscriber.Settle, r, pb.SettleResponse))

    async def extend(self, tokens: Sequence[str], lease: float | None) -> list[TokenFailure]:
        """Moves the ends of leases."""
        request = pb.ExtendRequest(
            subscription=self._subscription, duration=None if lease is None else _fields.duration(lease)
        )
        return await self._each(tokens, request, lambda r: self._call(self._subscriber.Extend, r, pb.ExtendResponse))

    async def _each(
        self, tokens: Sequence[str], request: Any, call: Callable[[Any], Awaitable[Any]]
    ) -> list[TokenFailure]:
        """Makes a call for each 1,000 tokens, until one fails."""
        failures: list[TokenFailure] = []
        for start in range(0, len(tokens), _TOKENS_PER_CALL):
            request.delivery_tokens[:] = tokens[start : start + _TOKENS_PER_CALL]
            answer = await call(request)
            failures += [TokenFailure(f.delivery_token, _failed(f)) for f in answer.failures]
        return failures


def _pulled(m: pb.PulledMessage, parse: Callable[[bytes], Any]) -> Pulled[Any]:
    position = Position(m.position.partition, m.position.offset)
    return Pulled(m.message, parse(m.message.data), position, m.attempt, m.delivery_token)


def _failed(failure: pb.TokenFailure) -> errors.HeadraceError:
    return errors.item_error("the token reached nothing", failure.reason)
