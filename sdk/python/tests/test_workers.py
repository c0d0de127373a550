"""Handlers keep the order of keys, without a server: rule 12 on the client's side."""

import asyncio
import collections
from collections.abc import Callable
from typing import Any

import pytest
from google.protobuf.message import DecodeError
from headrace._delivery import Delivery
from headrace._session import Session
from headrace._workers import Workers
from headrace.v1 import message_pb2
from headrace.v1 import subscriber_service_pb2 as pb


class FakeSubscriber:
    """Hands over what a session was sent; None ends it."""

    def __init__(self, ordered_by: int) -> None:
        self.ordered_by = ordered_by
        self.session = Session(lambda: None, 100, None, Delivery, None)
        self.session.opened(pb.SubscribeResponse.Opened(session_id="s"))
        self.queue: collections.deque[Delivery[Any] | None] = collections.deque()
        self.came = asyncio.Event()
        self.begun: list[int] = []

    async def next_queued(self) -> Delivery[Any] | None:
        while True:
            while self.queue:
                if (delivery := self.queue.popleft()) is None or not delivery.settled:
                    return delivery
            self.came.clear()
            await self.came.wait()

    def put_back(self, delivery: Delivery[Any]) -> None:
        self.queue.appendleft(delivery)
        self.came.set()

    def end(self) -> None:
        self.queue.append(None)
        self.came.set()

    def start(self, delivery: Delivery[Any]) -> None:
        self.begun.append(delivery.sequence)

    def deliver(self, *keys: str, partition: int = 0, data: bytes = b"") -> list[Delivery[Any]]:
        first = self.session.received_through + 1
        batch = pb.SubscribeResponse.Batch(first_sequence=first)
        batch.messages.extend(message_pb2.Message(ordering_key=k, data=data) for k in keys)
        batch.runs.add(partition=partition, first_offset=first, count=len(keys))
        deliveries = self.session.batch(batch, 0.0)
        self.queue.extend(deliveries)
        self.came.set()
        return deliveries

    def confirm(self) -> None:
        self.session.frames(flush=True)
        self.session.result(pb.SubscribeResponse.SettleResult(confirmed_through=self.session._settles._number))

    def revoke(self, sequence: int) -> None:
        revoked = pb.SubscribeResponse.Revoked(reason=pb.REVOKE_REASON_KEY_ORDER)
        revoked.ranges.add(first=sequence, last=sequence)
        self.session.revoked(revoked)


async def settle() -> None:
    for _ in range(20):
        await asyncio.sleep(0)


def with_workers(
    ordered_by: int, scenario: Callable[[FakeSubscriber, dict[int, asyncio.Future[None]]], Any], concurrency: int = 8
) -> None:
    async def run() -> None:
        subscriber = FakeSubscriber(ordered_by)
        ends: dict[int, asyncio.Future[None]] = {}

        async def handle(d: Delivery[Any]) -> None:
            ends[d.sequence] = asyncio.get_running_loop().create_future()
            await ends[d.sequence]

        workers: Any = Workers(subscriber, handle, concurrency)  # type: ignore[arg-type]
        task = asyncio.create_task(workers.run())
        await scenario(subscriber, ends)
        subscriber.end()
        await settle()
        for end in ends.values():
            if not end.done():
                end.set_result(None)
        await task

    asyncio.run(run())


def test_rule_12_one_of_a_key_at_a_time_and_keys_side_by_side() -> None:
    async def scenario(s: FakeSubscriber, ends: dict[int, asyncio.Future[None]]) -> None:
        s.deliver("a", "a", "b", "", "")
        await settle()
        assert s.begun == [1, 3, 4, 5]
        ends[1].set_result(None)
        await settle()
        assert s.begun == [1, 3, 4, 5, 2]

    with_workers(pb.ORDERED_BY_KEY, scenario)


def test_rule_12_behind_a_failed_one_nothing_begins_before_its_settle_is_confirmed() -> None:
    async def scenario(s: FakeSubscriber, ends: dict[int, asyncio.Future[None]]) -> None:
        s.deliver("a", "a")
        await settle()
        ends[1].set_exception(ValueError("failed"))
        await settle()
        s.deliver("a")  # It was under way.
        await settle()
        assert s.begun == [1]
        s.revoke(2)
        s.revoke(3)
        s.confirm()
        s.deliver("a")
        await settle()
        assert s.begun == [1, 4]

    with_workers(pb.ORDERED_BY_KEY, scenario)


