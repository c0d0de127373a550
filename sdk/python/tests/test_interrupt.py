"""Ctrl-C: it reaches the program wherever that is, and what it leaves drains."""

import contextlib
import linecache
import pathlib
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

import headrace
import pytest
from headrace.testing import Server

LONG = 3_600.0
"""Seconds that no test waits: what returns before does not wait for them."""

BEGIN = """
import asyncio, signal, sys, threading
import headrace
from headrace import aio

# Programs that are started in the background inherit that it is ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)

def tell(word):
    print(word, flush=True)

def run(main):
    if sys.version_info >= (3, 11):
        asyncio.run(main())
        return

    async def until_ctrl_c():
        asyncio.get_running_loop().add_signal_handler(signal.SIGINT, asyncio.current_task().cancel)
        await main()

    try:
        asyncio.run(until_ctrl_c())
    except asyncio.CancelledError:
        raise KeyboardInterrupt

client = headrace.Client({address!r}, close_timeout={long})
"""

SCRIPTS = {
    "for, waiting": """
with client, client.subscribe("billing", drain_timeout={long}) as deliveries:
    for d in deliveries:
        d.ack()
        if d.data == b"last":
            tell("there")
""",
    "for, in the body": """
with client, client.subscribe("billing", drain_timeout={long}) as deliveries:
    for d in deliveries:
        if d.data == b"last":
            tell("there")
            threading.Event().wait()
        d.ack()
""",
    "next": """
with client, client.subscribe("billing", drain_timeout={long}) as deliveries:
    while (d := next(deliveries)).data != b"last":
        d.ack()
    d.ack()
    tell("there")
    next(deliveries)
""",
    "for without a block": """
with client:
    for d in client.subscription("billing").deliveries(drain_timeout={long}):
        d.ack()
        if d.data == b"last":
            tell("there")
""",
    "result": """
with client:
    tell("there")
    while True:
        client.topic("orders").publish(b"more").result()
""",
    "publish": """
with client:
    tell("there")
    while True:
        client.topic("orders").publish(b"more")
""",
    "receive": """
def handle(d):
    if d.data == b"last":
        tell("there")

with client:
    client.receive("billing", handle, concurrency=4, drain_timeout={long})
""",
    "receive, with a handler that works until it is told": """
def handle(d):
    if d.data == b"last":
        tell("there")
        while not d.lost:
            threading.Event().wait(0.01)

with client:
    client.receive("billing", handle, drain_timeout=0.1)
""",
    "asyncio, for": """
async def main():
    async with aio.Client({address!r}) as c, c.subscribe("billing", drain_timeout={long}) as deliveries:
        async for d in deliveries:
            d.ack()
            if d.data == b"last":
                tell("there")

run(main)
""",
    "asyncio, in the body": """
async def main():
    async with aio.Client({address!r}) as c, c.subscribe("billing", drain_timeout={long}) as deliveries:
        async for d in deliveries:
            if d.data == b"last":
                tell("there")
                await asyncio.Event().wait()
            d.ack()

run(main)
""",
    "asyncio, anext": """
async def main():
    async with aio.Client({address!r}) as c, c.subscribe("billing", drain_timeout={long}) as deliveries:
        while (d := await anext(deliveries)).data != b"last":
            d.ack()
        d.ack()
        tell("there")
        await anext(deliveries)

run(main)
""",
    "asyncio, receive": """
async def handle(d):
    if d.data == b"last":
        tell("there")

async def main():
    async with aio.Client({address!r}) as c:
        await c.receive("billing", handle, concurrency=4, drain_timeout={long})

run(main)
""",
}


