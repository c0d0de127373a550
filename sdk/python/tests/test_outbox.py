"""What was accepted for publishing: batches, windows, and rule 17, without a server."""

import asyncio
import math

import pytest
from headrace import errors
from headrace._message import Message, encode, wire_bytes
from headrace._outbox import FIRST_WINDOW_MESSAGES, BatchLimits, Outbox
from headrace.v1 import error_reason_pb2 as reasons
from headrace.v1 import message_pb2
from headrace.v1 import publisher_service_pb2 as pb

Response = pb.PublishStreamResponse


class Publishing:
    """An outbox under test, its clock, and the results that it owes."""

    def __init__(self, *, lasting: bool = False, limits: BatchLimits | None = None) -> None:
        self.loop = asyncio.new_event_loop()
        self.outbox = Outbox(limits or BatchLimits(), lasting=lasting)
        self.outbox.begin()
        self.now = 0.0
        self.results: list[asyncio.Future] = []

    def accept(self, data: bytes = b"x", topic: str = "orders", *, one_way: bool = False) -> None:
        message = encode(data)
        result = None if one_way else self.loop.create_future()
        if result is not None:
            self.results.append(result)
        self.outbox.accept(topic, message, wire_bytes(message), self.now, result)

    def take(self) -> pb.PublishStreamRequest.PublishBatch | None:
        frame, _ = self.outbox.take(self.now)
        return frame.publish_batch if frame else None

    def stored(self, through: int, *runs: tuple[int, int, int, int], **failure: int) -> None:
        result = Response.PublishResult(topic="orders", through_sequence=through)
        for first, partition, offset, count in runs:
            result.runs.add(first_sequence=first, partition=partition, first_offset=offset, count=count)
        if failure:
            result.failures.add(first_sequence=failure["first"], count=failure["count"], reason=failure["reason"])
        self.outbox.resolve(result)

    def looked_up(self, next_sequence: int) -> None:
        self.outbox.looked_up(Response.LookedUp(topic="orders", next_sequence=next_sequence))

    def ids(self) -> list[str]:
        return [str(r.exception() or r.result()) if r.done() else "" for r in self.results]


def test_wire_bytes_count_tag_and_length() -> None:
    for size in (0, 1, 120, 127, 128, 16_380, 16_384, 2_100_000):
        message = encode(b"x" * size)
        batch = pb.PublishStreamRequest.PublishBatch(messages=[message])
        assert wire_bytes(message) == batch.ByteSize()


def test_a_message_takes_bytes_protobuf_and_all_of_its_fields() -> None:
    inner = message_pb2.Position(partition=3)
    assert encode(inner).data == inner.SerializeToString()
    full = encode(Message(inner, {"a": "\0"}, "key", "id", "text/plain"))
    assert (full.data, full.attributes["a"], full.ordering_key, full.dedupe_id, full.content_type) == (
        inner.SerializeToString(), "\0", "key", "id", "text/plain",
    )  # fmt: skip


def test_a_lone_message_never_waits_and_company_waits_for_the_delay() -> None:
    p = Publishing()
    p.accept()
    assert p.take().first_sequence == 1
    p.accept()
    assert p.outbox.take(p.now) == (None, pytest.approx(0.001))
    p.now = 0.001
    assert p.take().first_sequence == 2


def test_a_full_batch_does_not_wait() -> None:
    p = Publishing(limits=BatchLimits(messages=2))
    for _ in range(4):
        p.accept()
    assert [len(p.take().messages), len(p.take().messages), p.take()] == [2, 2, None]


def test_results_reach_their_messages() -> None:
    p = Publishing()
    for _ in range(3):
        p.accept()
    p.take()
    p.stored(3, (1, 0, 10, 2), first=3, count=1, reason=reasons.ERROR_REASON_MESSAGE_TOO_LARGE)
    assert p.ids() == ["0-10", "0-11", "publish to orders (MESSAGE_TOO_LARGE)"]
    assert isinstance(p.results[2].exception(), errors.InvalidArgumentError)
    assert p.outbox.empty
    assert (p.outbox.pending_messages, p.outbox.pending_bytes) == (0, 0)