def test_rule_12_a_partition_counts_as_one_key_where_that_is_the_order() -> None:
    async def scenario(s: FakeSubscriber, ends: dict[int, asyncio.Future[None]]) -> None:
        s.deliver("a", "b", partition=0)
        s.deliver("a", partition=1)
        await settle()
        assert s.begun == [1, 3]
        ends[1].set_result(None)
        await settle()
        assert s.begun == [1, 3, 2]

    with_workers(pb.ORDERED_BY_PARTITION, scenario)


def test_without_an_order_keys_hold_nobody() -> None:
    async def scenario(s: FakeSubscriber, _: dict[int, asyncio.Future[None]]) -> None:
        s.deliver("a", "a", "a")
        await settle()
        assert s.begun == [1, 2, 3]

    with_workers(pb.ORDERED_BY_UNSPECIFIED, scenario)


def test_a_lost_head_lets_the_others_go() -> None:
    async def scenario(s: FakeSubscriber, ends: dict[int, asyncio.Future[None]]) -> None:
        first, _ = s.deliver("a", "a")
        await settle()
        s.revoke(1)
        first.handler.cancel()
        await settle()
        assert s.begun == [1, 2]

    with_workers(pb.ORDERED_BY_KEY, scenario)


def test_a_handler_that_is_cancelled_before_its_first_step_leaves_its_lane() -> None:
    async def scenario(s: FakeSubscriber, _: dict[int, asyncio.Future[None]]) -> None:
        first, _second = s.deliver("a", "a")
        start = s.start

        def start_and_lose(delivery: Delivery[Any]) -> None:
            start(delivery)
            if delivery is first:
                asyncio.get_running_loop().call_soon(lambda: (s.revoke(1), first.handler.cancel()))

        s.start = start_and_lose  # type: ignore[method-assign]
        await settle()
        assert s.begun == [1, 2]

    with_workers(pb.ORDERED_BY_KEY, scenario)


def test_what_waited_for_a_failure_waits_for_a_handler_too() -> None:
    async def scenario(s: FakeSubscriber, ends: dict[int, asyncio.Future[None]]) -> None:
        s.deliver("a", "a", "b")
        await settle()
        ends[1].set_exception(ValueError("failed"))
        await settle()
        assert s.begun == [1, 3]
        s.confirm()
        await settle()
        assert s.begun == [1, 3], "one handler at a time"
        ends[3].set_result(None)
        await settle()
        assert s.begun == [1, 3, 2]

    with_workers(pb.ORDERED_BY_KEY, scenario, concurrency=1)


def test_the_turn_of_one_that_is_lost_before_it_begins_goes_to_the_next() -> None:
    async def scenario(s: FakeSubscriber, ends: dict[int, asyncio.Future[None]]) -> None:
        s.deliver("a", "a", "a", "b")
        await settle()
        ends[1].set_exception(ValueError("failed"))
        await settle()
        s.confirm()
        assert s.begun == [1, 4]
        s.revoke(2)
        ends[4].set_result(None)
        await settle()
        assert s.begun == [1, 4, 3]

    with_workers(pb.ORDERED_BY_KEY, scenario, concurrency=1)


def test_concurrency_is_at_least_1() -> None:
    with pytest.raises(ValueError, match="at least 1"):
        Workers(None, None, 0)  # type: ignore[arg-type]


def test_what_does_not_parse_is_rejected_and_comes_to_no_handler() -> None:
    def parse(data: bytes) -> str:
        if data == b"none of the type":
            raise DecodeError("not of that type")
        return data.decode()

    async def run() -> None:
        subscriber = FakeSubscriber(pb.ORDERED_BY_KEY)
        subscriber.session = Session(lambda: None, 100, None, Delivery, parse)
        subscriber.session.opened(pb.SubscribeResponse.Opened(session_id="s"))
        handled: list[str] = []

        async def handle(d: Delivery[Any]) -> None:
            handled.append(d.payload)

        workers: Any = Workers(subscriber, handle, 8)  # type: ignore[arg-type]
        task = asyncio.create_task(workers.run())
        (bad,) = subscriber.deliver("key", data=b"none of the type")
        (good,) = subscriber.deliver("key", data=b"one")
        await settle()
        settles = [f.settle for f in subscriber.session.frames(flush=True) if f.HasField("settle")]
        assert [(s.verdict, s.code) for s in settles] == [(pb.VERDICT_REJECT, "UNDECODABLE")]
        assert (handled, bad.settled, good.settled) == ([], True, False), "the next of the key waits"
        subscriber.confirm()
        subscriber.end()
        await task
        assert handled == ["one"]

    asyncio.run(run())
