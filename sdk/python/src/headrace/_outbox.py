"""What was accepted for publishing and has no result: batches, sequences, the window.

A state machine without I/O, tasks or clocks: time is an argument. The publisher's
task owns it, feeds it with frames, and sends those that it gives.

Every client is a producer (rule 17 of docs/protocol.md): what was sent when a stream
breaks is kept; the next stream asks the server what of it is stored (LookUp), and
sends the rest again under the same sequences, so that nothing is stored twice.
"""

from __future__ import annotations

import collections
import dataclasses
import itertools
import math

from headrace import errors
from headrace._batch import Batch, Result
from headrace.v1 import message_pb2, publisher_service_pb2

FIRST_WINDOW_MESSAGES = 1_000
FIRST_WINDOW_BYTES = 4 << 20
MAX_DOUBTED_BATCHES = 1_000
"""The batches to one topic without a result: the server remembers a producer's last 4,096."""

_Request = publisher_service_pb2.PublishStreamRequest
_Response = publisher_service_pb2.PublishStreamResponse


@dataclasses.dataclass(slots=True)
class _Topic:
    """What was sent to one topic."""

    known: bool
    """The server's next sequence is; until then nothing is sent."""
    asked: bool = False
    sequence: int = 0
    """Of the last message sent."""
    confirmed: int = 0
    """The highest sequence that is surely done with."""
    failed_at: int = 0
    """Where a batch failed as a whole, which used up no sequence; 0: none did."""
    flying: collections.deque[Batch] = dataclasses.field(default_factory=collections.deque)

    def may_send(self) -> bool:
        if not self.known or len(self.flying) >= MAX_DOUBTED_BATCHES:
            return False
        return not self.failed_at or not self.flying

    def launch(self, batch: Batch) -> None:
        if self.failed_at:
            self.sequence, self.failed_at = self.failed_at - 1, 0
        batch.first = self.sequence + 1
        self.sequence += len(batch.messages)


@dataclasses.dataclass(frozen=True, slots=True)
class BatchLimits:
    """When a batch is sent at the latest.

    :ivar messages: default 1,000.
    :ivar bytes: of encoded messages; default 128 KiB.
    :ivar delay: seconds from its first message, while another batch is under way; a
        lone message never waits. Default 1 ms.
    """

    messages: int = 1_000
    bytes: int = 128 << 10
    delay: float = 0.001


