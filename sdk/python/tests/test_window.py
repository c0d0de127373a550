"""A window that is resized while subscribers use it, against a scripted server (rule 1)."""

import asyncio
import threading
from collections.abc import Awaitable, Callable
from typing import Any

import headrace
import pytest
from headrace import aio, errors
from headrace._credit import ManualCredit
from headrace.testing import Server
from headrace.v1 import subscriber_service_pb2 as pb
from scripted import Script, Stream, playing

BYTES = 1 << 20
CHARGED = 5
"""What a message of one byte charges: its field, and that of its data."""


def play(scene: Callable[[Script, aio.Client], Awaitable[None]]) -> None:
    async def run() -> None:
        async with playing() as (script, client):
            await scene(script, client)

    asyncio.run(asyncio.wait_for(run(), 60))


def sizes(*windows: pb.SubscribeRequest.Window) -> list[tuple[int, int]]:
    return [(w.messages, w.bytes) for w in windows]


async def granted(stream: Stream) -> tuple[int, int]:
    grant = await stream.next("grant")
    return grant.through_sequence, grant.through_bytes


async def leave(stream: Stream, *tasks: asyncio.Task[Any]) -> None:
    """Lets go who holds nothing."""
    for task in tasks:
        task.cancel()
    await stream.drain()
    await asyncio.wait(tasks)


@pytest.mark.parametrize(("messages", "size", "field"), [(0, 1, "window.messages"), (1, 0, "window.bytes")])
def test_a_window_has_at_least_one_message_and_one_byte(messages: int, size: int, field: str) -> None:
    w = headrace.Window(7, 100)
    for call in (lambda: headrace.Window(messages, size), lambda: w.resize(messages, size)):
        with pytest.raises(errors.InvalidArgumentError) as e:
            call()
        assert (e.value.reason, e.value.field) == ("INVALID_FIELD", field)
    assert (w.messages, w.bytes, repr(w)) == (7, 100, "<Window of 7 messages, 100 bytes>")
    default = headrace.Window()
    assert (default.messages, default.bytes) == (1_000, 64 << 20)


def test_a_fixed_window_has_the_same_bounds() -> None:
    with headrace.Client() as c, pytest.raises(errors.InvalidArgumentError):
        c.subscribe("billing", max_messages=0)


def test_a_window_is_resized_while_a_session_lives() -> None:
    async def scene(script: Script, client: aio.Client) -> None:
        w = headrace.Window(50, BYTES)
        waits = asyncio.create_task(client.receive("billing", handle, window=w))
        stream, asked = await script.opens()
        assert sizes(asked.window) == [(50, BYTES)]
        w.resize(100, 2 * BYTES)
        assert sizes(await stream.next("window")) == [(100, 2 * BYTES)]
        w.resize(5, 1_000)
        assert sizes(await stream.next("window")) == [(5, 1_000)]
        w.resize(5, 1_000)  # It is that already.
        w.resize(1, 1)
        w.resize(6, 1_000)  # Before the loop turns: of several only the newest is told.
        assert sizes(await stream.next("window")) == [(6, 1_000)]
        waits.cancel()
        assert (await stream.next("window", "drain")) == pb.SubscribeRequest.Drain(grace={"seconds": 30})
        stream.send(drained=pb.SubscribeResponse.Drained())
        stream.end()

    play(scene)


async def handle(_: aio.Delivery[bytes]) -> None:
    """Acks."""


def test_a_handler_resizes_the_windows_of_several_subscribers() -> None:
    async def scene(script: Script, client: aio.Client) -> None:
        w = headrace.Window(50, BYTES)

        async def shrink(_: aio.Delivery[bytes]) -> None:
            w.resize(10, BYTES)

        tasks = [asyncio.create_task(client.receive(name, shrink, window=w)) for name in ("one", "two")]
        streams = [(await script.opens())[0] for _ in tasks]
        streams[0].batch(1, b"a")
        for stream in streams:
            assert sizes(await stream.next("window")) == [(10, BYTES)]
        await streams[0].next("settle")
        streams[0].confirm(1)
        for task in tasks:
            task.cancel()
        for stream in streams:
            await stream.drain()
        await asyncio.wait(tasks)
        w.resize(11, BYTES)  # Nobody listens any more.

    play(scene)


