"""Sends large things beside the messages.

A message says what there is, where, and its digest, and who gets it fetches the thing from
a store. A directory stands for the store here.
"""

import contextlib
import hashlib
import pathlib
import tempfile

import headrace

REPORT_BYTES = 2 << 20
"""More than a message may have."""


def main() -> None:
    with headrace.Client() as client, tempfile.TemporaryDirectory() as directory:
        store = pathlib.Path(directory)
        set_up(client)
        for name in ("january", "february", "march"):
            put(client.topic("reports"), store, name)
        # What was deleted meanwhile is no failure: there is nothing to do.
        (store / "february").unlink()
        receive(client, store, 3)


def set_up(client: headrace.Client) -> None:
    with contextlib.suppress(headrace.errors.AlreadyExistsError):
        client.topics.create("reports")
    with contextlib.suppress(headrace.errors.AlreadyExistsError):
        client.subscriptions.create("readers", "reports")


def put(reports: headrace.Topic, store: pathlib.Path, name: str) -> None:
    """Stores a report, and then tells of it: who hears of it finds it."""
    report = f"{name}\n".encode() * (REPORT_BYTES // (len(name) + 1))
    (store / name).write_bytes(report)
    reports.publish(headrace.Message(name.encode(), {"sha256": hashlib.sha256(report).hexdigest()})).result()


def receive(client: headrace.Client, store: pathlib.Path, count: int) -> None:
    """Fetches a number of reports."""
    with client.subscribe("readers") as deliveries:
        for d in deliveries:
            fetch(store, d)
            count -= 1
            if count == 0:
                break


def fetch(store: pathlib.Path, d: headrace.Delivery[bytes]) -> None:
    """Gets what a message tells of, and looks whether it is that."""
    name = d.data.decode()
    try:
        report = (store / name).read_bytes()
    except FileNotFoundError:
        print(name, "is gone")
        d.ack()
        return
    except OSError as error:
        d.retry(reason=str(error))  # the store has trouble: later
        return
    if hashlib.sha256(report).hexdigest() != d.attributes["sha256"]:
        d.reject(code="DIGEST", reason="it is not what was stored")
        return
    print(name, "fetched, its digest is right:", len(report), "bytes")
    d.ack()


main()
