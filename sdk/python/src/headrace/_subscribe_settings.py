"""How a subscriber receives."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from headrace._window import Window


@dataclasses.dataclass(frozen=True, slots=True)
class SubscribeSettings:
    """How a subscriber receives.

    :ivar max_messages: held unsettled at most, at least 1; default 1,000.
    :ivar max_bytes: the same in bytes of encoded messages, at least 1; a larger message comes
        alone. Default: 64 MiB.
    :ivar window: the two as a :class:`headrace.Window`, which can be resized while the
        subscriber uses it, and counts instead of them. Default: a window that stays.
    :ivar manual_credit: credit is given by hand: one delivery for each handler that has
        nothing to do, or when the iteration asks for the next, and this many more, which wait
        in the client. What was asked for and is not begun never passes the window in bytes,
        and where ``max_messages``, ``max_bytes`` or ``window`` set one also in messages. A
        subscription that delivers at most once is always received so, with 0 unless this says
        otherwise: what waits here when the program dies is lost. Default: the server
        replenishes as deliveries are settled.
    :ivar lease: seconds of a delivery's work lease, 1 to 43,200; None: the subscription's.
    :ivar max_extension: seconds that a delivery is extended at most; None: the
        subscription's ``max_lease``.
    :ivar drain_timeout: seconds that deliveries may take to be settled after a stop.
    :ivar release_on_stop: a stop cancels handlers at once, and gives back what they hold; no
        attempt is charged. Default: they may finish.
    :ivar takeover: take the place of an exclusive subscription's session.
    :ivar labels: free, for the server's statistics.
    :ivar max_frame_bytes: the largest frame to receive; raise it for topics whose
        messages are larger. Default 4,128,768.
    """

    max_messages: int = 1_000
    max_bytes: int = 64 << 20
    manual_credit: int | None = None
    lease: float | None = None
    max_extension: float | None = None
    drain_timeout: float = 30.0
    release_on_stop: bool = False
    takeover: bool = False
    labels: Mapping[str, str] = dataclasses.field(default_factory=dict)
    max_frame_bytes: int = 0
    window: Window | None = None
