"""While its stream is away a subscriber begins nothing, against a scripted server (rule 13)."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import headrace
import pytest
from headrace import EventKind, aio
from headrace.v1 import stream_pb2
from headrace.v1 import subscriber_service_pb2 as pb
from scripted import Events, Script, Stream, Work, acks, play, scripted

MOVES = [stream_pb2.GO_AWAY_REASON_REBALANCE, stream_pb2.GO_AWAY_REASON_STREAM]


async def turns() -> None:
    """Lets the loop do what it has to do by now."""
    for _ in range(20):
        await asyncio.sleep(0)


def payloads(work: Work) -> list[bytes]:
    """Of what has begun since it was asked for."""
    begun = []
    while not work.begun.empty():
        begun.append(work.begun.get_nowait().data)
    return begun


def held(asked: pb.SubscribeRequest.Open) -> list[tuple[int, int]]:
    """What the client says that it holds."""
    return [(r.first, r.last) for r in asked.resume.holding]


async def reopened(script: Script) -> tuple[Stream, pb.SubscribeRequest.Open]:
    """The next stream, which waits for its answer, and what it is opened with."""
    stream = await script.streams.get()
    return stream, await stream.next("open")


async def begun_and_broken(script: Script, work: Work, events: Events, **answer: Any) -> None:
    """Two of four have begun when the stream breaks, and end while it is away."""
    stream, _ = await script.opens(**answer)
    stream.batch(1, b"1", b"2", b"3", b"4")
    for _ in range(2):
        await work.begun.get()
    stream.break_off()
    await events.wait_for(EventKind.SESSION_BROKEN)
    work.go_on.set()


async def stopped(work: Work, stream: Stream) -> None:
    """Stops, with nothing in hand."""
    work.task.cancel()
    await stream.drain()
    await asyncio.wait({work.task})


def test_handlers_begin_what_was_kept_when_it_is_back() -> None:
    async def scene(script: Script, client: aio.Client, events: Events) -> None:
        work = Work(client, concurrency=2)
        await begun_and_broken(script, work, events)
        stream, asked = await reopened(script)
        assert held(asked) == [(1, 4)]
        assert payloads(work) == []
        stream.opened(next_sequence=5, kept=3)  # The last one is somebody else's.
        stream.batch(5, b"5")
        assert await acks(stream, 5) == [1, 2, 3, 5]
        assert payloads(work) == [b"3", b"5"]
        await stopped(work, stream)

    play(scene)


def test_handlers_begin_what_waits_behind_others_of_its_lane_when_it_is_back() -> None:
    async def scene(script: Script, client: aio.Client, events: Events) -> None:
        work = Work(client, concurrency=2)
        stream, _ = await script.opens(ordered_by=pb.ORDERED_BY_PARTITION)
        stream.batch(1, b"1", b"2", b"3")
        await work.begun.get()
        stream.break_off()
        await events.wait_for(EventKind.SESSION_BROKEN)
        work.go_on.set()
        stream, _ = await reopened(script)
        assert payloads(work) == []
        stream.opened(next_sequence=4, kept=3, ordered_by=pb.ORDERED_BY_PARTITION)
        assert await acks(stream, 3) == [1, 2, 3]
        assert payloads(work) == [b"2", b"3"]
        await stopped(work, stream)

    play(scene)


@pytest.mark.parametrize("order", [pb.ORDERED_BY_UNSPECIFIED, pb.ORDERED_BY_PARTITION])
def test_handlers_never_begin_what_is_of_a_session_that_is_over(order: int) -> None:
    async def scene(script: Script, client: aio.Client, events: Events) -> None:
        work = Work(client)
        stream, _ = await script.opens(ordered_by=order)
        stream.batch(1, b"1", b"2", b"3")
        await work.begun.get()
        stream.break_off()
        await events.wait_for(EventKind.SESSION_BROKEN)
        work.go_on.set()
        stream, _ = await script.opens("another", ordered_by=order)
        stream.batch(1, b"anew")
        assert await acks(stream, 1) == [1]
        assert payloads(work) == [b"anew"]
        await stopped(work, stream)

    play(scene)


def test_handlers_that_came_at_most_once_work_off() -> None:
    async def scene(script: Script, client: aio.Client, events: Events) -> None:
        work = Work(client, concurrency=2)
        await begun_and_broken(script, work, events, settled_when_sent=True)
        stream, _ = await reopened(script)
        assert payloads(work) == [b"3", b"4"]
        stream.opened("another", settled_when_sent=True)
        stream.batch(1, b"anew")
        assert (await work.begun.get()).data == b"anew"
        await stopped(work, stream)

    play(scene)


@pytest.mark.parametrize("reason", MOVES)
def test_handlers_begin_nothing_before_another_stream_took_the_place_of_theirs(reason: int) -> None:
    async def scene(script: Script, client: aio.Client, events: Events) -> None:
        work = Work(client, concurrency=2)
        old, _ = await script.opens()
        old.batch(1, b"1", b"2", b"3")
        for _ in range(2):
            await work.begun.get()
        old.go_away(reason)
        await events.wait_for(EventKind.GO_AWAY_RECEIVED)
        old.batch(4, b"crossed it")
        work.go_on.set()
        stream, _ = await reopened(script)
        await turns()
        assert payloads(work) == []
        stream.opened(next_sequence=4, kept=3)
        stream.batch(4, b"4")
        assert (await acks(stream, 4))[:3] == [1, 2, 3]
        assert payloads(work)[0] == b"3"
        await stopped(work, stream)

    play(scene)


def test_a_stop_meanwhile_lets_handlers_finish_and_gives_back_the_rest() -> None:
    async def scene(script: Script, client: aio.Client, events: Events) -> None:
        work = Work(client, concurrency=2)
        stream, _ = await script.opens()
        stream.batch(1, b"1", b"2", b"3", b"4")
        for _ in range(2):
            await work.begun.get()
        stream.break_off()
        await events.wait_for(EventKind.SESSION_BROKEN)
        work.task.cancel()
        stream, asked = await reopened(script)
        assert held(asked) == [(1, 4)]
        work.go_on.set()
        await turns()
        stream.opened(next_sequence=5, kept=4)
        await given_back(stream, released=[3, 4], acked=[1, 2])
        await asyncio.wait({work.task})
        assert payloads(work) == []

    play(scene)


async def given_back(stream: Stream, *, released: list[int], acked: list[int]) -> None:
    """Takes all settles of a session that drains, confirms them, and lets it go."""
    left = {pb.VERDICT_RELEASE: released, pb.VERDICT_ACK: acked}
    while any(left.values()):
        settle = await stream.next("settle")
        gone = {s for r in settle.ranges for s in range(r.first, r.last + 1)}
        assert gone <= {*left[settle.verdict]}
        left[settle.verdict] = [s for s in left[settle.verdict] if s not in gone]
        stream.confirm(settle.number)
    stream.send(drained=pb.SubscribeResponse.Drained())
    assert await stream.said("settle") == []
    stream.end()


class Twin:
    """One of the two clients; each takes deliveries in its own way."""

    def __init__(self, client: Any, events: Events, *, threads: bool) -> None:
        self.events = events
        self.client = client
        self.threads = threads
        self.deliveries: Any = None

    async def call(self, function: Callable[..., Any], *args: Any) -> Any:
        """Calls what is a coroutine in the one and blocks in the other."""
        return await (asyncio.to_thread(function, *args) if self.threads else function(*args))

    def takes(self) -> "asyncio.Task[Any]":
        """Asks for a delivery; None at the end."""
        return asyncio.create_task(self._take())

    async def _take(self) -> Any:
        self.deliveries = self.deliveries or await self._subscribe()
        return await self.call(next if self.threads else anext, self.deliveries, None)

    async def _subscribe(self) -> Any:
        subscribe = self.client.subscribe
        return await asyncio.to_thread(subscribe, "billing") if self.threads else subscribe("billing")

    async def turns(self) -> None:
        """Lets both threads do what they have to do by now."""
        for _ in range(20):
            await (asyncio.to_thread(int) if self.threads else asyncio.sleep(0))

    async def close(self) -> None:
        """Stops to receive."""
        await self.call(self.deliveries.close)


@asynccontextmanager
async def twin(script: Script, *, threads: bool) -> AsyncIterator[Twin]:
    """A client of a script."""
    events = Events()
    if not threads:
        async with aio.Client(script.address, events=events) as client:
            yield Twin(client, events, threads=False)
        return
    loop = asyncio.get_running_loop()
    plain = headrace.Client(script.address, events=lambda e: loop.call_soon_threadsafe(events, e))
    try:
        yield Twin(plain, events, threads=True)
    finally:
        await asyncio.to_thread(plain.close)


Scene = Callable[[Script, Twin], Any]


@pytest.fixture(params=[False, True], ids=["asyncio", "threads"])
def play_twin(request: pytest.FixtureRequest) -> Callable[[Scene], None]:
    """Plays a scene with each of the twins."""

    async def run(scene: Scene) -> None:
        async with scripted() as script, twin(script, threads=request.param) as client:
            await scene(script, client)

    return lambda scene: asyncio.run(asyncio.wait_for(run(scene), 60))


async def taken_and_broken(script: Script, client: Twin, **answer: Any) -> Any:
    """One of three is taken when the stream breaks; in threads the others are there already."""
    first = client.takes()
    stream, _ = await script.opens(**answer)
    stream.batch(1, b"1", b"2", b"3")
    taken = await first
    stream.break_off()
    await client.events.wait_for(EventKind.SESSION_BROKEN)
    return taken


def test_nothing_is_taken_until_it_is_back(play_twin: Callable[[Scene], None]) -> None:
    async def scene(script: Script, client: Twin) -> None:
        (await taken_and_broken(script, client)).ack()
        second = client.takes()
        stream, asked = await reopened(script)
        assert held(asked) == [(1, 3)]
        assert not second.done()
        stream.opened(next_sequence=4, kept=2)
        assert (await second).data == b"2"
        third = client.takes()
        stream.batch(4, b"4")
        assert (await third).data == b"4", "the one that was not kept is nobody's here"
        stream.break_off()
        again, _ = await script.opens("another")
        fourth = client.takes()
        again.batch(1, b"anew")
        taken = await fourth
        assert (taken.data, taken.lost) == (b"anew", "")
        taken.ack()
        closing = asyncio.create_task(client.close())
        await given_back(again, released=[], acked=[1])
        await closing

    play_twin(scene)


def test_what_is_of_a_session_that_is_over_is_not_taken(play_twin: Callable[[Scene], None]) -> None:
    async def scene(script: Script, client: Twin) -> None:
        first = await taken_and_broken(script, client)
        second = client.takes()
        stream, _ = await script.opens("another")
        stream.batch(1, b"anew")
        taken = await second
        assert (taken.data, first.lost) == (b"anew", "SESSION_BROKEN")
        taken.ack()
        closing = asyncio.create_task(client.close())
        await given_back(stream, released=[], acked=[1])
        await closing

    play_twin(scene)


@pytest.mark.parametrize("reason", MOVES)
def test_nothing_is_taken_before_another_stream_took_the_place(play_twin: Callable[[Scene], None], reason: int) -> None:
    async def scene(script: Script, client: Twin) -> None:
        first = client.takes()
        old, _ = await script.opens()
        old.batch(1, b"1", b"2")
        (await first).ack()
        old.go_away(reason)
        await client.events.wait_for(EventKind.GO_AWAY_RECEIVED)
        second = client.takes()
        stream, _ = await reopened(script)
        await client.turns()
        assert not second.done()
        stream.opened(next_sequence=3, kept=2)
        taken = await second
        assert taken.data == b"2"
        taken.ack()
        closing = asyncio.create_task(client.close())
        await given_back(stream, released=[], acked=[1, 2])
        await closing

    play_twin(scene)


def test_what_came_at_most_once_is_taken_meanwhile(play_twin: Callable[[Scene], None]) -> None:
    async def scene(script: Script, client: Twin) -> None:
        await taken_and_broken(script, client, settled_when_sent=True)
        assert (await client.takes()).data == b"2"
        stream, _ = await script.opens("another", settled_when_sent=True)
        stream.batch(1, b"anew")
        assert [(await client.takes()).data for _ in range(2)] == [b"3", b"anew"]
        closing = asyncio.create_task(client.close())
        await stream.drain()
        await closing

    play_twin(scene)


def test_a_stop_meanwhile_ends_the_iteration_and_gives_back(play_twin: Callable[[Scene], None]) -> None:
    async def scene(script: Script, client: Twin) -> None:
        first = await taken_and_broken(script, client)
        second = client.takes()
        await client.turns()
        closing = asyncio.create_task(client.close())
        assert await second is None, "it ends before the stream is back"
        first.ack()
        stream, asked = await reopened(script)
        assert held(asked) == [(1, 3)]
        stream.opened(next_sequence=4, kept=3)
        await given_back(stream, released=[2, 3], acked=[1])
        await closing

    play_twin(scene)
