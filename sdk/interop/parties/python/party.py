"""The party of the Python SDK: ``go doc ./sdk/interop`` says what it is told and what it
writes."""

# ruff: noqa: ASYNC230, ASYNC240 (it has nothing else to do while it reads a file)

from __future__ import annotations

import asyncio
import pathlib
import sys
from collections.abc import Iterator
from typing import Any

import headrace
from headrace import aio
from headrace.v1 import message_pb2

_MAX_FRAME_BYTES = 64 << 20
"""The messages are as large as a server allows."""
_WINDOW_BYTES = 256 << 20
_UNDER_WAY = 10_000
"""Results that are waited for together."""


async def main(do: str, address: str, plan: str) -> None:
    """Does what the plan says."""
    async with aio.Client(address) as client:
        for line in pathlib.Path(plan).read_text().splitlines():
            name, *words = line.split("\t")
            if do == "publish":
                await publish(client.topic(name), *words)
            else:
                await consume(client, name, *words)


async def publish(topic: aio.Topic, corpus: str, ids: str) -> None:
    """Publishes a corpus and writes the ids."""
    results: list[asyncio.Future[headrace.MessageId]] = []
    with pathlib.Path(ids).open("w") as lines:
        for m in read(corpus):
            message = headrace.Message(m.data, m.attributes, m.ordering_key, m.dedupe_id, m.content_type)
            results.append(await topic.publish_async(message))
            if len(results) == _UNDER_WAY:
                lines.writelines([f"{await result}\n" for result in results])
                results.clear()
        lines.writelines([f"{await result}\n" for result in results])


def read(corpus: str) -> Iterator[message_pb2.Message]:
    """The messages of a file."""
    with pathlib.Path(corpus).open("rb") as file:
        while length := file.read(4):
            yield message_pb2.Message.FromString(file.read(int.from_bytes(length, "big")))


async def consume(client: aio.Client, subscription: str, count: str, handlers: str, output: str) -> None:
    """Receives a number of messages and writes what the SDK shows of them."""
    left = int(count)
    done = asyncio.Event()
    with pathlib.Path(output).open("wb") as file:

        async def handle(d: aio.Delivery[Any]) -> None:
            nonlocal left
            encoded = seen(d).SerializeToString()
            file.write(len(encoded).to_bytes(4, "big") + encoded)
            left -= 1
            if left == 0:
                done.set()

        receiving = asyncio.create_task(
            client.receive(
                subscription,
                handle,
                concurrency=int(handlers),
                max_bytes=_WINDOW_BYTES,
                max_frame_bytes=_MAX_FRAME_BYTES,
            )
        )
        waiting = asyncio.create_task(done.wait())
        await asyncio.wait({receiving, waiting}, return_when=asyncio.FIRST_COMPLETED)
        if not receiving.done():
            receiving.cancel()
        await asyncio.gather(receiving, return_exceptions=not left)


def seen(d: aio.Delivery[Any]) -> message_pb2.Message:
    """What the SDK shows of a delivery, with fields that it does not know."""
    m = message_pb2.Message()
    m.CopyFrom(d.message)
    for field in message_pb2.Message.DESCRIPTOR.fields:
        m.ClearField(field.name)
    m.message_id = d.id
    m.data = d.data
    m.attributes.update(d.attributes)
    m.ordering_key = d.ordering_key
    m.content_type = d.content_type
    return m


asyncio.run(main(*sys.argv[1:]))
