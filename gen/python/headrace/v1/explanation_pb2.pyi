import datetime

from google.protobuf import timestamp_pb2 as _timestamp_pb2
from headrace.v1 import dead_letter_pb2 as _dead_letter_pb2
from headrace.v1 import message_pb2 as _message_pb2
from headrace.v1 import subscription_pb2 as _subscription_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class MessageStanding(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    MESSAGE_STANDING_UNSPECIFIED: _ClassVar[MessageStanding]
    MESSAGE_STANDING_NOT_PUBLISHED: _ClassVar[MessageStanding]
    MESSAGE_STANDING_FRESH: _ClassVar[MessageStanding]
    MESSAGE_STANDING_OUTSTANDING: _ClassVar[MessageStanding]
    MESSAGE_STANDING_RETRY_BACKOFF: _ClassVar[MessageStanding]
    MESSAGE_STANDING_COMMITTING: _ClassVar[MessageStanding]
    MESSAGE_STANDING_READY: _ClassVar[MessageStanding]
    MESSAGE_STANDING_AVOIDING: _ClassVar[MessageStanding]
    MESSAGE_STANDING_TOO_LARGE: _ClassVar[MessageStanding]
    MESSAGE_STANDING_BEHIND_KEY: _ClassVar[MessageStanding]
    MESSAGE_STANDING_KEY_PARKED: _ClassVar[MessageStanding]
    MESSAGE_STANDING_DYING: _ClassVar[MessageStanding]
    MESSAGE_STANDING_SETTLED: _ClassVar[MessageStanding]
    MESSAGE_STANDING_DEAD_LETTER: _ClassVar[MessageStanding]
    MESSAGE_STANDING_TRIMMED: _ClassVar[MessageStanding]
MESSAGE_STANDING_UNSPECIFIED: MessageStanding
MESSAGE_STANDING_NOT_PUBLISHED: MessageStanding
MESSAGE_STANDING_FRESH: MessageStanding
MESSAGE_STANDING_OUTSTANDING: MessageStanding
MESSAGE_STANDING_RETRY_BACKOFF: MessageStanding
MESSAGE_STANDING_COMMITTING: MessageStanding
MESSAGE_STANDING_READY: MessageStanding
MESSAGE_STANDING_AVOIDING: MessageStanding
MESSAGE_STANDING_TOO_LARGE: MessageStanding
MESSAGE_STANDING_BEHIND_KEY: MessageStanding
MESSAGE_STANDING_KEY_PARKED: MessageStanding
MESSAGE_STANDING_DYING: MessageStanding
MESSAGE_STANDING_SETTLED: MessageStanding
MESSAGE_STANDING_DEAD_LETTER: MessageStanding
MESSAGE_STANDING_TRIMMED: MessageStanding

class ExplainSubscriptionRequest(_message.Message):
    __slots__ = ("subscription",)
    SUBSCRIPTION_FIELD_NUMBER: _ClassVar[int]
    subscription: str
    def __init__(self, subscription: _Optional[str] = ...) -> None: ...

class ExplainSubscriptionResponse(_message.Message):
    __slots__ = ("backlog", "outstanding", "waiting", "fresh", "paused", "rate_limited_until", "next_retry_time", "oldest", "sessions")
    BACKLOG_FIELD_NUMBER: _ClassVar[int]
    OUTSTANDING_FIELD_NUMBER: _ClassVar[int]
    WAITING_FIELD_NUMBER: _ClassVar[int]
    FRESH_FIELD_NUMBER: _ClassVar[int]
    PAUSED_FIELD_NUMBER: _ClassVar[int]
    RATE_LIMITED_UNTIL_FIELD_NUMBER: _ClassVar[int]
    NEXT_RETRY_TIME_FIELD_NUMBER: _ClassVar[int]
    OLDEST_FIELD_NUMBER: _ClassVar[int]
    SESSIONS_FIELD_NUMBER: _ClassVar[int]
    backlog: _message_pb2.Amount
    outstanding: _message_pb2.Amount
    waiting: int
    fresh: int
    paused: bool
    rate_limited_until: _timestamp_pb2.Timestamp
    next_retry_time: _timestamp_pb2.Timestamp
    oldest: MessageExplanation
    sessions: _containers.RepeatedCompositeFieldContainer[_subscription_pb2.SessionStats]
    def __init__(self, backlog: _Optional[_Union[_message_pb2.Amount, _Mapping]] = ..., outstanding: _Optional[_Union[_message_pb2.Amount, _Mapping]] = ..., waiting: _Optional[int] = ..., fresh: _Optional[int] = ..., paused: bool = ..., rate_limited_until: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., next_retry_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., oldest: _Optional[_Union[MessageExplanation, _Mapping]] = ..., sessions: _Optional[_Iterable[_Union[_subscription_pb2.SessionStats, _Mapping]]] = ...) -> None: ...

class ExplainMessageRequest(_message.Message):
    __slots__ = ("subscription", "position", "message_id")
    SUBSCRIPTION_FIELD_NUMBER: _ClassVar[int]
    POSITION_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_ID_FIELD_NUMBER: _ClassVar[int]
    subscription: str
    position: _message_pb2.Position
    message_id: str
    def __init__(self, subscription: _Optional[str] = ..., position: _Optional[_Union[_message_pb2.Position, _Mapping]] = ..., message_id: _Optional[str] = ...) -> None: ...

class ExplainMessageResponse(_message.Message):
    __slots__ = ("explanation",)
    EXPLANATION_FIELD_NUMBER: _ClassVar[int]
    explanation: MessageExplanation
    def __init__(self, explanation: _Optional[_Union[MessageExplanation, _Mapping]] = ...) -> None: ...

class ExplainKeyRequest(_message.Message):
    __slots__ = ("subscription", "ordering_key")
    SUBSCRIPTION_FIELD_NUMBER: _ClassVar[int]
    ORDERING_KEY_FIELD_NUMBER: _ClassVar[int]
    subscription: str
    ordering_key: str
    def __init__(self, subscription: _Optional[str] = ..., ordering_key: _Optional[str] = ...) -> None: ...

class ExplainKeyResponse(_message.Message):
    __slots__ = ("explanations",)
    EXPLANATIONS_FIELD_NUMBER: _ClassVar[int]
    explanations: _containers.RepeatedCompositeFieldContainer[KeyExplanation]
    def __init__(self, explanations: _Optional[_Iterable[_Union[KeyExplanation, _Mapping]]] = ...) -> None: ...

class ExplainSessionRequest(_message.Message):
    __slots__ = ("subscription", "session")
    SUBSCRIPTION_FIELD_NUMBER: _ClassVar[int]
    SESSION_FIELD_NUMBER: _ClassVar[int]
    subscription: str
    session: str
    def __init__(self, subscription: _Optional[str] = ..., session: _Optional[str] = ...) -> None: ...

class ExplainSessionResponse(_message.Message):
    __slots__ = ("stats", "blocked_since", "away", "away_until", "holding")
    STATS_FIELD_NUMBER: _ClassVar[int]
    BLOCKED_SINCE_FIELD_NUMBER: _ClassVar[int]
    AWAY_FIELD_NUMBER: _ClassVar[int]
    AWAY_UNTIL_FIELD_NUMBER: _ClassVar[int]
    HOLDING_FIELD_NUMBER: _ClassVar[int]
    stats: _subscription_pb2.SessionStats
    blocked_since: _timestamp_pb2.Timestamp
    away: bool
    away_until: _timestamp_pb2.Timestamp
    holding: _containers.RepeatedCompositeFieldContainer[HeldDelivery]
    def __init__(self, stats: _Optional[_Union[_subscription_pb2.SessionStats, _Mapping]] = ..., blocked_since: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., away: bool = ..., away_until: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., holding: _Optional[_Iterable[_Union[HeldDelivery, _Mapping]]] = ...) -> None: ...

class MessageExplanation(_message.Message):
    __slots__ = ("position", "standing", "attempt", "failed", "expired", "lost", "failures", "holder", "due_time", "ahead", "key", "dead_letter", "forward", "more_dead_letters")
    POSITION_FIELD_NUMBER: _ClassVar[int]
    STANDING_FIELD_NUMBER: _ClassVar[int]
    ATTEMPT_FIELD_NUMBER: _ClassVar[int]
    FAILED_FIELD_NUMBER: _ClassVar[int]
    EXPIRED_FIELD_NUMBER: _ClassVar[int]
    LOST_FIELD_NUMBER: _ClassVar[int]
    FAILURES_FIELD_NUMBER: _ClassVar[int]
    HOLDER_FIELD_NUMBER: _ClassVar[int]
    DUE_TIME_FIELD_NUMBER: _ClassVar[int]
    AHEAD_FIELD_NUMBER: _ClassVar[int]
    KEY_FIELD_NUMBER: _ClassVar[int]
    DEAD_LETTER_FIELD_NUMBER: _ClassVar[int]
    FORWARD_FIELD_NUMBER: _ClassVar[int]
    MORE_DEAD_LETTERS_FIELD_NUMBER: _ClassVar[int]
    position: _message_pb2.Position
    standing: MessageStanding
    attempt: int
    failed: int
    expired: int
    lost: int
    failures: _containers.RepeatedCompositeFieldContainer[_dead_letter_pb2.DeliveryFailure]
    holder: Holder
    due_time: _timestamp_pb2.Timestamp
    ahead: int
    key: KeyExplanation
    dead_letter: int
    forward: _dead_letter_pb2.DeadLetterForward
    more_dead_letters: bool
    def __init__(self, position: _Optional[_Union[_message_pb2.Position, _Mapping]] = ..., standing: _Optional[_Union[MessageStanding, str]] = ..., attempt: _Optional[int] = ..., failed: _Optional[int] = ..., expired: _Optional[int] = ..., lost: _Optional[int] = ..., failures: _Optional[_Iterable[_Union[_dead_letter_pb2.DeliveryFailure, _Mapping]]] = ..., holder: _Optional[_Union[Holder, _Mapping]] = ..., due_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., ahead: _Optional[int] = ..., key: _Optional[_Union[KeyExplanation, _Mapping]] = ..., dead_letter: _Optional[int] = ..., forward: _Optional[_Union[_dead_letter_pb2.DeadLetterForward, _Mapping]] = ..., more_dead_letters: bool = ...) -> None: ...

class Holder(_message.Message):
    __slots__ = ("session", "client_id", "sequence", "since", "started", "lease_end")
    SESSION_FIELD_NUMBER: _ClassVar[int]
    CLIENT_ID_FIELD_NUMBER: _ClassVar[int]
    SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    SINCE_FIELD_NUMBER: _ClassVar[int]
    STARTED_FIELD_NUMBER: _ClassVar[int]
    LEASE_END_FIELD_NUMBER: _ClassVar[int]
    session: str
    client_id: str
    sequence: int
    since: _timestamp_pb2.Timestamp
    started: bool
    lease_end: _timestamp_pb2.Timestamp
    def __init__(self, session: _Optional[str] = ..., client_id: _Optional[str] = ..., sequence: _Optional[int] = ..., since: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., started: bool = ..., lease_end: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class HeldDelivery(_message.Message):
    __slots__ = ("sequence", "position", "since", "started", "lease_end")
    SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    POSITION_FIELD_NUMBER: _ClassVar[int]
    SINCE_FIELD_NUMBER: _ClassVar[int]
    STARTED_FIELD_NUMBER: _ClassVar[int]
    LEASE_END_FIELD_NUMBER: _ClassVar[int]
    sequence: int
    position: _message_pb2.Position
    since: _timestamp_pb2.Timestamp
    started: bool
    lease_end: _timestamp_pb2.Timestamp
    def __init__(self, sequence: _Optional[int] = ..., position: _Optional[_Union[_message_pb2.Position, _Mapping]] = ..., since: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., started: bool = ..., lease_end: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class KeyExplanation(_message.Message):
    __slots__ = ("partition", "busy", "parked", "session", "outstanding", "next_offset", "next_due_time", "waiting")
    PARTITION_FIELD_NUMBER: _ClassVar[int]
    BUSY_FIELD_NUMBER: _ClassVar[int]
    PARKED_FIELD_NUMBER: _ClassVar[int]
    SESSION_FIELD_NUMBER: _ClassVar[int]
    OUTSTANDING_FIELD_NUMBER: _ClassVar[int]
    NEXT_OFFSET_FIELD_NUMBER: _ClassVar[int]
    NEXT_DUE_TIME_FIELD_NUMBER: _ClassVar[int]
    WAITING_FIELD_NUMBER: _ClassVar[int]
    partition: int
    busy: bool
    parked: bool
    session: str
    outstanding: int
    next_offset: int
    next_due_time: _timestamp_pb2.Timestamp
    waiting: int
    def __init__(self, partition: _Optional[int] = ..., busy: bool = ..., parked: bool = ..., session: _Optional[str] = ..., outstanding: _Optional[int] = ..., next_offset: _Optional[int] = ..., next_due_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., waiting: _Optional[int] = ...) -> None: ...
