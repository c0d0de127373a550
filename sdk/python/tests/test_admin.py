"""Managing what the server has, against the real server; the twin for asyncio is beneath."""

import datetime
import json
import threading

import headrace
import pytest
from headrace import aio, errors
from headrace.v1 import explanation_pb2, message_pb2, subscription_pb2, topic_pb2
from headrace.v1 import subscription_service_pb2 as spb

NOW = datetime.datetime.now(datetime.timezone.utc)


def fill(client: headrace.Client, count: int, *, key: str = "", **fields: object) -> headrace.Topic:
    """A topic with this many messages, and its subscription, which has acked none."""
    client.topics.create("orders", retention={"keep_settled": 3600})
    client.subscriptions.create("billing", "orders", **{"order": "none", **fields})
    topic = client.topic("orders")
    for future in [topic.publish(headrace.Message(b"%d" % n, ordering_key=key)) for n in range(count)]:
        future.result()
    return topic


def take(client: headrace.Client, count: int) -> list[headrace.Delivery]:
    """Receives and acks, durably."""
    got = []
    with client.subscribe("billing") as deliveries:
        for d in deliveries:
            got.append(d)
            d.ack()
            if len(got) == count:
                break
    return got


def backlog(client: headrace.Client) -> int:
    return client.subscriptions.stats("billing").backlog.messages


@pytest.mark.parametrize(
    ("plain", "asynchronous"),
    [
        (headrace.Client, aio.Client),
        (headrace.Topic, aio.Topic),
        (headrace.Subscription, aio.Subscription),
        (headrace.Topics, aio.Topics),
        (headrace.Subscriptions, aio.Subscriptions),
        (headrace.Subscriber, aio.Subscriber),
        (headrace.Delivery, aio.Delivery),
    ],
)
def test_both_twins_have_the_same_names(plain: type, asynchronous: type) -> None:
    only_there = {
        "publish_async",
        "subscriber",
        "by_hand",
        "start",
        "next_queued",
        "queued",
        "put_back",
        "ordered_by",
        "stop",
        "drain_timeout",
    }
    names = {n for n in dir(asynchronous) if not n.startswith("_")} - only_there
    assert {n for n in dir(plain) if not n.startswith("_")} == names


def test_fields_are_seconds_short_names_and_parts(client: headrace.Client) -> None:
    topic = client.topics.create("orders", partitions=3, durability="buffered", retention={"min_age": 1.5})
    assert (topic.partitions, topic.durability) == (3, topic_pb2.Topic(durability="DURABILITY_BUFFERED").durability)
    assert topic.retention.min_age.ToMilliseconds() == 1_500
    changed = client.topics.update("orders", retention={"max_bytes": 1 << 30}, labels={"team": "a"})
    assert (changed.retention.max_bytes, changed.retention.min_age.ToMilliseconds()) == (1 << 30, 1_500)
    assert changed.labels == {"team": "a"}
    made = client.subscriptions.create(
        "billing",
        "orders",
        mode="exclusive",
        order="partition",
        guarantee="exactly_once",
        lease=datetime.timedelta(seconds=9),
        retry={"max_attempts": 3, "min_backoff": 0.5},
        key_failure_policy="park-key",
        dispatch_cap={"messages_per_second": 5.5, "concurrency": 2},
        max_outstanding={"messages": 10, "bytes": 1 << 20},
        backlog_cap={"max": {"messages": 100}, "action": "drop_oldest"},
        expire_after=3_600,
    )
    assert made.mode == subscription_pb2.SUBSCRIPTION_MODE_EXCLUSIVE
    assert (made.lease.seconds, made.retry.max_attempts) == (9, 3)
    assert made.backlog_cap.action == subscription_pb2.BACKLOG_ACTION_DROP_OLDEST
    changed = client.subscriptions.update("billing", retry={"max_attempts": 7}, dispatch_cap={"concurrency": 4})
    assert (changed.retry.max_attempts, changed.retry.min_backoff.ToMilliseconds()) == (7, 500)
    assert (changed.dispatch_cap.concurrency, changed.dispatch_cap.messages_per_second) == (4, 5.5)


@pytest.mark.parametrize(
    ("field", "value"), [("mode", "nonsense"), ("colour", 1), ("labels", 5), ("lease", datetime.datetime(2026, 1, 1))]
)
def test_a_field_that_is_none_is_refused_by_its_name(client: headrace.Client, field: str, value: object) -> None:
    with pytest.raises(errors.InvalidArgumentError) as e:
        client.subscriptions.create("billing", "orders", **{field: value})
    assert e.value.reason == "INVALID_FIELD"
    assert field in e.value.field


