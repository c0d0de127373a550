import datetime

from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from headrace.v1 import message_pb2 as _message_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class ResourceState(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    RESOURCE_STATE_UNSPECIFIED: _ClassVar[ResourceState]
    RESOURCE_STATE_CREATING: _ClassVar[ResourceState]
    RESOURCE_STATE_ACTIVE: _ClassVar[ResourceState]
    RESOURCE_STATE_DELETING: _ClassVar[ResourceState]
    RESOURCE_STATE_DAMAGED: _ClassVar[ResourceState]
RESOURCE_STATE_UNSPECIFIED: ResourceState
RESOURCE_STATE_CREATING: ResourceState
RESOURCE_STATE_ACTIVE: ResourceState
RESOURCE_STATE_DELETING: ResourceState
RESOURCE_STATE_DAMAGED: ResourceState

class Topic(_message.Message):
    __slots__ = ("name", "partitions", "durability", "retention", "max_message_bytes", "labels", "spread", "dedupe_window", "dedupe_max_ids", "create_time", "state")
    class LabelsEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    NAME_FIELD_NUMBER: _ClassVar[int]
    PARTITIONS_FIELD_NUMBER: _ClassVar[int]
    DURABILITY_FIELD_NUMBER: _ClassVar[int]
    RETENTION_FIELD_NUMBER: _ClassVar[int]
    MAX_MESSAGE_BYTES_FIELD_NUMBER: _ClassVar[int]
    LABELS_FIELD_NUMBER: _ClassVar[int]
    SPREAD_FIELD_NUMBER: _ClassVar[int]
    DEDUPE_WINDOW_FIELD_NUMBER: _ClassVar[int]
    DEDUPE_MAX_IDS_FIELD_NUMBER: _ClassVar[int]
    CREATE_TIME_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    name: str
    partitions: int
    durability: _message_pb2.Durability
    retention: Retention
    max_message_bytes: int
    labels: _containers.ScalarMap[str, str]
    spread: bool
    dedupe_window: _duration_pb2.Duration
    dedupe_max_ids: int
    create_time: _timestamp_pb2.Timestamp
    state: ResourceState
    def __init__(self, name: _Optional[str] = ..., partitions: _Optional[int] = ..., durability: _Optional[_Union[_message_pb2.Durability, str]] = ..., retention: _Optional[_Union[Retention, _Mapping]] = ..., max_message_bytes: _Optional[int] = ..., labels: _Optional[_Mapping[str, str]] = ..., spread: bool = ..., dedupe_window: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., dedupe_max_ids: _Optional[int] = ..., create_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., state: _Optional[_Union[ResourceState, str]] = ...) -> None: ...

class Retention(_message.Message):
    __slots__ = ("min_age", "max_age", "max_bytes", "keep_settled")
    MIN_AGE_FIELD_NUMBER: _ClassVar[int]
    MAX_AGE_FIELD_NUMBER: _ClassVar[int]
    MAX_BYTES_FIELD_NUMBER: _ClassVar[int]
    KEEP_SETTLED_FIELD_NUMBER: _ClassVar[int]
    min_age: _duration_pb2.Duration
    max_age: _duration_pb2.Duration
    max_bytes: int
    keep_settled: _duration_pb2.Duration
    def __init__(self, min_age: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., max_age: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., max_bytes: _Optional[int] = ..., keep_settled: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class TopicStats(_message.Message):
    __slots__ = ("topic", "partitions", "retained", "published", "subscriptions")
    TOPIC_FIELD_NUMBER: _ClassVar[int]
    PARTITIONS_FIELD_NUMBER: _ClassVar[int]
    RETAINED_FIELD_NUMBER: _ClassVar[int]
    PUBLISHED_FIELD_NUMBER: _ClassVar[int]
    SUBSCRIPTIONS_FIELD_NUMBER: _ClassVar[int]
    topic: str
    partitions: _containers.RepeatedCompositeFieldContainer[PartitionStats]
    retained: _message_pb2.Amount
    published: _message_pb2.Amount
    subscriptions: int
    def __init__(self, topic: _Optional[str] = ..., partitions: _Optional[_Iterable[_Union[PartitionStats, _Mapping]]] = ..., retained: _Optional[_Union[_message_pb2.Amount, _Mapping]] = ..., published: _Optional[_Union[_message_pb2.Amount, _Mapping]] = ..., subscriptions: _Optional[int] = ...) -> None: ...

class PartitionStats(_message.Message):
    __slots__ = ("partition", "first_offset", "next_offset", "retained")
    PARTITION_FIELD_NUMBER: _ClassVar[int]
    FIRST_OFFSET_FIELD_NUMBER: _ClassVar[int]
    NEXT_OFFSET_FIELD_NUMBER: _ClassVar[int]
    RETAINED_FIELD_NUMBER: _ClassVar[int]
    partition: int
    first_offset: int
    next_offset: int
    retained: _message_pb2.Amount
    def __init__(self, partition: _Optional[int] = ..., first_offset: _Optional[int] = ..., next_offset: _Optional[int] = ..., retained: _Optional[_Union[_message_pb2.Amount, _Mapping]] = ...) -> None: ...
