"""Reads the details of a gRPC status: why a call failed, and when to try again.

The messages are wire-compatible with google.rpc.Status, ErrorInfo and RetryInfo
(https://google.aip.dev/193); they are declared here, in a pool of their own, so that
the package neither needs googleapis-common-protos nor collides with it.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message, message_factory

_FIELD = descriptor_pb2.FieldDescriptorProto
_PACKAGE = "headrace.status"


@dataclasses.dataclass(frozen=True, slots=True)
class Details:
    """What a status says beyond its code and text."""

    reason: str = ""
    domain: str = ""
    metadata: dict[str, str] = dataclasses.field(default_factory=dict)
    retry_after: float | None = None
    """Seconds to wait before another try; None: the server does not say."""


def read_details(encoded: bytes) -> Details:
    """Decodes the value of the trailer grpc-status-details-bin.

    What cannot be decoded counts as absent: a proxy may put anything there.
    """
    try:
        status = _Status.FromString(encoded)
        return _details(status)
    except message.DecodeError:
        return Details()


def _details(status: Any) -> Details:
    reason, domain, metadata, retry_after = "", "", {}, None
    for detail in status.details:
        name = detail.type_url.rpartition("/")[2]
        if name == "google.rpc.ErrorInfo":
            info = _ErrorInfo.FromString(detail.value)
            reason, domain = info.reason, info.domain
            metadata = {entry.key: entry.value for entry in info.metadata}
        elif name == "google.rpc.RetryInfo":
            delay = _RetryInfo.FromString(detail.value).retry_delay
            retry_after = delay.seconds + delay.nanos / 1e9
    return Details(reason, domain, metadata, retry_after)


def _declare() -> dict[str, Any]:
    """Makes the message classes.

    A map is on the wire a repeated message of key and value, so that is what stands
    here for one; Any and Duration are declared as what they are on the wire.
    """
    string, data, integer = _FIELD.TYPE_STRING, _FIELD.TYPE_BYTES, _FIELD.TYPE_INT64
    file = descriptor_pb2.FileDescriptorProto(name="headrace/status.proto", package=_PACKAGE, syntax="proto3")
    _message(file, "Detail", ("type_url", 1, string), ("value", 2, data))
    _message(file, "Status", ("code", 1, integer), ("message", 2, string), ("details", 3, "Detail", True))
    _message(file, "Entry", ("key", 1, string), ("value", 2, string))
    _message(file, "ErrorInfo", ("reason", 1, string), ("domain", 2, string), ("metadata", 3, "Entry", True))
    _message(file, "Delay", ("seconds", 1, integer), ("nanos", 2, integer))
    _message(file, "RetryInfo", ("retry_delay", 1, "Delay"))
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)  # type: ignore[no-untyped-call, unused-ignore]
    return {
        m.name: message_factory.GetMessageClass(pool.FindMessageTypeByName(f"{_PACKAGE}.{m.name}"))
        for m in file.message_type
    }


def _message(file: descriptor_pb2.FileDescriptorProto, name: str, *fields: tuple[Any, ...]) -> None:
    declared = file.message_type.add(name=name)
    for field_name, number, kind, *repeated in fields:
        field = declared.field.add(name=field_name, number=number)
        field.label = _FIELD.LABEL_REPEATED if repeated else _FIELD.LABEL_OPTIONAL
        if isinstance(kind, str):
            field.type, field.type_name = _FIELD.TYPE_MESSAGE, f".{_PACKAGE}.{kind}"
        else:
            field.type = kind


_classes = _declare()
_Status, _ErrorInfo, _RetryInfo = _classes["Status"], _classes["ErrorInfo"], _classes["RetryInfo"]