@pytest.mark.parametrize("name", SCRIPTS)
def test_ctrl_c_reaches_the_program_which_drains_and_ends(server: Server, client: headrace.Client, name: str) -> None:
    client.topics.create("orders")
    client.subscriptions.create("billing", "orders", order="none", retry={"max_attempts": 1})
    for n in range(20):
        client.topic("orders").publish(b"%d" % n)
    client.topic("orders").publish(b"last").result()
    script = (BEGIN + SCRIPTS[name]).format(address=server.address, long=LONG)
    child = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    with child:
        assert child.stdout is not None
        assert child.stdout.readline() == "there\n"
        child.send_signal(signal.SIGINT)
        _, said = child.communicate(timeout=120)
    assert "\nKeyboardInterrupt\n" in said
    assert child.returncode == -signal.SIGINT
    stats = client.subscriptions.stats("billing")
    unsettled = 1 if "in the body" in name or "until it is told" in name else 0
    acked = 0 if name in ("result", "publish") else 21 - unsettled
    assert (stats.acked, stats.outstanding.messages, len(stats.sessions)) == (acked, 0, 0)
    assert (stats.expired, stats.retried, stats.dead_letters) == (0, 0, 0)


class Interruption:
    """Raises KeyboardInterrupt before the n-th line of the package that this thread comes to."""

    FILES = ("_loop.py", "_feeder.py", "_client_subscriber.py", "_client_faces.py", "_threads.py", "_delivery.py")

    def __init__(self, line: int) -> None:
        self.left = line
        self.where = ""

    def __enter__(self) -> "Interruption":
        sys.settrace(self._called)
        return self

    def __exit__(self, *_: object) -> None:
        sys.settrace(None)

    def _called(self, frame: FrameType, _: str, __: Any) -> Any:
        return self._line if pathlib.Path(frame.f_code.co_filename).name in self.FILES else None

    def _line(self, frame: FrameType, event: str, _: Any) -> Any:
        line = linecache.getline(frame.f_code.co_filename, frame.f_lineno).strip()
        if event == "line" and not line.startswith("with "):  # An interrupt never comes as a lock is left.
            self.left -= 1
            if self.left == 0:
                self.where = f"{pathlib.Path(frame.f_code.co_filename).name}:{frame.f_lineno}: {line}"
                sys.settrace(None)
                raise KeyboardInterrupt
        return self._line


def at_every_line(play: Callable[[Interruption], None]) -> Iterator[str]:
    """Plays again and again, interrupted a line later each time; gives where, until it ends before."""
    for line in range(1, 1_000):
        interruption = Interruption(line)
        with contextlib.suppress(KeyboardInterrupt):
            play(interruption)
        if not interruption.where:
            return
        yield interruption.where


@pytest.mark.filterwarnings("ignore:coroutine .* was never awaited")  # The interrupt came before.
def test_an_iteration_that_is_interrupted_anywhere_gives_back_what_was_not_begun(
    client: headrace.Client, orders: headrace.Topic
) -> None:
    def play(interruption: Interruption) -> None:
        with client.subscribe("billing", drain_timeout=LONG) as deliveries, interruption:
            for n in range(3):
                d = next(deliveries)
                if n < 2:
                    d.release()

    for _ in range(5):
        orders.publish(b"x").result()
    places = 0
    for where in at_every_line(play):
        places += 1
        stats = client.subscriptions.stats("billing")
        assert (stats.outstanding.messages, len(stats.sessions), stats.backlog.messages) == (0, 0, 5), where
        orders.publish(b"the client goes on").result(60)
        client.subscriptions.seek("billing", headrace.to_end())
        for _ in range(5):
            orders.publish(b"x").result(60)
    assert places > 30
    assert client.subscriptions.stats("billing").expired == 0


def test_a_publish_that_is_interrupted_anywhere_lets_the_next_one_through(client: headrace.Client) -> None:
    client.topics.create("orders")

    def play(interruption: Interruption) -> None:
        topic = client.topic("orders")
        with interruption:
            for _ in range(2):
                topic.publish(b"x")
            topic.publish_one_way(b"x")

    places = 0
    for where in at_every_line(play):
        places += 1
        client.flush()
        assert client.topic("orders").publish(b"the next one").result(60), where
    assert places > 20
