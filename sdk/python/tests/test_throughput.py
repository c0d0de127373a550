"""What the path of a message costs in calls, whatever the machine."""

import asyncio
import collections
import sys
from types import FrameType
from typing import Any

from headrace import aio
from headrace.testing import Server
from headrace.v1 import subscription_pb2

MESSAGES = 3000
TRANSPORT = ("/grpc/", "/headrace/_stream.py", "/headrace/_connection.py", "/headrace/v1/")


class Calls:
    """Counts the Python calls of the transport: gRPC's, and those of who speaks to it."""

    def __init__(self) -> None:
        self.by_name: collections.Counter[str] = collections.Counter()

    def __call__(self, frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        if event == "call" and any(part in code.co_filename for part in TRANSPORT):
            self.by_name[code.co_qualname if hasattr(code, "co_qualname") else code.co_name] += 1

    def __enter__(self) -> "Calls":
        sys.setprofile(self)
        return self

    def __exit__(self, *_: object) -> None:
        sys.setprofile(None)


def test_the_transport_is_called_for_batches_not_for_messages(server: Server) -> None:
    async def scenario() -> None:
        async with aio.Client(server.address) as c:
            await c.topics.create("orders")
            await c.subscriptions.create("billing", "orders", order=subscription_pb2.DELIVERY_ORDER_NONE)
            topic = c.topic("orders")
            with Calls() as publishing:
                results = [await topic.publish_async(b"x") for _ in range(MESSAGES)]
                await asyncio.gather(*results)
            with Calls() as receiving:
                received = 0
                async with c.subscribe("billing") as deliveries:
                    async for d in deliveries:
                        d.ack()
                        received += 1
                        if received == MESSAGES:
                            break
            for calls in (publishing, receiving):
                assert 0 < calls.by_name.total() < MESSAGES / 2, calls.by_name.most_common(5)
                assert calls.by_name.most_common(1)[0][1] < MESSAGES / 10, calls.by_name.most_common(5)

    asyncio.run(scenario())
