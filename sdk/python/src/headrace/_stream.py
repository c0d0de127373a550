"""A stream that is kept open: opened, spoken and listened to, opened again when it breaks."""

from __future__ import annotations

import abc
import asyncio
import contextlib
import dataclasses
import logging
from collections.abc import Callable
from typing import Any

import grpc

from headrace import errors
from headrace._backoff import Backoff
from headrace._events import Event, Hook
from headrace.v1 import stream_pb2

HEARTBEAT_SECONDS = 10.0
"""How often each side speaks, at least."""
SILENCE_SECONDS = 3 * HEARTBEAT_SECONDS
"""After three missed heartbeats the server is taken for dead."""

_END: Any = getattr(grpc.aio, "EOF")  # noqa: B009  The published types lack it.
_log = logging.getLogger("headrace")


def go_away_name(reason: int) -> str:
    """Why a server asks for the end of a stream, without the prefix of the contract."""
    if reason in stream_pb2.GoAwayReason.values():
        return stream_pb2.GoAwayReason.Name(reason).removeprefix("GO_AWAY_REASON_")
    return f"REASON_{reason}"


class Ear:
    """When both sides of a stream last spoke.

    Until the first frame comes the server counts as heard when the ear was made.
    """

    def __init__(self) -> None:
        now = asyncio.get_running_loop().time()
        self._heard_at = self._spoke_at = now

    def heard(self, now: float) -> None:
        """A frame came."""
        self._heard_at = now

    def spoke(self, now: float) -> None:
        """A frame goes out."""
        self._spoke_at = now

    def next_beat(self, now: float) -> float:
        """Seconds until a heartbeat is due."""
        return max(0.0, self._spoke_at + HEARTBEAT_SECONDS - now)

    def check_silence(self, now: float) -> None:
        """Raises when the server has been silent for too long."""
        if now - self._heard_at > SILENCE_SECONDS:
            raise errors.UnavailableError(f"the server was silent for {SILENCE_SECONDS:.0f} s", retryable=True)


@dataclasses.dataclass(slots=True)
class _Line:
    """An open stream."""

    call: Any
    ear: Ear
    receiver: asyncio.Task[None] | None = None

    async def hang_up(self) -> None:
        """Ends the stream, if it has not ended."""
        self.call.cancel()
        if self.receiver is not None:
            self.receiver.cancel()
            await asyncio.wait({self.receiver})


