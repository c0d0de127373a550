"""Publishes or receives messages with the Python SDK, for the runner two folders up.

See the program in Go for its arguments and what it prints.
"""

from __future__ import annotations

import asyncio
import collections
import sys

from headrace import MessageId, aio


async def main(mode: str, name: str, *numbers: str) -> None:
    """Does what the arguments say."""
    count, warmup, size, in_flight = map(int, numbers)
    async with aio.Client.from_env() as client:
        if mode == "publish":
            await publish(client.topic(name), count, warmup, bytes(size), in_flight)
        else:
            await receive(client, name, count, warmup, in_flight)
        print("end", flush=True)


async def publish(topic: aio.Topic, count: int, warmup: int, body: bytes, in_flight: int) -> None:
    """Has messages in flight, and waits for the oldest before it sends the next."""
    results: collections.deque[asyncio.Future[MessageId]] = collections.deque()
    for i in range(count):
        if i == warmup:
            print("begin", flush=True)
        if len(results) == in_flight:
            await results.popleft()
        results.append(await topic.publish_async(body))
    for result in results:
        await result


async def receive(client: aio.Client, name: str, count: int, warmup: int, window: int) -> None:
    """Acks messages as they come; it ends when the acks are stored."""
    received = 0
    async with client.subscribe(name, max_messages=window) as deliveries:
        async for d in deliveries:
            d.ack()
            received += 1
            if received == warmup:
                print("begin", flush=True)
            if received == count:
                break


asyncio.run(main(*sys.argv[1:]))
