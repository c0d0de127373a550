"""Drives the Python SDK for the conformance suite.

It does what it is told on its standard input and tells what happened on its standard
output, a line of JSON each; ``go doc ./sdk/conformance/driver`` has the words.
"""

from __future__ import annotations

import asyncio
import base64
import json
import sys
from collections.abc import Callable
from typing import Any

import headrace
from headrace import aio

_LONGEST_LINE_BYTES = 64 << 20
_LOOK_SECONDS = 0.02
"""How often a loop looks whether a delivery was lost."""


class FailingError(Exception):
    """A handler was told to fail."""


def tell(event: str, **fields: Any) -> None:
    """Tells an event."""
    sys.stdout.write(json.dumps({"event": event, **fields}) + "\n")
    sys.stdout.flush()


def why(error: BaseException | None) -> dict[str, Any]:
    """Why something failed."""
    if error is None:
        return {}
    if not isinstance(error, headrace.HeadraceError):
        return {"detail": repr(error)}
    return {"reason": error.reason, "field": error.field or "", "limit": error.limit or 0, "detail": str(error)}


class Receiving:
    """One subscriber and the deliveries that wait for their verdicts."""

    def __init__(self, driver: Driver, command: dict[str, Any]) -> None:
        self.driver = driver
        self.command = command
        self.told = {"client": command["client"], "subscriber": command["subscriber"]}
        self.subscriber: aio.Subscriber[bytes] | None = None
        self.stopping = False
        self.window: headrace.Window | None = None
        if command["resizable"]:
            self.window = headrace.Window(**self.size(command))
        self.task = asyncio.create_task(self.run())

    @staticmethod
    def size(command: dict[str, Any]) -> dict[str, int]:
        """A window's size; what is 0 is left alone."""
        size = {"messages": command["window_messages"], "bytes": command["window_bytes"]}
        return {name: value for name, value in size.items() if value}

    def resize(self, command: dict[str, Any]) -> None:
        """Resizes the window."""
        assert self.window is not None
        self.window.resize(command["window_messages"], command["window_bytes"])
        tell("windowed", **self.told)

    def settings(self) -> dict[str, Any]:
        """The subscriber's settings; what is 0 is left alone."""
        c = self.command
        settings: dict[str, Any] = {"window": self.window}
        if self.window is None:
            settings = {f"max_{name}": value for name, value in self.size(c).items()}
        times = {
            "lease": c["lease_ms"] / 1_000,
            "max_extension": c["max_extension_ms"] / 1_000,
            "drain_timeout": c["drain_ms"] / 1_000,
        }
        settings |= {name: value for name, value in times.items() if value}
        return {**settings, "manual_credit": c["ahead"]} if c["manual"] else settings

    async def run(self) -> None:
        """Receives until it is stopped."""
        client = self.driver.clients[self.command["client"]]
        error: BaseException | None = None
        try:
            if self.command["face"] == "loop":
                await self.loop(client)
            else:
                await client.receive(
                    self.command["subscription"],
                    self.handle,
                    concurrency=self.command["concurrency"],
                    **self.settings(),
                )
        except asyncio.CancelledError:
            self.stopping = True
        except headrace.HeadraceError as failed:
            error = failed
        tell("ended" if error is not None and not self.stopping else "stopped", **self.told, **why(error))

    async def loop(self, client: aio.Client) -> None:
        """Takes one delivery after the other; each waits for its verdict by itself."""
        waiting = set()
        async with client.subscribe(self.command["subscription"], **self.settings()) as deliveries:
            async for delivery in deliveries:
                task = asyncio.create_task(self.watch(delivery))
                waiting.add(task)
                task.add_done_callback(waiting.discard)
        if waiting:
            await asyncio.wait(waiting)

    async def watch(self, delivery: aio.Delivery[bytes]) -> None:
        """Settles a delivery of a loop when it is told, unless it is lost before."""
        number, verdict = self.start(delivery)
        while not verdict.done():
            if delivery.lost:
                tell("lost", **self.told, delivery=number, reason=delivery.lost)
                return
            await asyncio.wait({verdict}, timeout=_LOOK_SECONDS)
        try:
            await self.settle(delivery, number, verdict.result())
        except FailingError:
            delivery.retry()
            tell("settled", **self.told, delivery=number)
        else:
            delivery.ack()

    async def handle(self, delivery: aio.Delivery[bytes]) -> None:
        """What the SDK calls."""
        number, verdict = self.start(delivery)
        try:
            told = await verdict
        except asyncio.CancelledError:
            tell("lost", **self.told, delivery=number, reason=delivery.lost or "STOPPED")
            raise
        await self.settle(delivery, number, told)

    def start(self, delivery: aio.Delivery[bytes]) -> tuple[int, asyncio.Future[dict[str, Any]]]:
        """Tells of a delivery, and makes where its verdict comes."""
        number, verdict = self.driver.wait_for_verdict()
        message = {
            "data": base64.b64encode(delivery.data).decode(),
            "key": delivery.ordering_key,
            "attributes": dict(delivery.attributes),
            "content_type": delivery.content_type,
        }
        tell("started", **self.told, delivery=number, attempt=delivery.attempt, id=str(delivery.id), message=message)
        return number, verdict

    async def settle(self, delivery: aio.Delivery[bytes], number: int, told: dict[str, Any]) -> None:
        """Does what a verdict says; an ack is left to what returns."""
        verdict = told["verdict"]
        if verdict == "confirm":
            try:
                await delivery.ack_confirmed()
                tell("confirmed", **self.told, delivery=number)
            except headrace.HeadraceError as error:
                tell("unconfirmed", **self.told, delivery=number, **why(error))
            return
        if verdict == "retry":
            delay = told.get("delay_ms", 0)
            delivery.retry(None if delay < 0 else delay / 1_000)
        elif verdict == "reject":
            delivery.reject(code="told", reason="to reject")
        elif verdict == "release":
            delivery.release()
        elif verdict == "fail":
            if self.command["face"] != "loop":
                tell("settled", **self.told, delivery=number)
            raise FailingError("told to fail")
        tell("settled", **self.told, delivery=number)

    async def stop(self) -> None:
        """Stops as a program does that ends."""
        self.stopping = True
        self.task.cancel()


