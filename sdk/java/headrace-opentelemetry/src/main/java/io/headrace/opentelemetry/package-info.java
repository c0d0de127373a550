/** Spans of the messages that a client sends and works on, by the OpenTelemetry API. */
@NullMarked
package io.headrace.opentelemetry;

import org.jspecify.annotations.NullMarked;
