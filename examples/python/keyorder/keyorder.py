"""Publishes what happens to four accounts, with the account as the ordering key.

Handlers run four at a time; those of one account run one after the other, in the order in
which its messages were published, also when one of them fails and comes again.
"""

import asyncio
import collections
import contextlib
import datetime

import headrace
from headrace import aio
from headrace.v1 import subscription_pb2

ACCOUNTS = ["ash", "birch", "cedar", "elm"]
STEPS = ["open", "deposit", "withdraw", "close"]


async def main() -> None:
    async with aio.Client() as client:
        await set_up(client)
        accounts = client.topic("accounts")
        for step in STEPS:
            for account in ACCOUNTS:
                await accounts.publish_async(headrace.Message(step.encode(), ordering_key=account))
        await client.flush()
        history = await receive(client, len(STEPS) * len(ACCOUNTS))
        for account in ACCOUNTS:
            print(f"{account}: {', '.join(history[account])}")


async def set_up(client: aio.Client) -> None:
    """A topic of four partitions, over which the keys spread, and a subscription, which
    keeps the order of keys unless it says otherwise."""
    with contextlib.suppress(headrace.errors.AlreadyExistsError):
        await client.topics.create("accounts", partitions=4)
    with contextlib.suppress(headrace.errors.AlreadyExistsError):
        await client.subscriptions.create(
            "ledger",
            "accounts",
            retry=subscription_pb2.RetryPolicy(min_backoff=datetime.timedelta(milliseconds=100)),
        )


async def receive(client: aio.Client, count: int) -> dict[str, list[str]]:
    """Writes down what happened to each account. Elm's deposit fails at first: what is
    behind it waits for it, and the other accounts go on."""
    history: dict[str, list[str]] = collections.defaultdict(list)

    async def handle(d: aio.Delivery[bytes]) -> None:
        step = d.data.decode()
        if (d.ordering_key, step, d.attempt) == ("elm", "deposit", 1):
            history["elm"].append("(failed)")
            raise ConnectionError("no connection")
        history[d.ordering_key].append(step)
        if sum(map(len, history.values())) == count + 1:  # with the one that failed
            receiving.cancel()  # handlers finish, and what they settle is sent

    receiving = asyncio.create_task(client.receive("ledger", handle, concurrency=4))
    with contextlib.suppress(asyncio.CancelledError):
        await receiving
    return history


asyncio.run(main())
