"""Every reason of the contract: its class, whether it is retryable, its status, and where it comes from."""

import pathlib
import re
from collections.abc import Callable, Iterator

import grpc
import headrace
import pytest
from headrace import errors
from headrace.testing import Server
from headrace.v1 import error_reason_pb2, message_pb2, subscriber_service_pb2_grpc
from headrace.v1 import subscriber_service_pb2 as subscribing

CONTRACT = pathlib.Path(__file__).parents[3] / "proto/headrace/v1/error_reason.proto"
REASONS = [r.removeprefix("ERROR_REASON_") for r in error_reason_pb2.ErrorReason.keys()[1:]]
OF_ONE_ITEM = {"UNKNOWN_SEQUENCE", "STALE_DELIVERY", "LEASE_CAPPED", "INVALID_TOKEN"}


def codes_of_the_contract() -> Iterator[tuple[str, str]]:
    """Each reason, and the code that its comment begins with."""
    for code, reason in re.findall(r"// ([A-Z_]+|Of one item): [^=]*?ERROR_REASON_([A-Z_]+) =", CONTRACT.read_text()):
        yield reason, code


def test_every_reason_has_its_row_and_the_status_of_the_contract() -> None:
    told = dict(codes_of_the_contract())
    assert set(told) == set(REASONS) == set(errors.REASONS)
    for reason, kind in errors.REASONS.items():
        assert (kind.code.name if kind.code else "Of one item") == told[reason]
        assert kind.retryable == (told[reason] in ("UNAVAILABLE", "ABORTED", "RESOURCE_EXHAUSTED"))
        assert issubclass(kind.error, errors.HeadraceError)
        assert kind.error is not errors.HeadraceError
        assert kind.error.__name__ in headrace.__all__


def test_the_readme_has_a_row_for_each_class() -> None:
    readme = (CONTRACT.parents[3] / "sdk/python/README.md").read_text()
    for reason, kind in errors.REASONS.items():
        row = next(line for line in readme.splitlines() if line.startswith(f"| `{kind.error.__name__}`"))
        assert f"`{reason}`" in row


