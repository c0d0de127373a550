"""The errors of this package: one tree, with a stable reason in each.

Catch a class for a kind of failure, or compare :attr:`HeadraceError.reason`::

    try:
        await topic.publish(order)
    except headrace.NotFoundError as e:
        if e.reason == "TOPIC_NOT_FOUND": ...

The classes follow the gRPC codes; the reasons are those of the contract
(``headrace.v1.ErrorReason`` without its prefix) and a few of the client's own:
CLOSED, BUFFER_FULL, UNREACHABLE, DELIVERY_LOST, FORKED.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

import grpc

from headrace import _status
from headrace.v1 import error_reason_pb2

_DOMAIN = "headrace"
_PREFIX = "ERROR_REASON_"
_DETAILS = "grpc-status-details-bin"
_BROKEN_WRITE = "Internal error from Core"
"""What gRPC says of a stream that broke while it was written to."""


class HeadraceError(Exception):
    """Every error of this package but those of Python itself.

    :ivar reason: why, stable; empty when the server, or what is between, gave none.
    :ivar code: the gRPC status code; None for errors of the client.
    :ivar retryable: the same call may succeed later, and nothing of this one was done.
    :ivar retry_after: seconds that the server asks to wait; None: it does not say.
    :ivar field: the field at fault; empty: none.
    :ivar limit: the limit that was passed, in the field's unit; 0: none.
    """

    def __init__(
        self,
        text: str,
        *,
        reason: str = "",
        code: grpc.StatusCode | None = None,
        retryable: bool = False,
        retry_after: float | None = None,
        field: str = "",
        limit: int = 0,
    ) -> None:
        """Made by what fails: the parameters are the fields of the class."""
        super().__init__(f"{text} ({reason})" if reason else text)
        self.reason = reason
        self.code = code
        self.retryable = retryable
        self.retry_after = retry_after
        self.field = field
        self.limit = limit


class InvalidArgumentError(HeadraceError):
    """Bad input: a name, a field, a message that is too large."""


class NotFoundError(HeadraceError):
    """No topic or subscription has this name."""


class AlreadyExistsError(HeadraceError):
    """The name is taken, or a message with the same dedupe id and other data is stored."""


class FailedPreconditionError(HeadraceError):
    """The state of things does not allow it: deleted under a stream, taken over, …"""


class OutOfRangeError(HeadraceError):
    """A position is not retained."""


class ResourceExhaustedError(HeadraceError):
    """A limit, a quota or the disk; most pass by themselves."""


class UnavailableError(HeadraceError):
    """The server starts, stops, or cannot be reached."""


class AbortedError(HeadraceError):
    """Somebody newer exists."""


class DataLossError(HeadraceError):
    """Stored data is damaged or missing."""


class UnknownOutcomeError(HeadraceError):
    """It may be done or not: the stream broke before the answer, or you stopped waiting."""


class AccessDeniedError(HeadraceError):
    """The caller is not known, or may not do this."""


class InternalError(HeadraceError):
    """The server failed without a reason of its own."""


class ClosedError(HeadraceError):
    """The client is closed."""


class BufferFullError(HeadraceError):
    """What was accepted and has no result fills the buffer."""


class ForkedError(HeadraceError):
    """The client was made in a parent process; make one after the fork."""


class StaleDeliveryError(HeadraceError):
    """The delivery is no longer this subscriber's: settled, expired, or revoked."""


