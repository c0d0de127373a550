"""Handles bookings with a mistake, and again without it.

It moves its subscription back to the first of them. For that the topic keeps what is
settled.
"""

import contextlib
import datetime
from collections.abc import Callable

import headrace
from headrace.v1 import topic_pb2

AMOUNTS = [50, 20, -30, 10]


def main() -> None:
    with headrace.Client() as client:
        set_up(client)
        first = publish(client.topic("bookings"))
        receive(client, "with the mistake", lambda total, amount: total + abs(amount))
        moved = client.subscriptions.seek("balance", headrace.to_positions(first))
        print(moved.unacked, "bookings come again")
        receive(client, "without it", lambda total, amount: total + amount)


def set_up(client: headrace.Client) -> None:
    """Creates a topic that keeps for a day what is settled."""
    retention = topic_pb2.Retention(keep_settled=datetime.timedelta(days=1))
    with contextlib.suppress(headrace.errors.AlreadyExistsError):
        client.topics.create("bookings", retention=retention)
    with contextlib.suppress(headrace.errors.AlreadyExistsError):
        client.subscriptions.create("balance", "bookings")


def publish(bookings: headrace.Topic) -> headrace.Position:
    """Sends the bookings and tells where the first one stands."""
    results = [bookings.publish(str(amount).encode()) for amount in AMOUNTS]
    bookings.flush()
    return results[0].result().position


def receive(client: headrace.Client, how: str, add: Callable[[int, int], int]) -> None:
    """Adds all bookings up."""
    total = 0
    left = len(AMOUNTS)
    with client.subscribe("balance") as deliveries:
        for d in deliveries:
            total = add(total, int(d.data))
            d.ack()
            left -= 1
            if left == 0:
                break
    print("the balance", how, "is", total)


main()
