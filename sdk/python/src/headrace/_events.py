"""What happens to a client's streams, for those who watch."""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Callable

from headrace import errors


class EventKind(enum.Enum):
    """What happened to a stream."""

    PUBLISH_OPENED = "publish opened"
    """The publish stream is open."""
    PUBLISH_BROKEN = "publish broken"
    """The publish stream broke: ``error`` says why. It is opened again after ``wait``."""
    SESSION_OPENED = "session opened"
    """A subscriber's session began. Handlers of one before it that broke are cancelled."""
    SESSION_RESUMED = "session resumed"
    """A subscriber's session goes on over another stream, with ``count`` deliveries that it
    still holds; their handlers never noticed."""
    SESSION_BROKEN = "session broken"
    """The stream of a subscriber's session broke: ``error`` says why. Another is opened after
    ``wait``. Handlers go on where the session can be taken up again."""
    SESSION_DRAINED = "session drained"
    """A subscriber's session ended because it was stopped; ``error`` is None when it ended in
    order."""
    GO_AWAY_RECEIVED = "go away"
    """The server asked for the end of a stream; ``detail`` is its reason, such as SHUTDOWN."""
    DELIVERIES_LOST = "deliveries lost"
    """``count`` deliveries were revoked; ``detail`` is the reason, such as LEASE_EXPIRED."""
    DELIVERIES_RECALLED = "deliveries recalled"
    """``count`` deliveries that nobody had begun were given back, for another subscriber had
    nothing to do."""
    SETTLES_DROPPED = "settles dropped"
    """``count`` deliveries were settled after they had been lost. Nothing is sent of that; the
    messages come again."""
    SETTLES_FAILED = "settles failed"
    """``count`` deliveries could not be settled or extended because they were stale; the
    messages may come again."""
    FLOW_CHANGED = "flow changed"
    """Why deliveries do not come has changed; ``detail`` lists the causes, such as NO_MESSAGES,
    the first one first, and is empty when they can come."""


@dataclasses.dataclass(frozen=True, slots=True)
class Event:
    """A change in the state of a stream.

    :ivar kind: what happened.
    :ivar subscription: the subscription's full name; empty for the publish stream.
    :ivar error: why a stream broke, or None.
    :ivar wait: seconds before a stream is opened again.
    :ivar count: how many deliveries it is about.
    :ivar detail: what the kind says.
    """

    kind: EventKind
    subscription: str = ""
    error: errors.HeadraceError | None = None
    wait: float = 0.0
    count: int = 0
    detail: str = ""


Hook = Callable[[Event], None]
"""What is called with each event, on the client's event loop; it must not block."""


def silent(_: Event) -> None:
    """The hook of a client that nobody watches."""