_CLASSES: dict[grpc.StatusCode, type[HeadraceError]] = {
    grpc.StatusCode.INVALID_ARGUMENT: InvalidArgumentError,
    grpc.StatusCode.NOT_FOUND: NotFoundError,
    grpc.StatusCode.ALREADY_EXISTS: AlreadyExistsError,
    grpc.StatusCode.FAILED_PRECONDITION: FailedPreconditionError,
    grpc.StatusCode.OUT_OF_RANGE: OutOfRangeError,
    grpc.StatusCode.RESOURCE_EXHAUSTED: ResourceExhaustedError,
    grpc.StatusCode.UNAVAILABLE: UnavailableError,
    grpc.StatusCode.ABORTED: AbortedError,
    grpc.StatusCode.DATA_LOSS: DataLossError,
    grpc.StatusCode.UNKNOWN: UnknownOutcomeError,
    grpc.StatusCode.DEADLINE_EXCEEDED: UnknownOutcomeError,
    grpc.StatusCode.INTERNAL: InternalError,
    grpc.StatusCode.PERMISSION_DENIED: AccessDeniedError,
    grpc.StatusCode.UNAUTHENTICATED: AccessDeniedError,
}

_RETRYABLE = {grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.ABORTED, grpc.StatusCode.RESOURCE_EXHAUSTED}

_ITEMS: dict[str, type[HeadraceError]] = {
    "UNKNOWN_SEQUENCE": StaleDeliveryError,
    "STALE_DELIVERY": StaleDeliveryError,
    "LEASE_CAPPED": OutOfRangeError,
    "INVALID_TOKEN": InvalidArgumentError,
}
"""Reasons of one item, which have no gRPC status."""

_CODES: dict[grpc.StatusCode, tuple[str, ...]] = {
    grpc.StatusCode.INVALID_ARGUMENT: (
        "INVALID_NAME", "INVALID_FIELD", "MALFORMED_MESSAGE", "MESSAGE_TOO_LARGE", "BATCH_SIZE", "FRAME_ORDER",
        "SETTLE_NUMBER_GAP", "PUBLISH_SEQUENCE_GAP", "TOO_MANY_RANGES", "NOT_SERVED", "MALFORMED_FRAME",
        "PUBLISH_BATCH_CHANGED",
    ),
    grpc.StatusCode.NOT_FOUND: (
        "TOPIC_NOT_FOUND", "SUBSCRIPTION_NOT_FOUND", "SNAPSHOT_NOT_FOUND", "SESSION_NOT_FOUND", "PARTITION_NOT_FOUND",
    ),
    grpc.StatusCode.ALREADY_EXISTS: ("TOPIC_EXISTS", "SUBSCRIPTION_EXISTS", "DEDUPE_CONFLICT", "SNAPSHOT_EXISTS"),
    grpc.StatusCode.FAILED_PRECONDITION: (
        "TOPIC_DELETED", "SUBSCRIPTION_DELETED", "TOPIC_HAS_SUBSCRIPTIONS", "EXCLUSIVE_SESSION_EXISTS", "TAKEN_OVER",
        "STALE_PRODUCER", "CROSS_SHARD", "BACKUP_RUNNING", "NOTHING_KEPT", "SESSION_SUPERSEDED",
    ),
    grpc.StatusCode.OUT_OF_RANGE: ("POSITION_OUT_OF_RANGE",),
    grpc.StatusCode.RESOURCE_EXHAUSTED: (
        "DISK_FULL", "PUBLISH_WINDOW_EXCEEDED", "SLOW_READER", "RESULTS_UNREAD", "LIMIT_REACHED", "BACKLOG_FULL",
    ),
    grpc.StatusCode.UNAVAILABLE: ("STARTING", "DRAINING", "STORE_UNAVAILABLE", "NOT_OWNER", "SESSION_SILENT"),
    grpc.StatusCode.ABORTED: ("FENCED", "BACKUP_TOO_SLOW"),
    grpc.StatusCode.UNKNOWN: ("UNKNOWN_OUTCOME", "OUTCOME_FORGOTTEN"),
    grpc.StatusCode.DATA_LOSS: ("DATA_LOSS",),
    grpc.StatusCode.INTERNAL: ("INTERNAL",),
}  # fmt: skip


@dataclasses.dataclass(frozen=True, slots=True)
class Kind:
    """What is known of every error with a reason of the contract.

    :ivar error: the class that is raised.
    :ivar code: the gRPC status code; None: the reason is of one item, which has no status.
    :ivar retryable: the same call may succeed later, and nothing of this one was done.
    """

    error: type[HeadraceError]
    code: grpc.StatusCode | None
    retryable: bool


