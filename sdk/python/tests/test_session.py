"""What one session holds: rules 5, 6, 8, 11 and 13, without a server."""

import asyncio

import pytest
from headrace import errors
from headrace._delivery import Delivery
from headrace._session import Session
from headrace._settles import SETTLE_SECONDS
from headrace.v1 import error_reason_pb2 as reasons
from headrace.v1 import message_pb2
from headrace.v1 import subscriber_service_pb2 as pb

Response = pb.SubscribeResponse
ALL = (pb.FEATURE_STARTED, pb.FEATURE_RESUME, pb.FEATURE_RECALL)


class Receiving:
    """A session under test."""

    def __init__(self, *features: int, window: int = 1_000, max_extension: float | None = None) -> None:
        self.wakes = 0
        self.session = Session(self.wake, window, max_extension, Delivery, None)
        self.opened("first", features)

    def wake(self) -> None:
        self.wakes += 1

    def opened(self, session_id: str, features: tuple[int, ...], *kept: tuple[int, int]) -> list[Delivery]:
        frame = Response.Opened(session_id=session_id, features=features)
        frame.limits.lease.seconds, frame.limits.max_lease.seconds = 30, 3600
        if kept:
            frame.resumed.next_sequence = 100
            for first, last in kept:
                frame.resumed.kept.add(first=first, last=last)
        return self.session.opened(frame)

    def deliver(self, first: int, count: int, *, offset: int = 0, now: float = 0.0) -> list[Delivery]:
        batch = Response.Batch(first_sequence=first, messages=[message_pb2.Message(data=b"x")] * count)
        batch.runs.add(partition=1, first_offset=offset, count=count)
        return self.session.batch(batch, now)

    def sent(self) -> list[str]:
        return [describe(f) for f in self.session.frames(flush=True)]

    def confirm(self, through: int, *failures: tuple[int, int, int]) -> None:
        result = Response.SettleResult(confirmed_through=through)
        for number, sequence, reason in failures:
            failure = result.failures.add(number=number, reason=reason)
            failure.ranges.add(first=sequence, last=sequence)
        self.session.result(result)


def describe(frame: pb.SubscribeRequest) -> str:
    kind = frame.WhichOneof("frame")
    body = getattr(frame, kind)
    ranges = ",".join(f"{r.first}-{r.last}" for r in body.ranges)
    if kind == "settle":
        return f"{body.number} {pb.Verdict.Name(body.verdict)[8:]} {ranges}"
    return f"{body.number} {kind} {ranges}" if kind == "extend" else f"{kind} {ranges}"


def test_deliveries_have_their_sequences_positions_and_attempts() -> None:
    r = Receiving()
    batch = Response.Batch(first_sequence=7, messages=[message_pb2.Message()] * 3)
    batch.runs.add(partition=1, first_offset=5, count=2)
    batch.runs.add(partition=0, first_offset=9, count=1)
    batch.attempts.add(first_sequence=8, count=1, attempt=3)
    got = [(d.sequence, d.id, d.attempt) for d in r.session.batch(batch, 0.0)]
    assert got == [(7, "1-5", 1), (8, "1-6", 3), (9, "0-9", 1)]


def test_rule_6_settles_are_numbered_and_grouped_as_ranges() -> None:
    r = Receiving()
    a, b, c, d = r.deliver(1, 4)
    for delivery in (b, a, d):
        delivery.ack()
    c.retry()
    assert r.sent() == ["1 ACK 1-2,4-4", "2 RETRY 3-3"]
    assert r.session.settling
    r.confirm(2)
    assert not r.session.settling
    assert not r.session.held


def test_a_settle_waits_for_company_but_not_long() -> None:
    r = Receiving(window=4)
    a, b, *_ = r.deliver(1, 3)
    assert r.session.due(5.0) == float("inf")
    a.ack()
    assert r.session.due(5.0) == pytest.approx(SETTLE_SECONDS)
    assert r.session.due(5.0 + SETTLE_SECONDS) == pytest.approx(0.0)
    b.ack()  # Half a window.
    assert r.session.due(5.0) == 0
    assert r.wakes == 2


def test_a_delivery_is_settled_once() -> None:
    r = Receiving()
    (a,) = r.deliver(1, 1)
    a.release()
    a.ack()
    assert r.sent() == ["1 RELEASE 1-1"]


def test_a_retry_carries_its_delay_code_and_reason() -> None:
    r = Receiving()
    (a,) = r.deliver(1, 1)
    a.retry(1.5, code="E1", reason="later")
    (frame,) = r.session.frames(flush=True)
    assert (frame.settle.delay.seconds, frame.settle.delay.nanos) == (1, 500_000_000)
    assert (frame.settle.code, frame.settle.reason) == ("E1", "later")


