from headrace.v1 import error_reason_pb2 as _error_reason_pb2
from headrace.v1 import message_pb2 as _message_pb2
from headrace.v1 import stream_pb2 as _stream_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class PublishRequest(_message.Message):
    __slots__ = ("topic", "messages")
    TOPIC_FIELD_NUMBER: _ClassVar[int]
    MESSAGES_FIELD_NUMBER: _ClassVar[int]
    topic: str
    messages: _containers.RepeatedCompositeFieldContainer[_message_pb2.Message]
    def __init__(self, topic: _Optional[str] = ..., messages: _Optional[_Iterable[_Union[_message_pb2.Message, _Mapping]]] = ...) -> None: ...

class PublishResponse(_message.Message):
    __slots__ = ("runs", "failures", "durability")
    RUNS_FIELD_NUMBER: _ClassVar[int]
    FAILURES_FIELD_NUMBER: _ClassVar[int]
    DURABILITY_FIELD_NUMBER: _ClassVar[int]
    runs: _containers.RepeatedCompositeFieldContainer[PublishedRun]
    failures: _containers.RepeatedCompositeFieldContainer[PublishFailure]
    durability: _message_pb2.Durability
    def __init__(self, runs: _Optional[_Iterable[_Union[PublishedRun, _Mapping]]] = ..., failures: _Optional[_Iterable[_Union[PublishFailure, _Mapping]]] = ..., durability: _Optional[_Union[_message_pb2.Durability, str]] = ...) -> None: ...

class PublishedRun(_message.Message):
    __slots__ = ("first_sequence", "partition", "first_offset", "count", "duplicate")
    FIRST_SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    PARTITION_FIELD_NUMBER: _ClassVar[int]
    FIRST_OFFSET_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    DUPLICATE_FIELD_NUMBER: _ClassVar[int]
    first_sequence: int
    partition: int
    first_offset: int
    count: int
    duplicate: bool
    def __init__(self, first_sequence: _Optional[int] = ..., partition: _Optional[int] = ..., first_offset: _Optional[int] = ..., count: _Optional[int] = ..., duplicate: bool = ...) -> None: ...

class PublishFailure(_message.Message):
    __slots__ = ("first_sequence", "count", "reason", "field", "limit")
    FIRST_SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    FIELD_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    first_sequence: int
    count: int
    reason: _error_reason_pb2.ErrorReason
    field: str
    limit: int
    def __init__(self, first_sequence: _Optional[int] = ..., count: _Optional[int] = ..., reason: _Optional[_Union[_error_reason_pb2.ErrorReason, str]] = ..., field: _Optional[str] = ..., limit: _Optional[int] = ...) -> None: ...

class PublishLimits(_message.Message):
    __slots__ = ("max_message_bytes", "max_batch_messages", "max_batch_bytes", "max_attributes", "max_attribute_key_bytes", "max_attribute_value_bytes", "max_ordering_key_bytes", "max_content_type_bytes", "max_dedupe_id_bytes")
    MAX_MESSAGE_BYTES_FIELD_NUMBER: _ClassVar[int]
    MAX_BATCH_MESSAGES_FIELD_NUMBER: _ClassVar[int]
    MAX_BATCH_BYTES_FIELD_NUMBER: _ClassVar[int]
    MAX_ATTRIBUTES_FIELD_NUMBER: _ClassVar[int]
    MAX_ATTRIBUTE_KEY_BYTES_FIELD_NUMBER: _ClassVar[int]
    MAX_ATTRIBUTE_VALUE_BYTES_FIELD_NUMBER: _ClassVar[int]
    MAX_ORDERING_KEY_BYTES_FIELD_NUMBER: _ClassVar[int]
    MAX_CONTENT_TYPE_BYTES_FIELD_NUMBER: _ClassVar[int]
    MAX_DEDUPE_ID_BYTES_FIELD_NUMBER: _ClassVar[int]
    max_message_bytes: int
    max_batch_messages: int
    max_batch_bytes: int
    max_attributes: int
    max_attribute_key_bytes: int
    max_attribute_value_bytes: int
    max_ordering_key_bytes: int
    max_content_type_bytes: int
    max_dedupe_id_bytes: int
    def __init__(self, max_message_bytes: _Optional[int] = ..., max_batch_messages: _Optional[int] = ..., max_batch_bytes: _Optional[int] = ..., max_attributes: _Optional[int] = ..., max_attribute_key_bytes: _Optional[int] = ..., max_attribute_value_bytes: _Optional[int] = ..., max_ordering_key_bytes: _Optional[int] = ..., max_content_type_bytes: _Optional[int] = ..., max_dedupe_id_bytes: _Optional[int] = ...) -> None: ...

