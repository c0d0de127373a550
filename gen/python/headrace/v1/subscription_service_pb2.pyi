import datetime

from google.protobuf import field_mask_pb2 as _field_mask_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from headrace.v1 import dead_letter_pb2 as _dead_letter_pb2
from headrace.v1 import explanation_pb2 as _explanation_pb2
from headrace.v1 import parked_key_pb2 as _parked_key_pb2
from headrace.v1 import peek_pb2 as _peek_pb2
from headrace.v1 import seek_pb2 as _seek_pb2
from headrace.v1 import session_pb2 as _session_pb2
from headrace.v1 import snapshot_pb2 as _snapshot_pb2
from headrace.v1 import subscription_pb2 as _subscription_pb2
from headrace.v1 import subscription_pause_pb2 as _subscription_pause_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class DeadLetterFilter(_message.Message):
    __slots__ = ("reasons", "dead_since", "dead_before", "not_forwarded")
    REASONS_FIELD_NUMBER: _ClassVar[int]
    DEAD_SINCE_FIELD_NUMBER: _ClassVar[int]
    DEAD_BEFORE_FIELD_NUMBER: _ClassVar[int]
    NOT_FORWARDED_FIELD_NUMBER: _ClassVar[int]
    reasons: _containers.RepeatedScalarFieldContainer[_dead_letter_pb2.DeadLetterReason]
    dead_since: _timestamp_pb2.Timestamp
    dead_before: _timestamp_pb2.Timestamp
    not_forwarded: bool
    def __init__(self, reasons: _Optional[_Iterable[_Union[_dead_letter_pb2.DeadLetterReason, str]]] = ..., dead_since: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., dead_before: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., not_forwarded: bool = ...) -> None: ...

class ListDeadLettersRequest(_message.Message):
    __slots__ = ("subscription", "filter", "from_sequence", "page_size", "page_token", "without_messages")
    SUBSCRIPTION_FIELD_NUMBER: _ClassVar[int]
    FILTER_FIELD_NUMBER: _ClassVar[int]
    FROM_SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    WITHOUT_MESSAGES_FIELD_NUMBER: _ClassVar[int]
    subscription: str
    filter: DeadLetterFilter
    from_sequence: int
    page_size: int
    page_token: str
    without_messages: bool
    def __init__(self, subscription: _Optional[str] = ..., filter: _Optional[_Union[DeadLetterFilter, _Mapping]] = ..., from_sequence: _Optional[int] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ..., without_messages: bool = ...) -> None: ...

class ListDeadLettersResponse(_message.Message):
    __slots__ = ("dead_letters", "next_page_token")
    DEAD_LETTERS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    dead_letters: _containers.RepeatedCompositeFieldContainer[_dead_letter_pb2.DeadLetter]
    next_page_token: str
    def __init__(self, dead_letters: _Optional[_Iterable[_Union[_dead_letter_pb2.DeadLetter, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class DiscardDeadLettersRequest(_message.Message):
    __slots__ = ("subscription", "sequences")
    SUBSCRIPTION_FIELD_NUMBER: _ClassVar[int]
    SEQUENCES_FIELD_NUMBER: _ClassVar[int]
    subscription: str
    sequences: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, subscription: _Optional[str] = ..., sequences: _Optional[_Iterable[int]] = ...) -> None: ...

class DiscardDeadLettersResponse(_message.Message):
    __slots__ = ("sequences",)
    SEQUENCES_FIELD_NUMBER: _ClassVar[int]
    sequences: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, sequences: _Optional[_Iterable[int]] = ...) -> None: ...

class RedriveDeadLettersRequest(_message.Message):
    __slots__ = ("subscription", "sequences")
    SUBSCRIPTION_FIELD_NUMBER: _ClassVar[int]
    SEQUENCES_FIELD_NUMBER: _ClassVar[int]
    subscription: str
    sequences: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, subscription: _Optional[str] = ..., sequences: _Optional[_Iterable[int]] = ...) -> None: ...

class RedriveDeadLettersResponse(_message.Message):
    __slots__ = ("sequences",)
    SEQUENCES_FIELD_NUMBER: _ClassVar[int]
    sequences: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, sequences: _Optional[_Iterable[int]] = ...) -> None: ...

