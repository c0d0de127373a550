"""Streams that break, move and stop, against the real server and its faults."""

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable

import headrace
import pytest
from headrace import EventKind, aio, errors
from headrace.testing import Server

LONG = 3_600.0
"""Seconds that no test waits: what returns before does not wait for them."""


class Watch:
    """Keeps events, and waits for them."""

    def __init__(self) -> None:
        self.events: list[headrace.Event] = []
        self._changed = threading.Condition()

    def __call__(self, event: headrace.Event) -> None:
        with self._changed:
            self.events.append(event)
            self._changed.notify_all()

    def wait_for(self, kind: EventKind, count: int = 1) -> headrace.Event:
        def there() -> list[headrace.Event]:
            return [e for e in self.events if e.kind is kind]

        with self._changed:
            assert self._changed.wait_for(lambda: len(there()) >= count, 60), f"no {kind} in {self.events}"
            return there()[count - 1]


def scenario(
    server: Server,
    play: Callable[[aio.Client, aio.Topic], Awaitable[None]],
    watch: Watch | None = None,
    **fields: object,
) -> None:
    """Plays with an asynchronous client, the topic orders and its subscription billing."""

    async def run() -> None:
        async with server.aio_client(events=watch or Watch()) as c:
            await c.topics.create("orders")
            await c.subscriptions.create("billing", "orders", **{"order": "none", **fields})
            await play(c, c.topic("orders"))

    asyncio.run(run())


async def stats(c: aio.Client) -> tuple[int, int, int]:
    """What is left, what was redelivered, and the sessions of the subscription."""
    s = await c.subscriptions.stats("billing")
    return s.backlog.messages, s.redelivered, len(s.sessions)


def test_a_dropped_stream_is_resumed_and_its_handlers_never_notice(server: Server) -> None:
    watch = Watch()

    async def play(c: aio.Client, topic: aio.Topic) -> None:
        await topic.publish(b"x")
        async with c.subscribe("billing") as deliveries:
            d = await anext(deliveries)
            assert server.drop_streams("SubscriberService") == 1
            await d.ack_confirmed()
            assert d.lost == ""
        assert await stats(c) == (0, 0, 0)

    scenario(server, play, watch)
    broken = watch.wait_for(EventKind.SESSION_BROKEN)
    assert broken.subscription == "default/billing"
    assert isinstance(broken.error, errors.UnavailableError)
    assert broken.wait > 0
    assert watch.wait_for(EventKind.SESSION_RESUMED).count == 1
    watch.wait_for(EventKind.SESSION_DRAINED)


def test_a_dropped_publish_stream_repeats_nothing(server: Server, client: headrace.Client) -> None:
    watch = Watch()
    client.topics.create("orders")
    with server.client(events=watch) as c:
        topic = c.topic("orders")
        futures = []
        for n in range(3_000):
            futures.append(topic.publish(b"%d" % n))
            if n % 1_000 == 500:
                futures[-1].result()
                server.drop_streams("PublisherService")
        assert [str(f.result()) for f in futures] == [f"0-{n}" for n in range(3_000)]
    watch.wait_for(EventKind.PUBLISH_OPENED, 2)
    assert watch.wait_for(EventKind.PUBLISH_BROKEN).subscription == ""


def test_sessions_are_moved_with_all_that_they_hold(server: Server) -> None:
    watch = Watch()

    async def play(c: aio.Client, topic: aio.Topic) -> None:
        for _ in range(2):
            await topic.publish(b"x")
        async with c.subscribe("billing", max_messages=1) as deliveries:
            d = await anext(deliveries)
            (session,) = (await c.subscriptions.stats("billing")).sessions
            assert await c.subscriptions.move_sessions("billing", session.session, grace=LONG) == 1
            await d.ack_confirmed()
            await (await anext(deliveries)).ack_confirmed()
        assert await stats(c) == (0, 0, 0)

    scenario(server, play, watch)
    assert watch.wait_for(EventKind.GO_AWAY_RECEIVED).detail == "STREAM"
    watch.wait_for(EventKind.SESSION_RESUMED)
    assert [e for e in watch.events if e.kind is EventKind.SESSION_BROKEN] == []


def test_a_session_that_nobody_takes_up_again_cancels_its_handlers(server: Server) -> None:
    async def play(c: aio.Client, topic: aio.Topic) -> None:
        await topic.publish(b"x")
        begun, lost = asyncio.Event(), asyncio.Event()

        async def handle(d: aio.Delivery[bytes]) -> None:
            if begun.is_set():
                return
            begun.set()
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                assert d.lost == "SESSION_BROKEN"
                lost.set()
                raise

        worker = asyncio.create_task(c.receive("billing", handle))
        await begun.wait()
        server.refuse("SubscriberService/Subscribe", "STORE_UNAVAILABLE")
        server.drop_streams("SubscriberService")
        await lost.wait()
        server.clear_faults()
        while (await c.subscriptions.stats("billing")).acked == 0:
            await asyncio.sleep(0.05)
        worker.cancel()
        await asyncio.wait({worker})

    scenario(server, play, resume_window=1)


