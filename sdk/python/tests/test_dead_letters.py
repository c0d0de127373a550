"""What is given up and forwarded to a topic: both twins show where the copy stands, or why there is none."""

import asyncio

import headrace
import pytest
from headrace import aio
from headrace.testing import Server
from headrace.v1 import dead_letter_pb2
from headrace.v1 import subscription_service_pb2 as spb

NOT_FORWARDED = spb.DeadLetterFilter(not_forwarded=True)


@pytest.fixture
def forwarding(client: headrace.Client) -> str:
    """A subscription whose dead letters are forwarded to a topic, which one called repair reads."""
    client.topics.create("orders")
    client.topics.create("failed", max_message_bytes=2_000)
    client.subscriptions.create("repair", "failed")
    client.subscriptions.create("billing", "orders", dead_letter_topic="failed")
    return "billing"


def reject(client: headrace.Client, message: headrace.Message) -> dead_letter_pb2.DeadLetter:
    client.topic("orders").publish(message).result()
    with client.subscribe("billing") as deliveries:
        next(deliveries).reject_confirmed(code="E7", reason="hopeless")
    (letter,) = client.subscriptions.dead_letters("billing")
    return letter


def test_a_letter_says_where_its_copy_stands_and_the_copy_whose_it_is(client: headrace.Client, forwarding: str) -> None:
    letter = reject(client, headrace.Message(b"bad", {"colour": "red"}, content_type="text/plain"))
    with client.subscribe("repair") as deliveries:
        copy = next(deliveries)
        copy.ack_confirmed()
    assert (letter.forward.topic, letter.forward.failure) == ("default/failed", 0)
    stands = headrace.Position(letter.forward.position.partition, letter.forward.position.offset)
    assert (copy.position, copy.data, copy.content_type) == (stands, b"bad", "text/plain")
    told = {name.removeprefix("headrace.dead_letter."): value for name, value in copy.attributes.items()}
    assert told.pop("time")
    assert told == {
        "colour": "red",
        "subscription": "default/billing",
        "topic": "default/orders",
        "message_id": letter.message.message_id or f"{letter.position.partition}-{letter.position.offset}",
        "sequence": str(letter.sequence),
        "reason": "REJECTED",
        "attempts": "1",
        "failure_code": "E7",
        "failure_reason": "hopeless",
    }
    assert client.subscriptions.peek_dead_letter(forwarding, letter.sequence) == letter
    assert client.subscriptions.explain_message(forwarding, headrace.Position(0, 0)).forward == letter.forward
    assert [*client.subscriptions.dead_letters(forwarding, filter=NOT_FORWARDED)] == []
    assert client.subscriptions.stats(forwarding).forwarded == 1
    assert client.subscriptions.discard_dead_letters(forwarding, [int(told["sequence"])]) == [letter.sequence]


def test_a_letter_that_could_not_be_forwarded_says_why(
    server: Server, client: headrace.Client, forwarding: str
) -> None:
    letter = reject(client, headrace.Message(b"x" * 3_000))
    failures = dead_letter_pb2.DeadLetterForwardFailure
    assert failures.Name(letter.forward.failure) == "DEAD_LETTER_FORWARD_FAILURE_TOO_LARGE"
    assert not letter.forward.HasField("position")
    assert [*client.subscriptions.dead_letters(forwarding, filter=NOT_FORWARDED)] == [letter]
    assert len([*client.subscriptions.export_dead_letters(forwarding, filter=NOT_FORWARDED)]) == 1
    assert client.subscriptions.stats(forwarding).not_forwarded == 1

    async def the_twin() -> None:
        async with aio.Client(server.address) as c:
            assert [d async for d in c.subscriptions.dead_letters(forwarding, filter=NOT_FORWARDED)] == [letter]
            assert await c.subscriptions.peek_dead_letter(forwarding, letter.sequence) == letter

    asyncio.run(the_twin())


def test_without_a_topic_to_forward_to_a_letter_says_nothing_of_it(
    client: headrace.Client, orders: headrace.Topic
) -> None:
    assert not reject(client, headrace.Message(b"bad")).HasField("forward")
