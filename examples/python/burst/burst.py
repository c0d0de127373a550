"""Publishes in a moment what its consumer needs ten times as long for.

The server keeps what the consumer has no room for: the publisher is not held up, the
consumer holds no more than its window and works at its own pace.
"""

import asyncio
import contextlib

import headrace
from headrace import aio
from headrace.v1 import subscription_pb2

REQUESTS = 300
WINDOW = 10
WORK_SECONDS = 0.005
"""How long the consumer takes for a request; one comes ten times as often."""


async def main() -> None:
    async with aio.Client() as client:
        await set_up(client)
        await asyncio.gather(consume(client), publish_and_watch(client))


async def set_up(client: aio.Client) -> None:
    with contextlib.suppress(headrace.errors.AlreadyExistsError):
        await client.topics.create("requests")
    with contextlib.suppress(headrace.errors.AlreadyExistsError):
        await client.subscriptions.create("consumer", "requests", order=subscription_pb2.DELIVERY_ORDER_NONE)


async def publish_and_watch(client: aio.Client) -> None:
    """Sends the burst, and looks at the subscription until its backlog is gone."""
    requests = client.topic("requests")
    for _ in range(REQUESTS):
        await requests.publish_async(b"request")
        await asyncio.sleep(WORK_SECONDS / 10)
    await client.flush()
    print("published", REQUESTS, "requests, all of them stored")
    held = 0
    while True:
        stats = await client.subscriptions.stats("consumer")
        held = max(held, stats.outstanding.messages)
        if stats.backlog.messages == 0:
            break
        await asyncio.sleep(0.01)
    print("the backlog is gone; the consumer never held more than its window:", str(held <= WINDOW).lower())


async def consume(client: aio.Client) -> None:
    """Takes its time for each request."""
    left = REQUESTS
    async with client.subscribe("consumer", max_messages=WINDOW) as deliveries:
        async for d in deliveries:
            await asyncio.sleep(WORK_SECONDS)  # the work
            d.ack()
            left -= 1
            if left == 0:
                break


asyncio.run(main())
