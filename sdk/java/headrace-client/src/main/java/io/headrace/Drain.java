package io.headrace;

import io.headrace.v1.SubscribeRequest;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How a session comes to its end in order: nothing more is asked for, what is held is worked off, and the
 * stream is left when every settle is confirmed. A stop does so for good, and has the server say when all that
 * was on its way has come; a server that leaves without a successor does so for one stream. Without I/O,
 * threads or clocks; its subscriber's loop owns it.
 */
final class Drain {
  /** How much longer the server waits than the client after a stop: what is late is then given back by the client. */
  private static final long MARGIN_NANOS = Duration.ofSeconds(1).toNanos();

  private static final long LONGEST_NANOS = Duration.ofHours(12).toNanos() - MARGIN_NANOS;

  private final Session<?> session;
  private final long nanos;
  private boolean stopped;

  // Of this stream.
  private boolean asked;
  private boolean drained;
  private boolean serverLeaves;

  /** Of a session that goes on for now, and stops as those settings say. */
  Drain(Session<?> session, SubscribeSettings settings) {
    this.session = session;
    nanos = settings.releaseOnStop() ? 0 : Math.min(settings.drainTimeout().toNanos(), LONGEST_NANOS);
  }

  /** How long what is held may take to be settled after a stop, in nanoseconds. */
  long nanos() {
    return nanos;
  }

  /** Nothing more is wanted; false: that was said before. */
  boolean stop() {
    boolean first = !stopped;
    stopped = true;
    return first;
  }

  boolean stopped() {
    return stopped;
  }

  /** The server leaves this stream, and nothing takes its place until what is held is worked off. */
  void serverLeaves() {
    serverLeaves = true;
  }

  /** Another stream is open: what was said on the one before counts no more, but a stop does. */
  void opened() {
    asked = false;
    drained = false;
    serverLeaves = false;
  }

  /** Everything has come that was on its way. */
  void drained() {
    drained = true;
  }

  /** What is held is only worked off: credit is of no use any more. */
  boolean worksOff() {
    return stopped || serverLeaves;
  }

  /** Settles wait for no company: none will come, or nobody has the time. */
  boolean hurries() {
    return drained || serverLeaves;
  }

  /** What the server is to be told, or null. */
  @Nullable SubscribeRequest nextFrame() {
    if (!stopped || asked) {
      return null;
    }
    asked = true;
    SubscribeRequest.Drain.Builder drain =
        SubscribeRequest.Drain.newBuilder().setGrace(Durations.of(Duration.ofNanos(nanos + MARGIN_NANOS)));
    return SubscribeRequest.newBuilder().setDrain(drain).build();
  }

  /** The subscriber is at its end. */
  boolean done() {
    return stopped && !session.settling() && (drained || session.holdsNothing());
  }

  /** The stream is. */
  boolean leaves() {
    return !session.settling() && (stopped && drained || serverLeaves && session.holdsNothing());
  }
}