class StreamLoop(abc.ABC):
    """Keeps one stream open. One task runs it; what the stream is for its heirs say."""

    def __init__(self, open_stream: Callable[[], Any], connect_timeout: float, events: Hook) -> None:
        """:param open_stream: makes the call.
        :param connect_timeout: seconds that the first use may take, and an answer.
        """
        self._open_stream = open_stream
        self._connect_timeout = connect_timeout
        self._events = events
        self._wake = asyncio.Event()
        self._stopping = False
        self._ever_opened = False
        self._old: _Line | None = None

    @abc.abstractmethod
    def _open(self) -> Any:
        """The first frame to send."""

    @abc.abstractmethod
    def _opened(self, frame: Any) -> bool:
        """Takes the first frame; false when it is not Opened."""

    @abc.abstractmethod
    def _take(self, frame: Any, now: float) -> None:
        """Takes another frame."""

    @abc.abstractmethod
    def _next(self, now: float) -> tuple[list[Any], float]:
        """The frames to send now, and when there are none: for how many seconds."""

    @abc.abstractmethod
    def _heartbeat(self) -> Any:
        """What is sent when there is nothing else."""

    @abc.abstractmethod
    def _wanted(self) -> bool:
        """There is reason to have a stream."""

    @abc.abstractmethod
    def _done(self) -> bool:
        """Everything is done, and no stream is needed any more."""

    @abc.abstractmethod
    def _leaves(self) -> bool:
        """The stream is done with: it is half-closed, and the server ends it."""

    def _succeeded(self) -> bool:
        """Another stream is to take this one's place, which stays open until then."""
        return False

    def _over(self, error: errors.HeadraceError | None) -> errors.HeadraceError | None:
        """The stream has ended; None: in order. Gives what is to be recovered from; None:
        nothing."""
        return error

    @abc.abstractmethod
    def _broken(self, error: errors.HeadraceError, wait: float) -> None:
        """Another stream will be opened after so many seconds."""

    @abc.abstractmethod
    def _give_up(self, error: errors.HeadraceError, *, for_good: bool) -> None:
        """No stream can be had: for good, or until there is reason again."""

    def _tell(self, event: Event) -> None:
        """Tells who watches. What they raise is theirs, and ends nothing."""
        try:
            self._events(event)
        except Exception:
            _log.exception("the hook for events failed at %s", event)

    async def _run(self) -> None:
        try:
            await self._keep_open()
        finally:
            await self._retire()

    async def _keep_open(self) -> None:
        backoff = Backoff()
        loop = asyncio.get_running_loop()
        unreachable_at: float | None = None
        while not self._done():
            if not self._wanted():
                unreachable_at = None
                self._wake.clear()
                await self._wake.wait()
                continue
            unreachable_at = unreachable_at or loop.time() + self._connect_timeout
            error = await self._stream_once(backoff)
            if self._old is None:
                error = self._over(error)
            if error is not None and not self._done():
                late = not self._ever_opened and loop.time() > unreachable_at
                await self._recover(error, backoff, late=late)
                unreachable_at = None if late else unreachable_at

    async def _recover(self, error: errors.HeadraceError, backoff: Backoff, *, late: bool) -> None:
        if errors.ends_stream(error):
            self._give_up(error, for_good=True)
        elif late:
            self._give_up(errors.unreachable(error), for_good=False)
        else:
            wait = backoff.wait(error.retry_after)
            self._broken(error, wait)
            await self._pause(wait)

    async def _pause(self, seconds: float) -> None:
        """Waits, but not beyond the moment at which the loop is to stop."""
        loop = asyncio.get_running_loop()
        until, before = loop.time() + seconds, self._stopping
        while self._stopping == before and (left := until - loop.time()) > 0:
            self._wake.clear()
            with contextlib.suppress(asyncio.TimeoutError):
                await asyncio.wait_for(self._wake.wait(), left)

    async def _stream_once(self, backoff: Backoff) -> errors.HeadraceError | None:
        """Uses one stream until it ends; None when it ended in order."""
        line = _Line(self._open_stream(), Ear())
        try:
            first = await self._greet(line)
            if first is None or not self._opened(first):
                return errors.HeadraceError("the server's first frame is not Opened")
            await self._retire()
            backoff.reset()
            self._ever_opened = True
            line.receiver = asyncio.create_task(self._receive(line), name="headrace-receive")
            await self._speak(line)
            if self._succeeded():
                self._old = line
            return None
        except (grpc.aio.AioRpcError, errors.HeadraceError, asyncio.InvalidStateError) as error:
            await self._retire()
            return errors.from_rpc_error(error)
        finally:
            if self._old is not line:
                await line.hang_up()

    async def _greet(self, line: _Line) -> Any:
        """Says the first word, and gives the answer."""

        async def greet() -> Any:
            await line.call.write(self._open())
            return await _read(line.call)

        try:
            return await asyncio.wait_for(greet(), self._connect_timeout)
        except asyncio.TimeoutError:
            text = f"no answer within {self._connect_timeout:.0f} s"
            raise errors.UnavailableError(text, retryable=True) from None

    async def _retire(self) -> None:
        """Ends the stream before this one, whose place it took."""
        if (old := self._old) is not None:
            self._old = None
            await old.hang_up()

    async def _speak(self, line: _Line) -> None:
        loop = asyncio.get_running_loop()
        assert line.receiver is not None
        while not self._leaves():
            self._wake.clear()
            if line.receiver.done():
                line.receiver.result()
                raise errors.UnavailableError("the server ended the stream", retryable=True)
            if self._succeeded():
                return
            now = loop.time()
            frames, wait = self._next(now)
            if not frames and line.ear.next_beat(now) <= 0:
                frames = [self._heartbeat()]
            for frame in frames:
                line.ear.spoke(now)
                await _write(line, frame)
            if not frames:
                line.ear.check_silence(now)
                timer = loop.call_later(min(wait, line.ear.next_beat(now)), self._wake.set)
                await self._wake.wait()
                timer.cancel()
        await line.call.done_writing()
        await asyncio.wait({line.receiver}, timeout=self._connect_timeout)
        if line.receiver.done():
            line.receiver.result()

    async def _receive(self, line: _Line) -> None:
        loop = asyncio.get_running_loop()
        try:
            while (frame := await _read(line.call)) is not None:
                now = loop.time()
                line.ear.heard(now)
                self._take(frame, now)
        finally:
            self._wake.set()


async def _read(call: Any) -> Any:
    """The next frame, or None at the end of a stream that ended in order."""
    frame = await call.read()
    return None if frame is _END else frame


async def _write(line: _Line, frame: Any) -> None:
    """Writes a frame. A failed write says little: the status comes from the receiver."""
    try:
        await line.call.write(frame)
    except (grpc.aio.AioRpcError, asyncio.InvalidStateError) as error:
        assert line.receiver is not None
        await asyncio.wait({line.receiver}, timeout=1)
        if line.receiver.done() and not line.receiver.cancelled():
            line.receiver.result()
        raise errors.UnavailableError(f"the stream broke: {error}", retryable=True) from error
