"""Has many small programs that report without waiting.

Readings and log lines go one way, to a topic that is BUFFERED, and a collector adds them
up. Nobody hears of what gets lost, and nobody is held up.
"""

import collections
import contextlib

import headrace
from headrace.v1 import message_pb2, subscription_pb2

SENSORS = [1, 2, 3]
READINGS = 100
"""Of each sensor, every tenth with a log line."""


def main() -> None:
    with headrace.Client() as client:
        set_up(client)
        sent = report(client.topic("telemetry"))
        print("sent", sent, "and waited for none")
        # A program that ends sees to it that all of it has left.
        client.flush()
        collect(client, sent)


def set_up(client: headrace.Client) -> None:
    """Creates a topic whose messages are synced some milliseconds after they were
    accepted, and a subscription that keeps no order."""
    with contextlib.suppress(headrace.errors.AlreadyExistsError):
        client.topics.create("telemetry", durability=message_pb2.DURABILITY_BUFFERED)
    with contextlib.suppress(headrace.errors.AlreadyExistsError):
        client.subscriptions.create("collector", "telemetry", order=subscription_pb2.DELIVERY_ORDER_NONE)


def report(telemetry: headrace.Topic) -> int:
    """Sends what the sensors read, and what they log, and tells how much."""
    sent = 0

    def send(kind: str, sensor: int, text: str) -> None:
        nonlocal sent
        attributes = {"kind": kind, "source": f"sensor-{sensor}"}
        telemetry.publish_one_way(headrace.Message(text.encode(), attributes))
        sent += 1

    for n in range(READINGS):
        for sensor in SENSORS:
            send("reading", sensor, str(10 * sensor + n % 10))
            if n % 10 == 9:
                send("log", sensor, "the battery is low")
    return sent


def collect(client: headrace.Client, count: int) -> None:
    """Adds up what came."""
    totals: collections.Counter[str] = collections.Counter()
    logs: collections.Counter[str] = collections.Counter()
    with client.subscribe("collector") as deliveries:
        for d in deliveries:
            source = d.attributes["source"]
            if d.attributes["kind"] == "log":
                logs[source] += 1
            else:
                totals[source] += int(d.data)
            d.ack()
            count -= 1
            if count == 0:
                break
    for source in sorted(totals):
        print(f"{source}: readings of {totals[source]} in all, {logs[source]} log lines")


main()
