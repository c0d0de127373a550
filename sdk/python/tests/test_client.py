"""The client without asyncio, against the real server."""

import concurrent.futures
import threading

import headrace
import pytest
from headrace import errors
from headrace.testing import Server
from headrace.v1 import message_pb2, subscription_pb2, topic_pb2

ODD = "\0 'quoted' ☃ \U0001f980\n\t\"/\\"


def receive(client: headrace.Client, count: int, **settings: object) -> list[headrace.Delivery]:
    """Receives and acks."""
    got = []
    with client.subscribe("billing", **settings) as deliveries:
        for d in deliveries:
            d.ack()
            got.append(d)
            if len(got) == count:
                break
    return got


def backlog(client: headrace.Client) -> int:
    return client.subscriptions.stats("billing").backlog.messages


def test_what_is_published_is_received_whole(client: headrace.Client, orders: headrace.Topic) -> None:
    sent = headrace.Message(b"\0\xff", {ODD: ODD}, ODD, "", "text/plain")
    message_id = orders.publish(sent).result()
    (d,) = receive(client, 1)
    assert (d.data, dict(d.attributes), d.ordering_key, d.content_type) == (b"\0\xff", {ODD: ODD}, ODD, "text/plain")
    assert (d.id, str(d.position), d.attempt) == (str(message_id), str(message_id), 1)
    assert d.publish_time.tzinfo is not None
    assert backlog(client) == 0


def test_typed_payloads_are_parsed(client: headrace.Client, orders: headrace.Topic) -> None:
    orders.publish(message_pb2.Position(partition=3, offset=4)).result()
    with client.subscribe("billing", message_pb2.Position) as deliveries:
        d = next(iter(deliveries))
        assert d.payload.offset == 4
        d.ack_confirmed()


def test_ten_thousand_messages_in_order(client: headrace.Client, orders: headrace.Topic) -> None:
    ids = [orders.publish(b"%d" % n) for n in range(10_000)]
    assert [str(f.result()) for f in ids] == [f"0-{n}" for n in range(10_000)]
    assert [int(d.data) for d in receive(client, 10_000)] == list(range(10_000))
    assert backlog(client) == 0


def test_one_way_messages_arrive(client: headrace.Client, orders: headrace.Topic) -> None:
    orders.publish_one_way(b"nobody asks")
    client.flush()
    assert receive(client, 1)[0].data == b"nobody asks"


def test_a_duplicate_is_told(client: headrace.Client, orders: headrace.Topic) -> None:
    first, second = (orders.publish(headrace.Message(b"x", dedupe_id="a")).result() for _ in range(2))
    assert first.position == second.position
    assert (first.duplicate, second.duplicate) == (False, True)
    with pytest.raises(errors.AlreadyExistsError) as e:
        orders.publish(headrace.Message(b"other", dedupe_id="a")).result()
    assert e.value.reason == "DEDUPE_CONFLICT"


def test_a_message_one_byte_too_large_fails_alone(client: headrace.Client) -> None:
    client.topics.create("small", max_message_bytes=1_000)
    topic = client.topic("small")
    largest = 1_000 - 3  # The field's tag and length.
    futures = [topic.publish(b"x" * size) for size in (largest, largest + 1, 1)]
    assert str(futures[0].result()) == "0-0"
    with pytest.raises(errors.InvalidArgumentError) as e:
        futures[1].result()
    assert (e.value.reason, e.value.limit) == ("MESSAGE_TOO_LARGE", 1_000)
    assert str(futures[2].result()) == "0-1"


def test_errors_have_their_class_reason_and_field(client: headrace.Client, orders: headrace.Topic) -> None:
    cases = [
        (errors.NotFoundError, "TOPIC_NOT_FOUND", lambda: client.topics.get("nothing")),
        (errors.NotFoundError, "TOPIC_NOT_FOUND", lambda: client.topic("nothing").publish(b"").result()),
        (errors.NotFoundError, "SUBSCRIPTION_NOT_FOUND", lambda: next(iter(client.subscribe("nothing")))),
        (errors.AlreadyExistsError, "TOPIC_EXISTS", lambda: client.topics.create("orders")),
        (errors.AlreadyExistsError, "SUBSCRIPTION_EXISTS", lambda: client.subscriptions.create("billing", "orders")),
        (errors.InvalidArgumentError, "INVALID_NAME", lambda: client.topics.create("a b")),
        (errors.FailedPreconditionError, "TOPIC_HAS_SUBSCRIPTIONS", lambda: client.topics.delete("orders")),
    ]
    for kind, reason, call in cases:
        with pytest.raises(kind) as e:
            call()
        assert e.value.reason == reason
        assert not e.value.retryable
    with pytest.raises(errors.InvalidArgumentError) as e:
        client.topics.create(topic_pb2.Topic(name="wide", partitions=257))
    assert "partitions" in e.value.field


def test_topics_and_subscriptions_are_managed(client: headrace.Client, orders: headrace.Topic) -> None:
    changed = topic_pb2.Topic(name="orders", labels={"team": "a"})
    assert client.topics.update(changed, ["labels"]).labels == {"team": "a"}
    assert [t.name for t in client.topics.list()] == ["default/orders"]
    assert client.topics.stats("orders").subscriptions == 1
    retry = subscription_pb2.Subscription(name="billing")
    retry.retry.max_attempts = 3
    assert client.subscriptions.update(retry, ["retry.max_attempts"]).retry.max_attempts == 3
    assert [s.name for s in client.subscriptions.list(topic="orders")] == ["default/billing"]
    client.subscriptions.delete("billing")
    client.topics.delete("orders")
    assert client.topics.list("-") == []


