"""Settles on their way: gathered, sent as ranges, kept until they are confirmed.

A state machine without I/O, tasks or clocks: time is an argument.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from typing import Any

from headrace import errors
from headrace._delivery import BaseDelivery
from headrace._ranges import chunks, sequences_in, to_ranges
from headrace.v1 import subscriber_service_pb2 as pb

SETTLE_SECONDS = 0.010
"""How long a settle waits for company."""
SETTLE_MESSAGES = 1_000
"""How many settles are sent at once at the latest; or half a window, if that is less."""
_MAX_UNCONFIRMED = 1_024
"""Settles and extends that are not confirmed, unless the server says otherwise."""
_MAX_CODE_BYTES = 255
_MAX_REASON_BYTES = 1_024
_MAX_DELAY_SECONDS = 12 * 3_600.0
"""The longest delay that a server takes. A longer one would end the stream."""

_VERDICTS = {
    "ack": pb.VERDICT_ACK,
    "retry": pb.VERDICT_RETRY,
    "reject": pb.VERDICT_REJECT,
    "release": pb.VERDICT_RELEASE,
}
_Kind = tuple[str, "float | None", str, str]


@dataclasses.dataclass(slots=True)
class Sent:
    """A settle or extend that is not confirmed."""

    frame: pb.SubscribeRequest
    deliveries: list[BaseDelivery[Any]]
    settles: bool


class Settles:
    """The settles and extends of one session, numbered 1, 2, 3…"""

    def __init__(self, wake: Callable[[], None], window: int) -> None:
        """:param wake: called when there is something to send soon."""
        self._wake = wake
        self.resize(window)
        self.max_unconfirmed = _MAX_UNCONFIRMED
        self._number = 0
        self._groups: dict[_Kind, list[BaseDelivery[Any]]] = {}
        self._grouped = 0
        self._grouped_at = 0.0
        self._urgent = False
        self._unconfirmed: dict[int, Sent] = {}
        self._again: list[pb.SubscribeRequest] = []

    def resize(self, window: int) -> None:
        """Takes up another window, of so many messages."""
        self._flush_at = max(1, min(SETTLE_MESSAGES, window // 2))

    def opened(self, limits: pb.SessionLimits) -> None:
        """Takes the values in force."""
        self.max_unconfirmed = limits.max_unconfirmed_settles or _MAX_UNCONFIRMED

    def resumed(self) -> None:
        """The session goes on over another stream: what is not confirmed is sent again."""
        self._again = [sent.frame for sent in self._unconfirmed.values()]

    def begin_anew(self) -> list[BaseDelivery[Any]]:
        """Counts from 1 again, and gives the deliveries whose settles nobody will confirm."""
        lost = [d for sent in self._unconfirmed.values() for d in sent.deliveries]
        lost += [d for group in self._groups.values() for d in group]
        self._groups.clear()
        self._unconfirmed.clear()
        self._again = []
        self._number = self._grouped = 0
        return lost

    def add(self, delivery: BaseDelivery[Any], verdict: str, delay: float | None, code: str, reason: str) -> None:
        """Gathers the settle of a delivery."""
        if delay is not None:
            delay = min(max(0.0, delay), _MAX_DELAY_SECONDS)
        kind = (verdict, delay, _bounded(code, _MAX_CODE_BYTES), _bounded(reason, _MAX_REASON_BYTES))
        group = self._groups.get(kind)
        if group is None:
            group = self._groups[kind] = []
        group.append(delivery)
        self._grouped += 1
        if delivery.confirmed is not None:
            self._urgent = True  # Somebody waits.
        if self._urgent or self._grouped == 1 or self._grouped == self._flush_at:
            self._wake()

    @property
    def open(self) -> bool:
        """Some settle is not confirmed."""
        return self._grouped > 0 or bool(self._unconfirmed)

    @property
    def waiting(self) -> bool:
        """Some settle waits for company."""
        return self._grouped > 0

    @property
    def full(self) -> bool:
        """So many are not confirmed that nothing can be sent."""
        return len(self._unconfirmed) >= self.max_unconfirmed

    def due(self, now: float) -> float:
        """Seconds until there is something to send."""
        if self._again:
            return 0.0
        if self._grouped == 0 or self.full:
            return float("inf")
        if self._urgent or self._grouped >= self._flush_at:
            return 0.0
        if not self._grouped_at:
            self._grouped_at = now
        return max(0.0, self._grouped_at + SETTLE_SECONDS - now)

    def again(self) -> list[pb.SubscribeRequest]:
        """What is to be sent again after a resume, before all else."""
        frames, self._again = self._again, []
        return frames

    def frames(self) -> list[pb.SubscribeRequest]:
        """What was gathered, as frames."""
        if self._grouped == 0 or self.full:
            return []
        frames = [frame for kind, group in self._groups.items() for frame in self._settles(kind, group)]
        self._groups.clear()
        self._grouped, self._grouped_at, self._urgent = 0, 0.0, False
        return frames

    def _settles(self, kind: _Kind, group: list[BaseDelivery[Any]]) -> Iterator[pb.SubscribeRequest]:
        verdict, delay, code, reason = kind
        by_sequence = {d.sequence: d for d in group}
        for ranges in chunks(to_ranges(by_sequence)):
            settle = pb.SubscribeRequest.Settle(ranges=ranges, verdict=_VERDICTS[verdict], code=code, reason=reason)
            if delay is not None:
                settle.delay.FromNanoseconds(round(delay * 1e9))
            frame = pb.SubscribeRequest(settle=settle)
            self._send(frame, frame.settle, [by_sequence[s] for s in sequences_in(ranges)], settles=True)
            yield frame

    def extends(self, sequences: list[int]) -> Iterator[pb.SubscribeRequest]:
        """Extends of these deliveries."""
        for ranges in chunks(to_ranges(sequences)):
            frame = pb.SubscribeRequest(extend=pb.SubscribeRequest.Extend(ranges=ranges))
            self._send(frame, frame.extend, [], settles=False)
            yield frame

    def _send(
        self, frame: pb.SubscribeRequest, numbered: Any, deliveries: list[BaseDelivery[Any]], *, settles: bool
    ) -> None:
        self._number += 1
        numbered.number = self._number
        self._unconfirmed[self._number] = Sent(frame, deliveries, settles)

    def confirmed(self, through: int) -> Iterator[tuple[int, Sent]]:
        """Takes out what is confirmed, with its number."""
        while self._unconfirmed and (number := next(iter(self._unconfirmed))) <= through:
            yield number, self._unconfirmed.pop(number)


def confirm(delivery: BaseDelivery[Any], error: errors.HeadraceError | None) -> None:
    """Tells whoever waits for the settle of a delivery what became of it."""
    future = delivery.confirmed
    if future is None or future.done():
        return
    if error is None:
        future.set_result(None)
    else:
        future.set_exception(error)


def _bounded(text: str, limit: int) -> str:
    """A text as the server takes it: UTF-8 of at most so many bytes."""
    if not text:
        return text
    return text.encode(errors="replace")[:limit].decode(errors="ignore")
