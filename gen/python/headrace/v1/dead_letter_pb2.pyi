import datetime

from google.protobuf import timestamp_pb2 as _timestamp_pb2
from headrace.v1 import message_pb2 as _message_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class DeadLetterForwardFailure(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    DEAD_LETTER_FORWARD_FAILURE_UNSPECIFIED: _ClassVar[DeadLetterForwardFailure]
    DEAD_LETTER_FORWARD_FAILURE_TOPIC_GONE: _ClassVar[DeadLetterForwardFailure]
    DEAD_LETTER_FORWARD_FAILURE_BACKLOG_FULL: _ClassVar[DeadLetterForwardFailure]
    DEAD_LETTER_FORWARD_FAILURE_TOO_LARGE: _ClassVar[DeadLetterForwardFailure]
    DEAD_LETTER_FORWARD_FAILURE_DAMAGED: _ClassVar[DeadLetterForwardFailure]
    DEAD_LETTER_FORWARD_FAILURE_DISK_FULL: _ClassVar[DeadLetterForwardFailure]

class DeadLetterReason(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    DEAD_LETTER_REASON_UNSPECIFIED: _ClassVar[DeadLetterReason]
    DEAD_LETTER_REASON_MAX_ATTEMPTS: _ClassVar[DeadLetterReason]
    DEAD_LETTER_REASON_MAX_DELIVERIES: _ClassVar[DeadLetterReason]
    DEAD_LETTER_REASON_REJECTED: _ClassVar[DeadLetterReason]
    DEAD_LETTER_REASON_BACKLOG: _ClassVar[DeadLetterReason]

class DeliveryFailureKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    DELIVERY_FAILURE_KIND_UNSPECIFIED: _ClassVar[DeliveryFailureKind]
    DELIVERY_FAILURE_KIND_RETRIED: _ClassVar[DeliveryFailureKind]
    DELIVERY_FAILURE_KIND_EXPIRED: _ClassVar[DeliveryFailureKind]
    DELIVERY_FAILURE_KIND_LOST: _ClassVar[DeliveryFailureKind]
    DELIVERY_FAILURE_KIND_REJECTED: _ClassVar[DeliveryFailureKind]
DEAD_LETTER_FORWARD_FAILURE_UNSPECIFIED: DeadLetterForwardFailure
DEAD_LETTER_FORWARD_FAILURE_TOPIC_GONE: DeadLetterForwardFailure
DEAD_LETTER_FORWARD_FAILURE_BACKLOG_FULL: DeadLetterForwardFailure
DEAD_LETTER_FORWARD_FAILURE_TOO_LARGE: DeadLetterForwardFailure
DEAD_LETTER_FORWARD_FAILURE_DAMAGED: DeadLetterForwardFailure
DEAD_LETTER_FORWARD_FAILURE_DISK_FULL: DeadLetterForwardFailure
DEAD_LETTER_REASON_UNSPECIFIED: DeadLetterReason
DEAD_LETTER_REASON_MAX_ATTEMPTS: DeadLetterReason
DEAD_LETTER_REASON_MAX_DELIVERIES: DeadLetterReason
DEAD_LETTER_REASON_REJECTED: DeadLetterReason
DEAD_LETTER_REASON_BACKLOG: DeadLetterReason
DELIVERY_FAILURE_KIND_UNSPECIFIED: DeliveryFailureKind
DELIVERY_FAILURE_KIND_RETRIED: DeliveryFailureKind
DELIVERY_FAILURE_KIND_EXPIRED: DeliveryFailureKind
DELIVERY_FAILURE_KIND_LOST: DeliveryFailureKind
DELIVERY_FAILURE_KIND_REJECTED: DeliveryFailureKind

class DeadLetter(_message.Message):
    __slots__ = ("sequence", "position", "message", "message_bytes", "log_time", "dead_time", "reason", "failed", "expired", "lost", "failures", "forward")
    SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    POSITION_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_BYTES_FIELD_NUMBER: _ClassVar[int]
    LOG_TIME_FIELD_NUMBER: _ClassVar[int]
    DEAD_TIME_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    FAILED_FIELD_NUMBER: _ClassVar[int]
    EXPIRED_FIELD_NUMBER: _ClassVar[int]
    LOST_FIELD_NUMBER: _ClassVar[int]
    FAILURES_FIELD_NUMBER: _ClassVar[int]
    FORWARD_FIELD_NUMBER: _ClassVar[int]
    sequence: int
    position: _message_pb2.Position
    message: _message_pb2.Message
    message_bytes: int
    log_time: _timestamp_pb2.Timestamp
    dead_time: _timestamp_pb2.Timestamp
    reason: DeadLetterReason
    failed: int
    expired: int
    lost: int
    failures: _containers.RepeatedCompositeFieldContainer[DeliveryFailure]
    forward: DeadLetterForward
    def __init__(self, sequence: _Optional[int] = ..., position: _Optional[_Union[_message_pb2.Position, _Mapping]] = ..., message: _Optional[_Union[_message_pb2.Message, _Mapping]] = ..., message_bytes: _Optional[int] = ..., log_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., dead_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., reason: _Optional[_Union[DeadLetterReason, str]] = ..., failed: _Optional[int] = ..., expired: _Optional[int] = ..., lost: _Optional[int] = ..., failures: _Optional[_Iterable[_Union[DeliveryFailure, _Mapping]]] = ..., forward: _Optional[_Union[DeadLetterForward, _Mapping]] = ...) -> None: ...

class DeadLetterForward(_message.Message):
    __slots__ = ("topic", "position", "failure")
    TOPIC_FIELD_NUMBER: _ClassVar[int]
    POSITION_FIELD_NUMBER: _ClassVar[int]
    FAILURE_FIELD_NUMBER: _ClassVar[int]
    topic: str
    position: _message_pb2.Position
    failure: DeadLetterForwardFailure
    def __init__(self, topic: _Optional[str] = ..., position: _Optional[_Union[_message_pb2.Position, _Mapping]] = ..., failure: _Optional[_Union[DeadLetterForwardFailure, str]] = ...) -> None: ...

class DeliveryFailure(_message.Message):
    __slots__ = ("time", "kind", "client_id", "code", "reason")
    TIME_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    CLIENT_ID_FIELD_NUMBER: _ClassVar[int]
    CODE_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    time: _timestamp_pb2.Timestamp
    kind: DeliveryFailureKind
    client_id: str
    code: str
    reason: str
    def __init__(self, time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., kind: _Optional[_Union[DeliveryFailureKind, str]] = ..., client_id: _Optional[str] = ..., code: _Optional[str] = ..., reason: _Optional[str] = ...) -> None: ...
