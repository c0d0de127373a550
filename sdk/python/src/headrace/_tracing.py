"""Where traces come in: what a client does around each send and each handler.

Nothing is traced unless a client is told to; :mod:`headrace.opentelemetry` does it.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, Protocol

from headrace._message import Message, Payload


class Tracing(Protocol):
    """What traces a client's messages."""

    def send(self, topic: str, message: Message) -> tuple[Message, Callable[[Any], None]]:
        """Begins a send.

        :param topic: the topic's full name.
        :return: the message to send instead, with the trace in its attributes, and what to
            call in the end with the future of its id, or with None when nobody asks for it.
        """

    def process(self, subscription: str, delivery: Any) -> AbstractContextManager[None]:
        """Surrounds the handler of a delivery, whose trace is in its attributes."""


def as_message(payload: Payload) -> Message:
    """A payload as a message with attributes."""
    return payload if isinstance(payload, Message) else Message(payload)
