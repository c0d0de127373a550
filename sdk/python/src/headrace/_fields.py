"""Fields of the contract's messages as a program writes them: seconds, times, short names.

A duration is a number of seconds, or a ``datetime.timedelta``; a time is an aware
``datetime.datetime``; an enum value is its number, its name, or that name without its
enum's prefix, in any case: ``mode="exclusive"``. A message is itself or a dictionary.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Mapping
from typing import Any, TypeVar

from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import Message as ProtobufMessage
from google.protobuf.timestamp_pb2 import Timestamp

from headrace import errors

MessageT = TypeVar("MessageT", bound=ProtobufMessage)

_BY_PARTS = {"retry", "retention", "dispatch_cap"}
"""Fields that an update changes part by part."""


def duration(seconds: float | datetime.timedelta) -> Duration:
    """Seconds, to the nanosecond, as the contract has them."""
    if isinstance(seconds, datetime.timedelta):
        seconds = seconds.total_seconds()
    encoded = Duration()
    encoded.FromNanoseconds(round(seconds * 1e9))
    return encoded


def timestamp(time: datetime.datetime) -> Timestamp:
    """A time as the contract has it; one without a zone is refused, for nobody can tell
    which it is."""
    if time.tzinfo is None:
        raise errors.InvalidArgumentError("a time needs its zone", reason="INVALID_FIELD", field="time")
    encoded = Timestamp()
    encoded.FromDatetime(time)
    return encoded


def build(kind: type[MessageT], fields: Mapping[str, Any]) -> MessageT:
    """A message of the contract with these fields.

    :raises InvalidArgumentError: INVALID_FIELD with the field's name.
    """
    known = kind.DESCRIPTOR.fields_by_name
    values = {}
    for name, value in fields.items():
        if name not in known:
            raise _refused(name, f"there is no field {name!r}")
        values[name] = _value(name, known[name], value)
    try:
        return kind(**values)
    except (AttributeError, TypeError, ValueError) as error:  # Which one, the runtime decides.
        raise _refused(", ".join(values), str(error)) from error


def paths(fields: Mapping[str, Any]) -> Iterator[str]:
    """What an update of these fields names in its mask."""
    for name, value in fields.items():
        if name in _BY_PARTS and isinstance(value, Mapping):
            yield from (f"{name}.{part}" for part in value)
        else:
            yield name


def _value(name: str, field: Any, value: Any) -> Any:
    if field.enum_type is not None and isinstance(value, str):
        return _number(name, field.enum_type, value)
    if field.message_type is None or field.message_type.GetOptions().map_entry:
        return value
    if field.message_type.full_name == "google.protobuf.Duration" and isinstance(
        value, int | float | datetime.timedelta
    ):
        return duration(value)
    if field.message_type.full_name == "google.protobuf.Timestamp" and isinstance(value, datetime.datetime):
        return timestamp(value)
    if isinstance(value, Mapping):
        return build(field.message_type._concrete_class, value)
    return value


def _number(field: str, enum: Any, name: str) -> int:
    """The value with this name: whole, or without the prefix that all of its enum share."""
    whole = name.upper().replace("-", "_")
    for value in enum.values:
        if value.name == whole or value.name == _prefix(enum) + whole:
            number: int = value.number
            return number
    raise _refused(field, f"there is no {enum.name} {name!r}")


def _prefix(enum: Any) -> str:
    zero: str = enum.values_by_number[0].name
    return zero.removesuffix("UNSPECIFIED")


def _refused(field: str, text: str) -> errors.InvalidArgumentError:
    return errors.InvalidArgumentError(text, reason="INVALID_FIELD", field=field)
