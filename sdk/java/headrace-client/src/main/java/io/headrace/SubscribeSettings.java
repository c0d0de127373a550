package io.headrace;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How a subscriber receives. Immutable; each method gives a changed copy. What the server takes for out of bounds
 * ends the subscriber with {@code INVALID_FIELD}.
 */
public final class SubscribeSettings {
  private static final SubscribeSettings DEFAULTS = new SubscribeSettings();

  private boolean messagesSet;
  private Window.Size fixed = new Window.Size(1_000, 64L << 20);

  /** Null: the fixed one. */
  private @Nullable Window window;

  private @Nullable Duration lease;
  private @Nullable Duration maxExtension;
  private Duration drainTimeout = Duration.ofSeconds(30);
  private boolean releaseOnStop;
  private boolean takeover;
  private Map<String, String> labels = Map.of();
  private int maxFrameBytes;

  private SubscribeSettings() {}

  private SubscribeSettings copy() {
    SubscribeSettings copy = new SubscribeSettings();
    copy.messagesSet = messagesSet;
    copy.fixed = fixed;
    copy.window = window;
    copy.lease = lease;
    copy.maxExtension = maxExtension;
    copy.drainTimeout = drainTimeout;
    copy.releaseOnStop = releaseOnStop;
    copy.takeover = takeover;
    copy.labels = labels;
    copy.maxFrameBytes = maxFrameBytes;
    return copy;
  }

  /**
   * The defaults: 1,000 messages and 64 MiB, the subscription's leases, 30 s to drain.
   *
   * @return the defaults
   */
  public static SubscribeSettings defaults() {
    return DEFAULTS;
  }

  /**
   * Sets what may be held unsettled, in messages, instead of a {@link #window}. A {@code Flow.Publisher} asks
   * for no more than that at once of what is requested; unless this or a window is set, for all of it.
   *
   * @param messages at least 1; default 1,000
   * @return changed settings
   * @throws IllegalArgumentException it is less than 1
   */
  public SubscribeSettings maxOutstandingMessages(int messages) {
    SubscribeSettings changed = fixed(new Window.Size(messages, fixed.bytes));
    changed.messagesSet = true;
    return changed;
  }

  /**
   * Sets what may be held unsettled, in bytes of encoded messages, instead of a {@link #window}. A {@code
   * Flow.Publisher} asks for no more than that at once.
   *
   * @param bytes at least 1; a larger message comes alone; default 64 MiB
   * @return changed settings
   * @throws IllegalArgumentException it is less than 1
   */
  public SubscribeSettings maxOutstandingBytes(long bytes) {
    return fixed(new Window.Size(fixed.messages, bytes));
  }

  private SubscribeSettings fixed(Window.Size size) {
    SubscribeSettings changed = copy();
    changed.fixed = size;
    changed.window = null;
    return changed;
  }

  /**
   * Sets what may be held unsettled by a window that can be resized while the subscriber runs, instead of {@link
   * #maxOutstandingMessages} and {@link #maxOutstandingBytes}. A {@code Flow.Publisher} asks for no more than
   * that at once of what is requested; what has come counts no more.
   *
   * @param resizable of each subscriber with these settings
   * @return changed settings
   */
  public SubscribeSettings window(Window resizable) {
    SubscribeSettings changed = copy();
    changed.window = resizable;
    return changed;
  }

  /**
   * Sets how soon a dead handler is noticed; a delivery is extended while it is held.
   *
   * @param workLease 1 s to 12 h; null, the default: the subscription's, 30 s unless it says otherwise
   * @return changed settings
   */
  public SubscribeSettings lease(@Nullable Duration workLease) {
    SubscribeSettings changed = copy();
    changed.lease = workLease;
    return changed;
  }

  /**
   * Sets how long after it began a delivery is extended; then its lease ends, and somebody else gets it.
   *
   * @param longest null, the default: the subscription's {@code max_lease}, which it cannot pass
   * @return changed settings
   */
  public SubscribeSettings maxExtension(@Nullable Duration longest) {
    SubscribeSettings changed = copy();
    changed.maxExtension = longest;
    return changed;
  }

  /**
   * Sets how long deliveries may take to be settled after a stop; then their handlers are interrupted, and
   * they are given back uncharged.
   *
   * @param grace 0 to 12 h; default 30 s
   * @return changed settings
   */
  public SubscribeSettings drainTimeout(Duration grace) {
    SubscribeSettings changed = copy();
    changed.drainTimeout = grace;
    return changed;
  }

  /**
   * Has a stop interrupt running handlers at once, and give back what they hold; no attempt is charged. By
   * default they may finish within {@link #drainTimeout}.
   *
   * @return changed settings
   */
  public SubscribeSettings releasingOnStop() {
    SubscribeSettings changed = copy();
    changed.releaseOnStop = true;
    return changed;
  }

  /**
   * Takes the place of an exclusive subscription's session, which then ends with {@code TAKEN_OVER}; only the
   * first stream of a subscriber does so. By default a second session ends with {@code EXCLUSIVE_SESSION_EXISTS}.
   *
   * @return changed settings
   */
  public SubscribeSettings takingOver() {
    SubscribeSettings changed = copy();
    changed.takeover = true;
    return changed;
  }

  /**
   * Adds a free label, for the server's statistics; a subscriber has at most 64. Default: none.
   *
   * @param key 1 to 256 bytes
   * @param value at most 1,024 bytes
   * @return changed settings
   */
  public SubscribeSettings label(String key, String value) {
    SubscribeSettings changed = copy();
    Map<String, String> all = new HashMap<>(labels);
    all.put(key, value);
    changed.labels = Map.copyOf(all);
    return changed;
  }

  /**
   * Sets the largest frame to receive; raise it for topics whose messages are larger.
   *
   * @param bytes 4,096 to 67,108,864; 0, the default: 4,128,768. What does not fit is not delivered to it
   * @return changed settings
   */
  public SubscribeSettings maxFrameBytes(int bytes) {
    SubscribeSettings changed = copy();
    changed.maxFrameBytes = bytes;
    return changed;
  }

  int maxOutstandingMessages() {
    return fixed.messages;
  }

  long maxOutstandingBytes() {
    return fixed.bytes;
  }

  /** A fixed window is one that nobody resizes. */
  Window window() {
    return window == null ? Window.of(fixed.messages, fixed.bytes) : window;
  }

  /** Whether the window bounds in messages what is asked for by hand, too: the default one does not. */
  boolean boundsRequests() {
    return window != null || messagesSet;
  }

  @Nullable Duration lease() {
    return lease;
  }

  @Nullable Duration maxExtension() {
    return maxExtension;
  }

  Duration drainTimeout() {
    return drainTimeout;
  }

  boolean releaseOnStop() {
    return releaseOnStop;
  }

  boolean takeover() {
    return takeover;
  }

  Map<String, String> labels() {
    return labels;
  }

  int maxFrameBytes() {
    return maxFrameBytes;
  }
}
