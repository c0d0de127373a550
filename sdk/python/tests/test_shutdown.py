"""A server that shuts down: what its clients hold is worked off, against a scripted one (rule 14)."""

import asyncio
import pathlib

import pytest
from headrace import EventKind, aio
from headrace.testing import Server
from headrace.v1 import subscriber_service_pb2 as pb
from scripted import Events, Script, Work, acks, play


def test_what_is_held_is_worked_off_before_another_stream_is_opened() -> None:
    async def scene(script: Script, client: aio.Client, events: Events) -> None:
        work = Work(client)
        stream, _ = await script.opens()
        stream.batch(1, b"begun", b"waits", b"waits, too")
        await work.begun.get()
        stream.go_away()
        assert (await events.wait_for(EventKind.GO_AWAY_RECEIVED)).detail == "SHUTDOWN"
        stream.batch(4, b"crossed it")
        work.go_on.set()
        assert await acks(stream, 4) == [1, 2, 3, 4]
        assert await stream.next("settle", "drain") is None, "the client half-closes"
        stream.end()
        again, asked = await script.opens("another")
        assert not asked.HasField("resume"), "there is nothing to take up"
        again.batch(1, b"after the restart")
        assert await acks(again, 1) == [1]
        work.task.cancel()
        await again.drain()

    play(scene)


def test_starts_are_told_and_settles_do_not_wait_for_company() -> None:
    async def scene(script: Script, client: aio.Client, events: Events) -> None:
        async with client.subscribe("billing") as deliveries:
            first = asyncio.create_task(anext(deliveries))
            stream, _ = await script.opens()
            stream.batch(1, b"begun", b"waits")
            (await first).ack()
            assert (await stream.next("settle")).number == 1
            stream.confirm(1)
            stream.go_away()
            await events.wait_for(EventKind.GO_AWAY_RECEIVED)
            d = await anext(deliveries)
            (started,) = (await stream.next("started")).ranges
            assert (d.sequence, started.first, started.last) == (2, 2, 2)
            d.ack()
            assert (await stream.next("settle")).number == 2
            stream.confirm(2)
            assert await stream.said("settle") == []
            stream.end()

    play(scene)


def test_at_the_end_of_the_grace_the_server_takes_the_rest_back() -> None:
    async def scene(script: Script, client: aio.Client, events: Events) -> None:
        work = Work(client)
        stream, _ = await script.opens()
        stream.batch(1, b"begun", b"waits")
        await work.begun.get()
        stream.go_away()
        await events.wait_for(EventKind.GO_AWAY_RECEIVED)
        stream.revoke(1, 2)  # The grace is over.
        stream.end()
        assert await work.lost.get() == "GRACE_OVER"
        assert work.begun.empty(), "what was not begun is not begun any more"
        again, _ = await script.opens("another")
        again.batch(1, b"begun", b"waits")
        work.go_on.set()
        assert await acks(again, 2) == [1, 2]
        assert {(await work.begun.get()).attempt for _ in range(2)} == {1}
        work.task.cancel()
        await again.drain()

    play(scene)


def test_what_the_server_keeps_over_its_restart_goes_on() -> None:
    async def scene(script: Script, client: aio.Client, events: Events) -> None:
        work = Work(client)
        stream, _ = await script.opens()
        stream.batch(1, b"begun")
        await work.begun.get()
        stream.go_away()
        await events.wait_for(EventKind.GO_AWAY_RECEIVED)
        stream.end()  # The grace is over, and a delivery of EXACTLY_ONCE stays where it is.
        again, asked = await script.opens(next_sequence=2, kept=1)
        assert [(r.first, r.last) for r in asked.resume.holding] == [(1, 1)]
        work.go_on.set()
        assert await acks(again, 1) == [1]
        assert work.lost.empty()
        work.task.cancel()
        await again.drain()

    play(scene)


def test_a_stop_meanwhile_gives_back_what_was_not_begun() -> None:
    async def scene(script: Script, client: aio.Client, events: Events) -> None:
        work = Work(client)
        stream, _ = await script.opens()
        stream.batch(1, b"begun", b"waits", b"waits, too")
        await work.begun.get()
        stream.go_away()
        await events.wait_for(EventKind.GO_AWAY_RECEIVED)
        work.task.cancel()
        assert await stream.next("drain") is not None
        released = await stream.next("settle")
        assert (released.verdict, released.ranges[0].first, released.ranges[0].last) == (pb.VERDICT_RELEASE, 2, 3)
        work.go_on.set()
        acked = await stream.next("settle")
        assert (acked.verdict, acked.ranges[0].first) == (pb.VERDICT_ACK, 1)
        stream.confirm(acked.number)
        stream.send(drained=pb.SubscribeResponse.Drained())
        assert await stream.said("settle") == []
        stream.end()
        await asyncio.wait({work.task})
        assert script.streams.empty(), "no stream is opened after a stop"

    play(scene)


def test_credit_by_hand_is_granted_no_more() -> None:
    async def scene(script: Script, client: aio.Client, events: Events) -> None:
        async with client.subscribe("billing", manual_credit=1) as deliveries:
            first = asyncio.create_task(anext(deliveries))
            stream, _ = await script.opens()
            assert (await stream.next("grant")).through_sequence == 2, "one that is asked for, and one ahead"
            stream.batch(1, b"asked for", b"ahead")
            (await first).ack()
            stream.go_away()
            await events.wait_for(EventKind.GO_AWAY_RECEIVED)
            (await anext(deliveries)).ack()
            asks = asyncio.create_task(anext(deliveries))
            settled = 0
            while settled < 2:
                settle = await stream.next("settle", "grant")
                settled = settle.ranges[-1].last
                stream.confirm(settle.number)
            assert await stream.said("grant") == []
            stream.end()
            again, _ = await script.opens("another")
            grant = await again.next("grant")
            assert grant.through_sequence == 2, "who asks is asked for again"
            again.batch(1, b"after the restart")
            (await asks).ack()
            assert await acks(again, 1) == [1]
            leaving = asyncio.create_task(again.drain())
        await leaving

    play(scene)


@pytest.mark.parametrize("ends_first", ["the work", "the grace"])
def test_with_the_real_server_nothing_is_charged_and_nothing_comes_twice(
    tmp_path: pathlib.Path, ends_first: str
) -> None:
    async def run(server: Server) -> None:
        events = Events()
        async with server.aio_client(events=events) as c:
            await c.topics.create("orders")
            await c.subscriptions.create("billing", "orders", order="none", retry={"max_attempts": 1})
            for n in range(50):
                await c.topic("orders").publish(b"%d" % n)
            work = Work(c, concurrency=3)
            for _ in range(3):
                await work.begun.get()
            while (await c.subscriptions.stats("billing")).outstanding.messages < 50:
                pass
            server.terminate()
            await events.wait_for(EventKind.GO_AWAY_RECEIVED)
            if ends_first == "the work":
                work.go_on.set()
            await asyncio.get_running_loop().run_in_executor(None, server.wait)
            begun = 3 + work.begun.qsize()
            assert begun == (50 if ends_first == "the work" else 3)
            server.start()
            work.go_on.set()
            while (stats := await c.subscriptions.stats("billing")).backlog.messages > 0:
                pass
            assert (stats.retried, stats.expired, stats.dead_letters) == (0, 0, 0)
            assert work.lost.qsize() == (0 if ends_first == "the work" else 3)
            work.task.cancel()
            await asyncio.wait({work.task})

    flags = [] if ends_first == "the work" else ["--drain-timeout", "1s"]
    with Server(tmp_path, flags=flags) as server:
        asyncio.run(run(server))
