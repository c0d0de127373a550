import datetime

from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class ParkedKey(_message.Message):
    __slots__ = ("partition", "ordering_key", "key_hash", "park_time", "waiting")
    PARTITION_FIELD_NUMBER: _ClassVar[int]
    ORDERING_KEY_FIELD_NUMBER: _ClassVar[int]
    KEY_HASH_FIELD_NUMBER: _ClassVar[int]
    PARK_TIME_FIELD_NUMBER: _ClassVar[int]
    WAITING_FIELD_NUMBER: _ClassVar[int]
    partition: int
    ordering_key: str
    key_hash: int
    park_time: _timestamp_pb2.Timestamp
    waiting: int
    def __init__(self, partition: _Optional[int] = ..., ordering_key: _Optional[str] = ..., key_hash: _Optional[int] = ..., park_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., waiting: _Optional[int] = ...) -> None: ...

class ListParkedKeysRequest(_message.Message):
    __slots__ = ("subscription", "page_size", "page_token")
    SUBSCRIPTION_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    subscription: str
    page_size: int
    page_token: str
    def __init__(self, subscription: _Optional[str] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListParkedKeysResponse(_message.Message):
    __slots__ = ("parked_keys", "next_page_token")
    PARKED_KEYS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    parked_keys: _containers.RepeatedCompositeFieldContainer[ParkedKey]
    next_page_token: str
    def __init__(self, parked_keys: _Optional[_Iterable[_Union[ParkedKey, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class ReleaseParkedKeysRequest(_message.Message):
    __slots__ = ("subscription", "ordering_keys", "partitions", "all")
    SUBSCRIPTION_FIELD_NUMBER: _ClassVar[int]
    ORDERING_KEYS_FIELD_NUMBER: _ClassVar[int]
    PARTITIONS_FIELD_NUMBER: _ClassVar[int]
    ALL_FIELD_NUMBER: _ClassVar[int]
    subscription: str
    ordering_keys: _containers.RepeatedScalarFieldContainer[str]
    partitions: _containers.RepeatedScalarFieldContainer[int]
    all: bool
    def __init__(self, subscription: _Optional[str] = ..., ordering_keys: _Optional[_Iterable[str]] = ..., partitions: _Optional[_Iterable[int]] = ..., all: bool = ...) -> None: ...

class ReleaseParkedKeysResponse(_message.Message):
    __slots__ = ("released",)
    RELEASED_FIELD_NUMBER: _ClassVar[int]
    released: int
    def __init__(self, released: _Optional[int] = ...) -> None: ...
