import datetime

from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from headrace.v1 import message_pb2 as _message_pb2
from headrace.v1 import subscriber_service_pb2 as _subscriber_service_pb2
from headrace.v1 import topic_pb2 as _topic_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class SubscriptionMode(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    SUBSCRIPTION_MODE_UNSPECIFIED: _ClassVar[SubscriptionMode]
    SUBSCRIPTION_MODE_SHARED: _ClassVar[SubscriptionMode]
    SUBSCRIPTION_MODE_EXCLUSIVE: _ClassVar[SubscriptionMode]
    SUBSCRIPTION_MODE_FAILOVER: _ClassVar[SubscriptionMode]

class DeliveryOrder(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    DELIVERY_ORDER_UNSPECIFIED: _ClassVar[DeliveryOrder]
    DELIVERY_ORDER_KEY: _ClassVar[DeliveryOrder]
    DELIVERY_ORDER_NONE: _ClassVar[DeliveryOrder]
    DELIVERY_ORDER_PARTITION: _ClassVar[DeliveryOrder]

class DeliveryGuarantee(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    DELIVERY_GUARANTEE_UNSPECIFIED: _ClassVar[DeliveryGuarantee]
    DELIVERY_GUARANTEE_AT_LEAST_ONCE: _ClassVar[DeliveryGuarantee]
    DELIVERY_GUARANTEE_AT_MOST_ONCE: _ClassVar[DeliveryGuarantee]
    DELIVERY_GUARANTEE_EXACTLY_ONCE: _ClassVar[DeliveryGuarantee]

class KeyFailurePolicy(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    KEY_FAILURE_POLICY_UNSPECIFIED: _ClassVar[KeyFailurePolicy]
    KEY_FAILURE_POLICY_BLOCK: _ClassVar[KeyFailurePolicy]
    KEY_FAILURE_POLICY_PARK_KEY: _ClassVar[KeyFailurePolicy]
    KEY_FAILURE_POLICY_SKIP: _ClassVar[KeyFailurePolicy]

class BacklogAction(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    BACKLOG_ACTION_UNSPECIFIED: _ClassVar[BacklogAction]
    BACKLOG_ACTION_REJECT_PUBLISH: _ClassVar[BacklogAction]
    BACKLOG_ACTION_DROP_OLDEST: _ClassVar[BacklogAction]
    BACKLOG_ACTION_DEAD_LETTER: _ClassVar[BacklogAction]
SUBSCRIPTION_MODE_UNSPECIFIED: SubscriptionMode
SUBSCRIPTION_MODE_SHARED: SubscriptionMode
SUBSCRIPTION_MODE_EXCLUSIVE: SubscriptionMode
SUBSCRIPTION_MODE_FAILOVER: SubscriptionMode
DELIVERY_ORDER_UNSPECIFIED: DeliveryOrder
DELIVERY_ORDER_KEY: DeliveryOrder
DELIVERY_ORDER_NONE: DeliveryOrder
DELIVERY_ORDER_PARTITION: DeliveryOrder
DELIVERY_GUARANTEE_UNSPECIFIED: DeliveryGuarantee
DELIVERY_GUARANTEE_AT_LEAST_ONCE: DeliveryGuarantee
DELIVERY_GUARANTEE_AT_MOST_ONCE: DeliveryGuarantee
DELIVERY_GUARANTEE_EXACTLY_ONCE: DeliveryGuarantee
KEY_FAILURE_POLICY_UNSPECIFIED: KeyFailurePolicy
KEY_FAILURE_POLICY_BLOCK: KeyFailurePolicy
KEY_FAILURE_POLICY_PARK_KEY: KeyFailurePolicy
KEY_FAILURE_POLICY_SKIP: KeyFailurePolicy
BACKLOG_ACTION_UNSPECIFIED: BacklogAction
BACKLOG_ACTION_REJECT_PUBLISH: BacklogAction
BACKLOG_ACTION_DROP_OLDEST: BacklogAction
BACKLOG_ACTION_DEAD_LETTER: BacklogAction

class Subscription(_message.Message):
    __slots__ = ("name", "topic", "mode", "order", "guarantee", "lease", "max_lease", "retry", "max_outstanding", "client_max_outstanding", "labels", "resume_window", "ephemeral", "expire_after", "key_failure_policy", "dead_letter_topic", "filter", "backlog_cap", "dispatch_cap", "paused", "create_time", "state", "generation")
    class LabelsEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    NAME_FIELD_NUMBER: _ClassVar[int]
    TOPIC_FIELD_NUMBER: _ClassVar[int]
    MODE_FIELD_NUMBER: _ClassVar[int]
    ORDER_FIELD_NUMBER: _ClassVar[int]
    GUARANTEE_FIELD_NUMBER: _ClassVar[int]
    LEASE_FIELD_NUMBER: _ClassVar[int]
    MAX_LEASE_FIELD_NUMBER: _ClassVar[int]
    RETRY_FIELD_NUMBER: _ClassVar[int]
    MAX_OUTSTANDING_FIELD_NUMBER: _ClassVar[int]
    CLIENT_MAX_OUTSTANDING_FIELD_NUMBER: _ClassVar[int]
    LABELS_FIELD_NUMBER: _ClassVar[int]
    RESUME_WINDOW_FIELD_NUMBER: _ClassVar[int]
    EPHEMERAL_FIELD_NUMBER: _ClassVar[int]
    EXPIRE_AFTER_FIELD_NUMBER: _ClassVar[int]
    KEY_FAILURE_POLICY_FIELD_NUMBER: _ClassVar[int]
    DEAD_LETTER_TOPIC_FIELD_NUMBER: _ClassVar[int]
    FILTER_FIELD_NUMBER: _ClassVar[int]
    BACKLOG_CAP_FIELD_NUMBER: _ClassVar[int]
    DISPATCH_CAP_FIELD_NUMBER: _ClassVar[int]
    PAUSED_FIELD_NUMBER: _ClassVar[int]
    CREATE_TIME_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    GENERATION_FIELD_NUMBER: _ClassVar[int]
    name: str
    topic: str
    mode: SubscriptionMode
    order: DeliveryOrder
    guarantee: DeliveryGuarantee
    lease: _duration_pb2.Duration
    max_lease: _duration_pb2.Duration
    retry: RetryPolicy
    max_outstanding: _message_pb2.Amount
    client_max_outstanding: _message_pb2.Amount
    labels: _containers.ScalarMap[str, str]
    resume_window: _duration_pb2.Duration
    ephemeral: bool
    expire_after: _duration_pb2.Duration
    key_failure_policy: KeyFailurePolicy
    dead_letter_topic: str
    filter: str
    backlog_cap: BacklogCap
    dispatch_cap: DispatchCap
    paused: bool
    create_time: _timestamp_pb2.Timestamp
    state: _topic_pb2.ResourceState
    generation: int
    def __init__(self, name: _Optional[str] = ..., topic: _Optional[str] = ..., mode: _Optional[_Union[SubscriptionMode, str]] = ..., order: _Optional[_Union[DeliveryOrder, str]] = ..., guarantee: _Optional[_Union[DeliveryGuarantee, str]] = ..., lease: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., max_lease: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., retry: _Optional[_Union[RetryPolicy, _Mapping]] = ..., max_outstanding: _Optional[_Union[_message_pb2.Amount, _Mapping]] = ..., client_max_outstanding: _Optional[_Union[_message_pb2.Amount, _Mapping]] = ..., labels: _Optional[_Mapping[str, str]] = ..., resume_window: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., ephemeral: bool = ..., expire_after: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., key_failure_policy: _Optional[_Union[KeyFailurePolicy, str]] = ..., dead_letter_topic: _Optional[str] = ..., filter: _Optional[str] = ..., backlog_cap: _Optional[_Union[BacklogCap, _Mapping]] = ..., dispatch_cap: _Optional[_Union[DispatchCap, _Mapping]] = ..., paused: bool = ..., create_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., state: _Optional[_Union[_topic_pb2.ResourceState, str]] = ..., generation: _Optional[int] = ...) -> None: ...

class RetryPolicy(_message.Message):
    __slots__ = ("min_backoff", "max_backoff", "max_attempts", "max_deliveries")
    MIN_BACKOFF_FIELD_NUMBER: _ClassVar[int]
    MAX_BACKOFF_FIELD_NUMBER: _ClassVar[int]
    MAX_ATTEMPTS_FIELD_NUMBER: _ClassVar[int]
    MAX_DELIVERIES_FIELD_NUMBER: _ClassVar[int]
    min_backoff: _duration_pb2.Duration
    max_backoff: _duration_pb2.Duration
    max_attempts: int
    max_deliveries: int
    def __init__(self, min_backoff: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., max_backoff: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., max_attempts: _Optional[int] = ..., max_deliveries: _Optional[int] = ...) -> None: ...

class BacklogCap(_message.Message):
    __slots__ = ("max", "action")
    MAX_FIELD_NUMBER: _ClassVar[int]
    ACTION_FIELD_NUMBER: _ClassVar[int]
    max: _message_pb2.Amount
    action: BacklogAction
    def __init__(self, max: _Optional[_Union[_message_pb2.Amount, _Mapping]] = ..., action: _Optional[_Union[BacklogAction, str]] = ...) -> None: ...

class DispatchCap(_message.Message):
    __slots__ = ("messages_per_second", "bytes_per_second", "concurrency")
    MESSAGES_PER_SECOND_FIELD_NUMBER: _ClassVar[int]
    BYTES_PER_SECOND_FIELD_NUMBER: _ClassVar[int]
    CONCURRENCY_FIELD_NUMBER: _ClassVar[int]
    messages_per_second: float
    bytes_per_second: float
    concurrency: int
    def __init__(self, messages_per_second: _Optional[float] = ..., bytes_per_second: _Optional[float] = ..., concurrency: _Optional[int] = ...) -> None: ...

class StartPosition(_message.Message):
    __slots__ = ("latest", "earliest", "time", "offsets")
    LATEST_FIELD_NUMBER: _ClassVar[int]
    EARLIEST_FIELD_NUMBER: _ClassVar[int]
    TIME_FIELD_NUMBER: _ClassVar[int]
    OFFSETS_FIELD_NUMBER: _ClassVar[int]
    latest: bool
    earliest: bool
    time: _timestamp_pb2.Timestamp
    offsets: StartOffsets
    def __init__(self, latest: bool = ..., earliest: bool = ..., time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., offsets: _Optional[_Union[StartOffsets, _Mapping]] = ...) -> None: ...

class StartOffsets(_message.Message):
    __slots__ = ("positions",)
    POSITIONS_FIELD_NUMBER: _ClassVar[int]
    positions: _containers.RepeatedCompositeFieldContainer[_message_pb2.Position]
    def __init__(self, positions: _Optional[_Iterable[_Union[_message_pb2.Position, _Mapping]]] = ...) -> None: ...

class SubscriptionStats(_message.Message):
    __slots__ = ("subscription", "backlog", "outstanding", "oldest_unacked_age", "delivered", "redelivered", "acked", "retried", "released", "expired", "partitions", "sessions", "rejected", "dead_lettered", "dead_letters", "parked_keys", "waiting_behind_keys", "removed", "dropped", "forwarded", "not_forwarded")
    SUBSCRIPTION_FIELD_NUMBER: _ClassVar[int]
    BACKLOG_FIELD_NUMBER: _ClassVar[int]
    OUTSTANDING_FIELD_NUMBER: _ClassVar[int]
    OLDEST_UNACKED_AGE_FIELD_NUMBER: _ClassVar[int]
    DELIVERED_FIELD_NUMBER: _ClassVar[int]
    REDELIVERED_FIELD_NUMBER: _ClassVar[int]
    ACKED_FIELD_NUMBER: _ClassVar[int]
    RETRIED_FIELD_NUMBER: _ClassVar[int]
    RELEASED_FIELD_NUMBER: _ClassVar[int]
    EXPIRED_FIELD_NUMBER: _ClassVar[int]
    PARTITIONS_FIELD_NUMBER: _ClassVar[int]
    SESSIONS_FIELD_NUMBER: _ClassVar[int]
    REJECTED_FIELD_NUMBER: _ClassVar[int]
    DEAD_LETTERED_FIELD_NUMBER: _ClassVar[int]
    DEAD_LETTERS_FIELD_NUMBER: _ClassVar[int]
    PARKED_KEYS_FIELD_NUMBER: _ClassVar[int]
    WAITING_BEHIND_KEYS_FIELD_NUMBER: _ClassVar[int]
    REMOVED_FIELD_NUMBER: _ClassVar[int]
    DROPPED_FIELD_NUMBER: _ClassVar[int]
    FORWARDED_FIELD_NUMBER: _ClassVar[int]
    NOT_FORWARDED_FIELD_NUMBER: _ClassVar[int]
    subscription: str
    backlog: _message_pb2.Amount
    outstanding: _message_pb2.Amount
    oldest_unacked_age: _duration_pb2.Duration
    delivered: int
    redelivered: int
    acked: int
    retried: int
    released: int
    expired: int
    partitions: _containers.RepeatedCompositeFieldContainer[SubscriptionPartitionStats]
    sessions: _containers.RepeatedCompositeFieldContainer[SessionStats]
    rejected: int
    dead_lettered: int
    dead_letters: int
    parked_keys: int
    waiting_behind_keys: int
    removed: int
    dropped: int
    forwarded: int
    not_forwarded: int
    def __init__(self, subscription: _Optional[str] = ..., backlog: _Optional[_Union[_message_pb2.Amount, _Mapping]] = ..., outstanding: _Optional[_Union[_message_pb2.Amount, _Mapping]] = ..., oldest_unacked_age: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., delivered: _Optional[int] = ..., redelivered: _Optional[int] = ..., acked: _Optional[int] = ..., retried: _Optional[int] = ..., released: _Optional[int] = ..., expired: _Optional[int] = ..., partitions: _Optional[_Iterable[_Union[SubscriptionPartitionStats, _Mapping]]] = ..., sessions: _Optional[_Iterable[_Union[SessionStats, _Mapping]]] = ..., rejected: _Optional[int] = ..., dead_lettered: _Optional[int] = ..., dead_letters: _Optional[int] = ..., parked_keys: _Optional[int] = ..., waiting_behind_keys: _Optional[int] = ..., removed: _Optional[int] = ..., dropped: _Optional[int] = ..., forwarded: _Optional[int] = ..., not_forwarded: _Optional[int] = ...) -> None: ...

class SubscriptionPartitionStats(_message.Message):
    __slots__ = ("partition", "floor", "next_offset", "settled_past_floor", "backlog")
    PARTITION_FIELD_NUMBER: _ClassVar[int]
    FLOOR_FIELD_NUMBER: _ClassVar[int]
    NEXT_OFFSET_FIELD_NUMBER: _ClassVar[int]
    SETTLED_PAST_FLOOR_FIELD_NUMBER: _ClassVar[int]
    BACKLOG_FIELD_NUMBER: _ClassVar[int]
    partition: int
    floor: int
    next_offset: int
    settled_past_floor: int
    backlog: _message_pb2.Amount
    def __init__(self, partition: _Optional[int] = ..., floor: _Optional[int] = ..., next_offset: _Optional[int] = ..., settled_past_floor: _Optional[int] = ..., backlog: _Optional[_Union[_message_pb2.Amount, _Mapping]] = ...) -> None: ...

class SessionStats(_message.Message):
    __slots__ = ("session", "client_id", "labels", "open_time", "credit", "outstanding", "blocked_by", "delivered", "acked", "resumable_for")
    class LabelsEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    SESSION_FIELD_NUMBER: _ClassVar[int]
    CLIENT_ID_FIELD_NUMBER: _ClassVar[int]
    LABELS_FIELD_NUMBER: _ClassVar[int]
    OPEN_TIME_FIELD_NUMBER: _ClassVar[int]
    CREDIT_FIELD_NUMBER: _ClassVar[int]
    OUTSTANDING_FIELD_NUMBER: _ClassVar[int]
    BLOCKED_BY_FIELD_NUMBER: _ClassVar[int]
    DELIVERED_FIELD_NUMBER: _ClassVar[int]
    ACKED_FIELD_NUMBER: _ClassVar[int]
    RESUMABLE_FOR_FIELD_NUMBER: _ClassVar[int]
    session: str
    client_id: str
    labels: _containers.ScalarMap[str, str]
    open_time: _timestamp_pb2.Timestamp
    credit: _message_pb2.Amount
    outstanding: _message_pb2.Amount
    blocked_by: _containers.RepeatedScalarFieldContainer[_subscriber_service_pb2.BlockedBy]
    delivered: int
    acked: int
    resumable_for: _duration_pb2.Duration
    def __init__(self, session: _Optional[str] = ..., client_id: _Optional[str] = ..., labels: _Optional[_Mapping[str, str]] = ..., open_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., credit: _Optional[_Union[_message_pb2.Amount, _Mapping]] = ..., outstanding: _Optional[_Union[_message_pb2.Amount, _Mapping]] = ..., blocked_by: _Optional[_Iterable[_Union[_subscriber_service_pb2.BlockedBy, str]]] = ..., delivered: _Optional[int] = ..., acked: _Optional[int] = ..., resumable_for: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ...) -> None: ...
