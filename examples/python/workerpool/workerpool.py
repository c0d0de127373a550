"""Gives 20 jobs to three workers that compete for them.

Start as many as you like, in as many processes: a subscription is SHARED unless it says
otherwise, and each job goes to one of them.
"""

import asyncio
import contextlib
import datetime

import headrace
from headrace import aio
from headrace.v1 import subscription_pb2

JOBS = 20
WORKERS = 3


async def main() -> None:
    async with aio.Client() as client:
        await set_up(client)
        jobs = client.topic("jobs")
        for n in range(1, JOBS + 1):
            await jobs.publish_async(str(n).encode())
        await client.flush()
        print(JOBS, "jobs for", WORKERS, "workers")
        results = await work(client)
        for n in range(1, JOBS + 1):
            print(n, "squared is", results[n])


async def set_up(client: aio.Client) -> None:
    """Jobs have no order, and one that fails comes again after a tenth of a second."""
    with contextlib.suppress(headrace.errors.AlreadyExistsError):
        await client.topics.create("jobs")
    with contextlib.suppress(headrace.errors.AlreadyExistsError):
        await client.subscriptions.create(
            "pool",
            "jobs",
            order=subscription_pb2.DELIVERY_ORDER_NONE,
            retry=subscription_pb2.RetryPolicy(min_backoff=datetime.timedelta(milliseconds=100)),
        )


async def work(client: aio.Client) -> dict[int, int]:
    """Runs the workers until every job is done."""
    results: dict[int, int] = {}

    async def worker() -> None:
        # A small window: a worker that is busy leaves the rest to the others.
        async with client.subscribe("pool", max_messages=2) as deliveries:
            async for d in deliveries:
                n = int(d.data)
                if n % 10 == 0 and d.attempt == 1:
                    d.retry(reason="out of luck")  # it comes again, perhaps to another worker
                    continue
                results[n] = n * n
                d.ack()
                if len(results) == JOBS:
                    for task in workers:
                        task.cancel()  # leaves the block of its subscriber, which drains

    workers = [asyncio.create_task(worker()) for _ in range(WORKERS)]
    for ended in await asyncio.gather(*workers, return_exceptions=True):
        if isinstance(ended, Exception):
            raise ended
    return results


asyncio.run(main())
