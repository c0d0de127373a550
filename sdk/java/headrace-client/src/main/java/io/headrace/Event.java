package io.headrace;

import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A change in the state of a stream, for {@link HeadraceClientBuilder#events}. */
public final class Event {
  /** What happened. */
  public enum Kind {
    /** The publish stream is open. */
    PUBLISH_OPENED,
    /** The publish stream broke; it is opened again after a wait. */
    PUBLISH_BROKEN,
    /** A subscriber's session began. Handlers of one before it that broke are cancelled. */
    SESSION_OPENED,
    /** A subscriber's session goes on over another stream, with as many deliveries as the count says. */
    SESSION_RESUMED,
    /** The stream of a subscriber's session broke; another is opened after a wait. */
    SESSION_BROKEN,
    /** A subscriber's session ended because it was stopped. */
    SESSION_DRAINED,
    /** The server asked for the end of a stream; the detail is its reason, such as {@code SHUTDOWN}. */
    GO_AWAY_RECEIVED,
    /** Deliveries were revoked; the detail is the reason, such as {@code LEASE_EXPIRED}. */
    DELIVERIES_LOST,
    /** Deliveries that nobody had begun were given back, for another subscriber had nothing to do. */
    DELIVERIES_RECALLED,
    /** Deliveries could not be settled or extended because they were stale; the messages may come again. */
    SETTLES_FAILED,
    /** Why deliveries do not come has changed; the detail lists the causes, and is empty when they can come. */
    FLOW_CHANGED
  }

  private final Kind kind;
  private final String subscription;
  private final @Nullable HeadraceException error;
  private final Duration delay;
  private final int count;
  private final String detail;

  Event(Kind kind, String subscription, @Nullable HeadraceException error, Duration delay, int count, String detail) {
    this.kind = kind;
    this.subscription = subscription;
    this.error = error;
    this.delay = delay;
    this.count = count;
    this.detail = detail;
  }

  /**
   * What happened.
   *
   * @return the kind
   */
  public Kind kind() {
    return kind;
  }

  /**
   * The subscription's name, as it was given.
   *
   * @return empty for the publish stream
   */
  public String subscription() {
    return subscription;
  }

  /**
   * Why a stream broke.
   *
   * @return empty where nothing did
   */
  public Optional<HeadraceException> error() {
    return Optional.ofNullable(error);
  }

  /**
   * How long the client waits before it opens a stream again.
   *
   * @return zero where it opens none
   */
  public Duration delay() {
    return delay;
  }

  /**
   * How many deliveries it is about.
   *
   * @return 0: none
   */
  public int count() {
    return count;
  }

  /**
   * What the kind says.
   *
   * @return empty: nothing
   */
  public String detail() {
    return detail;
  }

  /** For people. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder(kind.name().toLowerCase(java.util.Locale.ROOT).replace('_', ' '));
    text.append(subscription.isEmpty() ? "" : " of " + subscription).append(detail.isEmpty() ? "" : ": " + detail);
    text.append(count == 0 ? "" : ", " + count + " deliveries").append(error == null ? "" : ": " + error.getMessage());
    return text.toString();
  }
}
