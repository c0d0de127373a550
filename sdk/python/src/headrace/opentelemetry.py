"""Traces by OpenTelemetry: ``pip install headrace[opentelemetry]``.

::

    client = headrace.Client(tracing=headrace.opentelemetry.Tracing())

Each message that is published has a span ``send <topic>`` and carries it in its attribute
``traceparent``; each call of a handler has a span ``process <subscription>`` that is linked
to it, so that one message with many receivers is many traces, each of which knows where it
came from. An iteration has no span of its own: :meth:`Tracing.process` makes one around what
its body does.

Nothing is exported that the program's OpenTelemetry SDK does not export, and without one
nothing is traced.
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Callable, Iterator, MutableMapping
from typing import Any

from opentelemetry import trace
from opentelemetry.trace import Link, Span, SpanKind, Status, StatusCode
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from headrace._message import Message

_NAME = "headrace"
_SYSTEM = "messaging.system"
_DESTINATION = "messaging.destination.name"
_OPERATION = "messaging.operation.type"
_ID = "messaging.message.id"
_SIZE = "messaging.message.body.size"
_SUBSCRIPTION = "messaging.destination.subscription.name"

__all__ = ["Tracing"]


class Tracing:
    """Spans of the messages that a client sends and of the handlers that it calls."""

    def __init__(self, tracer_provider: trace.TracerProvider | None = None) -> None:
        """:param tracer_provider: where spans go. Default: the program's."""
        self._tracer = trace.get_tracer(_NAME, tracer_provider=tracer_provider)
        self._propagator = TraceContextTextMapPropagator()

    def send(self, topic: str, message: Message) -> tuple[Message, Callable[[Any], None]]:
        """Begins the span of a message that is to be sent; the client calls it.

        :return: the message with its trace, and what ends the span with the future of its id.
        """
        span = self._tracer.start_span(
            f"send {topic}",
            kind=SpanKind.PRODUCER,
            attributes={_SYSTEM: _NAME, _DESTINATION: topic, _OPERATION: "send"},
        )
        attributes: MutableMapping[str, str] = dict(message.attributes)
        self._propagator.inject(attributes, trace.set_span_in_context(span))

        def end(result: Any) -> None:
            if result is None:
                span.end()
            else:
                result.add_done_callback(lambda done: _end(span, done))

        return dataclasses.replace(message, attributes=attributes), end

    @contextlib.contextmanager
    def process(self, subscription: str, delivery: Any) -> Iterator[None]:
        """Surrounds work on a delivery by a span that is linked to the one of its sending; the
        client does so around handlers.

        :param subscription: the subscription's name.
        :param delivery: a :class:`headrace.Delivery`, of either twin, or a
            :class:`headrace.Pulled`.
        """
        context = self._propagator.extract(dict(delivery.attributes))
        sent = trace.get_current_span(context).get_span_context()
        with self._tracer.start_as_current_span(
            f"process {subscription}",
            kind=SpanKind.CONSUMER,
            links=[Link(sent)] if sent.is_valid else [],
            attributes={
                _SYSTEM: _NAME,
                _SUBSCRIPTION: subscription,
                _OPERATION: "process",
                _ID: delivery.id,
                _SIZE: len(delivery.data),
                "headrace.attempt": delivery.attempt,
            },
        ):
            yield


def _end(span: Span, done: Any) -> None:
    """Ends the span of a message with what became of it."""
    if done.cancelled():
        span.set_status(Status(StatusCode.ERROR, "cancelled"))
    elif (error := done.exception()) is not None:
        span.record_exception(error)
        span.set_status(Status(StatusCode.ERROR, str(error)))
        span.set_attribute("error.type", getattr(error, "reason", "") or type(error).__name__)
    else:
        span.set_attribute(_ID, str(done.result()))
    span.end()
