"""What both streams share: reading frames, heartbeats, silence."""

from __future__ import annotations

import asyncio
from typing import Any

import grpc

from headrace import errors

HEARTBEAT_SECONDS = 10.0
"""How often each side speaks, at least."""
SILENCE_SECONDS = 3 * HEARTBEAT_SECONDS
"""After three missed heartbeats the server is taken for dead."""

_END: Any = getattr(grpc.aio, "EOF")  # noqa: B009  The published types lack it.


class Ear:
    """When both sides last spoke, and whether the server asked for the end.

    Until the first frame comes the server counts as heard when the ear was made.
    """

    def __init__(self) -> None:
        now = asyncio.get_running_loop().time()
        self._heard_at = self._spoke_at = now
        self.leaving = False

    def heard(self, now: float) -> None:
        """A frame came."""
        self._heard_at = now

    def spoke(self, now: float) -> None:
        """A frame goes out."""
        self._spoke_at = now

    def next_beat(self, now: float) -> float:
        """Seconds until a heartbeat is due."""
        return max(0.0, self._spoke_at + HEARTBEAT_SECONDS - now)

    def beat_due(self, now: float) -> bool:
        """Nothing was sent for so long that a heartbeat is due."""
        return self.next_beat(now) <= 0

    def check_silence(self, now: float) -> None:
        """Raises when the server has been silent for too long."""
        if now - self._heard_at > SILENCE_SECONDS:
            raise errors.UnavailableError(f"the server was silent for {SILENCE_SECONDS:.0f} s", retryable=True)


async def read_frame(call: Any, timeout: float | None = None) -> Any:
    """The next frame, or None at the end of a stream that ended in order."""
    try:
        frame = await asyncio.wait_for(call.read(), timeout)
    except asyncio.TimeoutError:
        raise errors.UnavailableError(f"no answer within {timeout:.0f} s", retryable=True) from None
    return None if frame is _END else frame


async def write_frame(call: Any, frame: Any, receiver: asyncio.Task[None]) -> None:
    """Writes a frame. A failed write says little: the status comes from the receiver."""
    try:
        await call.write(frame)
    except (grpc.aio.AioRpcError, asyncio.InvalidStateError) as error:
        await asyncio.wait({receiver}, timeout=1)
        if receiver.done() and not receiver.cancelled():
            receiver.result()
        raise errors.UnavailableError(f"the stream broke: {error}", retryable=True) from error
