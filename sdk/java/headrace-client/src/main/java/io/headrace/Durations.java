package io.headrace;

import com.google.protobuf.Timestamp;
import java.time.Duration;
import java.time.Instant;

/** Durations and times as the contract has them. */
final class Durations {
  private Durations() {}

  static com.google.protobuf.Duration of(Duration d) {
    return com.google.protobuf.Duration.newBuilder().setSeconds(d.getSeconds()).setNanos(d.getNano()).build();
  }

  static Duration of(com.google.protobuf.Duration d, Duration whenZero) {
    Duration duration = Duration.ofSeconds(d.getSeconds(), d.getNanos());
    return duration.isZero() ? whenZero : duration;
  }

  static Timestamp of(Instant time) {
    return Timestamp.newBuilder().setSeconds(time.getEpochSecond()).setNanos(time.getNano()).build();
  }

  static Instant of(Timestamp time) {
    return Instant.ofEpochSecond(time.getSeconds(), time.getNanos());
  }
}
