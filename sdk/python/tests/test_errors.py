"""Statuses become errors: classes, reasons, and what a proxy may put there."""

import grpc
import pytest
from google.protobuf import any_pb2, duration_pb2
from headrace import _status, errors
from headrace.v1 import error_reason_pb2 as reasons


class Failed(grpc.RpcError):
    """A call that failed."""

    def __init__(self, code: grpc.StatusCode, details: bytes | None) -> None:
        super().__init__()
        self._code, self._details = code, details

    def code(self) -> grpc.StatusCode:
        return self._code

    def details(self) -> str:
        return "what happened"

    def trailing_metadata(self) -> tuple:
        return () if self._details is None else (("grpc-status-details-bin", self._details),)


def details(domain: str, reason: str = "DISK_FULL", seconds: int = 0, **metadata: str) -> bytes:
    info = _status._ErrorInfo(reason=reason, domain=domain)
    for key, value in metadata.items():
        info.metadata.add(key=key, value=value)
    status = _status._Status()
    status.details.add(type_url="type.googleapis.com/google.rpc.ErrorInfo", value=info.SerializeToString())
    if seconds:
        retry = _status._RetryInfo()
        retry.retry_delay.seconds = seconds
        status.details.add(type_url="type.googleapis.com/google.rpc.RetryInfo", value=retry.SerializeToString())
    return status.SerializeToString()


def test_a_status_of_ours_is_told_whole() -> None:
    encoded = details("headrace", seconds=2, field="data", limit="7")
    e = errors.from_rpc_error(Failed(grpc.StatusCode.RESOURCE_EXHAUSTED, encoded))
    assert isinstance(e, errors.ResourceExhaustedError)
    assert (e.reason, e.retryable, e.retry_after, e.field, e.limit) == ("DISK_FULL", True, 2.0, "data", 7)
    assert str(e) == "what happened (DISK_FULL)"


@pytest.mark.parametrize("encoded", [None, b"", b"\xff\xff", details("example.com")])
def test_a_status_of_somebody_else_has_no_reason_and_is_not_retryable(encoded: bytes | None) -> None:
    e = errors.from_rpc_error(Failed(grpc.StatusCode.UNAVAILABLE, encoded))
    assert isinstance(e, errors.UnavailableError)
    assert (e.reason, e.retryable) == ("", False)
    assert not errors.ends_stream(e)


def test_streams_are_opened_again_unless_somebody_has_to_act() -> None:
    for code in grpc.StatusCode:
        plain = errors.from_rpc_error(Failed(code, None))
        assert errors.ends_stream(plain) == (
            code.name in ("INVALID_ARGUMENT", "NOT_FOUND", "PERMISSION_DENIED", "UNAUTHENTICATED", "UNIMPLEMENTED")
        )
        ours = errors.from_rpc_error(Failed(code, details("headrace")))
        assert errors.ends_stream(ours) == (code.name not in ("UNAVAILABLE", "ABORTED", "RESOURCE_EXHAUSTED"))


def test_the_messages_are_those_of_google_rpc() -> None:
    duration = duration_pb2.Duration(seconds=3, nanos=500_000_000)
    assert _status._RetryInfo(retry_delay={"seconds": 3, "nanos": 500_000_000}).SerializeToString() == (
        b"\x0a" + bytes([duration.ByteSize()]) + duration.SerializeToString()
    )
    packed = any_pb2.Any(type_url="a/b", value=b"c")
    assert _status._classes["Detail"].FromString(packed.SerializeToString()).type_url == "a/b"


@pytest.mark.parametrize("value", [v for v in reasons.ErrorReason.values() if 0 < v < 90])
def test_every_reason_of_the_contract_has_its_name(value: int) -> None:
    e = errors.item_error("it", value)
    assert e.reason == reasons.ErrorReason.Name(value).removeprefix("ERROR_REASON_")


def test_a_reason_of_a_later_version_has_its_number() -> None:
    assert errors.item_error("it", 999).reason == "REASON_999"
