"""How a subscriber receives."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping


@dataclasses.dataclass(frozen=True, slots=True)
class SubscribeSettings:
    """How a subscriber receives.

    :ivar max_messages: held unsettled at most; default 1,000.
    :ivar max_bytes: the same in bytes; default 64 MiB.
    :ivar manual_credit: credit is given by hand: one delivery for each handler that has
        nothing to do, or when the iteration asks for the next, and this many more, which wait
        in the client; ``max_messages`` does not count then. A subscription that delivers at
        most once is always received so, with 0 unless this says otherwise: what waits here
        when the program dies is lost. Default: the server replenishes as deliveries are
        settled.
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
