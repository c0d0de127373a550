package io.headrace;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What a pull asks for. Immutable; each method gives a changed copy. What is out of bounds fails the pull with
 * {@code INVALID_FIELD}.
 */
public final class PullSettings {
  private static final PullSettings DEFAULTS = new PullSettings(100, 0, Duration.ofSeconds(10), null);

  private final int maxMessages;
  private final long maxBytes;
  private final Duration maxWait;
  private final @Nullable Duration lease;

  private PullSettings(int maxMessages, long maxBytes, Duration maxWait, @Nullable Duration lease) {
    this.maxMessages = maxMessages;
    this.maxBytes = maxBytes;
    this.maxWait = maxWait;
    this.lease = lease;
  }

  /**
   * The defaults: up to 100 messages, within 10 s.
   *
   * @return the defaults
   */
  public static PullSettings defaults() {
    return DEFAULTS;
  }

  /**
   * Sets the most messages.
   *
   * @param messages 1 to 1,000; default 100
   * @return changed settings
   */
  public PullSettings maxMessages(int messages) {
    return new PullSettings(messages, maxBytes, maxWait, lease);
  }

  /**
   * Sets the most bytes of messages; a larger message comes alone.
   *
   * @param bytes 0, the default: what an answer holds, 4 MiB less 64 KiB
   * @return changed settings
   */
  public PullSettings maxBytes(long bytes) {
    return new PullSettings(maxMessages, bytes, maxWait, lease);
  }

  /**
   * Sets how long to wait for a first message.
   *
   * @param longest 0 to 60 s; default 10 s
   * @return changed settings
   */
  public PullSettings maxWait(Duration longest) {
    return new PullSettings(maxMessages, maxBytes, longest, lease);
  }

  /**
   * Sets the lease of what is pulled.
   *
   * @param workLease 1 s to 12 h; null, the default: the subscription's
   * @return changed settings
   */
  public PullSettings lease(@Nullable Duration workLease) {
    return new PullSettings(maxMessages, maxBytes, maxWait, workLease);
  }

  int maxMessages() {
    return maxMessages;
  }

  long maxBytes() {
    return maxBytes;
  }

  Duration maxWait() {
    return maxWait;
  }

  @Nullable Duration lease() {
    return lease;
  }
}
