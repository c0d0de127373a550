package io.headrace;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/**
 * How long to wait before a stream is opened again: 0.1 to 10 s, doubling, varied by up to 20 % either
 * way, so that clients which lost a server together do not come back together.
 */
final class Backoff {
  private static final long MIN_NANOS = Duration.ofMillis(100).toNanos();
  private static final long MAX_NANOS = Duration.ofSeconds(10).toNanos();

  private long next = MIN_NANOS;

  void reset() {
    next = MIN_NANOS;
  }

  /** The nanoseconds to wait now, at least what the server asked for. */
  long waitNanos(Duration atLeast) {
    double varied = next * ThreadLocalRandom.current().nextDouble(0.8, 1.2);
    next = Math.min(2 * next, MAX_NANOS);
    return Math.max((long) varied, atLeast.toNanos());
  }
}