def test_nothing_is_sent_beyond_the_window() -> None:
    p = Publishing(limits=BatchLimits(messages=10_000, bytes=1 << 30))
    for _ in range(FIRST_WINDOW_MESSAGES + 5):
        p.accept()
    assert len(p.take().messages) == FIRST_WINDOW_MESSAGES
    assert p.outbox.take(p.now) == (None, math.inf)
    p.outbox.raise_window(Response.PublishWindow(through_messages=FIRST_WINDOW_MESSAGES + 2, through_bytes=1 << 30))
    p.now = 1.0
    assert len(p.take().messages) == 2


def test_a_message_larger_than_what_is_left_goes_alone() -> None:
    p = Publishing(limits=BatchLimits(bytes=1 << 30))
    p.accept(b"x" * (4 << 20))
    p.accept()
    assert len(p.take().messages) == 1
    assert p.take() is None


def test_rule_17_what_is_stored_is_not_sent_again() -> None:
    p = Publishing(limits=BatchLimits(messages=1))
    for _ in range(3):
        p.accept()
        p.take()
    p.outbox.begin()  # The stream broke; another is open.
    question = p.outbox.question().look_up
    assert (question.topic, question.first_sequence) == ("orders", 1)
    assert p.take() is None
    p.stored(1, (1, 0, 0, 1))  # The first is stored.
    p.looked_up(2)
    assert [p.take().first_sequence, p.take().first_sequence] == [2, 3]
    p.stored(3, (2, 0, 1, 2))
    assert p.ids() == ["0-0", "0-1", "0-2"]


def test_rule_17_what_the_server_forgot_is_told() -> None:
    p = Publishing(limits=BatchLimits(messages=1))
    p.accept()
    p.take()
    p.stored(1, (1, 0, 0, 1))
    p.accept()
    p.take()
    p.outbox.begin()
    p.outbox.question()
    p.looked_up(1)
    assert p.results[1].exception().reason == "OUTCOME_FORGOTTEN"
    p.accept()
    assert p.take().first_sequence == 1


def test_rule_17_a_batch_that_failed_as_a_whole_uses_up_no_sequence() -> None:
    p = Publishing(limits=BatchLimits(messages=1))
    for _ in range(2):
        p.accept()
        p.take()
    p.accept()
    p.stored(1, first=1, count=1, reason=reasons.ERROR_REASON_DISK_FULL)
    assert p.take() is None  # What was sent behind it has no result yet.
    p.stored(2, first=2, count=1, reason=reasons.ERROR_REASON_DISK_FULL)
    assert p.take().first_sequence == 1
    assert p.results[0].exception().retryable


def test_rule_17_a_lasting_producer_asks_before_it_sends() -> None:
    p = Publishing(lasting=True)
    p.accept()
    assert p.take() is None
    assert p.outbox.question().look_up.first_sequence == 0
    p.looked_up(41)
    assert p.take().first_sequence == 41


def test_one_way_messages_have_no_result_and_count_in_the_window() -> None:
    p = Publishing()
    p.accept(one_way=True)
    assert p.take().one_way
    assert p.outbox.empty
    p.accept()
    assert p.take().first_sequence == 2


def test_a_batch_that_is_split_by_the_window_keeps_its_order() -> None:
    p = Publishing()
    for n in range(3):
        p.accept(b"%d" % n)
    p.outbox.raise_window(Response.PublishWindow())
    p.outbox._through = (2, 1 << 20)
    assert [m.data for m in p.take().messages] == [b"0", b"1"]
    p.accept(b"3")
    p.outbox.raise_window(Response.PublishWindow(through_messages=10, through_bytes=1 << 20))
    p.now = 1.0
    assert [m.data for m in p.take().messages] == [b"2", b"3"]
