"""Books payments of which some come twice.

One comes twice because its publisher sent it again, one because its consumer died before
the ack. What was done is noted in an inbox, in the transaction that does it, so that each
payment is booked once whatever comes how often.
"""

import contextlib
import sqlite3

import headrace
from headrace.v1 import subscription_pb2


def main() -> None:
    with headrace.Client() as client, contextlib.closing(open_books()) as books:
        set_up(client)
        payments = client.topic("payments")
        for payment, amount in (("p-1", 10), ("p-2", 20), ("p-3", 30), ("p-1", 10)):
            payments.publish(headrace.Message(str(amount).encode(), {"payment": payment}))
        client.flush()
        book_all(client, books, 5)


def open_books() -> sqlite3.Connection:
    """Opens the database; yours is a file, or a server."""
    books = sqlite3.connect(":memory:")
    books.executescript("""
        CREATE TABLE IF NOT EXISTS inbox (id TEXT PRIMARY KEY);
        CREATE TABLE IF NOT EXISTS account (balance INTEGER NOT NULL);
        INSERT INTO account VALUES (0);
    """)
    return books


def set_up(client: headrace.Client) -> None:
    with contextlib.suppress(headrace.errors.AlreadyExistsError):
        client.topics.create("payments")
    with contextlib.suppress(headrace.errors.AlreadyExistsError):
        client.subscriptions.create("bookkeeper", "payments", order=subscription_pb2.DELIVERY_ORDER_NONE)


def book_all(client: headrace.Client, books: sqlite3.Connection, count: int) -> None:
    """Handles a number of deliveries."""
    with client.subscribe("bookkeeper") as deliveries:
        for d in deliveries:
            book(books, d)
            if d.attributes["payment"] == "p-2" and d.attempt == 1:
                d.retry(reason="it died before the ack")  # so it comes again
            else:
                d.ack()
            count -= 1
            if count == 0:
                break


def book(books: sqlite3.Connection, d: headrace.Delivery[bytes]) -> None:
    """Adds a payment to the balance unless its id is in the inbox. Either both are written
    or none is."""
    payment = d.attributes["payment"]
    with books:  # one transaction
        noted = books.execute("INSERT INTO inbox (id) VALUES (?) ON CONFLICT DO NOTHING", (payment,))
        if noted.rowcount == 0:
            print(f"{payment}, attempt {d.attempt}: booked before")
            return
        books.execute("UPDATE account SET balance = balance + ?", (int(d.data),))
        (balance,) = books.execute("SELECT balance FROM account").fetchone()
        print(f"{payment}, attempt {d.attempt}: the balance is {balance}")


main()