class PublishStreamRequest(_message.Message):
    __slots__ = ("open", "publish_batch", "heartbeat", "look_up")
    class Open(_message.Message):
        __slots__ = ("producer_id", "client_id")
        PRODUCER_ID_FIELD_NUMBER: _ClassVar[int]
        CLIENT_ID_FIELD_NUMBER: _ClassVar[int]
        producer_id: str
        client_id: str
        def __init__(self, producer_id: _Optional[str] = ..., client_id: _Optional[str] = ...) -> None: ...
    class PublishBatch(_message.Message):
        __slots__ = ("topic", "first_sequence", "one_way", "messages")
        TOPIC_FIELD_NUMBER: _ClassVar[int]
        FIRST_SEQUENCE_FIELD_NUMBER: _ClassVar[int]
        ONE_WAY_FIELD_NUMBER: _ClassVar[int]
        MESSAGES_FIELD_NUMBER: _ClassVar[int]
        topic: str
        first_sequence: int
        one_way: bool
        messages: _containers.RepeatedCompositeFieldContainer[_message_pb2.Message]
        def __init__(self, topic: _Optional[str] = ..., first_sequence: _Optional[int] = ..., one_way: bool = ..., messages: _Optional[_Iterable[_Union[_message_pb2.Message, _Mapping]]] = ...) -> None: ...
    class LookUp(_message.Message):
        __slots__ = ("topic", "first_sequence")
        TOPIC_FIELD_NUMBER: _ClassVar[int]
        FIRST_SEQUENCE_FIELD_NUMBER: _ClassVar[int]
        topic: str
        first_sequence: int
        def __init__(self, topic: _Optional[str] = ..., first_sequence: _Optional[int] = ...) -> None: ...
    OPEN_FIELD_NUMBER: _ClassVar[int]
    PUBLISH_BATCH_FIELD_NUMBER: _ClassVar[int]
    HEARTBEAT_FIELD_NUMBER: _ClassVar[int]
    LOOK_UP_FIELD_NUMBER: _ClassVar[int]
    open: PublishStreamRequest.Open
    publish_batch: PublishStreamRequest.PublishBatch
    heartbeat: _stream_pb2.Heartbeat
    look_up: PublishStreamRequest.LookUp
    def __init__(self, open: _Optional[_Union[PublishStreamRequest.Open, _Mapping]] = ..., publish_batch: _Optional[_Union[PublishStreamRequest.PublishBatch, _Mapping]] = ..., heartbeat: _Optional[_Union[_stream_pb2.Heartbeat, _Mapping]] = ..., look_up: _Optional[_Union[PublishStreamRequest.LookUp, _Mapping]] = ...) -> None: ...

class PublishStreamResponse(_message.Message):
    __slots__ = ("opened", "publish_result", "publish_window", "go_away", "looked_up")
    class Opened(_message.Message):
        __slots__ = ("limits", "producer_epoch")
        LIMITS_FIELD_NUMBER: _ClassVar[int]
        PRODUCER_EPOCH_FIELD_NUMBER: _ClassVar[int]
        limits: PublishLimits
        producer_epoch: int
        def __init__(self, limits: _Optional[_Union[PublishLimits, _Mapping]] = ..., producer_epoch: _Optional[int] = ...) -> None: ...
    class PublishResult(_message.Message):
        __slots__ = ("topic", "through_sequence", "runs", "failures", "durability")
        TOPIC_FIELD_NUMBER: _ClassVar[int]
        THROUGH_SEQUENCE_FIELD_NUMBER: _ClassVar[int]
        RUNS_FIELD_NUMBER: _ClassVar[int]
        FAILURES_FIELD_NUMBER: _ClassVar[int]
        DURABILITY_FIELD_NUMBER: _ClassVar[int]
        topic: str
        through_sequence: int
        runs: _containers.RepeatedCompositeFieldContainer[PublishedRun]
        failures: _containers.RepeatedCompositeFieldContainer[PublishFailure]
        durability: _message_pb2.Durability
        def __init__(self, topic: _Optional[str] = ..., through_sequence: _Optional[int] = ..., runs: _Optional[_Iterable[_Union[PublishedRun, _Mapping]]] = ..., failures: _Optional[_Iterable[_Union[PublishFailure, _Mapping]]] = ..., durability: _Optional[_Union[_message_pb2.Durability, str]] = ...) -> None: ...
    class LookedUp(_message.Message):
        __slots__ = ("topic", "next_sequence")
        TOPIC_FIELD_NUMBER: _ClassVar[int]
        NEXT_SEQUENCE_FIELD_NUMBER: _ClassVar[int]
        topic: str
        next_sequence: int
        def __init__(self, topic: _Optional[str] = ..., next_sequence: _Optional[int] = ...) -> None: ...
    class PublishWindow(_message.Message):
        __slots__ = ("through_messages", "through_bytes")
        THROUGH_MESSAGES_FIELD_NUMBER: _ClassVar[int]
        THROUGH_BYTES_FIELD_NUMBER: _ClassVar[int]
        through_messages: int
        through_bytes: int
        def __init__(self, through_messages: _Optional[int] = ..., through_bytes: _Optional[int] = ...) -> None: ...
    OPENED_FIELD_NUMBER: _ClassVar[int]
    PUBLISH_RESULT_FIELD_NUMBER: _ClassVar[int]
    PUBLISH_WINDOW_FIELD_NUMBER: _ClassVar[int]
    GO_AWAY_FIELD_NUMBER: _ClassVar[int]
    LOOKED_UP_FIELD_NUMBER: _ClassVar[int]
    opened: PublishStreamResponse.Opened
    publish_result: PublishStreamResponse.PublishResult
    publish_window: PublishStreamResponse.PublishWindow
    go_away: _stream_pb2.GoAway
    looked_up: PublishStreamResponse.LookedUp
    def __init__(self, opened: _Optional[_Union[PublishStreamResponse.Opened, _Mapping]] = ..., publish_result: _Optional[_Union[PublishStreamResponse.PublishResult, _Mapping]] = ..., publish_window: _Optional[_Union[PublishStreamResponse.PublishWindow, _Mapping]] = ..., go_away: _Optional[_Union[_stream_pb2.GoAway, _Mapping]] = ..., looked_up: _Optional[_Union[PublishStreamResponse.LookedUp, _Mapping]] = ...) -> None: ...
