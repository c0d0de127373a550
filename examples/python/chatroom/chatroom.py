"""Runs three live instances of a program that all hear everything.

Each publishes to the room and gets what any of them said. Each has an ephemeral
subscription of its own, which goes with it.
"""

import asyncio
import contextlib

import headrace
from headrace import aio

# The conversation: who says what, in answer to what.
NAMES = ["red", "green", "blue"]
ANSWERS = {
    "green": {"red: is anybody here?": "I am"},
    "blue": {"green: I am": "so am I"},
}


class Instance:
    """One running copy of the program."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.heard: list[str] = []
        self.entered = asyncio.Event()
        self.client = aio.Client(events=self.notice)

    def notice(self, event: headrace.Event) -> None:
        """Notes when it hears what is said."""
        if event.kind == headrace.EventKind.SESSION_OPENED:
            self.entered.set()

    async def run(self) -> None:
        """Creates the room if it is the first there, and hears all that is said."""
        async with self.client:
            with contextlib.suppress(headrace.errors.AlreadyExistsError):
                await self.client.topics.create("room")
            self.listening = asyncio.create_task(self.client.topic("room").broadcast(self.hear))
            with contextlib.suppress(asyncio.CancelledError):
                await self.listening

    async def say(self, text: str) -> None:
        """Tells everybody, the instance itself too."""
        await self.client.topic("room").publish(f"{self.name}: {text}".encode())

    async def hear(self, d: aio.Delivery[bytes]) -> None:
        """Listens until everybody had a say, and answers."""
        line = d.data.decode()
        self.heard.append(line)
        if answer := ANSWERS.get(self.name, {}).get(line):
            await self.say(answer)
        if len(self.heard) == len(NAMES):
            self.listening.cancel()


async def begin(room: list[Instance]) -> None:
    """Says the first word when everybody has entered."""
    for i in room:
        await i.entered.wait()
    await room[0].say("is anybody here?")


async def main() -> None:
    room = [Instance(name) for name in NAMES]
    await asyncio.gather(begin(room), *(i.run() for i in room))
    for i in room:
        print(i.name, "heard", ", ".join(i.heard))


asyncio.run(main())
