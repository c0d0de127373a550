package io.headrace;

import java.time.Duration;

/** How a client publishes. Immutable; each method gives a changed copy. */
public final class PublishSettings {
  private static final PublishSettings DEFAULTS =
      new PublishSettings(1_000, 128 << 10, Duration.ofMillis(1), 10_000, 64 << 20, false, "");

  private final int batchMessages;
  private final int batchBytes;
  private final Duration batchDelay;
  private final int maxPendingMessages;
  private final int maxPendingBytes;
  private final boolean overflowError;
  private final String producerId;

  private PublishSettings(
      int batchMessages,
      int batchBytes,
      Duration batchDelay,
      int maxPendingMessages,
      int maxPendingBytes,
      boolean overflowError,
      String producerId) {
    this.batchMessages = batchMessages;
    this.batchBytes = batchBytes;
    this.batchDelay = batchDelay;
    this.maxPendingMessages = maxPendingMessages;
    this.maxPendingBytes = maxPendingBytes;
    this.overflowError = overflowError;
    this.producerId = producerId;
  }

  /**
   * The defaults: batches of 1,000 messages or 128 KiB or 1 ms, 10,000 messages and 64 MiB without a
   * result, waiting at that bound, a random producer.
   *
   * @return the defaults
   */
  public static PublishSettings defaults() {
    return DEFAULTS;
  }

  /**
   * Sets when a batch is sent at the latest.
   *
   * @param messages at least 1
   * @param bytes of encoded messages, at least 1
   * @param delay from its first message, while another batch is under way; a lone message never waits
   * @return changed settings
   */
  public PublishSettings batch(int messages, int bytes, Duration delay) {
    return new PublishSettings(
        Math.max(1, messages), Math.max(1, bytes), delay, maxPendingMessages, maxPendingBytes, overflowError, producerId);
  }

  /**
   * Sets what may be accepted and without a result; a message larger than that is accepted alone.
   *
   * @param messages at least 1
   * @param bytes of encoded messages, at least 1
   * @return changed settings
   */
  public PublishSettings maxPending(int messages, int bytes) {
    return new PublishSettings(
        batchMessages, batchBytes, batchDelay, Math.max(1, messages), Math.max(1, bytes), overflowError, producerId);
  }

  /**
   * Has publishing fail with {@code BUFFER_FULL} at the bound of what may be pending; by default it waits.
   *
   * @return changed settings
   */
  public PublishSettings failWhenFull() {
    return new PublishSettings(
        batchMessages, batchBytes, batchDelay, maxPendingMessages, maxPendingBytes, true, producerId);
  }

  /**
   * Sets the producer's lasting name: with it, publishing is free of duplicates over restarts of the
   * program, too.
   *
   * @param id at most 255 bytes, unique to one client at a time
   * @return changed settings
   */
  public PublishSettings producerId(String id) {
    return new PublishSettings(
        batchMessages, batchBytes, batchDelay, maxPendingMessages, maxPendingBytes, overflowError, id);
  }

  int batchMessages() {
    return batchMessages;
  }

  int batchBytes() {
    return batchBytes;
  }

  /** What a message has in a batch that is full by messages and bytes at the same time. */
  int leastBytes() {
    return Math.max(1, batchBytes / batchMessages);
  }

  Duration batchDelay() {
    return batchDelay;
  }

  int maxPendingMessages() {
    return maxPendingMessages;
  }

  int maxPendingBytes() {
    return maxPendingBytes;
  }

  boolean overflowError() {
    return overflowError;
  }

  String producerId() {
    return producerId;
  }
}
