"""The asynchronous client, against the real server."""

import asyncio
import collections

import headrace
import pytest
from headrace import aio, errors
from headrace.testing import Server
from headrace.v1 import subscription_pb2


async def prepare(c: aio.Client, **fields: object) -> aio.Topic:
    await c.topics.create("orders")
    fields.setdefault("order", subscription_pb2.DELIVERY_ORDER_NONE)
    await c.subscriptions.create("billing", "orders", **fields)
    return c.topic("orders")


def test_publish_and_iterate(server: Server) -> None:
    async def scenario() -> None:
        async with aio.Client(server.address) as c:
            topic = await prepare(c)
            accepted = [await topic.publish_async(b"%d" % n) for n in range(100)]
            assert [str(i) for i in await asyncio.gather(*accepted)] == [f"0-{n}" for n in range(100)]
            got = []
            async with c.subscribe("billing", max_messages=10) as deliveries:
                async for d in deliveries:
                    got.append(int(d.data))
                    d.ack()
                    if len(got) == 100:
                        break
            assert got == list(range(100))
            assert (await c.subscriptions.stats("billing")).backlog.messages == 0
            assert [t.name async for t in c.topics.list()] == ["default/orders"]

    asyncio.run(scenario())


def test_a_cancelled_iteration_drains_and_keeps_its_settles(server: Server) -> None:
    async def scenario() -> None:
        async with aio.Client(server.address) as c:
            topic = await prepare(c)
            acked = asyncio.Event()
            await topic.publish(b"one")

            async def work() -> None:
                async with c.subscribe("billing") as deliveries:
                    async for d in deliveries:
                        d.ack()
                        acked.set()

            worker = asyncio.create_task(work())
            await acked.wait()
            await asyncio.sleep(0)  # It waits for the next one.
            worker.cancel()
            with pytest.raises(asyncio.CancelledError):
                await worker
            stats = await c.subscriptions.stats("billing")
            assert (stats.backlog.messages, stats.acked, len(stats.sessions)) == (0, 1, 0)

    asyncio.run(scenario())


def test_the_order_of_a_key_is_kept_through_a_retry(server: Server) -> None:
    async def scenario() -> None:
        async with aio.Client(server.address) as c:
            topic = await prepare(c, order=subscription_pb2.DELIVERY_ORDER_KEY)
            for n in range(60):
                await topic.publish_async(headrace.Message(b"%d" % n, ordering_key=f"key {n % 3}"))
            await c.flush()
            done: dict[str, list[int]] = collections.defaultdict(list)
            running: collections.Counter[str] = collections.Counter()
            finished = asyncio.Event()

            async def handle(d: aio.Delivery[bytes]) -> None:
                running[d.ordering_key] += 1
                assert running[d.ordering_key] == 1
                await asyncio.sleep(0)
                running[d.ordering_key] -= 1
                if d.data == b"6" and d.attempt == 1:
                    d.retry(0.1)
                    raise ValueError("the head of its key fails once")
                done[d.ordering_key].append(int(d.data))
                if sum(map(len, done.values())) == 60:
                    finished.set()

            worker = asyncio.create_task(c.receive("billing", handle, concurrency=8))
            await finished.wait()
            worker.cancel()
            await asyncio.wait({worker})
            assert done == {f"key {n}": list(range(n, 60, 3)) for n in range(3)}

    asyncio.run(scenario())


def test_sigterm_with_busy_handlers_charges_no_attempt(server: Server) -> None:
    async def scenario() -> None:
        async with aio.Client(server.address) as c:
            topic = await prepare(c)
            for _ in range(200):
                await topic.publish_async(b"x")
            await c.flush()
            begun, goes_on = asyncio.Event(), asyncio.Event()
            attempts: list[int] = []
            ids: set[str] = set()

            async def handle(d: aio.Delivery[bytes]) -> None:
                attempts.append(d.attempt)
                begun.set()
                await goes_on.wait()
                ids.add(d.id)

            worker = asyncio.create_task(c.receive("billing", handle, concurrency=5))
            await begun.wait()
            server.terminate()
            await asyncio.sleep(0.1)
            goes_on.set()
            await asyncio.get_running_loop().run_in_executor(None, server.wait)
            server.start()
            while len(ids) < 200:
                await asyncio.sleep(0.05)
            worker.cancel()
            await asyncio.wait({worker})
            assert set(attempts) == {1}
            assert len(attempts) == 200
            stats = await c.subscriptions.stats("billing")
            assert (stats.backlog.messages, stats.expired, stats.dead_letters) == (0, 0, 0)

    asyncio.run(scenario())


def test_a_lost_delivery_cancels_its_handler(server: Server) -> None:
    async def scenario() -> None:
        async with aio.Client(server.address) as c:
            topic = await prepare(c, mode=subscription_pb2.SUBSCRIPTION_MODE_EXCLUSIVE)
            await topic.publish(b"x")
            begun = asyncio.Event()
            lost: list[str] = []

            async def handle(d: aio.Delivery[bytes]) -> None:
                begun.set()
                try:
                    await asyncio.Event().wait()
                finally:
                    lost.append(d.lost)

            worker = asyncio.create_task(c.receive("billing", handle))
            await begun.wait()
            async with c.subscribe("billing", takeover=True) as second:
                d = await anext(second)
                await d.ack_confirmed()
            with pytest.raises(errors.FailedPreconditionError):
                await worker
            assert lost == ["TAKEOVER"]

    asyncio.run(scenario())


def test_a_confirmation_that_comes_too_late_says_so(server: Server) -> None:
    async def scenario() -> None:
        async with aio.Client(server.address) as c:
            topic = await prepare(c)
            await topic.publish(b"x")
            async with c.subscribe("billing", lease=1, max_extension=0) as deliveries:
                first = await anext(deliveries)
                second = await anext(deliveries)  # When the lease is over.
                assert (first.lost, second.attempt) == ("LEASE_EXPIRED", 2)
                with pytest.raises(errors.StaleDeliveryError):
                    await first.ack_confirmed()
                await second.ack_confirmed()

    asyncio.run(scenario())


def test_what_blocks_a_subscriber_is_told(server: Server) -> None:
    async def scenario() -> None:
        async with aio.Client(server.address) as c:
            topic = await prepare(c)
            await topic.publish(b"x")
            await topic.publish(b"y")
            async with c.subscribe("billing", max_messages=1) as deliveries:
                d = await anext(deliveries)
                while deliveries.blocked_by != ("NO_CREDIT_MESSAGES",):
                    await asyncio.sleep(0.05)
                d.ack()

    asyncio.run(scenario())
