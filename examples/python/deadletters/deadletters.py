"""Has a message that fails every time.

After its second attempt the subscription gives it up and keeps it as a dead letter; when
the cause is mended it is redriven, and handled like any other.
"""

import contextlib
import datetime

import headrace
from headrace.v1 import dead_letter_pb2, subscription_pb2


def main() -> None:
    with headrace.Client() as client:
        set_up(client)
        parcels = client.topic("parcels")
        for parcel in ("bread", "piano", "milk"):
            parcels.publish(parcel.encode())
        client.flush()
        deliver(client, "bicycle", 4)  # bread, milk, and the piano twice
        redrive(client)
        deliver(client, "lorry", 1)


def set_up(client: headrace.Client) -> None:
    """Creates the topic and a subscription that gives up after two attempts."""
    with contextlib.suppress(headrace.errors.AlreadyExistsError):
        client.topics.create("parcels")
    with contextlib.suppress(headrace.errors.AlreadyExistsError):
        client.subscriptions.create(
            "courier",
            "parcels",
            order=subscription_pb2.DELIVERY_ORDER_NONE,
            retry=subscription_pb2.RetryPolicy(min_backoff=datetime.timedelta(milliseconds=100), max_attempts=2),
        )


def deliver(client: headrace.Client, vehicle: str, attempts: int) -> None:
    """Makes a number of attempts. The reason of a retry is kept with the failure."""
    with client.subscribe("courier") as deliveries:
        for d in deliveries:
            parcel = d.data.decode()
            if parcel == "piano" and vehicle == "bicycle":
                print(f"failed with the {vehicle}, attempt {d.attempt}: {parcel}")
                d.retry(reason=f"too heavy for a {vehicle}")
            else:
                print(f"delivered with the {vehicle}: {parcel}")
                d.ack()
            attempts -= 1
            if attempts == 0:
                break


def redrive(client: headrace.Client) -> None:
    """Shows every dead letter of the subscription and has it delivered again."""
    for letter in client.subscriptions.dead_letters("courier"):
        reason = dead_letter_pb2.DeadLetterReason.Name(letter.reason)
        print(f"dead letter: {letter.message.data.decode()}, {reason}: {letter.failures[-1].reason}")
        client.subscriptions.redrive_dead_letters("courier", [letter.sequence])


main()