def test_a_revoked_delivery_cancels_its_handler(server: Server) -> None:
    watch = Watch()

    async def play(c: aio.Client, topic: aio.Topic) -> None:
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
        await c.subscriptions.seek("billing", headrace.to_end())
        while not lost:
            await asyncio.sleep(0.01)
        worker.cancel()
        await asyncio.wait({worker})
        assert lost == ["SEEK"]

    scenario(server, play, watch)
    assert watch.wait_for(EventKind.DELIVERIES_LOST).detail == "SEEK"


def test_a_function_sees_that_its_delivery_is_lost_and_keeps_its_key_until_it_returns(
    server: Server, client: headrace.Client
) -> None:
    client.topics.create("orders", retention={"keep_settled": 3600})
    client.subscriptions.create("billing", "orders")
    working = threading.Lock()
    lost: list[str] = []
    done = threading.Event()
    with server.client() as c:

        def work_on(d: headrace.Delivery) -> None:
            if lost:
                done.set()
                return
            c.subscriptions.seek("billing", headrace.to_start())
            while not d.lost:
                time.sleep(0.01)
            lost.append(d.lost)
            while len(c.subscriptions.stats("billing").sessions) == 1 and not backlog_is_out(c):
                time.sleep(0.01)  # It came again, and waits for this one.

        def handle(d: headrace.Delivery) -> None:
            assert working.acquire(blocking=False), "two of one key at once"
            try:
                work_on(d)
            finally:
                working.release()

        client.topic("orders").publish(headrace.Message(b"x", ordering_key="k")).result()
        receiving = threading.Thread(target=c.receive, args=("billing", handle), kwargs={"concurrency": 4})
        receiving.start()
        assert done.wait(60)
    receiving.join()
    assert lost == ["SEEK"]


def backlog_is_out(c: headrace.Client) -> bool:
    s = c.subscriptions.stats("billing")
    return s.outstanding.messages == 1 and s.delivered == 2


def test_what_is_recalled_goes_back(server: Server) -> None:
    watch = Watch()

    async def play(c: aio.Client, topic: aio.Topic) -> None:
        for _ in range(10):
            await topic.publish(b"x")
        async with c.subscribe("billing") as hoarder:
            first = await anext(hoarder)
            async with c.subscribe("billing") as late:
                (await anext(late)).ack()
            first.ack()

    scenario(server, play, watch)
    assert watch.wait_for(EventKind.DELIVERIES_RECALLED).count >= 1


@pytest.mark.parametrize("where", ["waiting", "in the body", "in a call"])
def test_a_cancelled_iteration_returns_at_once_with_its_settles(server: Server, where: str) -> None:
    async def play(c: aio.Client, topic: aio.Topic) -> None:
        await topic.publish(b"first")
        if where != "waiting":
            await topic.publish(b"second")
        there = asyncio.Event()

        async def work() -> None:
            async with c.subscribe("billing", drain_timeout=LONG) as deliveries:
                async for d in deliveries:
                    if d.data == b"first":
                        d.ack()
                        if where == "waiting":
                            there.set()
                        continue
                    there.set()
                    if where == "in the body":
                        await asyncio.Event().wait()
                    d.ack()
                    await anext(deliveries)

        worker = asyncio.create_task(work())
        await there.wait()
        await asyncio.sleep(0)
        worker.cancel()
        with pytest.raises(asyncio.CancelledError):
            await worker
        s = await c.subscriptions.stats("billing")
        acked = 2 if where == "in a call" else 1
        assert (s.acked, s.outstanding.messages, s.expired, len(s.sessions)) == (acked, 0, 0, 0)

    scenario(server, play)


def test_next_is_cancelled_and_asked_again(server: Server) -> None:
    async def play(c: aio.Client, topic: aio.Topic) -> None:
        async with c.subscribe("billing") as deliveries:
            waiting = asyncio.create_task(anext(deliveries))
            await asyncio.sleep(0)
            waiting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiting
            await topic.publish(b"x")
            await (await anext(deliveries)).ack_confirmed()

    scenario(server, play)


def test_a_cancelled_receive_lets_handlers_finish(server: Server) -> None:
    async def play(c: aio.Client, topic: aio.Topic) -> None:
        for _ in range(10):
            await topic.publish(b"x")
        begun, goes_on = asyncio.Event(), asyncio.Event()

        async def handle(_: aio.Delivery[bytes]) -> None:
            begun.set()
            await goes_on.wait()

        worker = asyncio.create_task(c.receive("billing", handle, concurrency=3))
        await begun.wait()
        worker.cancel()
        await asyncio.sleep(0.1)
        goes_on.set()
        await asyncio.wait({worker})
        s = await c.subscriptions.stats("billing")
        assert (s.acked, s.backlog.messages, s.expired, s.retried) == (3, 7, 0, 0)

    scenario(server, play)