REASONS: Mapping[str, Kind] = {
    **{r: Kind(_CLASSES[code], code, code in _RETRYABLE) for code, reasons in _CODES.items() for r in reasons},
    **{r: Kind(error, None, False) for r, error in _ITEMS.items()},
}
"""Every reason of the contract, and what is raised with it."""

_OTHER = Kind(HeadraceError, None, False)
"""Of a reason that a later version has."""


def reason_name(reason: int) -> str:
    """The stable name of a reason of the contract, one of a later version included."""
    try:
        return error_reason_pb2.ErrorReason.Name(reason).removeprefix(_PREFIX)
    except ValueError:
        return f"REASON_{reason}"


def item_error(text: str, reason: int, *, field: str = "", limit: int = 0) -> HeadraceError:
    """The error of one item of a frame, a message or a delivery, which has no status.

    :param text: what it is about.
    :param reason: the reason's number in the contract.
    :param field: the field at fault. Default: none.
    :param limit: the limit that was passed, in the field's unit. Default: none.
    """
    name = reason_name(reason)
    kind = REASONS.get(name, _OTHER)
    return kind.error(text, reason=name, code=kind.code, retryable=kind.retryable, field=field, limit=limit)


def unknown_outcome(text: str) -> UnknownOutcomeError:
    """What nobody can tell: it may be done or not."""
    return UnknownOutcomeError(text, reason="UNKNOWN_OUTCOME")


def never_reached(error: HeadraceError) -> bool:
    """Whether no server answered, as far as the status can tell: it has no reason of ours."""
    return not error.reason and error.code in (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED)


def unreachable(cause: HeadraceError) -> UnavailableError:
    """The server could not be reached in the time that the first use may take."""
    return UnavailableError(f"the server cannot be reached: {cause}", reason="UNREACHABLE", retryable=True)


def from_rpc_error(error: grpc.RpcError | BaseException) -> HeadraceError:
    """Translates what gRPC raised; an error of ours is returned as it is."""
    if isinstance(error, HeadraceError):
        return error
    call: Any = error
    if not (callable(getattr(call, "code", None)) and callable(getattr(call, "details", None))):
        return HeadraceError(str(error) or type(error).__name__)
    code, text = call.code(), call.details() or ""
    if text == _BROKEN_WRITE:
        return UnavailableError("the connection broke", code=grpc.StatusCode.UNAVAILABLE)
    details = _status.read_details(_trailer(call))
    if details.domain != _DOMAIN:
        return _CLASSES.get(code, HeadraceError)(text or code.name, code=code)
    limit = details.metadata.get("limit", "")
    return _CLASSES.get(code, HeadraceError)(
        text or code.name,
        reason=details.reason.removeprefix(_PREFIX),
        code=code,
        retryable=code in _RETRYABLE,
        retry_after=details.retry_after,
        field=details.metadata.get("field", ""),
        limit=int(limit) if limit.isdecimal() else 0,
    )


def _trailer(call: Any) -> bytes:
    for key, value in call.trailing_metadata() or ():
        if key == _DETAILS:
            return value if isinstance(value, bytes) else b""
    return b""


_FINAL_WITHOUT_REASON = {
    grpc.StatusCode.INVALID_ARGUMENT,
    grpc.StatusCode.NOT_FOUND,
    grpc.StatusCode.PERMISSION_DENIED,
    grpc.StatusCode.UNAUTHENTICATED,
    grpc.StatusCode.UNIMPLEMENTED,
}


def ends_stream(error: HeadraceError) -> bool:
    """Whether a stream that ended so must not be opened again: somebody has to act."""
    if error.reason and error.code is not None:
        return not error.retryable and error.reason != "UNKNOWN_OUTCOME"
    return error.code in _FINAL_WITHOUT_REASON
