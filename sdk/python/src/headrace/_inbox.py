"""Deliveries that nobody has begun."""

from __future__ import annotations

import collections
from typing import Any

from headrace._message import wire_bytes


class Inbox:
    """What waits in the client to be taken, in the order in which it came.

    While it is held nothing can be taken: nobody knows whether the session goes on.
    """

    def __init__(self) -> None:
        self._queue: collections.deque[Any] = collections.deque()
        self._held = False
        self._weighed = False
        self.bytes = 0
        """What they have together, of encoded messages; 0 unless they are weighed."""

    def __len__(self) -> int:
        """How many there are, with those that are no longer ours."""
        return len(self._queue)

    def weigh(self) -> None:
        """Counts bytes from now on."""
        if not self._weighed:
            self._weighed = True
            self.bytes = sum(wire_bytes(d.message) for d in self._queue)

    def push(self, deliveries: list[Any]) -> None:
        """Adds what came."""
        self._queue.extend(deliveries)
        if self._weighed:
            self.bytes += sum(wire_bytes(d.message) for d in deliveries)

    def put_back(self, delivery: Any) -> None:
        """Puts what was taken and not begun before all else."""
        self._queue.appendleft(delivery)
        if self._weighed:
            self.bytes += wire_bytes(delivery.message)

    def hold(self) -> None:
        """Hands out nothing from now on."""
        self._held = True

    def go_on(self) -> None:
        """Hands out again what is neither settled nor lost."""
        self._held = False
        self.push([d for d in self.clear() if not d.settled])

    def take(self) -> Any:
        """The next one that is neither settled nor lost, or None."""
        while self._queue and not self._held:
            delivery = self._queue.popleft()
            if self._weighed:
                self.bytes -= wire_bytes(delivery.message)
            if not delivery.settled:
                return delivery
        return None

    def clear(self) -> list[Any]:
        """Takes out all of them."""
        left, self.bytes = [*self._queue], 0
        self._queue.clear()
        return left
