package io.headrace;

import io.headrace.v1.SubscribeRequest;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What becomes of a delivery. Those that are equal go out together. */
final class Settlement {
  static final Settlement ACK = new Settlement(Delivery.Verdict.ACK, null, "", "");
  static final Settlement RELEASE = new Settlement(Delivery.Verdict.RELEASE, null, "", "");

  private static final int MAX_CODE_BYTES = 255;
  private static final int MAX_REASON_BYTES = 1_024;

  /** The longest delay that a server takes. A longer one would end the stream. */
  private static final Duration MAX_DELAY = Duration.ofHours(12);

  final Delivery.Verdict verdict;
  private final @Nullable Duration delay;
  private final String code;
  private final String reason;

  private Settlement(Delivery.Verdict verdict, @Nullable Duration delay, String code, String reason) {
    this.verdict = verdict;
    this.delay = delay;
    this.code = cut(code, MAX_CODE_BYTES);
    this.reason = cut(reason, MAX_REASON_BYTES);
  }

  static Settlement retry(@Nullable Duration delay, String code, String reason) {
    return new Settlement(Delivery.Verdict.RETRY, delay == null ? null : bounded(delay), code, reason);
  }

  private static Duration bounded(Duration delay) {
    if (delay.isNegative()) {
      return Duration.ZERO;
    }
    return delay.compareTo(MAX_DELAY) > 0 ? MAX_DELAY : delay;
  }

  static Settlement reject(String code, String reason) {
    return new Settlement(Delivery.Verdict.REJECT, null, code, reason);
  }

  /** What fits of a text: a failure is told, however long it is. */
  private static String cut(String text, int maxBytes) {
    if (text.length() <= maxBytes / 3) {
      return text;
    }
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    if (bytes.length <= maxBytes) {
      return new String(bytes, StandardCharsets.UTF_8); // A lone surrogate is no legal UTF-8.
    }
    int end = maxBytes;
    while ((bytes[end] & 0xC0) == 0x80) {
      end--;
    }
    return new String(bytes, 0, end, StandardCharsets.UTF_8);
  }

  /** The frame of a settle, whose number and ranges are to be set. */
  SubscribeRequest.Settle.Builder frame() {
    SubscribeRequest.Settle.Builder settle =
        SubscribeRequest.Settle.newBuilder().setVerdict(verdict.encoded).setCode(code).setReason(reason);
    return delay == null ? settle : settle.setDelay(Durations.of(delay));
  }

  @Override
  public boolean equals(Object other) {
    if (!(other instanceof Settlement)) {
      return false;
    }
    Settlement same = (Settlement) other;
    return verdict == same.verdict
        && Objects.equals(delay, same.delay)
        && code.equals(same.code)
        && reason.equals(same.reason);
  }

  @Override
  public int hashCode() {
    return Objects.hash(verdict, delay, code, reason);
  }
}
