"""Sequences as closed ranges: what frames name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from headrace.v1 import message_pb2

MAX_RANGES = 10_000
"""The most ranges of one frame."""


def to_ranges(sequences: Iterable[int]) -> list[message_pb2.SequenceRange]:
    """The ranges of sequences in any order, each once."""
    ranges: list[message_pb2.SequenceRange] = []
    first = last = 0
    for sequence in sorted(sequences):
        if sequence == last + 1 and last:
            last = sequence
            continue
        if last:
            ranges.append(message_pb2.SequenceRange(first=first, last=last))
        first = last = sequence
    if last:
        ranges.append(message_pb2.SequenceRange(first=first, last=last))
    return ranges


def chunks(ranges: list[message_pb2.SequenceRange]) -> Iterator[list[message_pb2.SequenceRange]]:
    """Cuts ranges into what one frame may hold."""
    for start in range(0, len(ranges), MAX_RANGES):
        yield ranges[start : start + MAX_RANGES]


def sequences_in(ranges: Iterable[message_pb2.SequenceRange]) -> Iterator[int]:
    """Every sequence of the ranges, in their order."""
    for r in ranges:
        yield from range(r.first, r.last + 1)
