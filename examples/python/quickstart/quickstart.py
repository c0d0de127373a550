"""Publishes three messages and receives them: the least that a program needs.

Start a server with `headrace dev`, then run it:

    python examples/python/quickstart/quickstart.py
"""

import contextlib

import headrace


def main() -> None:
    with headrace.Client() as client:  # of HEADRACE_ADDR, else localhost:7070
        set_up(client)
        publish(client.topic("orders"))
        receive(client, 3)


def set_up(client: headrace.Client) -> None:
    """Creates the topic and its subscription, unless they are there."""
    with contextlib.suppress(headrace.errors.AlreadyExistsError):
        client.topics.create("orders")
    with contextlib.suppress(headrace.errors.AlreadyExistsError):
        client.subscriptions.create("billing", "orders")


def publish(orders: headrace.Topic) -> None:
    """Sends three messages. When the result of a publish is there, the message is on disk."""
    for text in ("first", "second", "third"):
        orders.publish(text.encode()).result()
        print("published", text)


def receive(client: headrace.Client, count: int) -> None:
    """Acks messages until it has seen a number of them. Leaving the block drains."""
    with client.subscribe("billing") as deliveries:
        for d in deliveries:
            print("received", d.data.decode())
            d.ack()
            count -= 1
            if count == 0:
                break


main()
