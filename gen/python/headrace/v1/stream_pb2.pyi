import datetime

from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class GoAwayReason(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    GO_AWAY_REASON_UNSPECIFIED: _ClassVar[GoAwayReason]
    GO_AWAY_REASON_SHUTDOWN: _ClassVar[GoAwayReason]
    GO_AWAY_REASON_REBALANCE: _ClassVar[GoAwayReason]
    GO_AWAY_REASON_STREAM: _ClassVar[GoAwayReason]
GO_AWAY_REASON_UNSPECIFIED: GoAwayReason
GO_AWAY_REASON_SHUTDOWN: GoAwayReason
GO_AWAY_REASON_REBALANCE: GoAwayReason
GO_AWAY_REASON_STREAM: GoAwayReason

class Heartbeat(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class GoAway(_message.Message):
    __slots__ = ("reason", "grace")
    REASON_FIELD_NUMBER: _ClassVar[int]
    GRACE_FIELD_NUMBER: _ClassVar[int]
    reason: GoAwayReason
    grace: _duration_pb2.Duration
    def __init__(self, reason: _Optional[_Union[GoAwayReason, str]] = ..., grace: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ...) -> None: ...