@pytest.mark.parametrize("reason", [r for r in REASONS if r not in OF_ONE_ITEM])
def test_a_call_that_the_server_ends_raises_its_error(shared: Server, reason: str) -> None:
    kind = errors.REASONS[reason]
    with shared.client() as c:
        c.topics.list()
        shared.refuse("TopicService/GetTopic", reason, times=1)
        with pytest.raises(kind.error) as e:
            c.topics.get("orders")
    assert (e.value.reason, e.value.code, e.value.retryable) == (reason, kind.code, kind.retryable)
    assert reason in str(e.value)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One server for many tests."""
    with Server(tmp_path_factory.mktemp("shared"), flags=["--max-topics", "12"]) as server:
        yield server


def refused(call: Callable[[], object]) -> str:
    """The reason with which a call fails."""
    with pytest.raises(errors.HeadraceError) as e:
        call()
    kind = errors.REASONS[e.value.reason]
    assert type(e.value) is kind.error
    assert e.value.retryable == kind.retryable
    return e.value.reason


def publish_on(topic: headrace.Topic) -> None:
    """Publishes until that is refused: a cap looks at what is stored, a moment later."""
    while True:
        topic.publish(b"y").result()


def test_what_the_server_refuses_by_itself(client: headrace.Client, orders: headrace.Topic) -> None:
    t, s = client.topics, client.subscriptions
    s.create_snapshot("kept", "billing")
    t.create("lean", retention={"min_age": 0})
    s.create("lean-reader", "lean")
    s.create("lean-holder", "lean")  # Its backlog keeps the message, which the start would move behind else.
    client.topic("lean").publish(b"x").result()
    with client.subscribe("lean-reader") as deliveries:
        next(deliveries).ack_confirmed()
    t.create("full")
    s.create("hoarder", "full", backlog_cap={"max": {"messages": 1}})
    client.topic("full").publish(b"x").result()
    orders.publish(headrace.Message(b"x", dedupe_id="a")).result()
    expected = {
        "INVALID_NAME": lambda: t.create("a b"),
        "INVALID_FIELD": lambda: t.create("wide", partitions=257),
        "NOT_SERVED": lambda: t.create("spread", spread=True),
        "MESSAGE_TOO_LARGE": lambda: orders.publish(b"x" * (1 << 20)).result(),
        "TOPIC_NOT_FOUND": lambda: t.get("nothing"),
        "SUBSCRIPTION_NOT_FOUND": lambda: next(iter(client.subscribe("nothing"))),
        "SNAPSHOT_NOT_FOUND": lambda: s.snapshot("nothing"),
        "SESSION_NOT_FOUND": lambda: s.explain_session("billing", "nobody"),
        "PARTITION_NOT_FOUND": lambda: next(s.peek("billing", headrace.Position(9, 0))),
        "TOPIC_EXISTS": lambda: t.create("orders"),
        "SUBSCRIPTION_EXISTS": lambda: s.create("billing", "orders"),
        "SNAPSHOT_EXISTS": lambda: s.create_snapshot("kept", "billing"),
        "DEDUPE_CONFLICT": lambda: orders.publish(headrace.Message(b"y", dedupe_id="a")).result(),
        "TOPIC_HAS_SUBSCRIPTIONS": lambda: t.delete("orders"),
        "NOTHING_KEPT": lambda: s.seek("lean-reader", headrace.to_start()),
        "POSITION_OUT_OF_RANGE": lambda: s.seek("billing", headrace.to_positions(headrace.Position(0, 9))),
        "BACKLOG_FULL": lambda: publish_on(client.topic("full")),
    }
    for reason, call in expected.items():
        assert refused(call) == reason


def test_a_limit_that_is_reached_is_told(shared: Server) -> None:
    with shared.client() as c:

        def too_many() -> None:
            for n in range(100):
                c.topics.create(f"topic-{n}")

        assert refused(too_many) == "LIMIT_REACHED"


def test_a_subscription_that_is_deleted_ends_its_subscribers(client: headrace.Client, orders: headrace.Topic) -> None:
    orders.publish(b"x").result()
    with client.subscribe("billing") as deliveries:
        next(deliveries).ack_confirmed()
        client.subscriptions.delete("billing")
        assert refused(lambda: next(deliveries)) == "SUBSCRIPTION_DELETED"


def test_sessions_that_exclude_each_other(client: headrace.Client) -> None:
    client.topics.create("orders")
    client.subscriptions.create("billing", "orders", mode="exclusive")
    client.topic("orders").publish(b"x").result()
    with client.subscribe("billing") as first:
        d = next(first)
        assert refused(lambda: next(client.subscribe("billing"))) == "EXCLUSIVE_SESSION_EXISTS"
        with client.subscribe("billing", takeover=True) as second:
            next(second).ack_confirmed()
            assert refused(lambda: next(first)) == "TAKEN_OVER"
            assert d.lost == "TAKEOVER"


def test_a_producer_whose_place_was_taken(server: Server, client: headrace.Client) -> None:
    client.topics.create("orders")
    settings = headrace.PublishSettings(producer_id="till-1")
    with server.client(publish=settings) as first, server.client(publish=settings) as second:
        first.topic("orders").publish(b"x").result()
        second.topic("orders").publish(b"y").result()
        with pytest.raises(errors.HeadraceError) as e:
            publish_on(first.topic("orders"))
        assert e.value.reason in ("STALE_PRODUCER", "UNKNOWN_OUTCOME")
        assert refused(lambda: publish_on(first.topic("orders"))) == "STALE_PRODUCER"


def test_reasons_of_one_item(server: Server, client: headrace.Client, orders: headrace.Topic) -> None:
    client.subscriptions.update("billing", max_lease=30)
    orders.publish(b"x").result()
    billing = client.subscription("billing")
    (p,) = billing.pull()
    (capped,) = billing.extend_tokens(p.token, lease=3_600)
    assert (type(capped.error), capped.error.reason) == (errors.OutOfRangeError, "LEASE_CAPPED")
    assert billing.ack_tokens(p.token) == []
    (stale,) = billing.ack_tokens(p.token)
    assert (type(stale.error), stale.error.reason) == (errors.StaleDeliveryError, "STALE_DELIVERY")
    (none,) = billing.ack_tokens("nonsense")
    assert (type(none.error), none.error.reason) == (errors.InvalidArgumentError, "INVALID_TOKEN")
    unknown = errors.item_error("it", unknown_sequence(server))
    assert (type(unknown), unknown.reason) == (errors.StaleDeliveryError, "UNKNOWN_SEQUENCE")


def unknown_sequence(server: Server) -> int:
    """What the server says of a delivery that there never was, which the client never names."""
    Request = subscribing.SubscribeRequest  # noqa: N806
    never = message_pb2.SequenceRange(first=7, last=7)
    settle = Request.Settle(number=1, ranges=[never], verdict=subscribing.VERDICT_ACK)
    frames = [Request(open=Request.Open(subscription="billing")), Request(settle=settle)]
    with grpc.insecure_channel(server.address) as channel:
        for frame in subscriber_service_pb2_grpc.SubscriberServiceStub(channel).Subscribe(iter(frames)):
            if frame.WhichOneof("frame") == "settle_result":
                return frame.settle_result.failures[0].reason
    raise AssertionError("no result came")
