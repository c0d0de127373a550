package io.headrace;

import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What an exception tells, while it is put together. */
final class Failure {
  final String text;
  String reason = "";
  String code = "";
  boolean retryable;
  String field = "";
  long limit;
  Optional<Duration> retryAfter = Optional.empty();
  @Nullable Throwable cause;

  Failure(String text) {
    this.text = text;
  }

  Failure reason(String why) {
    reason = why;
    return this;
  }

  Failure code(String name, boolean mayTryAgain) {
    code = name;
    retryable = mayTryAgain;
    return this;
  }

  Failure retryable() {
    retryable = true;
    return this;
  }

  Failure field(String name, long passed) {
    field = name;
    limit = passed;
    return this;
  }

  Failure retryAfter(Duration wait) {
    retryAfter = Optional.of(wait);
    return this;
  }

  Failure cause(@Nullable Throwable thrown) {
    cause = thrown;
    return this;
  }
}
