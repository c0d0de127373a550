"""What one session holds: deliveries, settles that are not confirmed, leases.

A state machine without I/O, tasks or clocks: time is an argument. It outlasts its
stream: after a break it is resumed, with what it holds, or begins anew.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable
from typing import Any

from headrace import errors
from headrace._delivery import BaseDelivery
from headrace._message import Position
from headrace._ranges import chunks, sequences_in, to_ranges
from headrace.v1 import subscriber_service_pb2 as pb

SETTLE_SECONDS = 0.010
"""How long a settle waits for company."""
SETTLE_MESSAGES = 1_000
"""How many settles are sent at once at the latest; or half a window, if that is less."""
_EXTEND_PART = 3
"""A lease is extended when this part of it is over."""

_VERDICTS = {
    "ack": pb.VERDICT_ACK,
    "retry": pb.VERDICT_RETRY,
    "reject": pb.VERDICT_REJECT,
    "release": pb.VERDICT_RELEASE,
}
_Kind = tuple[str, "float | None", str, str]


@dataclasses.dataclass(slots=True)
class _Sent:
    """A settle or extend that is not confirmed."""

    frame: pb.SubscribeRequest
    deliveries: list[BaseDelivery[Any]]
    settles: bool


class Session:
    """One session of one subscriber."""

    def __init__(
        self, wake: Callable[[], None], window: int, max_extension: float | None, make: Callable[..., Any], parse: Any
    ) -> None:
        """:param wake: called when there is something to send soon.
        :param make: the class of deliveries.
        """
        self._make = make
        self._wake = wake
        self._flush_at = max(1, min(SETTLE_MESSAGES, window // 2))
        self._max_extension = max_extension
        self._parse = parse
        self.session_id = ""
        self.limits = pb.SessionLimits()
        self._features: set[int] = set()
        self.held: dict[int, BaseDelivery[Any]] = {}
        """Everything received whose settle is not confirmed, by sequence."""
        self._received_through = 0
        self._number = 0
        self._groups: dict[_Kind, list[BaseDelivery[Any]]] = {}
        self._grouped = 0
        self._grouped_at = 0.0
        self._started: list[int] = []
        self._unconfirmed: dict[int, _Sent] = {}
        self._again: list[pb.SubscribeRequest] = []

    # Opening.

    def resume(self) -> pb.SubscribeRequest.Resume | None:
        """What to say of an earlier stream; None: there is nothing to take up."""
        if not self.session_id or pb.FEATURE_RESUME not in self._features:
            return None
        return pb.SubscribeRequest.Resume(
            session_id=self.session_id, received_through=self._received_through, holding=to_ranges(self.held)
        )

    def opened(self, frame: pb.SubscribeResponse.Opened) -> list[BaseDelivery[Any]]:
        """Takes the answer to Open, and gives the deliveries that are lost."""
        self.session_id, self.limits = frame.session_id, frame.limits
        self._features = set(frame.features)
        if not frame.HasField("resumed"):
            return self.begin_anew()
        kept = set(sequences_in(frame.resumed.kept))
        lost = [d for s, d in self.held.items() if s not in kept and not d.settled]
        self._again = [sent.frame for sent in self._unconfirmed.values()]
        self._started = [d.sequence for d in self.held.values() if d.started_at is not None and not d.settled]
        return self.lose(lost, "SESSION_BROKEN")

    def begin_anew(self) -> list[BaseDelivery[Any]]:
        """The old session is over: all it held is lost."""
        lost = self.lose(list(self.held.values()), "SESSION_BROKEN")
        open_ones = [d for sent in self._unconfirmed.values() for d in sent.deliveries]
        open_ones += [d for group in self._groups.values() for d in group]
        self.held.clear()
        self._groups.clear()
        self._unconfirmed.clear()
        self._again, self._started = [], []
        self._received_through = self._number = self._grouped = 0
        for delivery in open_ones:
            _confirm(delivery, errors.unknown_outcome("the session broke before the settle was confirmed"))
            delivery.end()
        return lost

    # What comes in.

    def batch(self, frame: pb.SubscribeResponse.Batch, now: float) -> list[BaseDelivery[Any]]:
        """Takes deliveries."""
        sequence = frame.first_sequence
        attempts = {s: a.attempt for a in frame.attempts for s in range(a.first_sequence, a.first_sequence + a.count)}
        positions = (Position(r.partition, r.first_offset + i) for r in frame.runs for i in range(r.count))
        deliveries: list[BaseDelivery[Any]] = []
        for sequence, (message, position) in enumerate(
            zip(frame.messages, positions, strict=True), frame.first_sequence
        ):
            delivery = self._make(self, message, sequence, position, attempts.get(sequence, 1), self._parse)
            delivery.held_since = delivery.leased_at = now
            self.held[sequence] = delivery
            deliveries.append(delivery)
        self._received_through = max(self._received_through, sequence)
        return deliveries

    def result(self, frame: pb.SubscribeResponse.SettleResult) -> None:
        """Takes the confirmation of settles and extends."""
        failed = {
            (f.number, s): errors.item_error("the settle did not apply", f.reason)
            for f in frame.failures
            for s in sequences_in(f.ranges)
        }
        for number in list(self._unconfirmed):
            if number > frame.confirmed_through:
                break
            sent = self._unconfirmed.pop(number)
            if not sent.settles:
                continue
            for delivery in sent.deliveries:
                self.held.pop(delivery.sequence, None)
                _confirm(delivery, failed.get((number, delivery.sequence)))
                delivery.end()

    def recall(self, ranges: Iterable[Any]) -> list[BaseDelivery[Any]]:
        """Gives back what was not started, and returns it."""
        back = [d for s in sequences_in(ranges) if (d := self.held.get(s)) and d.started_at is None and not d.settled]
        for delivery in back:
            self.settle(delivery, "release")
        return back

    def revoked(self, frame: pb.SubscribeResponse.Revoked) -> list[BaseDelivery[Any]]:
        """Takes a revocation, and gives the deliveries that are lost by it."""
        reason = pb.RevokeReason.Name(frame.reason) if frame.reason in pb.RevokeReason.values() else "REVOKED"
        lost = [d for s in sequences_in(frame.ranges) if (d := self.held.get(s)) and not d.settled]
        return self.lose(lost, reason.removeprefix("REVOKE_REASON_"))

    def lose(self, lost: list[BaseDelivery[Any]], reason: str) -> list[BaseDelivery[Any]]:
        """Notes that deliveries are no longer the session's, and gives those not settled."""
        lost = [d for d in lost if not d.settled]
        for delivery in lost:
            delivery.lost, delivery.settled = reason, True
            self.held.pop(delivery.sequence, None)
        for delivery in lost:
            delivery.end()
        return lost

    # What goes out.

    def start(self, delivery: BaseDelivery[Any], now: float) -> None:
        """The delivery is in its handler's hands."""
        delivery.started_at = delivery.leased_at = now
        if pb.FEATURE_STARTED in self._features:
            self._started.append(delivery.sequence)

    def settle(
        self, delivery: BaseDelivery[Any], verdict: str, delay: float | None = None, code: str = "", reason: str = ""
    ) -> None:
        """Ends a delivery; one that is settled or lost already stays as it is."""
        if delivery.settled:
            if delivery.lost:
                _confirm(delivery, errors.StaleDeliveryError(f"{delivery} is lost", reason="STALE_DELIVERY"))
            return
        delivery.settled, delivery.acked = True, verdict == "ack"
        group = self._groups.get((verdict, delay, code, reason))
        if group is None:
            group = self._groups[(verdict, delay, code, reason)] = []
        group.append(delivery)
        self._grouped += 1
        if self._grouped == 1 or self._grouped == self._flush_at:
            self._wake()

    @property
    def settling(self) -> bool:
        """Some settle is not confirmed."""
        return self._grouped > 0 or bool(self._unconfirmed)

    def due(self, now: float) -> float:
        """Seconds until there is something to send."""
        if self._again or (self._started and self._grouped == 0):
            return 0.0
        if self._grouped == 0 or len(self._unconfirmed) >= self._max_unconfirmed():
            return float("inf")
        if self._grouped >= self._flush_at:
            return 0.0
        if not self._grouped_at:
            self._grouped_at = now
        return max(0.0, self._grouped_at + SETTLE_SECONDS - now)

    def frames(self, *, flush: bool) -> list[pb.SubscribeRequest]:
        """The frames to send now; with flush what waits for company, too."""
        frames, self._again = self._again, []
        if self._started:
            alive = [s for s in self._started if (d := self.held.get(s)) and not d.lost]
            frames += [
                pb.SubscribeRequest(started=pb.SubscribeRequest.Started(ranges=r)) for r in chunks(to_ranges(alive))
            ]
            self._started = []
        if self._grouped and flush and len(self._unconfirmed) < self._max_unconfirmed():
            for kind, group in self._groups.items():
                frames += self._settles(kind, group)
            self._groups.clear()
            self._grouped, self._grouped_at = 0, 0.0
        return frames

    def _max_unconfirmed(self) -> int:
        return self.limits.max_unconfirmed_settles or 1_024

    def _settles(self, kind: _Kind, group: list[BaseDelivery[Any]]) -> list[pb.SubscribeRequest]:
        verdict, delay, code, reason = kind
        frames = []
        for ranges in chunks(to_ranges(d.sequence for d in group)):
            named = set(sequences_in(ranges))
            settle = pb.SubscribeRequest.Settle(ranges=ranges, verdict=_VERDICTS[verdict], code=code, reason=reason)
            if delay is not None:
                settle.delay.FromNanoseconds(round(delay * 1e9))
            frame = pb.SubscribeRequest(settle=settle)
            self._send(frame, frame.settle, [d for d in group if d.sequence in named], settles=True)
            frames.append(frame)
        return frames

    def _send(
        self, frame: pb.SubscribeRequest, numbered: Any, deliveries: list[BaseDelivery[Any]], *, settles: bool
    ) -> None:
        self._number += 1
        numbered.number = self._number
        self._unconfirmed[self._number] = _Sent(frame, deliveries, settles)

    def extends(self, now: float) -> list[pb.SubscribeRequest]:
        """Extends the leases of which a third is over."""
        if len(self._unconfirmed) >= self._max_unconfirmed():
            return []
        lease = self.lease_seconds
        due = [
            d
            for d in self.held.values()
            if not d.settled and self._leased(d) and now - d.leased_at >= lease / _EXTEND_PART
        ]
        due = [d for d in due if now - (d.started_at or d.held_since) < self._extension_cap()]
        frames = []
        for ranges in chunks(to_ranges(d.sequence for d in due)):
            frame = pb.SubscribeRequest(extend=pb.SubscribeRequest.Extend(ranges=ranges))
            self._send(frame, frame.extend, [], settles=False)
            frames.append(frame)
        for delivery in due:
            delivery.leased_at = now
        return frames

    def _leased(self, delivery: BaseDelivery[Any]) -> bool:
        """Whether the work lease runs: from the start, or for a server that is not told
        of starts, from the delivery."""
        return delivery.started_at is not None or pb.FEATURE_STARTED not in self._features

    @property
    def lease_seconds(self) -> float:
        """The work lease of the session's deliveries."""
        return self.limits.lease.ToTimedelta().total_seconds() or 30.0

    def _extension_cap(self) -> float:
        if self._max_extension is not None:
            return self._max_extension
        return self.limits.max_lease.ToTimedelta().total_seconds() or 3600.0


def _confirm(delivery: BaseDelivery[Any], error: errors.HeadraceError | None) -> None:
    future = delivery.confirmed
    if future is None or future.done():
        return
    if error is None:
        future.set_result(None)
    else:
        future.set_exception(error)
