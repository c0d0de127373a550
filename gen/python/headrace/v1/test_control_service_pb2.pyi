import datetime

from google.protobuf import duration_pb2 as _duration_pb2
from headrace.v1 import error_reason_pb2 as _error_reason_pb2
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class AdvanceClockRequest(_message.Message):
    __slots__ = ("by",)
    BY_FIELD_NUMBER: _ClassVar[int]
    by: _duration_pb2.Duration
    def __init__(self, by: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class AdvanceClockResponse(_message.Message):
    __slots__ = ("ahead",)
    AHEAD_FIELD_NUMBER: _ClassVar[int]
    ahead: _duration_pb2.Duration
    def __init__(self, ahead: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class InjectFaultRequest(_message.Message):
    __slots__ = ("method", "times", "refusal", "delay")
    class Refusal(_message.Message):
        __slots__ = ("reason",)
        REASON_FIELD_NUMBER: _ClassVar[int]
        reason: _error_reason_pb2.ErrorReason
        def __init__(self, reason: _Optional[_Union[_error_reason_pb2.ErrorReason, str]] = ...) -> None: ...
    class Delay(_message.Message):
        __slots__ = ("by", "each_frame")
        BY_FIELD_NUMBER: _ClassVar[int]
        EACH_FRAME_FIELD_NUMBER: _ClassVar[int]
        by: _duration_pb2.Duration
        each_frame: bool
        def __init__(self, by: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., each_frame: bool = ...) -> None: ...
    METHOD_FIELD_NUMBER: _ClassVar[int]
    TIMES_FIELD_NUMBER: _ClassVar[int]
    REFUSAL_FIELD_NUMBER: _ClassVar[int]
    DELAY_FIELD_NUMBER: _ClassVar[int]
    method: str
    times: int
    refusal: InjectFaultRequest.Refusal
    delay: InjectFaultRequest.Delay
    def __init__(self, method: _Optional[str] = ..., times: _Optional[int] = ..., refusal: _Optional[_Union[InjectFaultRequest.Refusal, _Mapping]] = ..., delay: _Optional[_Union[InjectFaultRequest.Delay, _Mapping]] = ...) -> None: ...

class InjectFaultResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class ClearFaultsRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class ClearFaultsResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class DropStreamsRequest(_message.Message):
    __slots__ = ("method",)
    METHOD_FIELD_NUMBER: _ClassVar[int]
    method: str
    def __init__(self, method: _Optional[str] = ...) -> None: ...

class DropStreamsResponse(_message.Message):
    __slots__ = ("streams",)
    STREAMS_FIELD_NUMBER: _ClassVar[int]
    streams: int
    def __init__(self, streams: _Optional[int] = ...) -> None: ...