class CreateSubscriptionRequest(_message.Message):
    __slots__ = ("subscription", "start")
    SUBSCRIPTION_FIELD_NUMBER: _ClassVar[int]
    START_FIELD_NUMBER: _ClassVar[int]
    subscription: _subscription_pb2.Subscription
    start: _subscription_pb2.StartPosition
    def __init__(self, subscription: _Optional[_Union[_subscription_pb2.Subscription, _Mapping]] = ..., start: _Optional[_Union[_subscription_pb2.StartPosition, _Mapping]] = ...) -> None: ...

class CreateSubscriptionResponse(_message.Message):
    __slots__ = ("subscription",)
    SUBSCRIPTION_FIELD_NUMBER: _ClassVar[int]
    subscription: _subscription_pb2.Subscription
    def __init__(self, subscription: _Optional[_Union[_subscription_pb2.Subscription, _Mapping]] = ...) -> None: ...

class GetSubscriptionRequest(_message.Message):
    __slots__ = ("subscription",)
    SUBSCRIPTION_FIELD_NUMBER: _ClassVar[int]
    subscription: str
    def __init__(self, subscription: _Optional[str] = ...) -> None: ...

class GetSubscriptionResponse(_message.Message):
    __slots__ = ("subscription",)
    SUBSCRIPTION_FIELD_NUMBER: _ClassVar[int]
    subscription: _subscription_pb2.Subscription
    def __init__(self, subscription: _Optional[_Union[_subscription_pb2.Subscription, _Mapping]] = ...) -> None: ...

class ListSubscriptionsRequest(_message.Message):
    __slots__ = ("namespace", "topic", "page_size", "page_token")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    TOPIC_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    topic: str
    page_size: int
    page_token: str
    def __init__(self, namespace: _Optional[str] = ..., topic: _Optional[str] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListSubscriptionsResponse(_message.Message):
    __slots__ = ("subscriptions", "next_page_token")
    SUBSCRIPTIONS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    subscriptions: _containers.RepeatedCompositeFieldContainer[_subscription_pb2.Subscription]
    next_page_token: str
    def __init__(self, subscriptions: _Optional[_Iterable[_Union[_subscription_pb2.Subscription, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class UpdateSubscriptionRequest(_message.Message):
    __slots__ = ("subscription", "update_mask")
    SUBSCRIPTION_FIELD_NUMBER: _ClassVar[int]
    UPDATE_MASK_FIELD_NUMBER: _ClassVar[int]
    subscription: _subscription_pb2.Subscription
    update_mask: _field_mask_pb2.FieldMask
    def __init__(self, subscription: _Optional[_Union[_subscription_pb2.Subscription, _Mapping]] = ..., update_mask: _Optional[_Union[_field_mask_pb2.FieldMask, _Mapping]] = ...) -> None: ...

class UpdateSubscriptionResponse(_message.Message):
    __slots__ = ("subscription",)
    SUBSCRIPTION_FIELD_NUMBER: _ClassVar[int]
    subscription: _subscription_pb2.Subscription
    def __init__(self, subscription: _Optional[_Union[_subscription_pb2.Subscription, _Mapping]] = ...) -> None: ...

class DeleteSubscriptionRequest(_message.Message):
    __slots__ = ("subscription",)
    SUBSCRIPTION_FIELD_NUMBER: _ClassVar[int]
    subscription: str
    def __init__(self, subscription: _Optional[str] = ...) -> None: ...

class DeleteSubscriptionResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class GetSubscriptionStatsRequest(_message.Message):
    __slots__ = ("subscription",)
    SUBSCRIPTION_FIELD_NUMBER: _ClassVar[int]
    subscription: str
    def __init__(self, subscription: _Optional[str] = ...) -> None: ...

class GetSubscriptionStatsResponse(_message.Message):
    __slots__ = ("stats",)
    STATS_FIELD_NUMBER: _ClassVar[int]
    stats: _subscription_pb2.SubscriptionStats
    def __init__(self, stats: _Optional[_Union[_subscription_pb2.SubscriptionStats, _Mapping]] = ...) -> None: ...
