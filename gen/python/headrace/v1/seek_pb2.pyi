import datetime

from google.protobuf import timestamp_pb2 as _timestamp_pb2
from headrace.v1 import subscription_pb2 as _subscription_pb2
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class SeekTarget(_message.Message):
    __slots__ = ("time", "offsets", "start", "end", "snapshot")
    TIME_FIELD_NUMBER: _ClassVar[int]
    OFFSETS_FIELD_NUMBER: _ClassVar[int]
    START_FIELD_NUMBER: _ClassVar[int]
    END_FIELD_NUMBER: _ClassVar[int]
    SNAPSHOT_FIELD_NUMBER: _ClassVar[int]
    time: _timestamp_pb2.Timestamp
    offsets: _subscription_pb2.StartOffsets
    start: bool
    end: bool
    snapshot: str
    def __init__(self, time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., offsets: _Optional[_Union[_subscription_pb2.StartOffsets, _Mapping]] = ..., start: bool = ..., end: bool = ..., snapshot: _Optional[str] = ...) -> None: ...

class SeekSubscriptionRequest(_message.Message):
    __slots__ = ("subscription", "target", "dry_run")
    SUBSCRIPTION_FIELD_NUMBER: _ClassVar[int]
    TARGET_FIELD_NUMBER: _ClassVar[int]
    DRY_RUN_FIELD_NUMBER: _ClassVar[int]
    subscription: str
    target: SeekTarget
    dry_run: bool
    def __init__(self, subscription: _Optional[str] = ..., target: _Optional[_Union[SeekTarget, _Mapping]] = ..., dry_run: bool = ...) -> None: ...

class SeekSubscriptionResponse(_message.Message):
    __slots__ = ("generation", "unacked", "acked")
    GENERATION_FIELD_NUMBER: _ClassVar[int]
    UNACKED_FIELD_NUMBER: _ClassVar[int]
    ACKED_FIELD_NUMBER: _ClassVar[int]
    generation: int
    unacked: int
    acked: int
    def __init__(self, generation: _Optional[int] = ..., unacked: _Optional[int] = ..., acked: _Optional[int] = ...) -> None: ...