class Driver:
    """The clients, their subscribers, and who waits for a verdict."""

    def __init__(self) -> None:
        self.clients: dict[str, aio.Client] = {}
        self.receiving: dict[str, Receiving] = {}
        self.waiting: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self.deliveries = 0
        self.tasks: set[asyncio.Task[None]] = set()

    def wait_for_verdict(self) -> tuple[int, asyncio.Future[dict[str, Any]]]:
        """A number for a delivery, and the verdict to come."""
        self.deliveries += 1
        verdict = self.waiting[self.deliveries] = asyncio.get_running_loop().create_future()
        return self.deliveries, verdict

    @staticmethod
    def watch(client: str) -> Callable[[headrace.Event], None]:
        """Tells of the streams of a client's subscribers that broke."""

        def hook(event: headrace.Event) -> None:
            if event.kind is headrace.EventKind.SESSION_BROKEN:
                tell("broken", client=client, **why(event.error))

        return hook

    async def publish(self, command: dict[str, Any], message: dict[str, Any]) -> None:
        """Publishes one message, and tells of its result."""
        told = {"client": command["client"], "name": message["name"]}
        try:
            topic = self.clients[command["client"]].topic(command["topic"])
            result = await topic.publish_async(
                headrace.Message(
                    base64.b64decode(message["data"]),
                    ordering_key=message["key"],
                    attributes=message["attributes"],
                    content_type=message["content_type"],
                    dedupe_id=message.get("dedupe_id", ""),
                )
            )
        except headrace.HeadraceError as error:
            tell("refused", **told, **why(error))
            return
        self.spawn(self.result(told, result))

    async def result(self, told: dict[str, Any], result: Any) -> None:
        """Tells of a result when it comes."""
        try:
            tell("published", **told, id=str(await result))
        except headrace.HeadraceError as error:
            tell("refused", **told, **why(error))

    async def close(self, command: dict[str, Any]) -> None:
        """Closes a client."""
        await self.clients[command["client"]].close()
        tell("closed", client=command["client"])

    async def do(self, command: dict[str, Any]) -> None:
        """Does what is told."""
        what = command["do"]
        if what == "connect":
            self.clients[command["client"]] = aio.Client(command["address"], events=self.watch(command["client"]))
            tell("connected", client=command["client"])
        elif what == "publish":
            for message in command["messages"]:
                await self.publish(command, message)
        elif what == "subscribe":
            self.receiving[command["subscriber"]] = Receiving(self, command)
            tell("subscribed", client=command["client"], subscriber=command["subscriber"])
        elif what == "window":
            self.receiving[command["subscriber"]].resize(command)
        elif what == "settle":
            verdict = self.waiting.pop(command["delivery"], None)
            if verdict is not None and not verdict.done():
                verdict.set_result(command)
        elif what == "stop":
            await self.receiving[command["subscriber"]].stop()
        elif what == "close":
            self.spawn(self.close(command))

    def spawn(self, work: Any) -> None:
        """Does something beside; what fails is told."""
        task = asyncio.create_task(work)
        self.tasks.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[None]) -> None:
        self.tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            tell("failed", detail=repr(error))


async def main() -> None:
    """Obeys until the input ends."""
    commands = asyncio.StreamReader(limit=_LONGEST_LINE_BYTES)
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(commands), sys.stdin)
    driver = Driver()
    tell("ready", language="python")
    while line := await commands.readline():
        command = json.loads(line)
        try:
            await driver.do(command)
        except Exception as error:  # Whatever it is, the suite is to hear of it.
            tell("failed", client=command.get("client", ""), detail=f"{command['do']}: {error!r}")


asyncio.run(main())