class Outbox:
    """Everything that has no result, in the order in which it was accepted."""

    def __init__(self, limits: BatchLimits, *, lasting: bool) -> None:
        """:param lasting: the producer existed before, so the server may know of it."""
        self._limits = limits
        self._lasting = lasting
        self._queue: collections.deque[Batch] = collections.deque()
        self._topics: dict[str, _Topic] = {}
        self._filling: dict[str, Batch] = {}
        """The newest batch to each topic, which may take more."""
        self._questions: collections.deque[str] = collections.deque()
        self._unresolved = 0
        self._age = 0
        self.pending_messages = 0
        self.pending_bytes = 0
        self._through = (0, 0)
        self._sent = (0, 0)

    def accept(self, topic: str, message: message_pb2.Message, size: int, now: float, result: Result | None) -> None:
        """Takes a message; without a result to tell it is sent one-way."""
        batch = self._open_batch(topic, result is None, size, now)
        batch.messages.append(message)
        batch.sizes.append(size)
        if result is not None:
            batch.results.append(result)
        batch.bytes += size
        batch.sealed = len(batch.messages) >= self._limits.messages or batch.bytes >= self._limits.bytes
        self.pending_messages += 1
        self.pending_bytes += size

    def _open_batch(self, topic: str, one_way: bool, size: int, now: float) -> Batch:
        batch = self._filling.get(topic)
        if batch is not None and not batch.sealed:
            if batch.one_way == one_way and batch.bytes + size <= self._limits.bytes:
                return batch
            batch.sealed = True
        batch = self._filling[topic] = Batch(topic, one_way, now, self._age)
        self._queue.append(batch)
        return batch

    @property
    def empty(self) -> bool:
        """Nothing waits to be sent and everything sent has its result."""
        return not self._queue and self.landed

    @property
    def landed(self) -> bool:
        """Everything that was sent has its result."""
        return self._unresolved == 0

    def seal(self) -> int:
        """Lets no batch wait for company any more, and gives a number for :meth:`holds`."""
        for batch in self._queue:
            batch.sealed = True
        self._age += 1
        return self._age - 1

    def holds(self, age: int) -> bool:
        """Something that was accepted before :meth:`seal` gave this number has no result."""
        flying = (b for topic in self._topics.values() for b in topic.flying)
        return any(b.age <= age for b in itertools.chain(self._queue, flying))

    def begin(self) -> None:
        """A new stream is open: where the server stands is asked before all else."""
        self._through, self._sent = (FIRST_WINDOW_MESSAGES, FIRST_WINDOW_BYTES), (0, 0)
        self._questions.clear()
        for name, topic in self._topics.items():
            topic.known, topic.asked = False, True
            self._questions.append(name)

    def raise_window(self, window: _Response.PublishWindow) -> None:
        """Takes a new window; it never goes down."""
        messages, size = self._through
        self._through = (max(messages, window.through_messages), max(size, window.through_bytes))

    def question(self) -> _Request | None:
        """The next look-up to send."""
        if not self._questions:
            return None
        name = self._questions.popleft()
        flying = self._topics[name].flying
        first = flying[0].first if flying else 0
        return _Request(look_up=_Request.LookUp(topic=name, first_sequence=first))

    def take(self, now: float) -> tuple[_Request | None, float]:
        """The next batch to send now, or how many seconds none is."""
        blocked: set[str] = set()
        wait = math.inf
        for batch in self._queue:
            if batch.topic in blocked or not self._ready(batch.topic):
                blocked.add(batch.topic)
                continue
            count = self._fitting(batch)
            if count == 0:
                break
            if (due := self._due(batch)) > now:
                wait = min(wait, due - now)
                blocked.add(batch.topic)
                continue
            return self._launch(batch, count), 0.0
        return None, wait

    def _ready(self, name: str) -> bool:
        topic = self._topics.get(name)
        if topic is None:
            topic = self._topics[name] = _Topic(known=not self._lasting)
        if not topic.known and not topic.asked and not topic.flying:
            topic.asked = True
            self._questions.append(name)
        return topic.may_send()

    def _due(self, batch: Batch) -> float:
        if batch.sealed or self._unresolved == 0:
            return -math.inf
        return batch.opened_at + self._limits.delay

    def _fitting(self, batch: Batch) -> int:
        """How many messages the window lets through; the first may be larger than what
        is left of the bytes."""
        messages, left = self._through[0] - self._sent[0], self._through[1] - self._sent[1]
        if messages <= 0 or left <= 0:
            return 0
        if messages >= len(batch.messages) and left >= batch.bytes:
            return len(batch.messages)
        count = 0
        for size in batch.sizes[:messages]:
            if count and size > left:
                break
            left -= size
            count += 1
        return count

    def _launch(self, batch: Batch, count: int) -> _Request:
        if count < len(batch.messages):
            rest = batch.split(count)
            self._queue[self._queue.index(batch)] = rest
            if self._filling.get(batch.topic) is batch:
                self._filling[batch.topic] = rest
        else:
            self._queue.remove(batch)
            batch.sealed = True
        topic = self._topics[batch.topic]
        topic.launch(batch)
        self._sent = (self._sent[0] + count, self._sent[1] + batch.bytes)
        if batch.one_way:
            self._forget(batch)
        else:
            topic.flying.append(batch)
            self._unresolved += 1
        return _Request(
            publish_batch=_Request.PublishBatch(
                topic=batch.topic, first_sequence=batch.first, one_way=batch.one_way, messages=batch.messages
            )
        )

    def resolve(self, result: _Response.PublishResult) -> None:
        """Takes a result."""
        topic = self._topics.get(result.topic)
        if topic is None:
            return
        for batch in topic.flying:
            batch.runs += [r for r in result.runs if _overlap(batch, r.first_sequence, r.count)]
            batch.failures += [f for f in result.failures if _overlap(batch, f.first_sequence, f.count)]
        while topic.flying and topic.flying[0].last <= result.through_sequence:
            batch = topic.flying.popleft()
            self._judge(topic, batch)
            self._finish(batch)

    def _judge(self, topic: _Topic, batch: Batch) -> None:
        """Notes what a result means for the batches behind."""
        reason = batch.failed_whole()
        if not reason:
            topic.confirmed = batch.last
            return
        topic.failed_at = topic.failed_at or batch.first
        if reason in ("OUTCOME_FORGOTTEN", "PUBLISH_SEQUENCE_GAP", "PUBLISH_BATCH_CHANGED"):
            topic.known = topic.asked = False

    def looked_up(self, answer: _Response.LookedUp) -> None:
        """Takes the answer to a question: what is stored has its result by now, what is
        not is sent again, before all else."""
        topic = self._topics.get(answer.topic)
        if topic is None or topic.known:
            return
        forgotten = answer.next_sequence <= topic.confirmed
        again: list[Batch] = []
        for batch in list(topic.flying):
            if forgotten or batch.first < answer.next_sequence:
                batch.fail(_forgotten(batch.topic))
                self._finish(batch)
                continue
            self._unresolved -= 1
            batch.sealed, batch.runs, batch.failures = True, [], []
            again.append(batch)
        topic.flying.clear()
        self._queue.extendleft(reversed(again))
        topic.known, topic.failed_at = True, 0
        topic.sequence = topic.confirmed = answer.next_sequence - 1

    def _finish(self, batch: Batch) -> None:
        batch.finish()
        self._unresolved -= 1
        self._forget(batch)

    def _forget(self, batch: Batch) -> None:
        self.pending_messages -= len(batch.messages)
        self.pending_bytes -= batch.bytes

    def fail_all(self, unsent: errors.HeadraceError, sent: errors.HeadraceError) -> None:
        """Ends everything: what was sent and what was not."""
        for topic in self._topics.values():
            for batch in topic.flying:
                batch.fail(sent)
            topic.flying.clear()
            topic.known = topic.asked = False
        for batch in self._queue:
            batch.fail(sent if batch.first else unsent)
        self._queue.clear()
        self._filling.clear()
        self._unresolved = self.pending_messages = self.pending_bytes = 0


def _overlap(batch: Batch, first: int, count: int) -> bool:
    return first <= batch.last and first + count > batch.first


def _forgotten(topic: str) -> errors.HeadraceError:
    return errors.UnknownOutcomeError(
        f"publish to {topic}: the message may be stored: the server does not remember the producer",
        reason="OUTCOME_FORGOTTEN",
    )
