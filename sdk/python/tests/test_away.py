"""While a session has no stream nothing is begun: nobody knows whether it goes on."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import headrace
import pytest
from headrace import EventKind, aio
from headrace.v1 import subscriber_service_pb2 as pb
from scripted import Script, Stream, playing


class Broken:
    """Tells when a stream broke."""

    def __init__(self) -> None:
        self.event = asyncio.Event()

    def __call__(self, event: headrace.Event) -> None:
        if event.kind is EventKind.SESSION_BROKEN:
            self.event.set()


def play(scene: Callable[[Script, aio.Client, asyncio.Event], Awaitable[None]]) -> None:
    async def run() -> None:
        broken = Broken()
        async with playing(events=broken) as (script, client):
            await scene(script, client, broken.event)

    asyncio.run(asyncio.wait_for(run(), 60))


async def acked(stream: Stream, through: int) -> None:
    last = 0
    while last < through:
        settle = await stream.next("settle")
        assert settle.verdict == pb.VERDICT_ACK
        last = max(last, settle.ranges[-1].last)
        stream.confirm(settle.number)


@pytest.mark.parametrize("ordered_by", [pb.ORDERED_BY_UNSPECIFIED, pb.ORDERED_BY_PARTITION])
@pytest.mark.parametrize("resumed", [True, False])
def test_handlers_begin_nothing_until_the_session_goes_on(resumed: bool, ordered_by: int) -> None:
    async def scene(script: Script, client: aio.Client, broken: asyncio.Event) -> None:
        begun: list[int] = []
        first, go_on = asyncio.Event(), asyncio.Event()

        async def handle(d: aio.Delivery[bytes]) -> None:
            begun.append(d.sequence)
            first.set()
            await go_on.wait()

        work = asyncio.create_task(client.receive("billing", handle))
        stream, _ = await script.opens(ordered_by=ordered_by)
        stream.batch(1, b"begun", b"waits", b"waits, too")
        await first.wait()
        stream.break_off()
        await broken.wait()
        go_on.set()
        again = await script.streams.get()
        await again.next("open")
        assert begun == [1]
        if resumed:
            again.opened(next_sequence=4, kept=3, ordered_by=ordered_by)
            await acked(again, 3)
            assert begun == [1, 2, 3]
        else:
            again.opened("another", ordered_by=ordered_by)
            again.batch(1, b"it comes again")
            await acked(again, 1)
            assert begun == [1, 1], "what waited is the next one's"
        work.cancel()
        await again.drain()

    play(scene)


def test_the_twin_begins_nothing_either() -> None:
    async def scene(script: Script, _: aio.Client, __: asyncio.Event) -> None:
        loop = asyncio.get_running_loop()
        asked, broken = asyncio.Event(), asyncio.Event()

        def hear(event: headrace.Event) -> None:
            if event.kind is EventKind.SESSION_BROKEN:
                loop.call_soon_threadsafe(broken.set)

        def receive() -> list[bytes]:
            with headrace.Client(script.address, events=hear) as c, c.subscribe("billing") as deliveries:
                got = [next(deliveries)]
                loop.call_soon_threadsafe(asked.set)
                asyncio.run_coroutine_threadsafe(broken.wait(), loop).result()
                got += [next(deliveries), next(deliveries)]
                for d in got:
                    d.ack()
                return [d.data for d in got if not d.lost]

        receiving: Any = loop.run_in_executor(None, receive)
        stream, _open = await script.opens()
        stream.batch(1, b"begun", b"waits", b"waits, too")
        await asked.wait()
        stream.break_off()
        again = await script.streams.get()
        await again.next("open")
        again.opened("another")
        again.batch(1, b"fresh", b"fresh, too")
        drains, settled = False, 0
        while not drains or settled < 2:
            frame = await again.next("settle", "drain")
            if isinstance(frame, pb.SubscribeRequest.Drain):
                drains = True
            else:
                settled = frame.ranges[-1].last
                again.confirm(frame.number)
        again.send(drained=pb.SubscribeResponse.Drained())
        assert await again.said("settle") == []
        again.end()
        assert await receiving == [b"fresh", b"fresh, too"]

    play(scene)


def test_a_stop_meanwhile_ends_who_waits() -> None:
    async def scene(script: Script, client: aio.Client, broken: asyncio.Event) -> None:
        async with client.subscribe("billing") as deliveries:
            first = asyncio.create_task(anext(deliveries))
            stream, _ = await script.opens()
            stream.batch(1, b"begun", b"waits")
            (await first).ack()
            stream.break_off()
            await broken.wait()
            waits = asyncio.create_task(anext(deliveries))
            await asyncio.sleep(0)
            closing = asyncio.create_task(deliveries.close())
            with pytest.raises(StopAsyncIteration):
                await waits
            again = await script.streams.get()
            await again.next("open")
            again.opened("another")
            await again.drain()
            await closing

    play(scene)
