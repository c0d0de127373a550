import datetime

from google.protobuf import duration_pb2 as _duration_pb2
from headrace.v1 import error_reason_pb2 as _error_reason_pb2
from headrace.v1 import message_pb2 as _message_pb2
from headrace.v1 import stream_pb2 as _stream_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Replenish(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    REPLENISH_UNSPECIFIED: _ClassVar[Replenish]
    REPLENISH_ON_SETTLE: _ClassVar[Replenish]
    REPLENISH_MANUAL: _ClassVar[Replenish]

class Verdict(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    VERDICT_UNSPECIFIED: _ClassVar[Verdict]
    VERDICT_ACK: _ClassVar[Verdict]
    VERDICT_RETRY: _ClassVar[Verdict]
    VERDICT_REJECT: _ClassVar[Verdict]
    VERDICT_RELEASE: _ClassVar[Verdict]

class Feature(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    FEATURE_UNSPECIFIED: _ClassVar[Feature]
    FEATURE_KEY_BATCHES: _ClassVar[Feature]
    FEATURE_RECALL: _ClassVar[Feature]
    FEATURE_STARTED: _ClassVar[Feature]
    FEATURE_RESUME: _ClassVar[Feature]
    FEATURE_DEAD_LETTERS: _ClassVar[Feature]

class OrderedBy(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    ORDERED_BY_UNSPECIFIED: _ClassVar[OrderedBy]
    ORDERED_BY_KEY: _ClassVar[OrderedBy]
    ORDERED_BY_PARTITION: _ClassVar[OrderedBy]

class BlockedBy(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    BLOCKED_BY_UNSPECIFIED: _ClassVar[BlockedBy]
    BLOCKED_BY_NO_CREDIT_MESSAGES: _ClassVar[BlockedBy]
    BLOCKED_BY_NO_CREDIT_BYTES: _ClassVar[BlockedBy]
    BLOCKED_BY_NO_MESSAGES: _ClassVar[BlockedBy]
    BLOCKED_BY_SUBSCRIPTION_CAP: _ClassVar[BlockedBy]
    BLOCKED_BY_CLIENT_CAP: _ClassVar[BlockedBy]
    BLOCKED_BY_KEYS_BLOCKED: _ClassVar[BlockedBy]
    BLOCKED_BY_RETRY_BACKOFF: _ClassVar[BlockedBy]
    BLOCKED_BY_DELAYED: _ClassVar[BlockedBy]
    BLOCKED_BY_PAUSED: _ClassVar[BlockedBy]
    BLOCKED_BY_RATE_LIMITED: _ClassVar[BlockedBy]
    BLOCKED_BY_STANDBY: _ClassVar[BlockedBy]
    BLOCKED_BY_MESSAGE_TOO_LARGE: _ClassVar[BlockedBy]
    BLOCKED_BY_WRITE_STALLED: _ClassVar[BlockedBy]
    BLOCKED_BY_DRAINING: _ClassVar[BlockedBy]

class RevokeReason(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    REVOKE_REASON_UNSPECIFIED: _ClassVar[RevokeReason]
    REVOKE_REASON_LEASE_EXPIRED: _ClassVar[RevokeReason]
    REVOKE_REASON_TAKEOVER: _ClassVar[RevokeReason]
    REVOKE_REASON_SEEK: _ClassVar[RevokeReason]
    REVOKE_REASON_KEY_ORDER: _ClassVar[RevokeReason]
    REVOKE_REASON_GRACE_OVER: _ClassVar[RevokeReason]
REPLENISH_UNSPECIFIED: Replenish
REPLENISH_ON_SETTLE: Replenish
REPLENISH_MANUAL: Replenish
VERDICT_UNSPECIFIED: Verdict
VERDICT_ACK: Verdict
VERDICT_RETRY: Verdict
VERDICT_REJECT: Verdict
VERDICT_RELEASE: Verdict
FEATURE_UNSPECIFIED: Feature
FEATURE_KEY_BATCHES: Feature
FEATURE_RECALL: Feature
FEATURE_STARTED: Feature
FEATURE_RESUME: Feature
FEATURE_DEAD_LETTERS: Feature
ORDERED_BY_UNSPECIFIED: OrderedBy
ORDERED_BY_KEY: OrderedBy
ORDERED_BY_PARTITION: OrderedBy
BLOCKED_BY_UNSPECIFIED: BlockedBy
BLOCKED_BY_NO_CREDIT_MESSAGES: BlockedBy
BLOCKED_BY_NO_CREDIT_BYTES: BlockedBy
BLOCKED_BY_NO_MESSAGES: BlockedBy
BLOCKED_BY_SUBSCRIPTION_CAP: BlockedBy
BLOCKED_BY_CLIENT_CAP: BlockedBy
BLOCKED_BY_KEYS_BLOCKED: BlockedBy
BLOCKED_BY_RETRY_BACKOFF: BlockedBy
BLOCKED_BY_DELAYED: BlockedBy
BLOCKED_BY_PAUSED: BlockedBy
BLOCKED_BY_RATE_LIMITED: BlockedBy
BLOCKED_BY_STANDBY: BlockedBy
BLOCKED_BY_MESSAGE_TOO_LARGE: BlockedBy
BLOCKED_BY_WRITE_STALLED: BlockedBy
BLOCKED_BY_DRAINING: BlockedBy
REVOKE_REASON_UNSPECIFIED: RevokeReason
REVOKE_REASON_LEASE_EXPIRED: RevokeReason
REVOKE_REASON_TAKEOVER: RevokeReason
REVOKE_REASON_SEEK: RevokeReason
REVOKE_REASON_KEY_ORDER: RevokeReason
REVOKE_REASON_GRACE_OVER: RevokeReason

class SubscribeRequest(_message.Message):
    __slots__ = ("open", "window", "grant", "started", "settle", "extend", "drain", "heartbeat")
    class Open(_message.Message):
        __slots__ = ("subscription", "client_id", "labels", "replenish", "window", "lease", "features", "max_frame_bytes", "takeover", "resume", "partitions")
        class LabelsEntry(_message.Message):
            __slots__ = ("key", "value")
            KEY_FIELD_NUMBER: _ClassVar[int]
            VALUE_FIELD_NUMBER: _ClassVar[int]
            key: str
            value: str
            def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
        SUBSCRIPTION_FIELD_NUMBER: _ClassVar[int]
        CLIENT_ID_FIELD_NUMBER: _ClassVar[int]
        LABELS_FIELD_NUMBER: _ClassVar[int]
        REPLENISH_FIELD_NUMBER: _ClassVar[int]
        WINDOW_FIELD_NUMBER: _ClassVar[int]
        LEASE_FIELD_NUMBER: _ClassVar[int]
        FEATURES_FIELD_NUMBER: _ClassVar[int]
        MAX_FRAME_BYTES_FIELD_NUMBER: _ClassVar[int]
        TAKEOVER_FIELD_NUMBER: _ClassVar[int]
        RESUME_FIELD_NUMBER: _ClassVar[int]
        PARTITIONS_FIELD_NUMBER: _ClassVar[int]
        subscription: str
        client_id: str
        labels: _containers.ScalarMap[str, str]
        replenish: Replenish
        window: SubscribeRequest.Window
        lease: _duration_pb2.Duration
        features: _containers.RepeatedScalarFieldContainer[Feature]
        max_frame_bytes: int
        takeover: bool
        resume: SubscribeRequest.Resume
        partitions: _containers.RepeatedScalarFieldContainer[int]
        def __init__(self, subscription: _Optional[str] = ..., client_id: _Optional[str] = ..., labels: _Optional[_Mapping[str, str]] = ..., replenish: _Optional[_Union[Replenish, str]] = ..., window: _Optional[_Union[SubscribeRequest.Window, _Mapping]] = ..., lease: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., features: _Optional[_Iterable[_Union[Feature, str]]] = ..., max_frame_bytes: _Optional[int] = ..., takeover: bool = ..., resume: _Optional[_Union[SubscribeRequest.Resume, _Mapping]] = ..., partitions: _Optional[_Iterable[int]] = ...) -> None: ...
    class Resume(_message.Message):
        __slots__ = ("session_id", "received_through", "holding")
        SESSION_ID_FIELD_NUMBER: _ClassVar[int]
        RECEIVED_THROUGH_FIELD_NUMBER: _ClassVar[int]
        HOLDING_FIELD_NUMBER: _ClassVar[int]
        session_id: str
        received_through: int
        holding: _containers.RepeatedCompositeFieldContainer[_message_pb2.SequenceRange]
        def __init__(self, session_id: _Optional[str] = ..., received_through: _Optional[int] = ..., holding: _Optional[_Iterable[_Union[_message_pb2.SequenceRange, _Mapping]]] = ...) -> None: ...
    class Window(_message.Message):
        __slots__ = ("messages", "bytes")
        MESSAGES_FIELD_NUMBER: _ClassVar[int]
        BYTES_FIELD_NUMBER: _ClassVar[int]
        messages: int
        bytes: int
        def __init__(self, messages: _Optional[int] = ..., bytes: _Optional[int] = ...) -> None: ...
    class Grant(_message.Message):
        __slots__ = ("through_sequence", "through_bytes")
        THROUGH_SEQUENCE_FIELD_NUMBER: _ClassVar[int]
        THROUGH_BYTES_FIELD_NUMBER: _ClassVar[int]
        through_sequence: int
        through_bytes: int
        def __init__(self, through_sequence: _Optional[int] = ..., through_bytes: _Optional[int] = ...) -> None: ...
    class Started(_message.Message):
        __slots__ = ("ranges",)
        RANGES_FIELD_NUMBER: _ClassVar[int]
        ranges: _containers.RepeatedCompositeFieldContainer[_message_pb2.SequenceRange]
        def __init__(self, ranges: _Optional[_Iterable[_Union[_message_pb2.SequenceRange, _Mapping]]] = ...) -> None: ...
    class Settle(_message.Message):
        __slots__ = ("number", "ranges", "verdict", "delay", "code", "reason")
        NUMBER_FIELD_NUMBER: _ClassVar[int]
        RANGES_FIELD_NUMBER: _ClassVar[int]
        VERDICT_FIELD_NUMBER: _ClassVar[int]
        DELAY_FIELD_NUMBER: _ClassVar[int]
        CODE_FIELD_NUMBER: _ClassVar[int]
        REASON_FIELD_NUMBER: _ClassVar[int]
        number: int
        ranges: _containers.RepeatedCompositeFieldContainer[_message_pb2.SequenceRange]
        verdict: Verdict
        delay: _duration_pb2.Duration
        code: str
        reason: str
        def __init__(self, number: _Optional[int] = ..., ranges: _Optional[_Iterable[_Union[_message_pb2.SequenceRange, _Mapping]]] = ..., verdict: _Optional[_Union[Verdict, str]] = ..., delay: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., code: _Optional[str] = ..., reason: _Optional[str] = ...) -> None: ...
    class Extend(_message.Message):
        __slots__ = ("number", "ranges", "duration")
        NUMBER_FIELD_NUMBER: _ClassVar[int]
        RANGES_FIELD_NUMBER: _ClassVar[int]
        DURATION_FIELD_NUMBER: _ClassVar[int]
        number: int
        ranges: _containers.RepeatedCompositeFieldContainer[_message_pb2.SequenceRange]
        duration: _duration_pb2.Duration
        def __init__(self, number: _Optional[int] = ..., ranges: _Optional[_Iterable[_Union[_message_pb2.SequenceRange, _Mapping]]] = ..., duration: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ...) -> None: ...
    class Drain(_message.Message):
        __slots__ = ("grace",)
        GRACE_FIELD_NUMBER: _ClassVar[int]
        grace: _duration_pb2.Duration
        def __init__(self, grace: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ...) -> None: ...
    OPEN_FIELD_NUMBER: _ClassVar[int]
    WINDOW_FIELD_NUMBER: _ClassVar[int]
    GRANT_FIELD_NUMBER: _ClassVar[int]
    STARTED_FIELD_NUMBER: _ClassVar[int]
    SETTLE_FIELD_NUMBER: _ClassVar[int]
    EXTEND_FIELD_NUMBER: _ClassVar[int]
    DRAIN_FIELD_NUMBER: _ClassVar[int]
    HEARTBEAT_FIELD_NUMBER: _ClassVar[int]
    open: SubscribeRequest.Open
    window: SubscribeRequest.Window
    grant: SubscribeRequest.Grant
    started: SubscribeRequest.Started
    settle: SubscribeRequest.Settle
    extend: SubscribeRequest.Extend
    drain: SubscribeRequest.Drain
    heartbeat: _stream_pb2.Heartbeat
    def __init__(self, open: _Optional[_Union[SubscribeRequest.Open, _Mapping]] = ..., window: _Optional[_Union[SubscribeRequest.Window, _Mapping]] = ..., grant: _Optional[_Union[SubscribeRequest.Grant, _Mapping]] = ..., started: _Optional[_Union[SubscribeRequest.Started, _Mapping]] = ..., settle: _Optional[_Union[SubscribeRequest.Settle, _Mapping]] = ..., extend: _Optional[_Union[SubscribeRequest.Extend, _Mapping]] = ..., drain: _Optional[_Union[SubscribeRequest.Drain, _Mapping]] = ..., heartbeat: _Optional[_Union[_stream_pb2.Heartbeat, _Mapping]] = ...) -> None: ...

class SubscribeResponse(_message.Message):
    __slots__ = ("opened", "batch", "settle_result", "flow_state", "recall", "revoked", "go_away", "drained")
    class Opened(_message.Message):
        __slots__ = ("session_id", "features", "limits", "resumed", "ordered_by", "settled_when_sent", "partitions", "owners")
        SESSION_ID_FIELD_NUMBER: _ClassVar[int]
        FEATURES_FIELD_NUMBER: _ClassVar[int]
        LIMITS_FIELD_NUMBER: _ClassVar[int]
        RESUMED_FIELD_NUMBER: _ClassVar[int]
        ORDERED_BY_FIELD_NUMBER: _ClassVar[int]
        SETTLED_WHEN_SENT_FIELD_NUMBER: _ClassVar[int]
        PARTITIONS_FIELD_NUMBER: _ClassVar[int]
        OWNERS_FIELD_NUMBER: _ClassVar[int]
        session_id: str
        features: _containers.RepeatedScalarFieldContainer[Feature]
        limits: SessionLimits
        resumed: SubscribeResponse.Resumed
        ordered_by: OrderedBy
        settled_when_sent: bool
        partitions: _containers.RepeatedScalarFieldContainer[int]
        owners: _containers.RepeatedCompositeFieldContainer[SubscribeResponse.OwnerHint]
        def __init__(self, session_id: _Optional[str] = ..., features: _Optional[_Iterable[_Union[Feature, str]]] = ..., limits: _Optional[_Union[SessionLimits, _Mapping]] = ..., resumed: _Optional[_Union[SubscribeResponse.Resumed, _Mapping]] = ..., ordered_by: _Optional[_Union[OrderedBy, str]] = ..., settled_when_sent: bool = ..., partitions: _Optional[_Iterable[int]] = ..., owners: _Optional[_Iterable[_Union[SubscribeResponse.OwnerHint, _Mapping]]] = ...) -> None: ...
    class Resumed(_message.Message):
        __slots__ = ("kept", "next_sequence", "charged_bytes")
        KEPT_FIELD_NUMBER: _ClassVar[int]
        NEXT_SEQUENCE_FIELD_NUMBER: _ClassVar[int]
        CHARGED_BYTES_FIELD_NUMBER: _ClassVar[int]
        kept: _containers.RepeatedCompositeFieldContainer[_message_pb2.SequenceRange]
        next_sequence: int
        charged_bytes: int
        def __init__(self, kept: _Optional[_Iterable[_Union[_message_pb2.SequenceRange, _Mapping]]] = ..., next_sequence: _Optional[int] = ..., charged_bytes: _Optional[int] = ...) -> None: ...
    class OwnerHint(_message.Message):
        __slots__ = ("partitions", "address")
        PARTITIONS_FIELD_NUMBER: _ClassVar[int]
        ADDRESS_FIELD_NUMBER: _ClassVar[int]
        partitions: _containers.RepeatedScalarFieldContainer[int]
        address: str
        def __init__(self, partitions: _Optional[_Iterable[int]] = ..., address: _Optional[str] = ...) -> None: ...
    class Batch(_message.Message):
        __slots__ = ("first_sequence", "runs", "charged_bytes", "attempts", "messages")
        FIRST_SEQUENCE_FIELD_NUMBER: _ClassVar[int]
        RUNS_FIELD_NUMBER: _ClassVar[int]
        CHARGED_BYTES_FIELD_NUMBER: _ClassVar[int]
        ATTEMPTS_FIELD_NUMBER: _ClassVar[int]
        MESSAGES_FIELD_NUMBER: _ClassVar[int]
        first_sequence: int
        runs: _containers.RepeatedCompositeFieldContainer[_message_pb2.PositionRun]
        charged_bytes: int
        attempts: _containers.RepeatedCompositeFieldContainer[SubscribeResponse.AttemptRun]
        messages: _containers.RepeatedCompositeFieldContainer[_message_pb2.Message]
        def __init__(self, first_sequence: _Optional[int] = ..., runs: _Optional[_Iterable[_Union[_message_pb2.PositionRun, _Mapping]]] = ..., charged_bytes: _Optional[int] = ..., attempts: _Optional[_Iterable[_Union[SubscribeResponse.AttemptRun, _Mapping]]] = ..., messages: _Optional[_Iterable[_Union[_message_pb2.Message, _Mapping]]] = ...) -> None: ...
    class AttemptRun(_message.Message):
        __slots__ = ("first_sequence", "count", "attempt")
        FIRST_SEQUENCE_FIELD_NUMBER: _ClassVar[int]
        COUNT_FIELD_NUMBER: _ClassVar[int]
        ATTEMPT_FIELD_NUMBER: _ClassVar[int]
        first_sequence: int
        count: int
        attempt: int
        def __init__(self, first_sequence: _Optional[int] = ..., count: _Optional[int] = ..., attempt: _Optional[int] = ...) -> None: ...
    class SettleResult(_message.Message):
        __slots__ = ("confirmed_through", "failures")
        CONFIRMED_THROUGH_FIELD_NUMBER: _ClassVar[int]
        FAILURES_FIELD_NUMBER: _ClassVar[int]
        confirmed_through: int
        failures: _containers.RepeatedCompositeFieldContainer[SubscribeResponse.SettleFailure]
        def __init__(self, confirmed_through: _Optional[int] = ..., failures: _Optional[_Iterable[_Union[SubscribeResponse.SettleFailure, _Mapping]]] = ...) -> None: ...
    class SettleFailure(_message.Message):
        __slots__ = ("number", "ranges", "reason")
        NUMBER_FIELD_NUMBER: _ClassVar[int]
        RANGES_FIELD_NUMBER: _ClassVar[int]
        REASON_FIELD_NUMBER: _ClassVar[int]
        number: int
        ranges: _containers.RepeatedCompositeFieldContainer[_message_pb2.SequenceRange]
        reason: _error_reason_pb2.ErrorReason
        def __init__(self, number: _Optional[int] = ..., ranges: _Optional[_Iterable[_Union[_message_pb2.SequenceRange, _Mapping]]] = ..., reason: _Optional[_Union[_error_reason_pb2.ErrorReason, str]] = ...) -> None: ...
    class FlowState(_message.Message):
        __slots__ = ("credit", "outstanding", "backlog", "oldest_age", "blocked_by", "needs_bytes", "limits", "partitions", "owners")
        CREDIT_FIELD_NUMBER: _ClassVar[int]
        OUTSTANDING_FIELD_NUMBER: _ClassVar[int]
        BACKLOG_FIELD_NUMBER: _ClassVar[int]
        OLDEST_AGE_FIELD_NUMBER: _ClassVar[int]
        BLOCKED_BY_FIELD_NUMBER: _ClassVar[int]
        NEEDS_BYTES_FIELD_NUMBER: _ClassVar[int]
        LIMITS_FIELD_NUMBER: _ClassVar[int]
        PARTITIONS_FIELD_NUMBER: _ClassVar[int]
        OWNERS_FIELD_NUMBER: _ClassVar[int]
        credit: _message_pb2.Amount
        outstanding: _message_pb2.Amount
        backlog: _message_pb2.Amount
        oldest_age: _duration_pb2.Duration
        blocked_by: _containers.RepeatedScalarFieldContainer[BlockedBy]
        needs_bytes: int
        limits: SessionLimits
        partitions: _containers.RepeatedScalarFieldContainer[int]
        owners: _containers.RepeatedCompositeFieldContainer[SubscribeResponse.OwnerHint]
        def __init__(self, credit: _Optional[_Union[_message_pb2.Amount, _Mapping]] = ..., outstanding: _Optional[_Union[_message_pb2.Amount, _Mapping]] = ..., backlog: _Optional[_Union[_message_pb2.Amount, _Mapping]] = ..., oldest_age: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., blocked_by: _Optional[_Iterable[_Union[BlockedBy, str]]] = ..., needs_bytes: _Optional[int] = ..., limits: _Optional[_Union[SessionLimits, _Mapping]] = ..., partitions: _Optional[_Iterable[int]] = ..., owners: _Optional[_Iterable[_Union[SubscribeResponse.OwnerHint, _Mapping]]] = ...) -> None: ...
    class Recall(_message.Message):
        __slots__ = ("ranges",)
        RANGES_FIELD_NUMBER: _ClassVar[int]
        ranges: _containers.RepeatedCompositeFieldContainer[_message_pb2.SequenceRange]
        def __init__(self, ranges: _Optional[_Iterable[_Union[_message_pb2.SequenceRange, _Mapping]]] = ...) -> None: ...
    class Revoked(_message.Message):
        __slots__ = ("ranges", "reason")
        RANGES_FIELD_NUMBER: _ClassVar[int]
        REASON_FIELD_NUMBER: _ClassVar[int]
        ranges: _containers.RepeatedCompositeFieldContainer[_message_pb2.SequenceRange]
        reason: RevokeReason
        def __init__(self, ranges: _Optional[_Iterable[_Union[_message_pb2.SequenceRange, _Mapping]]] = ..., reason: _Optional[_Union[RevokeReason, str]] = ...) -> None: ...
    class Drained(_message.Message):
        __slots__ = ()
        def __init__(self) -> None: ...
    OPENED_FIELD_NUMBER: _ClassVar[int]
    BATCH_FIELD_NUMBER: _ClassVar[int]
    SETTLE_RESULT_FIELD_NUMBER: _ClassVar[int]
    FLOW_STATE_FIELD_NUMBER: _ClassVar[int]
    RECALL_FIELD_NUMBER: _ClassVar[int]
    REVOKED_FIELD_NUMBER: _ClassVar[int]
    GO_AWAY_FIELD_NUMBER: _ClassVar[int]
    DRAINED_FIELD_NUMBER: _ClassVar[int]
    opened: SubscribeResponse.Opened
    batch: SubscribeResponse.Batch
    settle_result: SubscribeResponse.SettleResult
    flow_state: SubscribeResponse.FlowState
    recall: SubscribeResponse.Recall
    revoked: SubscribeResponse.Revoked
    go_away: _stream_pb2.GoAway
    drained: SubscribeResponse.Drained
    def __init__(self, opened: _Optional[_Union[SubscribeResponse.Opened, _Mapping]] = ..., batch: _Optional[_Union[SubscribeResponse.Batch, _Mapping]] = ..., settle_result: _Optional[_Union[SubscribeResponse.SettleResult, _Mapping]] = ..., flow_state: _Optional[_Union[SubscribeResponse.FlowState, _Mapping]] = ..., recall: _Optional[_Union[SubscribeResponse.Recall, _Mapping]] = ..., revoked: _Optional[_Union[SubscribeResponse.Revoked, _Mapping]] = ..., go_away: _Optional[_Union[_stream_pb2.GoAway, _Mapping]] = ..., drained: _Optional[_Union[SubscribeResponse.Drained, _Mapping]] = ...) -> None: ...

class SessionLimits(_message.Message):
    __slots__ = ("max_frame_bytes", "max_outstanding", "client_max_outstanding", "subscription_max_outstanding", "lease", "max_lease", "heartbeat_interval", "resume_window", "max_unconfirmed_settles", "max_ranges")
    MAX_FRAME_BYTES_FIELD_NUMBER: _ClassVar[int]
    MAX_OUTSTANDING_FIELD_NUMBER: _ClassVar[int]
    CLIENT_MAX_OUTSTANDING_FIELD_NUMBER: _ClassVar[int]
    SUBSCRIPTION_MAX_OUTSTANDING_FIELD_NUMBER: _ClassVar[int]
    LEASE_FIELD_NUMBER: _ClassVar[int]
    MAX_LEASE_FIELD_NUMBER: _ClassVar[int]
    HEARTBEAT_INTERVAL_FIELD_NUMBER: _ClassVar[int]
    RESUME_WINDOW_FIELD_NUMBER: _ClassVar[int]
    MAX_UNCONFIRMED_SETTLES_FIELD_NUMBER: _ClassVar[int]
    MAX_RANGES_FIELD_NUMBER: _ClassVar[int]
    max_frame_bytes: int
    max_outstanding: _message_pb2.Amount
    client_max_outstanding: _message_pb2.Amount
    subscription_max_outstanding: _message_pb2.Amount
    lease: _duration_pb2.Duration
    max_lease: _duration_pb2.Duration
    heartbeat_interval: _duration_pb2.Duration
    resume_window: _duration_pb2.Duration
    max_unconfirmed_settles: int
    max_ranges: int
    def __init__(self, max_frame_bytes: _Optional[int] = ..., max_outstanding: _Optional[_Union[_message_pb2.Amount, _Mapping]] = ..., client_max_outstanding: _Optional[_Union[_message_pb2.Amount, _Mapping]] = ..., subscription_max_outstanding: _Optional[_Union[_message_pb2.Amount, _Mapping]] = ..., lease: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., max_lease: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., heartbeat_interval: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., resume_window: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., max_unconfirmed_settles: _Optional[int] = ..., max_ranges: _Optional[int] = ...) -> None: ...

class PullRequest(_message.Message):
    __slots__ = ("subscription", "max_messages", "max_bytes", "wait", "lease", "client_id", "max_answer_bytes")
    SUBSCRIPTION_FIELD_NUMBER: _ClassVar[int]
    MAX_MESSAGES_FIELD_NUMBER: _ClassVar[int]
    MAX_BYTES_FIELD_NUMBER: _ClassVar[int]
    WAIT_FIELD_NUMBER: _ClassVar[int]
    LEASE_FIELD_NUMBER: _ClassVar[int]
    CLIENT_ID_FIELD_NUMBER: _ClassVar[int]
    MAX_ANSWER_BYTES_FIELD_NUMBER: _ClassVar[int]
    subscription: str
    max_messages: int
    max_bytes: int
    wait: _duration_pb2.Duration
    lease: _duration_pb2.Duration
    client_id: str
    max_answer_bytes: int
    def __init__(self, subscription: _Optional[str] = ..., max_messages: _Optional[int] = ..., max_bytes: _Optional[int] = ..., wait: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., lease: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., client_id: _Optional[str] = ..., max_answer_bytes: _Optional[int] = ...) -> None: ...

class PullResponse(_message.Message):
    __slots__ = ("messages", "blocked_by")
    MESSAGES_FIELD_NUMBER: _ClassVar[int]
    BLOCKED_BY_FIELD_NUMBER: _ClassVar[int]
    messages: _containers.RepeatedCompositeFieldContainer[PulledMessage]
    blocked_by: _containers.RepeatedScalarFieldContainer[BlockedBy]
    def __init__(self, messages: _Optional[_Iterable[_Union[PulledMessage, _Mapping]]] = ..., blocked_by: _Optional[_Iterable[_Union[BlockedBy, str]]] = ...) -> None: ...

class PulledMessage(_message.Message):
    __slots__ = ("delivery_token", "position", "attempt", "message")
    DELIVERY_TOKEN_FIELD_NUMBER: _ClassVar[int]
    POSITION_FIELD_NUMBER: _ClassVar[int]
    ATTEMPT_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    delivery_token: str
    position: _message_pb2.Position
    attempt: int
    message: _message_pb2.Message
    def __init__(self, delivery_token: _Optional[str] = ..., position: _Optional[_Union[_message_pb2.Position, _Mapping]] = ..., attempt: _Optional[int] = ..., message: _Optional[_Union[_message_pb2.Message, _Mapping]] = ...) -> None: ...

class SettleRequest(_message.Message):
    __slots__ = ("subscription", "delivery_tokens", "verdict", "delay", "code", "reason")
    SUBSCRIPTION_FIELD_NUMBER: _ClassVar[int]
    DELIVERY_TOKENS_FIELD_NUMBER: _ClassVar[int]
    VERDICT_FIELD_NUMBER: _ClassVar[int]
    DELAY_FIELD_NUMBER: _ClassVar[int]
    CODE_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    subscription: str
    delivery_tokens: _containers.RepeatedScalarFieldContainer[str]
    verdict: Verdict
    delay: _duration_pb2.Duration
    code: str
    reason: str
    def __init__(self, subscription: _Optional[str] = ..., delivery_tokens: _Optional[_Iterable[str]] = ..., verdict: _Optional[_Union[Verdict, str]] = ..., delay: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., code: _Optional[str] = ..., reason: _Optional[str] = ...) -> None: ...

class SettleResponse(_message.Message):
    __slots__ = ("failures",)
    FAILURES_FIELD_NUMBER: _ClassVar[int]
    failures: _containers.RepeatedCompositeFieldContainer[TokenFailure]
    def __init__(self, failures: _Optional[_Iterable[_Union[TokenFailure, _Mapping]]] = ...) -> None: ...

class ExtendRequest(_message.Message):
    __slots__ = ("subscription", "delivery_tokens", "duration")
    SUBSCRIPTION_FIELD_NUMBER: _ClassVar[int]
    DELIVERY_TOKENS_FIELD_NUMBER: _ClassVar[int]
    DURATION_FIELD_NUMBER: _ClassVar[int]
    subscription: str
    delivery_tokens: _containers.RepeatedScalarFieldContainer[str]
    duration: _duration_pb2.Duration
    def __init__(self, subscription: _Optional[str] = ..., delivery_tokens: _Optional[_Iterable[str]] = ..., duration: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class ExtendResponse(_message.Message):
    __slots__ = ("failures",)
    FAILURES_FIELD_NUMBER: _ClassVar[int]
    failures: _containers.RepeatedCompositeFieldContainer[TokenFailure]
    def __init__(self, failures: _Optional[_Iterable[_Union[TokenFailure, _Mapping]]] = ...) -> None: ...

class TokenFailure(_message.Message):
    __slots__ = ("delivery_token", "reason")
    DELIVERY_TOKEN_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    delivery_token: str
    reason: _error_reason_pb2.ErrorReason
    def __init__(self, delivery_token: _Optional[str] = ..., reason: _Optional[_Union[_error_reason_pb2.ErrorReason, str]] = ...) -> None: ...
