import datetime

from google.protobuf import timestamp_pb2 as _timestamp_pb2
from headrace.v1 import message_pb2 as _message_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class PeekSubscriptionRequest(_message.Message):
    __slots__ = ("subscription", "partition", "from_offset", "include_acked", "max_messages", "max_bytes")
    SUBSCRIPTION_FIELD_NUMBER: _ClassVar[int]
    PARTITION_FIELD_NUMBER: _ClassVar[int]
    FROM_OFFSET_FIELD_NUMBER: _ClassVar[int]
    INCLUDE_ACKED_FIELD_NUMBER: _ClassVar[int]
    MAX_MESSAGES_FIELD_NUMBER: _ClassVar[int]
    MAX_BYTES_FIELD_NUMBER: _ClassVar[int]
    subscription: str
    partition: int
    from_offset: int
    include_acked: bool
    max_messages: int
    max_bytes: int
    def __init__(self, subscription: _Optional[str] = ..., partition: _Optional[int] = ..., from_offset: _Optional[int] = ..., include_acked: bool = ..., max_messages: _Optional[int] = ..., max_bytes: _Optional[int] = ...) -> None: ...

class PeekSubscriptionResponse(_message.Message):
    __slots__ = ("messages", "next_offset")
    MESSAGES_FIELD_NUMBER: _ClassVar[int]
    NEXT_OFFSET_FIELD_NUMBER: _ClassVar[int]
    messages: _containers.RepeatedCompositeFieldContainer[PeekedMessage]
    next_offset: int
    def __init__(self, messages: _Optional[_Iterable[_Union[PeekedMessage, _Mapping]]] = ..., next_offset: _Optional[int] = ...) -> None: ...

class PeekedMessage(_message.Message):
    __slots__ = ("position", "message", "message_bytes", "log_time", "acked")
    POSITION_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_BYTES_FIELD_NUMBER: _ClassVar[int]
    LOG_TIME_FIELD_NUMBER: _ClassVar[int]
    ACKED_FIELD_NUMBER: _ClassVar[int]
    position: _message_pb2.Position
    message: _message_pb2.Message
    message_bytes: int
    log_time: _timestamp_pb2.Timestamp
    acked: bool
    def __init__(self, position: _Optional[_Union[_message_pb2.Position, _Mapping]] = ..., message: _Optional[_Union[_message_pb2.Message, _Mapping]] = ..., message_bytes: _Optional[int] = ..., log_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., acked: bool = ...) -> None: ...
