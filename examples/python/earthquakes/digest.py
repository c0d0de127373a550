"""The demo's service in Python: keeps the strongest event of each day.

The demo starts it; see examples/go/earthquakes.
"""

import argparse
import asyncio
import datetime
import json
import pathlib
import signal
import time
from typing import Any

from headrace import aio


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    for setting in ("--addr", "--name", "--subscription", "--dir"):
        parser.add_argument(setting, required=True)
    settings = parser.parse_args()
    output = pathlib.Path(settings.dir) / settings.name
    async with aio.Client(settings.addr, client_id=settings.name) as client:
        # SIGTERM and Ctrl-C stop it gracefully: what is not begun goes back to the server.
        working = asyncio.create_task(work(client, settings.subscription, output))
        for signum in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(signum, working.cancel)
        await asyncio.gather(working, return_exceptions=True)
    if not working.cancelled():
        working.result()  # why it ended by itself


async def work(client: aio.Client, subscription: str, output: pathlib.Path) -> None:
    """Keeps each event before it is acked: what is killed in between makes it come again."""
    strongest: dict[str, dict[str, Any]] = {}
    with (
        output.with_name(output.name + ".jsonl").open("wb", buffering=0) as events,
        output.with_name(output.name + ".latencies").open("wb", buffering=0) as latencies,
    ):
        try:
            async with client.subscribe(subscription) as deliveries:
                async for d in deliveries:
                    if d.attempt == 1:  # a repeated one says nothing of how fast the server pushes
                        took = time.time_ns() - int(d.attributes["sent-at"])
                        latencies.write(f"{took // 1_000}\n".encode())
                    events.write(d.data + b"\n")
                    note(strongest, json.loads(d.data))
                    d.ack()
        finally:
            for day, event in sorted(strongest.items()):
                print(f"{day}: magnitude {event['magnitude']}, {event['place']}")


def note(strongest: dict[str, dict[str, Any]], event: dict[str, Any]) -> None:
    """Remembers the event if it is the strongest of its day."""
    time_of = datetime.datetime.fromtimestamp(event["time"] / 1_000, datetime.timezone.utc)
    day = time_of.date().isoformat()
    if day not in strongest or event["magnitude"] > strongest[day]["magnitude"]:
        strongest[day] = event


asyncio.run(main())
