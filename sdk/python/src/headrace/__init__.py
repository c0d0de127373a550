"""The Python client of Headrace, a message service that pushes.

::

    with headrace.Client("localhost:7070") as c:
        c.topic("orders").publish(b"two loaves").result()
        with c.subscribe("billing") as deliveries:
            for d in deliveries:
                print(d.data)
                d.ack()

:mod:`headrace.aio` has the same for asyncio.

A publish whose result came is stored as its topic's durability says. The client sends
a message again by itself, and never stores one twice. A delivery is repeated until it
is acked: at least once, unless the subscription says otherwise.
"""

from headrace import _fork, aio, errors  # _fork first: it imports gRPC as a fork can bear it.
from headrace._batch import MessageId
from headrace._client import Client, Delivery, Subscriber, Subscription, Subscriptions, Topic, Topics
from headrace._connection import Tls
from headrace._events import Event, EventKind
from headrace._message import Message, Payload, Position
from headrace._outbox import BatchLimits
from headrace._places import (
    SeekResult,
    SeekTarget,
    Start,
    from_earliest,
    from_latest,
    from_positions,
    from_time,
    to_end,
    to_positions,
    to_snapshot,
    to_start,
    to_time,
)
from headrace._publisher import PublishSettings
from headrace._pull import Pulled, TokenFailure
from headrace._subscribe_settings import SubscribeSettings
from headrace._window import Window
from headrace.errors import (
    AbortedError,
    AccessDeniedError,
    AlreadyExistsError,
    BufferFullError,
    ClosedError,
    DataLossError,
    FailedPreconditionError,
    ForkedError,
    HeadraceError,
    InternalError,
    InvalidArgumentError,
    NotFoundError,
    OutOfRangeError,
    ResourceExhaustedError,
    StaleDeliveryError,
    UnavailableError,
    UnknownOutcomeError,
)

assert _fork  # Nothing more is asked of it here.

__all__ = [
    "AbortedError",
    "AccessDeniedError",
    "AlreadyExistsError",
    "BatchLimits",
    "BufferFullError",
    "Client",
    "ClosedError",
    "DataLossError",
    "Delivery",
    "Event",
    "EventKind",
    "FailedPreconditionError",
    "ForkedError",
    "HeadraceError",
    "InternalError",
    "InvalidArgumentError",
    "Message",
    "MessageId",
    "NotFoundError",
    "OutOfRangeError",
    "Payload",
    "Position",
    "PublishSettings",
    "Pulled",
    "ResourceExhaustedError",
    "SeekResult",
    "SeekTarget",
    "StaleDeliveryError",
    "Start",
    "SubscribeSettings",
    "Subscriber",
    "Subscription",
    "Subscriptions",
    "Tls",
    "TokenFailure",
    "Topic",
    "Topics",
    "UnavailableError",
    "UnknownOutcomeError",
    "Window",
    "aio",
    "errors",
    "from_earliest",
    "from_latest",
    "from_positions",
    "from_time",
    "to_end",
    "to_positions",
    "to_snapshot",
    "to_start",
    "to_time",
]