@pytest.mark.parametrize("settings", [{"drain_timeout": 0.1}, {"drain_timeout": LONG, "release_on_stop": True}])
def test_handlers_that_do_not_finish_are_cancelled_and_charged_nothing(
    server: Server, settings: dict[str, object]
) -> None:
    async def play(c: aio.Client, topic: aio.Topic) -> None:
        await topic.publish(b"x")
        begun = asyncio.Event()

        async def handle(_: aio.Delivery[bytes]) -> None:
            begun.set()
            await asyncio.Event().wait()

        worker = asyncio.create_task(c.receive("billing", handle, **settings))
        await begun.wait()
        worker.cancel()
        await asyncio.wait({worker})
        (again,) = await c.subscription("billing").pull()
        assert again.attempt == 1

    scenario(server, play)


def test_credit_by_hand_hoards_nothing(server: Server) -> None:
    async def play(c: aio.Client, topic: aio.Topic) -> None:
        for n in range(10):
            await topic.publish(b"%d" % n)
        async with c.subscribe("billing", manual_credit=0) as deliveries:
            for n in range(10):
                d = await anext(deliveries)
                assert d.data == b"%d" % n
                assert (await c.subscriptions.stats("billing")).delivered == n + 1
                d.ack()
        assert await stats(c) == (0, 0, 0)

    scenario(server, play)


@pytest.mark.parametrize("settings", [{}, {"manual_credit": 100}])
def test_a_subscription_that_delivers_at_most_once_is_received_by_hand(
    server: Server, settings: dict[str, int]
) -> None:
    async def play(c: aio.Client, topic: aio.Topic) -> None:
        for _ in range(500):
            await topic.publish_async(b"x")
        await c.flush()
        handled: list[str] = []
        enough = asyncio.Event()

        async def handle(d: aio.Delivery[bytes]) -> None:
            handled.append(d.id)
            if len(handled) == 250:
                enough.set()
            if len(handled) == 100:
                server.drop_streams("SubscriberService")
            if len(handled) % 7 == 0:
                raise ValueError("it comes no more")

        worker = asyncio.create_task(c.receive("billing", handle, concurrency=3, **settings))
        await enough.wait()
        worker.cancel()
        await asyncio.wait({worker})
        left, redelivered, sessions = await stats(c)
        assert (redelivered, sessions, len(set(handled))) == (0, 0, len(handled))
        if not settings:
            assert len(handled) + left >= 500 - 3  # What was on its way over the broken stream is lost.
        async with c.subscribe("billing", **settings) as deliveries:
            for _ in range(left):
                d = await anext(deliveries)
                await d.ack_confirmed()
                with pytest.raises(errors.StaleDeliveryError):
                    await d.retry_confirmed()
        assert await stats(c) == (0, 0, 0)

    scenario(server, play, guarantee="at_most_once")


def test_every_settle_is_confirmed_when_that_is_asked_for(server: Server) -> None:
    async def play(c: aio.Client, topic: aio.Topic) -> None:
        for n in range(4):
            await topic.publish(b"%d" % n)
        async with c.subscribe("billing") as deliveries:
            ack, retry, reject, release = [await anext(deliveries) for _ in range(4)]
            await ack.ack_confirmed()
            await retry.retry_confirmed(LONG, code="LATER")
            await reject.reject_confirmed(code="BAD")
            await release.release_confirmed()
            s = await c.subscriptions.stats("billing")
            assert (s.acked, s.retried, s.rejected, s.released) == (1, 1, 1, 1)
            with pytest.raises(errors.StaleDeliveryError):
                await ack.ack_confirmed()
            (await anext(deliveries)).ack()

    scenario(server, play)


def test_flush_waits_for_what_was_published_before_and_for_nothing_else(server: Server) -> None:
    async def play(c: aio.Client, topic: aio.Topic) -> None:
        stop = asyncio.Event()

        async def go_on() -> None:
            while not stop.is_set():
                await topic.publish_async(b"x")
                await asyncio.sleep(0)

        publishing = asyncio.create_task(go_on())
        first = await topic.publish_async(b"first")
        await c.flush()
        assert first.done()
        stop.set()
        await publishing

    scenario(server, play)


def test_a_hook_that_fails_ends_nothing(server: Server, caplog: pytest.LogCaptureFixture) -> None:
    def fail(_: headrace.Event) -> None:
        raise ValueError("the hook's own fault")

    with server.client(events=fail) as c:
        c.topics.create("orders")
        c.topic("orders").publish(b"x").result()
    assert "the hook's own fault" in caplog.text
