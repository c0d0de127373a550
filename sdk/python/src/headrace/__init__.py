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

from headrace import aio, errors
from headrace._batch import MessageId
from headrace._client import Client, Delivery, Subscriber, Subscriptions, Topic, Topics
from headrace._message import Message, Payload, Position
from headrace._outbox import BatchLimits
from headrace._publisher import PublishSettings
from headrace._subscriber import SubscribeSettings
from headrace.errors import HeadraceError

__all__ = [
    "BatchLimits",
    "Client",
    "Delivery",
    "HeadraceError",
    "Message",
    "MessageId",
    "Payload",
    "Position",
    "PublishSettings",
    "SubscribeSettings",
    "Subscriber",
    "Subscriptions",
    "Topic",
    "Topics",
    "aio",
    "errors",
]
