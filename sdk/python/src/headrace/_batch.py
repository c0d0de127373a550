"""Messages that are sent in one frame, and what became of them."""

from __future__ import annotations

import asyncio
import concurrent.futures
import dataclasses

from headrace import errors
from headrace._message import Position
from headrace.v1 import message_pb2, publisher_service_pb2

_OWN_REASONS = {"MALFORMED_MESSAGE", "MESSAGE_TOO_LARGE", "INVALID_FIELD", "NOT_SERVED", "DEDUPE_CONFLICT"}
"""Failures that are one message's; any other is its whole batch's."""


@dataclasses.dataclass(frozen=True, slots=True)
class MessageId:
    """What a published message is known by.

    :ivar position: where it stands in the log.
    :ivar duplicate: it was stored before, under the same dedupe id.
    """

    position: Position
    duplicate: bool = False

    def __str__(self) -> str:
        """The id, as subscribers see it: ``partition-offset``."""
        return str(self.position)


Result = asyncio.Future[MessageId] | concurrent.futures.Future[MessageId]
"""Where the id of a message is told: on the loop, or to a thread; what is told to a thread
cannot be cancelled any more."""


@dataclasses.dataclass(slots=True, eq=False)
class Batch:
    """Messages for one topic that are sent in one frame."""

    topic: str
    one_way: bool
    opened_at: float
    age: int
    """Rises with each flush: what is older belongs to it."""
    messages: list[message_pb2.Message] = dataclasses.field(default_factory=list)
    sizes: list[int] = dataclasses.field(default_factory=list)
    results: list[Result] = dataclasses.field(default_factory=list)
    bytes: int = 0
    sealed: bool = False
    first: int = 0
    runs: list[publisher_service_pb2.PublishedRun] = dataclasses.field(default_factory=list)
    failures: list[publisher_service_pb2.PublishFailure] = dataclasses.field(default_factory=list)

    @property
    def last(self) -> int:
        """The sequence of the last message."""
        return self.first + len(self.messages) - 1

    def split(self, count: int) -> Batch:
        """Keeps the first messages and gives a batch of the rest."""
        rest = Batch(self.topic, self.one_way, self.opened_at, self.age)
        rest.messages, rest.sizes, rest.results = self.messages[count:], self.sizes[count:], self.results[count:]
        rest.bytes, rest.sealed = sum(rest.sizes), self.sealed
        del self.messages[count:], self.sizes[count:], self.results[count:]
        self.bytes, self.sealed = self.bytes - rest.bytes, True
        return rest

    def failed_whole(self) -> str:
        """The reason with which all of the batch failed; empty: none did."""
        for failure in self.failures:
            name = errors.reason_name(failure.reason)
            if name not in _OWN_REASONS:
                return name
        return ""

    def finish(self) -> None:
        """Gives every message its result."""
        for run in self.runs:
            first = max(run.first_sequence, self.first)
            for sequence in range(first, min(run.first_sequence + run.count, self.last + 1)):
                offset = run.first_offset + (sequence - run.first_sequence)
                self._resolve(sequence, MessageId(Position(run.partition, offset), run.duplicate))
        for failure in self.failures:
            error = _failure(self.topic, failure)
            first = max(failure.first_sequence, self.first)
            for sequence in range(first, min(failure.first_sequence + failure.count, self.last + 1)):
                self._fail(sequence, error)
        self.fail(errors.unknown_outcome(f"publish to {self.topic}: the server told no result"))

    def fail(self, error: errors.HeadraceError) -> None:
        """Gives an error to every message without a result."""
        for result in self.results:
            if not result.done():
                result.set_exception(error)

    def _resolve(self, sequence: int, message_id: MessageId) -> None:
        if self.results and not (result := self.results[sequence - self.first]).done():
            result.set_result(message_id)

    def _fail(self, sequence: int, error: errors.HeadraceError) -> None:
        if self.results and not (result := self.results[sequence - self.first]).done():
            result.set_exception(error)


def _failure(topic: str, failure: publisher_service_pb2.PublishFailure) -> errors.HeadraceError:
    text = f"publish to {topic}"
    if failure.field:
        text += f": {failure.field}"
    if failure.limit:
        text += f": the limit is {failure.limit:,}"
    return errors.item_error(text, failure.reason, field=failure.field, limit=failure.limit)
