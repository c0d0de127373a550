package io.headrace.opentelemetry;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.headrace.HeadraceClient;
import io.headrace.Message;
import io.headrace.Pulled;
import io.headrace.Subscriber;
import io.headrace.testing.HeadraceExtension;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.sdk.testing.junit5.OpenTelemetryExtension;
import io.opentelemetry.sdk.trace.data.SpanData;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The spans of one message, from its publisher to its handler, through the real server. */
@Timeout(120)
class HeadraceTracingTest {
  @RegisterExtension static final OpenTelemetryExtension telemetry = OpenTelemetryExtension.create();

  @RegisterExtension
  final HeadraceExtension headrace = new HeadraceExtension().topic("orders").subscription("billing", "orders");

  private HeadraceClient client;

  @BeforeEach
  void connect() {
    client =
        headrace.server().builder()
            .tracing(HeadraceTracing.of(telemetry.getOpenTelemetry()))
            .build();
  }

  @AfterEach
  void close() {
    client.close();
  }

  /** The spans of one name that have ended, in their order. */
  private static List<SpanData> spans(String name, int count) {
    List<SpanData> spans = List.of();
    while (spans.size() < count) {
      Thread.onSpinWait();
      spans =
          telemetry.getSpans().stream()
              .filter(s -> s.getName().equals(name))
              .sorted(Comparator.comparing(SpanData::getStartEpochNanos))
              .collect(Collectors.toList());
    }
    return spans;
  }

  private static String attribute(SpanData span, String key) {
    return span.getAttributes().get(AttributeKey.stringKey(key));
  }

  @Test
  void aProcessSpanIsLinkedToTheSpanThatSentTheMessage() throws InterruptedException {
    BlockingQueue<String> current = new LinkedBlockingQueue<>();
    Span request = telemetry.getOpenTelemetry().getTracer("test").spanBuilder("request").startSpan();
    String id;
    try (io.opentelemetry.context.Scope scope = request.makeCurrent()) {
      id = client.topic("orders").publish(Message.builder().attribute("own", "stays").build()).join().toString();
    }
    request.end();
    try (Subscriber s =
        client
            .subscribe(
                "billing",
                d -> {
                  current.add(Span.current().getSpanContext().getSpanId() + d.attributes().get("own"));
                  if (d.attempt() == 1) {
                    throw new IllegalStateException("not yet");
                  }
                })
            .start()) {
      SpanData sent = spans("send orders", 1).get(0);
      assertEquals(SpanKind.PRODUCER, sent.getKind());
      assertEquals(request.getSpanContext().getSpanId(), sent.getParentSpanId());
      assertEquals(id, attribute(sent, "messaging.message.id"));
      SpanData failed = spans("process billing", 1).get(0);
      assertEquals(StatusCode.ERROR, failed.getStatus().getStatusCode());
      assertEquals("java.lang.IllegalStateException", attribute(failed, "error.type"));
      headrace.faults().advanceClock(java.time.Duration.ofMinutes(1));
      SpanData done = spans("process billing", 2).get(1);
      assertEquals(StatusCode.UNSET, done.getStatus().getStatusCode());
      assertEquals(2, done.getAttributes().get(AttributeKey.longKey("messaging.headrace.attempt")));
      for (SpanData process : List.of(failed, done)) {
        assertEquals(SpanKind.CONSUMER, process.getKind());
        assertEquals(id, attribute(process, "messaging.message.id"));
        assertEquals(sent.getSpanContext().getSpanId(), process.getLinks().get(0).getSpanContext().getSpanId());
        assertEquals(process.getSpanId() + "stays", current.take());
      }
    }
  }

  @Test
  void aPublishThatFailsIsAnErrorSpan() {
    client.topic("nothing").publish(new byte[1]).exceptionally(e -> null).join();
    SpanData failed = spans("send nothing", 1).get(0);
    assertEquals(StatusCode.ERROR, failed.getStatus().getStatusCode());
    assertEquals("TOPIC_NOT_FOUND", attribute(failed, "error.type"));
  }

  @Test
  void aMessageThatHasAContextKeepsItAndOneWithoutASpanHasNone() {
    String earlier = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    client.topic("orders").publishOneWay(Message.builder().attribute("traceparent", earlier).build());
    client.flush().join();
    assertTrue(spans("send orders", 1).get(0).hasEnded());
    headrace.client().topic("orders").publish(new byte[1]).join();
    List<Pulled> pulled = client.subscription("billing").pull();
    assertEquals("b7ad6b7169203331", HeadraceTracing.senderOf(pulled.get(0)).getSpanId());
    assertFalse(HeadraceTracing.senderOf(pulled.get(1)).isValid());
  }
}
