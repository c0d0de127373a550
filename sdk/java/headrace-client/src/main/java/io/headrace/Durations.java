package io.headrace;

import java.time.Duration;

/** Durations as the contract has them. */
final class Durations {
  private Durations() {}

  static com.google.protobuf.Duration of(Duration d) {
    return com.google.protobuf.Duration.newBuilder().setSeconds(d.getSeconds()).setNanos(d.getNano()).build();
  }

  static Duration of(com.google.protobuf.Duration d, Duration whenZero) {
    Duration duration = Duration.ofSeconds(d.getSeconds(), d.getNanos());
    return duration.isZero() ? whenZero : duration;
  }
}
