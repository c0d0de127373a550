"""What is published, and where it stands."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from google.protobuf.message import Message as ProtobufMessage

from headrace.v1 import message_pb2


@dataclasses.dataclass(frozen=True, slots=True)
class Position:
    """Where a message stands in its topic's log.

    :ivar partition: 0 to 255; 65,535 is a subscription's own, for what was redriven.
    :ivar offset: within the partition, dense from 0.
    """

    partition: int
    offset: int

    def __str__(self) -> str:
        """The id of a message that entered the log here: ``partition-offset``."""
        return f"{self.partition}-{self.offset}"


@dataclasses.dataclass(frozen=True, slots=True)
class Message:
    """A message to publish.

    :ivar data: the payload; bytes, or a Protobuf message, which is encoded.
    :ivar attributes: free labels, at most 100; a key has 1 to 256 bytes, a value at most
        1,024.
    :ivar ordering_key: messages of one key keep their order; at most 1,024 bytes.
    :ivar dedupe_id: two messages of one id within the topic's window are one; at most
        256 bytes.
    :ivar content_type: the media type of data; at most 256 bytes.
    """

    data: bytes | ProtobufMessage = b""
    attributes: Mapping[str, str] = dataclasses.field(default_factory=dict)
    ordering_key: str = ""
    dedupe_id: str = ""
    content_type: str = ""


Payload = Message | ProtobufMessage | bytes
"""What a publish takes: a :class:`Message`, or its data alone."""


def encode(payload: Payload) -> message_pb2.Message:
    """The message of the contract; an error of Protobuf's names what it does not take."""
    if not isinstance(payload, Message):
        return message_pb2.Message(data=_data(payload))
    return message_pb2.Message(
        data=_data(payload.data),
        attributes=payload.attributes,
        ordering_key=payload.ordering_key,
        dedupe_id=payload.dedupe_id,
        content_type=payload.content_type,
    )


def _data(data: bytes | ProtobufMessage) -> bytes:
    return data.SerializeToString() if isinstance(data, ProtobufMessage) else bytes(data)


def wire_bytes(message: message_pb2.Message) -> int:
    """What a message takes in the field ``messages``, which is what windows count: its
    size, the tag, and the length before it."""
    size: int = message.ByteSize()
    return size + 1 + max(1, (size.bit_length() + 6) // 7)
