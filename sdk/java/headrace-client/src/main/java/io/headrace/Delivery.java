package io.headrace;

import com.google.protobuf.Parser;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import org.jspecify.annotations.Nullable;

/**
 * A message that is yours until you settle it, or lose it.
 *
 * <p>Settle it once, with {@link #ack}, {@link #retry}, {@link #reject} or {@link #release}; later ones
 * are ignored. Settles are sent in groups within 10 ms; {@link #ackConfirmed} and its like tell when one is
 * durable. The lease is extended as long as you hold the delivery. When it is lost (its lease ended, it
 * was revoked, its session broke) {@link #lost} tells, the thread of its handler is interrupted, and
 * somebody else gets it.
 *
 * @param <T> the type of the payload
 */
public final class Delivery<T> extends Received<T> {
  /** What becomes of a delivery. */
  enum Verdict {
    ACK(io.headrace.v1.Verdict.VERDICT_ACK),
    RETRY(io.headrace.v1.Verdict.VERDICT_RETRY),
    REJECT(io.headrace.v1.Verdict.VERDICT_REJECT),
    RELEASE(io.headrace.v1.Verdict.VERDICT_RELEASE);

    final io.headrace.v1.Verdict encoded;

    Verdict(io.headrace.v1.Verdict encoded) {
      this.encoded = encoded;
    }
  }

  /** Takes what becomes of deliveries, from any thread. */
  interface Settler {
    void settle(Delivery<?> delivery, Settlement settlement, @Nullable CompletableFuture<Void> confirmed);
  }

  @SuppressWarnings("rawtypes") // A class of a generic type has none.
  private static final AtomicIntegerFieldUpdater<Delivery> CLAIMED =
      AtomicIntegerFieldUpdater.newUpdater(Delivery.class, "claimed");

  private final Settler settler;
  final long sequence;
  private volatile String lost = "";
  private volatile int claimed;

  // The loop's.
  boolean settled;

  /** Settled by an ack. */
  boolean acked;

  /** It is lost, or its settle is confirmed. */
  boolean ended;

  /** Called then. */
  @Nullable Runnable whenEnded;

  boolean started;
  long heldSince;
  long leasedAt;
  @Nullable CompletableFuture<Void> confirmed;
  volatile @Nullable Future<?> handler;

  Delivery(
      Settler settler, io.headrace.v1.Message message, @Nullable Parser<?> parser, long sequence, Position position, int attempt) {
    super(message, parser, position, attempt);
    this.settler = settler;
    this.sequence = sequence;
  }

  /**
   * Why the delivery is no longer yours: {@code LEASE_EXPIRED}, {@code TAKEOVER}, {@code KEY_ORDER},
   * {@code SESSION_BROKEN}, {@code STOPPED} after the time to finish, and so on.
   *
   * @return empty while it is yours
   */
  public Optional<String> lost() {
    return lost.isEmpty() ? Optional.empty() : Optional.of(lost);
  }

  /** True for the first who asks: who works on it, or gives it back before anybody does. */
  boolean claim() {
    return CLAIMED.compareAndSet(this, 0, 1);
  }

  void lose(String reason) {
    lost = reason;
    settled = true;
  }

  /** Stops the handler that works on it, if one does. */
  void interrupt() {
    Future<?> working = handler;
    if (working != null) {
      working.cancel(true);
    }
  }

  /** Tells whoever waits what became of the settle. */
  void confirm(@Nullable HeadraceException error) {
    if (confirmed == null) {
      return;
    }
    if (error == null) {
      confirmed.complete(null);
    } else {
      confirmed.completeExceptionally(error);
    }
  }

  void end() {
    ended = true;
    if (whenEnded != null) {
      whenEnded.run();
    }
  }

  /** Done: this subscription never sees the message again. */
  public void ack() {
    settler.settle(this, Settlement.ACK, null);
  }

  /**
   * Acks, and tells when that is durable.
   *
   * @return fails with {@link HeadraceException.StaleDelivery} when it was no longer yours, with {@link
   *     HeadraceException.UnknownOutcome} when the session was lost before the answer
   */
  public CompletableFuture<Void> ackConfirmed() {
    return confirmed(Settlement.ACK);
  }

  /** Failed: counts as an attempt and comes back after the subscription's backoff. */
  public void retry() {
    settler.settle(this, Settlement.retry(null, "", ""), null);
  }

  /**
   * Failed: counts as an attempt and comes back.
   *
   * @param delay below 100 ms counts as 100 ms, above 12 h as 12 h; null: the subscription's backoff
   * @param code kept with the failure, at most 255 bytes, cut there
   * @param reason kept with the failure, at most 1,024 bytes, cut there
   */
  public void retry(@Nullable Duration delay, String code, String reason) {
    settler.settle(this, Settlement.retry(delay, code, reason), null);
  }

  /**
   * {@link #retry(Duration, String, String)}, and tells when that is durable.
   *
   * @param delay below 100 ms counts as 100 ms, above 12 h as 12 h; null: the subscription's backoff
   * @param code kept with the failure, at most 255 bytes, cut there
   * @param reason kept with the failure, at most 1,024 bytes, cut there
   * @return as {@link #ackConfirmed}
   */
  public CompletableFuture<Void> retryConfirmed(@Nullable Duration delay, String code, String reason) {
    return confirmed(Settlement.retry(delay, code, reason));
  }

  /**
   * Hopeless: to the dead letters, at once.
   *
   * @param code kept with the failure, at most 255 bytes, cut there
   * @param reason kept with the failure, at most 1,024 bytes, cut there
   */
  public void reject(String code, String reason) {
    settler.settle(this, Settlement.reject(code, reason), null);
  }

  /**
   * {@link #reject}, and tells when that is durable.
   *
   * @param code kept with the failure, at most 255 bytes, cut there
   * @param reason kept with the failure, at most 1,024 bytes, cut there
   * @return as {@link #ackConfirmed}
   */
  public CompletableFuture<Void> rejectConfirmed(String code, String reason) {
    return confirmed(Settlement.reject(code, reason));
  }

  /** Gives it back untouched: no attempt is charged, somebody else gets it. */
  public void release() {
    settler.settle(this, Settlement.RELEASE, null);
  }

  /**
   * {@link #release}, and tells when that is durable.
   *
   * @return as {@link #ackConfirmed}
   */
  public CompletableFuture<Void> releaseConfirmed() {
    return confirmed(Settlement.RELEASE);
  }

  private CompletableFuture<Void> confirmed(Settlement settlement) {
    CompletableFuture<Void> result = new CompletableFuture<>();
    settler.settle(this, settlement, result);
    return result;
  }

  /** Its place and attempt, not its payload. */
  @Override
  public String toString() {
    return "Delivery " + id() + " attempt " + attempt() + (lost.isEmpty() ? "" : " lost: " + lost);
  }
}
