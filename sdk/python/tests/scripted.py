"""A server of which a test plays every frame: what clients send comes to the test, which answers."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import grpc
import headrace
from headrace import EventKind, aio
from headrace._message import wire_bytes
from headrace.v1 import message_pb2, stream_pb2, subscriber_service_pb2_grpc
from headrace.v1 import subscriber_service_pb2 as pb

Request, Response = pb.SubscribeRequest, pb.SubscribeResponse
FEATURES = (pb.FEATURE_STARTED, pb.FEATURE_RESUME, pb.FEATURE_RECALL, pb.FEATURE_KEY_BATCHES)
RESUME_SECONDS = 30


class Stream:
    """One Subscribe of a client."""

    def __init__(self, requests: AsyncIterator[pb.SubscribeRequest]) -> None:
        self._requests = requests
        self.outgoing: asyncio.Queue[Any] = asyncio.Queue()
        self._charged_bytes = 0

    async def next(self, *kinds: str) -> Any:
        """The body of the next frame of one of these kinds; others are passed over, and the half-close is None."""
        async for frame in self._requests:
            if (kind := frame.WhichOneof("frame")) in kinds:
                return getattr(frame, kind)
        return None

    async def said(self, *kinds: str) -> list[Any]:
        """Every frame of these kinds until the half-close."""
        return [body async for body in self._bodies(kinds)]

    async def _bodies(self, kinds: tuple[str, ...]) -> AsyncIterator[Any]:
        while (body := await self.next(*kinds)) is not None:
            yield body

    def send(self, **frame: Any) -> None:
        """Sends a frame."""
        self.outgoing.put_nowait(Response(**frame))

    def opened(self, session_id: str = "s", *, next_sequence: int = 0, kept: int = 0, **fields: Any) -> None:
        """Answers Open; with a next sequence the session goes on, and keeps all up to one."""
        opened = Response.Opened(session_id=session_id, features=FEATURES, **fields)
        opened.limits.lease.seconds, opened.limits.max_lease.seconds = 3_600, 3_600
        opened.limits.resume_window.seconds = RESUME_SECONDS
        if next_sequence:
            opened.resumed.next_sequence = next_sequence
            if kept:
                opened.resumed.kept.add(first=1, last=kept)
        self.send(opened=opened)

    def batch(self, first: int, *payloads: bytes) -> None:
        """Sends deliveries from a sequence on."""
        messages = [message_pb2.Message(data=p) for p in payloads]
        self._charged_bytes += sum(map(wire_bytes, messages))
        batch = Response.Batch(first_sequence=first, charged_bytes=self._charged_bytes, messages=messages)
        batch.runs.add(partition=0, first_offset=first, count=len(payloads))
        self.send(batch=batch)

    async def drain(self) -> None:
        """Waits for Drain, and lets the client go that holds nothing."""
        assert await self.next("drain") is not None
        self.send(drained=Response.Drained())
        assert await self.next("drain") is None
        self.end()

    def confirm(self, through: int) -> None:
        """Confirms settles."""
        self.send(settle_result=Response.SettleResult(confirmed_through=through))

    def go_away(self, reason: int = stream_pb2.GO_AWAY_REASON_SHUTDOWN) -> None:
        """Asks for the end of the stream."""
        self.send(go_away=stream_pb2.GoAway(reason=reason))

    def revoke(self, first: int, last: int, reason: int = pb.REVOKE_REASON_GRACE_OVER) -> None:
        """Takes deliveries back."""
        ranges = [message_pb2.SequenceRange(first=first, last=last)]
        self.send(revoked=Response.Revoked(ranges=ranges, reason=reason))

    def end(self) -> None:
        """Ends the stream with OK."""
        self.outgoing.put_nowait(None)

    def break_off(self) -> None:
        """Ends the stream as a broken connection does."""
        self.outgoing.put_nowait(ConnectionError())


class Script(subscriber_service_pb2_grpc.SubscriberServiceServicer):
    """Hands every stream over to the test."""

    def __init__(self) -> None:
        self.streams: asyncio.Queue[Stream] = asyncio.Queue()
        self.address = ""

    async def Subscribe(self, requests: Any, context: Any) -> AsyncIterator[pb.SubscribeResponse]:  # noqa: N802
        stream = Stream(requests)
        self.streams.put_nowait(stream)
        while (frame := await stream.outgoing.get()) is not None:
            if isinstance(frame, ConnectionError):
                await context.abort(grpc.StatusCode.UNAVAILABLE, "broken off")
            yield frame

    async def opens(self, session_id: str = "s", **answer: Any) -> tuple[Stream, pb.SubscribeRequest.Open]:
        """The next stream, opened, and what it was opened with."""
        stream = await self.streams.get()
        asked = await stream.next("open")
        stream.opened(session_id, **answer)
        return stream, asked


@contextlib.asynccontextmanager
async def scripted() -> AsyncIterator[Script]:
    """A scripted server on a free port."""
    script, server = Script(), grpc.aio.server()
    subscriber_service_pb2_grpc.add_SubscriberServiceServicer_to_server(script, server)
    script.address = f"127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
    await server.start()
    try:
        yield script
    finally:
        await server.stop(None)


@contextlib.asynccontextmanager
async def playing(**settings: Any) -> AsyncIterator[tuple[Script, aio.Client]]:
    """A scripted server and a client of it."""
    async with scripted() as script, aio.Client(script.address, **settings) as client:
        yield script, client


class Work:
    """A receive whose handlers wait until they are let go."""

    def __init__(self, client: aio.Client, **settings: Any) -> None:
        self.begun: asyncio.Queue[aio.Delivery[bytes]] = asyncio.Queue()
        self.go_on = asyncio.Event()
        self.lost: asyncio.Queue[str] = asyncio.Queue()
        self.task = asyncio.create_task(client.receive("billing", self.handle, **settings))

    async def handle(self, d: aio.Delivery[bytes]) -> None:
        self.begun.put_nowait(d)
        try:
            await self.go_on.wait()
        except asyncio.CancelledError:
            self.lost.put_nowait(d.lost)
            raise


class Events:
    """The client's events, to wait for."""

    def __init__(self) -> None:
        self.queue: asyncio.Queue[headrace.Event] = asyncio.Queue()

    def __call__(self, event: headrace.Event) -> None:
        self.queue.put_nowait(event)

    async def wait_for(self, kind: EventKind) -> headrace.Event:
        while (event := await self.queue.get()).kind is not kind:
            pass
        return event


def play(scene: Callable[[Script, aio.Client, Events], Awaitable[None]]) -> None:
    async def run() -> None:
        events = Events()
        async with playing(events=events) as (script, client):
            await scene(script, client, events)

    asyncio.run(asyncio.wait_for(run(), 60))


async def acks(stream: Stream, through: int) -> list[int]:
    """Takes acks up to a sequence, and confirms each; gives the verdicts' sequences in order."""
    acked: list[int] = []
    while not acked or acked[-1] < through:
        settle = await stream.next("settle")
        assert settle.verdict == pb.VERDICT_ACK
        acked += [s for r in settle.ranges for s in range(r.first, r.last + 1)]
        stream.confirm(settle.number)
    return acked
