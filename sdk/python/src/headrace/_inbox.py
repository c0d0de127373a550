"""Deliveries that nobody has begun."""

from __future__ import annotations

import collections
from typing import Any

from headrace._message import wire_bytes


class Inbox:
    """What waits in the client to be taken, in the order in which it came."""

    def __init__(self) -> None:
        self._queue: collections.deque[Any] = collections.deque()
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

    def put_back(self, deliveries: list[Any]) -> None:
        """Adds what was taken, before all else."""
        self._queue.extendleft(reversed(deliveries))
        if self._weighed:
            self.bytes += sum(wire_bytes(d.message) for d in deliveries)

    def take(self) -> Any:
        """The next one that is neither settled nor lost, or None."""
        while self._queue:
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
