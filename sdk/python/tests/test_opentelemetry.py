"""Spans of what is sent and of what is worked on, against the real server."""

import asyncio
import threading

import headrace
import pytest
from headrace import aio, errors
from headrace.opentelemetry import Tracing
from headrace.testing import Server
from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode


class Spans:
    """A tracer's spans, when they have ended."""

    def __init__(self) -> None:
        self._exporter = InMemorySpanExporter()
        provider = TracerProvider()
        provider.add_span_processor(SimpleSpanProcessor(self._exporter))
        self.tracing = Tracing(provider)
        self.tracer = provider.get_tracer("test")

    def named(self, name: str) -> list[ReadableSpan]:
        return [s for s in self._exporter.get_finished_spans() if s.name == name]


def check(spans: Spans, inside: trace.Span, outer: ReadableSpan) -> None:
    (send,) = spans.named("send default/orders")
    (process,) = spans.named("process default/billing")
    assert (send.kind, process.kind) == (SpanKind.PRODUCER, SpanKind.CONSUMER)
    assert send.parent.span_id == outer.context.span_id
    assert [link.context.span_id for link in process.links] == [send.context.span_id]
    assert process.context.trace_id != send.context.trace_id
    assert process.attributes["messaging.message.id"] == send.attributes["messaging.message.id"] == "0-0"
    assert inside.get_span_context().span_id == process.context.span_id


def test_a_send_and_its_handler_are_linked(server: Server) -> None:
    spans = Spans()
    inside: list[trace.Span] = []

    async def scenario() -> ReadableSpan:
        async with server.aio_client(tracing=spans.tracing) as c:
            await c.topics.create("orders")
            await c.subscriptions.create("billing", "orders")
            with spans.tracer.start_as_current_span("outer") as outer:
                await c.topic("orders").publish(b"x")

            async def handle(_: aio.Delivery[bytes]) -> None:
                inside.append(trace.get_current_span())

            worker = asyncio.create_task(c.receive("billing", handle))
            while not spans.named("process default/billing"):
                await asyncio.sleep(0.01)
            worker.cancel()
            await asyncio.wait({worker})
            return outer

    outer = asyncio.run(scenario())
    check(spans, inside[0], outer)


def test_functions_have_their_spans_too(server: Server) -> None:
    spans = Spans()
    inside: list[trace.Span] = []
    handled = threading.Event()
    with server.client(tracing=spans.tracing) as c:
        c.topics.create("orders")
        c.subscriptions.create("billing", "orders")
        with spans.tracer.start_as_current_span("outer") as outer:
            c.topic("orders").publish(headrace.Message(b"x", {"colour": "red"})).result()

        def handle(d: headrace.Delivery) -> None:
            assert set(d.attributes) == {"colour", "traceparent"}
            inside.append(trace.get_current_span())
            handled.set()

        receiving = threading.Thread(target=c.receive, args=("billing", handle))
        receiving.start()
        assert handled.wait(60)
    receiving.join()
    check(spans, inside[0], outer)


def test_each_publish_belongs_to_the_span_of_its_caller(server: Server) -> None:
    spans = Spans()
    with server.client(tracing=spans.tracing) as c:
        c.topics.create("orders")
        topic = c.topic("orders")
        futures = []
        for n in range(100):
            with spans.tracer.start_as_current_span(f"outer {n}"):
                futures.append(topic.publish(b"%d" % n))
        ids = [str(f.result()) for f in futures]
    sends = {s.attributes["messaging.message.id"]: s for s in spans.named("send default/orders")}
    for n, message_id in enumerate(ids):
        assert sends[message_id].parent.span_id == spans.named(f"outer {n}")[0].context.span_id


def test_what_fails_is_told_in_its_span(server: Server) -> None:
    spans = Spans()
    failed = threading.Event()
    with server.client(tracing=spans.tracing) as c:
        with pytest.raises(errors.NotFoundError):
            c.topic("orders").publish(b"x").result()
        c.topics.create("orders")
        c.subscriptions.create("billing", "orders")
        c.topic("orders").publish_one_way(b"y")

        def handle(d: headrace.Delivery) -> None:
            failed.set()
            raise ValueError("no address")

        receiving = threading.Thread(target=c.receive, args=("billing", handle))
        receiving.start()
        assert failed.wait(60)
    receiving.join()
    refused, one_way = spans.named("send default/orders")
    assert (refused.status.status_code, refused.attributes["error.type"]) == (StatusCode.ERROR, "TOPIC_NOT_FOUND")
    assert one_way.status.status_code is StatusCode.UNSET
    assert spans.named("process default/billing")[0].status.status_code is StatusCode.ERROR


def test_an_iteration_may_have_spans_and_a_message_without_a_trace_has_no_link(server: Server) -> None:
    spans = Spans()
    with server.client() as c:
        c.topics.create("orders")
        c.subscriptions.create("billing", "orders")
        c.topic("orders").publish(b"x").result()
        (p,) = c.subscription("billing").pull()
        with spans.tracing.process("default/billing", p):
            c.subscription("billing").ack_tokens(p.token)
    (span,) = spans.named("process default/billing")
    assert len(span.links) == 0
