package io.headrace.opentelemetry;

import io.headrace.Delivery;
import io.headrace.HeadraceException;
import io.headrace.Message;
import io.headrace.MessageId;
import io.headrace.Tracing;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;
import io.opentelemetry.context.propagation.TextMapGetter;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Makes a span of each message that is sent, and of each delivery that a handler works on.
 *
 * <pre>{@code
 * HeadraceClient c = HeadraceClient.builder("localhost:7070").tracing(HeadraceTracing.of(openTelemetry)).build();
 * }</pre>
 *
 * <p>The span {@code send TOPIC} lasts until the result is there. The message takes its context along, as the
 * attributes {@code traceparent} and {@code tracestate}; one that has a {@code traceparent} already keeps it. The
 * span {@code process SUBSCRIPTION} is current in the handler's thread, and linked to the one that sent the
 * message: a message may be worked on long after, often, and by many.
 */
public final class HeadraceTracing implements Tracing {
  private static final String SCOPE = "io.headrace.opentelemetry";
  private static final String TRACE_PARENT = "traceparent";
  private static final AttributeKey<String> SYSTEM = AttributeKey.stringKey("messaging.system");
  private static final AttributeKey<String> OPERATION = AttributeKey.stringKey("messaging.operation.type");
  private static final AttributeKey<String> DESTINATION = AttributeKey.stringKey("messaging.destination.name");
  private static final AttributeKey<String> SUBSCRIPTION =
      AttributeKey.stringKey("messaging.destination.subscription.name");
  private static final AttributeKey<String> MESSAGE_ID = AttributeKey.stringKey("messaging.message.id");
  private static final AttributeKey<Long> ATTEMPT = AttributeKey.longKey("messaging.headrace.attempt");
  private static final AttributeKey<String> ERROR_TYPE = AttributeKey.stringKey("error.type");

  private static final TextMapGetter<Map<String, String>> ATTRIBUTES =
      new TextMapGetter<Map<String, String>>() {
        @Override
        @SuppressWarnings("deprecation") // Older versions of the API want it.
        public Iterable<String> keys(Map<String, String> attributes) {
          return attributes.keySet();
        }

        @Override
        public @Nullable String get(@Nullable Map<String, String> attributes, String key) {
          return attributes == null ? null : attributes.get(key);
        }
      };

  private final Tracer tracer;

  private HeadraceTracing(OpenTelemetry openTelemetry) {
    tracer = openTelemetry.getTracer(SCOPE);
  }

  /**
   * Tracing by an OpenTelemetry.
   *
   * @param openTelemetry makes and exports the spans
   * @return for the builder of a client
   */
  public static HeadraceTracing of(OpenTelemetry openTelemetry) {
    return new HeadraceTracing(openTelemetry);
  }

  private SpanBuilder span(String operation, String of, SpanKind kind) {
    return tracer
        .spanBuilder(operation + " " + of)
        .setSpanKind(kind)
        .setAttribute(SYSTEM, "headrace")
        .setAttribute(OPERATION, operation);
  }

  @Override
  public Sending sending(String topic, Message message) {
    Span span = span("send", topic, SpanKind.PRODUCER).setAttribute(DESTINATION, topic).startSpan();
    Message sent = message.attributes().containsKey(TRACE_PARENT) ? message : withContext(message, span);
    return new Sending() {
      @Override
      public Message message() {
        return sent;
      }

      @Override
      public void done(@Nullable MessageId id, @Nullable Throwable error) {
        if (id != null) {
          span.setAttribute(MESSAGE_ID, id.toString());
        }
        end(span, error);
      }
    };
  }

  private static Message withContext(Message message, Span span) {
    Map<String, String> context = new HashMap<>();
    W3CTraceContextPropagator.getInstance()
        .inject(Context.current().with(span), context, (carrier, key, value) -> context.put(key, value));
    return message.toBuilder().attributes(context).build();
  }

  @Override
  public Processing processing(String subscription, Delivery<?> delivery) {
    SpanBuilder builder =
        span("process", subscription, SpanKind.CONSUMER)
            .setAttribute(SUBSCRIPTION, subscription)
            .setAttribute(MESSAGE_ID, delivery.id())
            .setAttribute(ATTEMPT, (long) delivery.attempt());
    SpanContext sent = senderOf(delivery);
    if (sent.isValid()) {
      builder.addLink(sent);
    }
    Span span = builder.startSpan();
    Scope scope = span.makeCurrent();
    return error -> {
      scope.close();
      end(span, error);
    };
  }

  /**
   * The span that sent a message, for spans of a program's own: of what is taken one by one, or pulled.
   *
   * @param received a delivery, or a pulled message
   * @return not valid when it was sent without a span
   */
  public static SpanContext senderOf(io.headrace.Received<?> received) {
    Context context =
        W3CTraceContextPropagator.getInstance().extract(Context.root(), received.attributes(), ATTRIBUTES);
    return Span.fromContext(context).getSpanContext();
  }

  private static void end(Span span, @Nullable Throwable error) {
    if (error != null) {
      String type =
          error instanceof HeadraceException ? ((HeadraceException) error).reason() : error.getClass().getName();
      span.setStatus(StatusCode.ERROR).setAttribute(ERROR_TYPE, type).recordException(error);
    }
    span.end();
  }
}