def test_a_subscription_begins_where_it_is_told(client: headrace.Client) -> None:
    fill(client, 4)
    starts = [
        (headrace.from_latest(), 0),
        (headrace.from_earliest(), 4),
        (headrace.from_time(NOW - datetime.timedelta(days=1)), 4),
        (headrace.from_time(NOW + datetime.timedelta(days=1)), 0),
        (headrace.from_positions(headrace.Position(0, 3)), 1),
    ]
    for number, (start, expected) in enumerate(starts):
        name = f"from-{number}"
        client.subscriptions.create(name, "orders", start=start, order="none")
        assert client.subscriptions.stats(name).backlog.messages == expected
    with pytest.raises(errors.InvalidArgumentError):
        headrace.from_time(datetime.datetime(2026, 1, 1))


def test_seek_moves_back_and_forward_and_says_what_it_would_do(client: headrace.Client) -> None:
    fill(client, 5)
    take(client, 3)
    s = client.subscriptions
    assert s.seek_dry_run("billing", headrace.to_start()) == headrace.SeekResult(1, unacked=3, acked=0)
    assert backlog(client) == 2
    assert s.seek("billing", headrace.to_start()) == headrace.SeekResult(2, unacked=3, acked=0)
    assert backlog(client) == 5
    assert s.seek("billing", headrace.to_positions(headrace.Position(0, 4))).acked == 4
    assert s.seek("billing", headrace.to_end()).acked == 1
    assert s.seek("billing", headrace.to_time(NOW - datetime.timedelta(hours=1))).unacked == 5
    with pytest.raises(errors.OutOfRangeError) as e:
        s.seek("billing", headrace.to_positions(headrace.Position(0, 6)))
    assert e.value.reason == "POSITION_OUT_OF_RANGE"


def test_snapshots_are_kept_listed_and_gone_back_to(client: headrace.Client) -> None:
    fill(client, 5)
    take(client, 2)
    s = client.subscriptions
    made = s.create_snapshot("before-deploy", "billing", keep=600)
    assert (made.name, made.unacked) == ("default/before-deploy", 3)
    assert made.expire_time.ToSeconds() - made.create_time.ToSeconds() == 600
    take(client, 3)
    assert s.seek("billing", headrace.to_snapshot("before-deploy")).unacked == 3
    assert s.snapshot("before-deploy") == made
    assert s.snapshots(topic="orders") == [made]
    s.delete_snapshot("before-deploy")
    with pytest.raises(errors.NotFoundError) as e:
        s.snapshot("before-deploy")
    assert e.value.reason == "SNAPSHOT_NOT_FOUND"


def test_peek_shows_page_after_page_and_takes_nothing(client: headrace.Client) -> None:
    fill(client, 250)
    take(client, 1)
    delivered = client.subscriptions.stats("billing").delivered
    peeked = client.subscriptions.peek("billing")
    assert [m.message.data for m in peeked] == [b"%d" % n for n in range(1, 250)]
    shown = [*client.subscriptions.peek("billing", headrace.Position(0, 0), include_acked=True)]
    assert (len(shown), shown[0].acked, shown[1].acked) == (250, True, False)
    assert client.subscriptions.stats("billing").delivered == delivered
    with pytest.raises(errors.NotFoundError) as e:
        next(client.subscriptions.peek("billing", headrace.Position(7, 0)))
    assert e.value.reason == "PARTITION_NOT_FOUND"


def test_explain_tells_of_messages_keys_and_sessions(client: headrace.Client) -> None:
    fill(client, 3, key="table 4", order="key")
    s = client.subscriptions
    with client.subscribe("billing", max_messages=2, labels={"of": "this"}) as deliveries:
        d = next(deliveries)
        (session,) = s.explain("billing").sessions
        assert session.labels == {"of": "this"}
        held = s.explain_message("billing", d.position)
        assert held.standing == explanation_pb2.MESSAGE_STANDING_OUTSTANDING
        assert held.holder.session == session.session
        assert s.explain_message_id("billing", d.id).holder.sequence == held.holder.sequence
        (key,) = s.explain_key("billing", "table 4")
        assert (key.busy, key.session) == (True, session.session)
        assert s.explain_session("billing", session.session).stats.session == session.session
        with pytest.raises(errors.NotFoundError) as e:
            s.explain_session("billing", "nobody")
        assert e.value.reason == "SESSION_NOT_FOUND"
        d.ack()


def test_a_paused_subscription_delivers_when_it_is_resumed(client: headrace.Client) -> None:
    fill(client, 1)
    assert client.subscriptions.pause("billing").paused
    with client.subscribe("billing") as deliveries:
        assert client.subscription("billing").pull(wait=0) == []
        assert not client.subscriptions.resume("billing").paused
        next(deliveries).ack()
    assert backlog(client) == 0