def test_any_thread_resizes_and_the_twin_has_it_too() -> None:
    async def scene(script: Script, _: aio.Client) -> None:
        w = headrace.Window(50, BYTES)

        def receive() -> None:
            with headrace.Client(script.address) as c, c.subscribe("billing", window=w) as deliveries:
                next(deliveries).ack()

        receiving = asyncio.get_running_loop().run_in_executor(None, receive)
        stream, asked = await script.opens()
        assert sizes(asked.window) == [(50, BYTES)]
        threads = [threading.Thread(target=w.resize, args=(n, BYTES)) for n in (60, 70)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        while sizes(await stream.next("window")) != [(w.messages, BYTES)]:
            pass
        stream.batch(1, b"a")
        assert {type(await stream.next("settle", "drain")) for _ in range(2)} == {
            pb.SubscribeRequest.Settle,
            pb.SubscribeRequest.Drain,
        }
        stream.confirm(1)
        stream.send(drained=pb.SubscribeResponse.Drained())
        stream.end()
        await receiving

    play(scene)


def test_settles_go_at_half_of_the_new_window() -> None:
    r_window = headrace.Window(1_000, BYTES)

    async def scene(script: Script, client: aio.Client) -> None:
        waits = asyncio.create_task(client.receive("billing", handle, window=r_window))
        stream, _ = await script.opens()
        r_window.resize(4, BYTES)
        await stream.next("window")
        (receiver,) = client._subscribers
        assert receiver._session._settles._flush_at == 2
        await leave(stream, waits)

    play(scene)


def test_a_window_that_is_resized_during_a_drain_is_not_told() -> None:
    async def scene(script: Script, client: aio.Client) -> None:
        w = headrace.Window(50, BYTES)
        begun, go_on = asyncio.Event(), asyncio.Event()

        async def hold(_: aio.Delivery[bytes]) -> None:
            begun.set()
            await go_on.wait()

        waits = asyncio.create_task(client.receive("billing", hold, window=w))
        stream, _ = await script.opens()
        stream.batch(1, b"a")
        await begun.wait()
        waits.cancel()
        assert await stream.next("drain") is not None
        w.resize(5, 1_000)
        go_on.set()
        assert (await stream.next("settle", "window")).number == 1
        stream.confirm(1)
        stream.send(drained=pb.SubscribeResponse.Drained())
        assert await stream.said("window") == []
        stream.end()
        await asyncio.wait({waits})

    play(scene)


def test_a_session_that_is_taken_up_has_the_newest_window() -> None:
    async def scene(script: Script, client: aio.Client) -> None:
        w = headrace.Window(50, BYTES)
        waits = asyncio.create_task(client.receive("billing", handle, window=w))
        stream, _ = await script.opens()
        stream.batch(1, b"a")
        await stream.next("settle")
        stream.confirm(1)
        stream.break_off()
        again = await script.streams.get()
        w.resize(5, 1_000)  # It has been asked for with the size before.
        asked = await again.next("open")
        assert asked.HasField("resume")
        again.opened(next_sequence=2)
        if sizes(asked.window) != [(5, 1_000)]:
            assert sizes(await again.next("window")) == [(5, 1_000)]
        again.break_off()
        last, asked = await script.opens(next_sequence=2)
        assert sizes(asked.window) == [(5, 1_000)]
        w.resize(6, 1_000)
        assert sizes(await last.next("window")) == [(6, 1_000)]
        await leave(last, waits)

    play(scene)


def test_credit_by_hand_stays_within_a_window_that_is_resized() -> None:
    async def scene(script: Script, client: aio.Client) -> None:
        w = headrace.Window(4, 1_000)
        begun: asyncio.Queue[bytes] = asyncio.Queue()
        go_on = asyncio.Semaphore(0)

        async def hold(d: aio.Delivery[bytes]) -> None:
            begun.put_nowait(d.data)
            await go_on.acquire()

        waits = asyncio.create_task(client.receive("billing", hold, manual_credit=8, window=w))
        stream, asked = await script.opens()
        assert (asked.replenish, asked.HasField("window")) == (pb.REPLENISH_MANUAL, False)
        assert await granted(stream) == (4, 1_000), "not one that is asked for, and 8"
        stream.batch(1, b"a", b"b", b"c", b"d")
        assert await begun.get() == b"a"
        w.resize(2, 1_000)  # Three wait: nothing more is given, and what came stays.
        w.resize(5, 2_000)
        assert await granted(stream) == (6, 2_000 + CHARGED), "what is begun counts no more"
        w.resize(4, 2_000)
        assert await granted(stream) == (5, 2_000 + CHARGED)
        w.resize(9, 2_000)
        assert await granted(stream) == (9, 2_000 + CHARGED), "one is begun, and 8 were to wait"
        w.resize(9, 500)
        assert await granted(stream) == (9, 500 + CHARGED - 1)
        assert await granted(stream) == (9, 500 + CHARGED), "raised, so that a large one may come alone"
        for _ in range(3):
            go_on.release()
            await begun.get()
        while await granted(stream) != (12, 500 + 4 * CHARGED):
            pass
        go_on.release()
        through, settled = (12, 0), 0
        while through != (13, 500 + 4 * CHARGED) or settled < 4:
            frame = await stream.next("grant", "settle")
            if isinstance(frame, pb.SubscribeRequest.Grant):
                through = (frame.through_sequence, frame.through_bytes)
            else:
                settled = frame.ranges[-1].last
                stream.confirm(frame.number)
        await leave(stream, waits)

    play(scene)


@pytest.mark.parametrize(
    ("settings", "through"), [({}, 1_501), ({"max_messages": 10}, 10), ({"window": headrace.Window(20, BYTES)}, 20)]
)
def test_without_a_window_of_yours_what_is_ahead_has_no_cap(settings: dict[str, Any], through: int) -> None:
    async def scene(script: Script, client: aio.Client) -> None:
        waits = asyncio.create_task(client.receive("billing", handle, manual_credit=1_500, **settings))
        stream, _ = await script.opens()
        assert (await stream.next("grant")).through_sequence == through
        await leave(stream, waits)

    play(scene)


def test_what_waits_counts_in_the_bytes_of_credit_by_hand() -> None:
    credit = ManualCredit(2)
    credit.opened(0, 0)
    nobody = {"asked": 0, "waiting": 0, "waiting_bytes": 0, "window": (None, 100)}

    def grant(received: int, charged: int, **changed: Any) -> tuple[int, int] | None:
        frame = credit.grant(received, charged, **{**nobody, **changed})
        return None if frame is None else (frame.grant.through_sequence, frame.grant.through_bytes)

    assert grant(0, 0) == (2, 100)
    assert grant(1, 60, waiting=1, waiting_bytes=60) is None
    assert grant(1, 60, waiting=1, waiting_bytes=60, window=(None, 50)) == (2, 60), "nothing beyond what came"
    assert grant(1, 60, asked=1, window=(None, 50)) == (4, 110)
    assert grant(2, 500, waiting=1, waiting_bytes=440, window=(None, 50)) == (3, 500), "it was larger, and alone"
    assert grant(2, 500, asked=1, window=(None, 50)) == (5, 550)
    assert grant(3, 520, window=(None, 30)) == (5, 549), "a window smaller by what was charged"
    assert grant(3, 520, asked=1, window=(None, 30)) == (6, 550), "raises the bytes, for a larger message"


def test_the_twin_takes_no_more_from_the_loop_than_it_begins(server: Server, client: headrace.Client) -> None:
    client.topics.create("orders")
    client.subscriptions.create("billing", "orders", order="none")
    for n in range(20):
        client.topic("orders").publish(b"%d" % n).result()
    with client.subscribe("billing", manual_credit=3) as deliveries:
        for n in range(10):
            d = next(deliveries)
            assert d.data == b"%d" % n
            assert client.subscriptions.stats("billing").delivered <= n + 1 + 3
            d.ack()


def test_with_the_real_server_the_window_bounds_what_is_outstanding(server: Server) -> None:
    async def run() -> None:
        async with server.aio_client() as c:
            await c.topics.create("orders")
            await c.subscriptions.create("billing", "orders", order="none")
            for n in range(60):
                await c.topic("orders").publish(b"%d" % n)

            async def outstanding(count: int) -> None:
                while (await c.subscriptions.stats("billing")).outstanding.messages != count:
                    pass

            w = headrace.Window(5, BYTES)
            async with c.subscribe("billing", window=w) as deliveries:
                first = await anext(deliveries)
                await outstanding(5)
                w.resize(30, BYTES)
                await outstanding(30)
                w.resize(10, BYTES)
                await outstanding(30)  # Nothing is taken back.
                await first.ack_confirmed()
                for _ in range(25):
                    await (await anext(deliveries)).ack_confirmed()
                await outstanding(10)

    asyncio.run(run())
