"""What a subscriber's task does: it keeps the stream open, grants credit, takes deliveries."""

from __future__ import annotations

import asyncio
import collections
import contextlib
from collections.abc import Callable
from typing import Any

from headrace import errors
from headrace._credit import ManualCredit
from headrace._delivery import BaseDelivery
from headrace._events import Event, EventKind, Hook
from headrace._inbox import Inbox
from headrace._session import Session
from headrace._stream import HEARTBEAT_SECONDS, StreamLoop, go_away_name
from headrace._subscribe_settings import SubscribeSettings
from headrace._window import Window
from headrace.v1 import stream_pb2
from headrace.v1 import subscriber_service_pb2 as pb

_FEATURES = (pb.FEATURE_RECALL, pb.FEATURE_STARTED, pb.FEATURE_RESUME, pb.FEATURE_DEAD_LETTERS)
_LEASE_LOOKS = 6
"""How many times a lease is looked at whether to extend it."""


class Receiver(StreamLoop):
    """The stream of one subscriber, its session, and what waits to be taken."""

    def __init__(
        self,
        open_stream: Callable[[], Any],
        subscription: str,
        settings: SubscribeSettings,
        *,
        client_id: str,
        connect_timeout: float,
        events: Hook,
        parse: Any,
        make: Callable[..., Any],
        bounded: bool = False,
    ) -> None:
        """:param parse: makes a payload of bytes; None: they stay bytes.
        :param make: the class of the deliveries.
        :param bounded: the window was set, so that it counts for credit by hand, too.
        """
        super().__init__(open_stream, connect_timeout, events)
        self._subscription = subscription
        self._settings = settings
        self._client_id = client_id
        self._window = settings.window or Window(settings.max_messages, settings.max_bytes)
        self._bounded = bounded or settings.window is not None
        self._size = self._window._now()
        """The window's size that the server was told."""
        self._session = Session(self._wake.set, self._size[0], settings.max_extension, make, parse, self._watch)
        self._inbox = Inbox()
        self.handed_over: collections.deque[Any] = collections.deque()
        """What the twin without asyncio has taken to its thread, and not begun."""
        self._credit: ManualCredit | None = None
        if settings.manual_credit is not None:
            self._give_by_hand(settings.manual_credit)
        self._takers: collections.deque[asyncio.Future[None]] = collections.deque()
        self._task: asyncio.Task[None] | None = None
        self._resuming: asyncio.TimerHandle | None = None
        self._drain_asked = self._drained = self._finished = self._moving = self._working_off = False
        self._error: errors.HeadraceError | None = None
        self._ordered_by = 0
        self._blocked_by: tuple[str, ...] = ()

    def _give_by_hand(self, ahead: int) -> None:
        self._credit = ManualCredit(ahead)
        self._inbox.weigh()

    async def _run(self) -> None:
        loop = asyncio.get_running_loop()

        def resized() -> None:
            with contextlib.suppress(RuntimeError):  # The loop is closed.
                loop.call_soon_threadsafe(self._wake.set)

        self._window._listen(resized)
        try:
            await super()._run()
        finally:
            self._window._leave(resized)

    def _offer(self) -> None:
        """Wakes those who wait for a delivery; each looks for itself."""
        while self._takers:
            if not (taker := self._takers.popleft()).done():
                taker.set_result(None)

    @property
    def subscription(self) -> str:
        """The subscription's full name."""
        return self._subscription

    @property
    def drain_timeout(self) -> float:
        """Seconds that deliveries may take to be settled after a stop."""
        return self._settings.drain_timeout

    def stop(self) -> None:
        """Asks for nothing more, and gives back what was not begun."""
        self._stopping = True
        self._give_back()
        if self._settings.release_on_stop:
            self._release()
        self._offer()
        self._wake.set()

    def _give_back(self) -> None:
        """What was not begun goes back at once, wherever it waits, if that can be: what is
        settled by its sending is worked off."""
        if self._session.settled_when_sent:
            return
        self._inbox.clear()
        self.handed_over.clear()
        for delivery in [*self._session.held.values()]:
            if delivery.started_at is None and not delivery.settled:
                self._session.settle(delivery, "release")

    def _release(self) -> None:
        """What was begun goes back, too."""
        begun = [d for d in self._session.held.values() if not d.settled]
        for delivery in begun:
            self._session.settle(delivery, "release")
        self._cancel(begun)

    def _wanted(self) -> bool:
        return True

    def _done(self) -> bool:
        return self._finished or self._error is not None

    def _leaves(self) -> bool:
        if self._working_off and not self._stopping:
            return self._session.empty
        return self._drained and not self._session.settling

    def _succeeded(self) -> bool:
        return self._moving

    def _open(self) -> pb.SubscribeRequest:
        s = self._settings
        self._resize()
        self._moving = self._drain_asked = self._drained = self._working_off = False
        frame = pb.SubscribeRequest.Open(
            subscription=self._subscription,
            client_id=self._client_id,
            labels=s.labels,
            features=_FEATURES,
            max_frame_bytes=s.max_frame_bytes,
            takeover=s.takeover and not self._ever_opened,
            resume=self._session.resume(),
        )
        if self._credit is None:
            frame.features.append(pb.FEATURE_KEY_BATCHES)
            frame.window.messages, frame.window.bytes = self._size
        else:  # Several messages of a key would use up credit that is meant for whoever waits.
            frame.replenish = pb.REPLENISH_MANUAL
        if s.lease is not None:
            frame.lease.FromNanoseconds(round(s.lease * 1e9))
        return pb.SubscribeRequest(open=frame)

    def _opened(self, frame: pb.SubscribeResponse) -> bool:
        if frame.WhichOneof("frame") != "opened":
            return False
        if self._resuming is not None:
            self._resuming.cancel()
            self._resuming = None
        self._ordered_by = frame.opened.ordered_by
        self._cancel(self._session.opened(frame.opened))
        self._inbox.go_on()
        if self._inbox:
            self._offer()
        if self._credit is not None:
            self._credit.opened(self._session.received_through, self._session.charged_bytes)
        resumed = frame.opened.HasField("resumed")
        kind = EventKind.SESSION_RESUMED if resumed else EventKind.SESSION_OPENED
        self._watch(kind, len(self._session.held), "")
        return True

    def _heartbeat(self) -> pb.SubscribeRequest:
        return pb.SubscribeRequest(heartbeat=stream_pb2.Heartbeat())

    def _next(self, now: float) -> tuple[list[pb.SubscribeRequest], float]:
        frames: list[pb.SubscribeRequest] = []
        if self._stopping and not self._drain_asked:
            self._drain_asked = True
            frames.append(self._drain_frame())
        if not self._stopping and not self._working_off and (credit := self._new_credit()):
            frames.append(credit)
        due = self._session.due(now)
        frames += self._session.frames(flush=due <= 0 or self._working_off)  # The stream is about to end.
        frames += self._session.extends(now)
        return frames, min(due, self._session.lease_seconds / _LEASE_LOOKS, HEARTBEAT_SECONDS)

    def _new_credit(self) -> pb.SubscribeRequest | None:
        """What the server is to know of the credit, or None: nothing new."""
        resized = self._resize()
        if self._credit is not None:
            return self._grant(self._credit)
        messages, size = self._size
        window = pb.SubscribeRequest.Window(messages=messages, bytes=size)
        return pb.SubscribeRequest(window=window) if resized else None

    def _resize(self) -> bool:
        """Takes up the window's size; false: it is the same."""
        before, self._size = self._size, self._window._now()
        self._session.resize(self._size[0])
        return self._size != before

    def _grant(self, credit: ManualCredit) -> pb.SubscribeRequest | None:
        messages, size = self._size
        return credit.grant(
            self._session.received_through,
            self._session.charged_bytes,
            asked=sum(not taker.done() for taker in self._takers),
            waiting=len(self._inbox),
            waiting_bytes=self._inbox.bytes,
            window=(messages if self._bounded else None, size),
        )

    def _drain_frame(self) -> pb.SubscribeRequest:
        frame = pb.SubscribeRequest(drain=pb.SubscribeRequest.Drain())
        frame.drain.grace.FromNanoseconds(round(self._settings.drain_timeout * 1e9))
        return frame

    def _take(self, frame: pb.SubscribeResponse, now: float) -> None:
        kind = frame.WhichOneof("frame")
        if kind == "batch":
            self._deliver(self._session.batch(frame.batch, now))
        elif kind == "settle_result":
            self._session.result(frame.settle_result)
            self._wake.set()
        elif kind == "flow_state":
            self._flow(frame.flow_state)
        elif kind == "recall":
            self._session.recall(frame.recall.ranges)
            self._wake.set()
        elif kind == "revoked":
            self._cancel(self._session.revoked(frame.revoked))
        elif kind == "drained":
            self._drained = True
            self._wake.set()
        elif kind == "go_away":
            self._go(frame.go_away.reason)

    def _deliver(self, deliveries: list[Any]) -> None:
        self._inbox.push(deliveries)
        if self._stopping:
            self._give_back()
        self._offer()

    def _flow(self, state: pb.SubscribeResponse.FlowState) -> None:
        blocked = tuple(_blocked(b) for b in state.blocked_by)
        if blocked != self._blocked_by:
            self._blocked_by = blocked
            self._watch(EventKind.FLOW_CHANGED, 0, ", ".join(blocked))

    def _go(self, reason: int) -> None:
        """The server wants the stream to end: what is here is worked off, as long as the server
        lets it; or another stream is to take all along."""
        self._working_off = reason == stream_pb2.GO_AWAY_REASON_SHUTDOWN or self._session.resume() is None
        self._moving = not self._working_off
        if self._moving:
            self._hold()
        self._watch(EventKind.GO_AWAY_RECEIVED, 0, go_away_name(reason))
        self._wake.set()

    def _over(self, error: errors.HeadraceError | None) -> errors.HeadraceError | None:
        if self._working_off and not self._stopping:
            if self._session.empty:
                self._end_session()
            error = error or errors.UnavailableError("the server asked for the end of the stream", retryable=True)
        if self._stopping and (error is None or not self._session.held):
            self._finished = True
            self._tell(Event(EventKind.SESSION_DRAINED, self._subscription, error))
        elif error is not None and self._credit is None and error.field == "replenish":
            self._give_by_hand(0)  # The subscription wants it so.
            return None
        self._wait_for_resume()
        return error

    def _hold(self) -> None:
        """Begins nothing until a stream is open, for nobody knows whether the session goes on;
        also of what a thread has taken over. What is settled by its sending is nobody else's,
        whatever becomes of the session."""
        if self._session.settled_when_sent:
            return
        self._inbox.hold()
        with contextlib.suppress(IndexError):  # A thread takes of it, too.
            while True:
                self._inbox.put_back(self.handed_over.pop())

    def _wait_for_resume(self) -> None:
        """Ends the session when nobody can take it up any more; nothing is begun meanwhile."""
        self._hold()
        seconds = self._session.resume_seconds
        if seconds <= 0:
            self._end_session()
        elif self._resuming is None:
            self._resuming = asyncio.get_running_loop().call_later(seconds, self._end_session)

    def _end_session(self) -> None:
        if self._resuming is not None:
            self._resuming.cancel()
            self._resuming = None
        self._session.session_id = ""
        self._cancel(self._session.begin_anew())

    def _broken(self, error: errors.HeadraceError, wait: float) -> None:
        self._tell(Event(EventKind.SESSION_BROKEN, self._subscription, error, wait))

    def _give_up(self, error: errors.HeadraceError, *, for_good: bool) -> None:
        self._error = error
        if not self._session.settled_when_sent:
            self._inbox.clear()
        self._cancel(self._session.begin_anew())
        self._offer()

    def _watch(self, kind: EventKind, count: int, detail: str) -> None:
        self._tell(Event(kind, self._subscription, count=count, detail=detail))

    def _cancel(self, lost: list[BaseDelivery[Any]]) -> None:
        for delivery in lost:
            if delivery.handler is not None:
                delivery.handler.cancel()


def _blocked(reason: int) -> str:
    if reason in pb.BlockedBy.values():
        return pb.BlockedBy.Name(reason).removeprefix("BLOCKED_BY_")
    return f"REASON_{reason}"