def test_confirmations_and_failures_reach_those_who_wait() -> None:
    async def scenario() -> None:
        r = Receiving()
        a, b = r.deliver(1, 2)
        waiting = [asyncio.ensure_future(d.ack_confirmed()) for d in (a, b)]
        await asyncio.sleep(0)
        r.sent()
        r.confirm(1, (1, 2, reasons.ERROR_REASON_STALE_DELIVERY))
        first, second = await asyncio.gather(*waiting, return_exceptions=True)
        assert first is None
        assert isinstance(second, errors.StaleDeliveryError)

    asyncio.run(scenario())


def test_rule_8_started_is_told_and_only_started_leases_are_extended() -> None:
    r = Receiving(*ALL)
    a, _ = r.deliver(1, 2)
    r.session.start(a, 1.0)
    assert r.session.due(1.0) == 0
    assert r.sent() == ["started 1-1"]
    assert r.session.extends(10.9) == []
    assert [describe(f) for f in r.session.extends(11.0)] == ["1 extend 1-1"]
    assert r.session.extends(20.9) == []


def test_rule_8_without_started_the_lease_runs_from_the_delivery() -> None:
    r = Receiving()
    r.deliver(1, 2)
    assert [describe(f) for f in r.session.extends(10.0)] == ["1 extend 1-2"]


def test_an_extension_has_its_cap() -> None:
    r = Receiving(max_extension=15)
    r.deliver(1, 1)
    assert r.session.extends(10.0)
    assert not r.session.extends(20.0)


def test_rule_11_a_recall_takes_what_is_not_started() -> None:
    r = Receiving(*ALL)
    a, b, c = r.deliver(1, 3)
    r.session.start(a, 0.0)
    b.ack()
    back = r.session.recall([message_pb2.SequenceRange(first=1, last=3)])
    assert back == [c]
    assert r.sent() == ["started 1-1", "1 ACK 2-2", "2 RELEASE 3-3"]


def test_rule_11_what_is_revoked_is_lost_and_settles_nothing() -> None:
    r = Receiving(*ALL)
    a, b = r.deliver(1, 2)
    revoked = Response.Revoked(reason=pb.REVOKE_REASON_TAKEOVER)
    revoked.ranges.add(first=1, last=1)
    assert r.session.revoked(revoked) == [a]
    assert a.lost == "TAKEOVER"
    a.ack()
    b.ack()
    assert r.sent() == ["1 ACK 2-2"]


def test_rule_13_a_resume_names_what_is_not_confirmed() -> None:
    r = Receiving(*ALL)
    a, b, c = r.deliver(1, 3)
    a.ack()
    r.sent()
    r.confirm(1)
    b.ack()
    r.sent()
    resume = r.session.resume()
    assert (resume.session_id, resume.received_through) == ("first", 3)
    assert [(x.first, x.last) for x in resume.holding] == [(2, 3)]
    assert r.opened("first", ALL, (2, 2)) == [c]
    assert c.lost == "SESSION_BROKEN"
    assert r.sent() == ["2 ACK 2-2"]  # The same frame again.
    (d,) = r.deliver(100, 1)
    d.ack()
    assert r.sent() == ["3 ACK 100-100"]


def test_rule_13_a_resume_names_no_more_than_a_frame_may() -> None:
    r = Receiving(*ALL)
    for d in r.deliver(1, 30_000)[1::2]:
        d.ack()
    r.sent()
    r.confirm(2)
    resume = r.session.resume()
    assert len(resume.holding) == 10_000
    assert (resume.holding[-1].first, resume.holding[-1].last) == (19_999, 19_999)


def test_rule_13_without_resumed_it_is_a_new_session() -> None:
    async def scenario() -> None:
        r = Receiving(*ALL)
        a, b = r.deliver(1, 2)
        waiting = asyncio.ensure_future(a.ack_confirmed())
        await asyncio.sleep(0)
        r.sent()
        assert r.opened("second", ALL) == [b]
        with pytest.raises(errors.UnknownOutcomeError):
            await waiting
        (c,) = r.deliver(1, 1)
        c.ack()
        assert r.sent() == ["1 ACK 1-1"]

    asyncio.run(scenario())


def test_rule_13_a_server_that_does_not_resume_is_not_asked() -> None:
    r = Receiving()
    r.deliver(1, 1)
    assert r.session.resume() is None


def test_rule_6_no_more_than_1024_settles_are_unconfirmed() -> None:
    r = Receiving(window=2)
    deliveries = r.deliver(1, 1_025)
    for d in deliveries:
        d.ack()
        r.session.frames(flush=True)
    assert r.session.due(1.0) == float("inf")
    r.confirm(1)
    assert r.sent() == ["1025 ACK 1025-1025"]