def test_parked_keys_wait_for_their_release(client: headrace.Client) -> None:
    fill(client, 3, key="k", order="key", key_failure_policy="park_key")
    s = client.subscriptions
    for release in (
        lambda: s.release_parked_keys("billing", "k", "nobody's"),
        lambda: s.release_parked_partitions("billing", 0),
        lambda: s.release_all_parked_keys("billing"),
    ):
        with client.subscribe("billing", max_messages=1) as deliveries:
            next(deliveries).reject_confirmed(code="BAD")
        (parked,) = s.parked_keys("billing")
        assert parked.ordering_key == "k"
        assert release() == 1
        assert s.parked_keys("billing") == []


def test_dead_letters_are_looked_at_exported_redriven_and_discarded(client: headrace.Client) -> None:
    fill(client, 3)
    s = client.subscriptions
    with client.subscribe("billing") as deliveries:
        for _ in range(3):
            next(deliveries).reject_confirmed(code="BAD", reason="no address")
    letters = [*s.dead_letters("billing")]
    assert [d.sequence for d in letters] == [1, 2, 3]
    assert letters[0].failures[0].code == "BAD"
    assert [d.sequence for d in s.dead_letters("billing", from_sequence=3, without_messages=True)] == [3]
    assert [*s.dead_letters("billing", filter=spb.DeadLetterFilter(reasons=["DEAD_LETTER_REASON_BACKLOG"]))] == []
    assert s.peek_dead_letter("billing", 2) == letters[1]
    assert s.peek_dead_letter("billing", 9) is None
    lines = [json.loads(line) for line in s.export_dead_letters("billing")]
    assert [(line["message_id"], line["data"]) for line in lines] == [("0-0", "0"), ("0-1", "1"), ("0-2", "2")]
    assert s.redrive_dead_letters("billing", [2, 9]) == [2]
    assert s.discard_dead_letters("billing", [1, 3, 9]) == [1, 3]
    (again,) = take(client, 1)
    assert (again.id, again.attempt, again.position.partition) == ("0-1", 1, 65_535)


def test_lists_go_on_over_their_pages(client: headrace.Client) -> None:
    client.topics.create("orders")
    names = [f"default/billing-{n:03}" for n in range(505)]
    for name in names:
        client.subscriptions.create(name, "orders")
    assert [s.name for s in client.subscriptions.list()] == names
    assert client.subscriptions.list("-", topic="orders")[-1].name == names[-1]


def test_pulled_messages_are_settled_by_their_tokens(client: headrace.Client, server: object) -> None:
    topic = fill(client, 5)
    topic.publish(message_pb2.Position(partition=3, offset=4)).result()
    billing = client.subscription("billing")
    assert billing.name == "default/billing"
    first = billing.pull(max_messages=4, lease=60)
    assert [(p.data, p.payload, p.attempt, p.id) for p in first[:2]] == [(b"0", b"0", 1, "0-0"), (b"1", b"1", 1, "0-1")]
    tokens = [p.token for p in first]
    assert billing.extend_tokens(*tokens, lease=90) == []
    with headrace.Client(client.target) as other:
        assert other.subscription("billing").ack_tokens(tokens[0]) == []
    assert billing.reject_tokens(tokens[1], code="BAD", reason="no address") == []
    assert billing.release_tokens(tokens[2]) == []
    assert billing.retry_tokens(tokens[3], delay=0.1, code="LATER") == []
    failed = {f.token: f.error for f in billing.ack_tokens(tokens[0], "nonsense")}
    assert {t: e.reason for t, e in failed.items()} == {tokens[0]: "STALE_DELIVERY", "nonsense": "INVALID_TOKEN"}
    assert isinstance(failed[tokens[0]], errors.StaleDeliveryError)
    rest: dict[str, int] = {}
    while len(rest) < 4:
        for p in billing.pull():
            rest[p.id] = p.attempt
            assert billing.ack_tokens(p.token) == []
    assert rest == {"0-2": 1, "0-3": 2, "0-4": 1, "0-5": 1}


def test_a_pull_parses_what_it_is_told_to(client: headrace.Client) -> None:
    fill(client, 0).publish(message_pb2.Position(partition=3, offset=4)).result()
    (p,) = client.subscription("billing").pull(message_pb2.Position)
    assert p.payload.offset == 4


def test_a_broadcast_reaches_every_instance_and_leaves_nothing_behind(server: object, client: headrace.Client) -> None:
    client.topics.create("chat")
    heard = threading.Barrier(3)
    with headrace.Client(client.target) as one, headrace.Client(client.target) as two:
        rooms = [threading.Thread(target=c.topic("chat").broadcast, args=(lambda _: heard.wait(),)) for c in (one, two)]
        for room in rooms:
            room.start()
        while sum(len(client.subscriptions.stats(s.name).sessions) for s in client.subscriptions.list()) < 2:
            pass
        client.topic("chat").publish(b"hello").result()
        heard.wait()
    for room in rooms:
        room.join()
    assert client.subscriptions.list() == []