def test_a_handler_that_raises_retries_and_rejected_messages_are_redriven(
    client: headrace.Client, orders: headrace.Topic
) -> None:
    seen: list[tuple[bytes, int]] = []
    done = threading.Event()

    def handle(d: headrace.Delivery) -> None:
        seen.append((d.data, d.attempt))
        if d.data == b"bad":
            d.reject(code="E7", reason="hopeless")
        elif d.attempt == 1:
            raise ValueError("not yet")
        else:
            done.set()

    orders.publish(b"bad").result()
    orders.publish(b"good").result()
    worker = threading.Thread(target=client.receive, args=("billing", handle), kwargs={"concurrency": 4})
    with headrace.Client(client.target) as other:
        worker.start()
        assert done.wait(30)
        assert sorted(seen) == [(b"bad", 1), (b"good", 1), (b"good", 2)]
        (letter,) = other.subscriptions.dead_letters("billing")
        assert (letter.failures[-1].code, letter.failures[-1].reason) == ("E7", "hopeless")
        assert list(other.subscriptions.redrive_dead_letters("billing", [letter.sequence])) == [letter.sequence]
        client.close()
        worker.join()


def test_leaving_the_block_gives_back_what_was_not_begun(client: headrace.Client, orders: headrace.Topic) -> None:
    for _ in range(100):
        orders.publish(b"x")
    client.flush()
    with client.subscribe("billing") as deliveries:
        next(deliveries).ack()
    stats = client.subscriptions.stats("billing")
    assert (stats.backlog.messages, stats.outstanding.messages, stats.expired) == (99, 0, 0)
    assert {d.attempt for d in receive(client, 99)} == {1}


def test_closing_ends_an_iteration_that_waits(client: headrace.Client, orders: headrace.Topic) -> None:
    subscriber = client.subscribe("billing", drain_timeout=0.1)  # Nobody settles what is taken.
    with concurrent.futures.ThreadPoolExecutor() as pool:
        waiting = pool.submit(lambda: list(subscriber))
        orders.publish(b"x").result()
        while client.subscriptions.stats("billing").delivered == 0:
            pass
        subscriber.close()
        assert len(waiting.result(30)) <= 1
    orders.publish(b"y").result()


def test_a_second_session_of_an_exclusive_subscription_is_refused(client: headrace.Client) -> None:
    client.topics.create("orders")
    client.subscriptions.create(
        "billing",
        "orders",
        mode=subscription_pb2.SUBSCRIPTION_MODE_EXCLUSIVE,
        order=subscription_pb2.DELIVERY_ORDER_NONE,
    )
    client.topic("orders").publish(b"x").result()
    with client.subscribe("billing") as first:
        next(first)
        with pytest.raises(errors.FailedPreconditionError) as e:
            next(client.subscribe("billing"))
        assert e.value.reason == "EXCLUSIVE_SESSION_EXISTS"
        with client.subscribe("billing", takeover=True) as second:
            d = next(second)
            d.ack_confirmed()
            assert d.data == b"x"
            with pytest.raises(errors.FailedPreconditionError) as e:
                next(first)
            assert e.value.reason == "TAKEN_OVER"


def test_kill_9_of_the_server_loses_and_repeats_nothing_published(
    server: Server, client: headrace.Client, orders: headrace.Topic
) -> None:
    futures = []
    for n in range(3_000):
        futures.append(orders.publish(b"%d" % n))
        if n in (1_000, 2_000):
            server.kill()
            server.start()
    assert [str(f.result(60)) for f in futures] == [f"0-{n}" for n in range(3_000)]
    got = [int(d.data) for d in receive(client, 3_000)]
    assert sorted(got) == list(range(3_000))


def test_a_subscriber_outlives_the_server(server: Server, client: headrace.Client, orders: headrace.Topic) -> None:
    with client.subscribe("billing") as deliveries:
        orders.publish(b"before").result()
        next(deliveries).ack_confirmed()
        server.kill()
        server.start()
        orders.publish(b"after").result()
        d = next(deliveries)
        d.ack_confirmed()
        assert d.data == b"after"


def test_a_server_that_cannot_be_reached_is_told() -> None:
    with headrace.Client("127.0.0.1:1", connect_timeout=0.2) as c:
        with pytest.raises(errors.UnavailableError) as e:
            c.topic("orders").publish(b"").result()
        assert (e.value.reason, e.value.retryable) == ("UNREACHABLE", True)
        with pytest.raises(errors.UnavailableError):
            next(c.subscribe("billing"))


def test_a_closed_client_says_so(client: headrace.Client, orders: headrace.Topic) -> None:
    client.close()
    client.close()
    with pytest.raises(errors.ClosedError):
        orders.publish(b"").result()
    with pytest.raises(errors.ClosedError):
        client.topics.list()


def test_a_full_buffer_is_an_error_when_asked_for(server: Server, client: headrace.Client) -> None:
    client.topics.create("orders")
    settings = headrace.PublishSettings(max_pending_messages=1, overflow_error=True)
    with headrace.Client(server.address, publish=settings) as c:
        topic = c.topic("orders")
        accepted = topic.publish(b"x")
        with pytest.raises(errors.BufferFullError):
            while True:
                topic.publish(b"y")
        accepted.result()
