"""What one session holds: deliveries, settles that are not confirmed, leases.

A state machine without I/O, tasks or clocks: time is an argument. It outlasts its
stream: after a break it is resumed, with what it holds, or begins anew.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from headrace import errors
from headrace._delivery import BaseDelivery
from headrace._events import EventKind
from headrace._message import Position
from headrace._ranges import MAX_RANGES, chunks, sequences_in, to_ranges
from headrace._settles import Settles, confirm
from headrace.v1 import error_reason_pb2
from headrace.v1 import subscriber_service_pb2 as pb

_EXTEND_PART = 3
"""A lease is extended when this part of it is over."""

Watch = Callable[[EventKind, int, str], None]
"""Hears what happens to how many deliveries."""


def _nobody(kind: EventKind, count: int, detail: str) -> None:
    """Watches nothing."""


class Session:
    """One session of one subscriber."""

    def __init__(
        self,
        wake: Callable[[], None],
        window: int,
        max_extension: float | None,
        make: Callable[..., Any],
        parse: Any,
        watch: Watch = _nobody,
    ) -> None:
        """:param wake: called when there is something to send soon.
        :param make: the class of deliveries.
        """
        self._make = make
        self._wake = wake
        self._watch = watch
        self._max_extension = max_extension
        self._parse = parse
        self._settles = Settles(wake, window)
        self.session_id = ""
        self.limits = pb.SessionLimits()
        self._features: set[int] = set()
        self.held: dict[int, BaseDelivery[Any]] = {}
        """Everything received whose settle is not confirmed, by sequence."""
        self.received_through = 0
        self.charged_bytes = 0
        self.settled_when_sent = False
        """The subscription delivers at most once: there is nothing to settle or to hold."""
        self._started: list[int] = []

    def resize(self, window: int) -> None:
        """Takes up another window, of so many messages."""
        self._settles.resize(window)

    # Opening.

    def resume(self) -> pb.SubscribeRequest.Resume | None:
        """What to say of an earlier stream; None: there is nothing to take up. What is cut
        off, of more ranges than a frame may have, the server gives to others."""
        if not self.session_id or pb.FEATURE_RESUME not in self._features:
            return None
        return pb.SubscribeRequest.Resume(
            session_id=self.session_id,
            received_through=self.received_through,
            holding=to_ranges(self.held)[:MAX_RANGES],
        )

    def opened(self, frame: pb.SubscribeResponse.Opened) -> list[BaseDelivery[Any]]:
        """Takes the answer to Open, and gives the deliveries that are lost."""
        self.session_id, self.limits = frame.session_id, frame.limits
        self._features = set(frame.features)
        self._settles.opened(frame.limits)
        self.settled_when_sent = frame.settled_when_sent
        if not frame.HasField("resumed"):
            return self.begin_anew()
        kept = set(sequences_in(frame.resumed.kept))
        lost = [d for s, d in self.held.items() if s not in kept and not d.settled]
        self._settles.resumed()
        self.received_through = frame.resumed.next_sequence - 1
        self.charged_bytes = frame.resumed.charged_bytes
        self._started = [d.sequence for d in self.held.values() if d.started_at is not None and not d.settled]
        return self.lose(lost, "SESSION_BROKEN")

    def begin_anew(self) -> list[BaseDelivery[Any]]:
        """The old session is over: all it held is lost."""
        lost = self.lose(list(self.held.values()), "SESSION_BROKEN")
        self.held.clear()
        self._started = []
        self.received_through = self.charged_bytes = 0
        for delivery in self._settles.begin_anew():
            confirm(delivery, errors.unknown_outcome("the session broke before the settle was confirmed"))
            delivery.end()
        return lost

    @property
    def resume_seconds(self) -> float:
        """How long the session waits for another stream after the one that it has broke."""
        return self.limits.resume_window.ToTimedelta().total_seconds() if self.resume() else 0.0

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
            if not self.settled_when_sent:
                self.held[sequence] = delivery
            deliveries.append(delivery)
        self.received_through = max(self.received_through, sequence)
        self.charged_bytes = frame.charged_bytes
        return deliveries

    def result(self, frame: pb.SubscribeResponse.SettleResult) -> None:
        """Takes the confirmation of settles and extends."""
        failed = {
            (f.number, s): errors.item_error("the settle did not apply", f.reason)
            for f in frame.failures
            if f.reason != error_reason_pb2.ERROR_REASON_LEASE_CAPPED
            for s in sequences_in(f.ranges)
        }
        for number, sent in self._settles.confirmed(frame.confirmed_through):
            for delivery in sent.deliveries:
                self.held.pop(delivery.sequence, None)
                confirm(delivery, failed.get((number, delivery.sequence)))
                delivery.end()
        if failed:
            self._watch(EventKind.SETTLES_FAILED, len(failed), "")

    def recall(self, ranges: Iterable[Any]) -> list[BaseDelivery[Any]]:
        """Gives back what was not started, and returns it."""
        back = [d for s in sequences_in(ranges) if (d := self.held.get(s)) and d.started_at is None and not d.settled]
        for delivery in back:
            self.settle(delivery, "release")
        if back:
            self._watch(EventKind.DELIVERIES_RECALLED, len(back), "")
        return back

    def revoked(self, frame: pb.SubscribeResponse.Revoked) -> list[BaseDelivery[Any]]:
        """Takes a revocation, and gives the deliveries that are lost by it."""
        reason = pb.RevokeReason.Name(frame.reason) if frame.reason in pb.RevokeReason.values() else "REVOKED"
        lost = [d for s in sequences_in(frame.ranges) if (d := self.held.get(s)) and not d.settled]
        reason = reason.removeprefix("REVOKE_REASON_")
        if lost:
            self._watch(EventKind.DELIVERIES_LOST, len(lost), reason)
        return self.lose(lost, reason)

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
        if pb.FEATURE_STARTED in self._features and not self.settled_when_sent:
            self._started.append(delivery.sequence)

    def settle(
        self, delivery: BaseDelivery[Any], verdict: str, delay: float | None = None, code: str = "", reason: str = ""
    ) -> None:
        """Ends a delivery; one that is settled or lost already stays as it is."""
        if delivery.settled:
            self._settle_late(delivery)
            return
        delivery.settled, delivery.acked = True, verdict == "ack"
        if self.settled_when_sent:
            late = errors.StaleDeliveryError(f"{delivery} was settled when it was sent", reason="STALE_DELIVERY")
            confirm(delivery, None if delivery.acked else late)
            delivery.end()
            return
        self._settles.add(delivery, verdict, delay, code, reason)

    def _settle_late(self, delivery: BaseDelivery[Any]) -> None:
        if not delivery.lost:
            confirm(delivery, errors.StaleDeliveryError(f"{delivery} was settled before", reason="STALE_DELIVERY"))
            return
        self._watch(EventKind.SETTLES_DROPPED, 1, delivery.lost)
        confirm(delivery, errors.StaleDeliveryError(f"{delivery} is lost", reason="STALE_DELIVERY"))

    @property
    def settling(self) -> bool:
        """Some settle is not confirmed."""
        return self._settles.open

    @property
    def empty(self) -> bool:
        """Nothing is held, and every settle is confirmed."""
        return not self.held and not self._settles.open

    def due(self, now: float) -> float:
        """Seconds until there is something to send."""
        if self._started and not self._settles.waiting:
            return 0.0
        return self._settles.due(now)

    def frames(self, *, flush: bool) -> list[pb.SubscribeRequest]:
        """The frames to send now; with flush what waits for company, too."""
        frames = self._settles.again()
        if self._started:
            alive = [s for s in self._started if (d := self.held.get(s)) and not d.lost]
            frames += [
                pb.SubscribeRequest(started=pb.SubscribeRequest.Started(ranges=r)) for r in chunks(to_ranges(alive))
            ]
            self._started = []
        return frames + self._settles.frames() if flush else frames

    def extends(self, now: float) -> list[pb.SubscribeRequest]:
        """Extends the leases of which a third is over."""
        if self._settles.full:
            return []
        part, cap = self.lease_seconds / _EXTEND_PART, self._extension_cap()
        due = [d for d in self.held.values() if not d.settled and self._leased(d) and now - d.leased_at >= part]
        due = [d for d in due if now - (d.started_at or d.held_since) < cap]
        for delivery in due:
            delivery.leased_at = now
        return [*self._settles.extends([d.sequence for d in due])]

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
