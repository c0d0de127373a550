package io.headrace;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Parser;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/**
 * A message that is yours until you settle it, or lose it.
 *
 * <p>Settle it once, with {@link #ack}, {@link #retry}, {@link #reject} or {@link #release}; later ones
 * are ignored. Settles are sent in groups within 10 ms; {@link #ackConfirmed} tells when one is durable.
 * The lease is extended as long as you hold the delivery. When it is lost (its lease ended, it was
 * revoked, its session broke) {@link #lost} tells, the thread of its handler is interrupted, and
 * somebody else gets it.
 *
 * @param <T> the type of the payload
 */
public final class Delivery<T> {
  /** What becomes of a delivery. */
  enum Verdict {
    ACK,
    RETRY,
    REJECT,
    RELEASE
  }

  /** Takes what becomes of deliveries, from any thread. */
  interface Settler {
    void settle(
        Delivery<?> delivery, Verdict verdict, @Nullable Duration delay, String code, String reason,
        @Nullable CompletableFuture<Void> confirmed);
  }

  private final Settler settler;
  private final io.headrace.v1.Message message;
  private final @Nullable Parser<?> parser;
  final long sequence;
  private final Position position;
  private final int attempt;
  private volatile String lost = "";

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
    this.settler = settler;
    this.message = message;
    this.parser = parser;
    this.sequence = sequence;
    this.position = position;
    this.attempt = attempt;
  }

  /**
   * The payload as bytes.
   *
   * @return a copy
   */
  public byte[] data() {
    return message.getData().toByteArray();
  }

  /**
   * The payload, parsed by the parser that was given to subscribe; bytes without one. Parsed at each call.
   *
   * @return the payload
   * @throws IllegalArgumentException it is not of that type; the cause says why
   */
  @SuppressWarnings("unchecked") // The parser, or its absence, is what T was taken from.
  public T payload() {
    if (parser == null) {
      return (T) data();
    }
    try {
      return (T) parser.parseFrom(message.getData());
    } catch (InvalidProtocolBufferException malformed) {
      throw new IllegalArgumentException("the payload of " + id() + " does not parse", malformed);
    }
  }

  /**
   * The free labels.
   *
   * @return not to be changed
   */
  public Map<String, String> attributes() {
    return message.getAttributesMap();
  }

  /**
   * The ordering key.
   *
   * @return empty: none
   */
  public String orderingKey() {
    return message.getOrderingKey();
  }

  /**
   * The media type of the payload.
   *
   * @return empty: not told
   */
  public String contentType() {
    return message.getContentType();
  }

  /**
   * The message's id, the same for every subscription and attempt.
   *
   * @return its id
   */
  public String id() {
    return message.getMessageId().isEmpty() ? position.toString() : message.getMessageId();
  }

  /**
   * Where the message stands in its log.
   *
   * @return its position
   */
  public Position position() {
    return position;
  }

  /**
   * Which attempt this is: 1 + failed + expired ones.
   *
   * @return 1 for the first
   */
  public int attempt() {
    return attempt;
  }

  /**
   * When the server received the message, by its wall clock.
   *
   * @return the time
   */
  public Instant publishTime() {
    return Instant.ofEpochSecond(message.getPublishTime().getSeconds(), message.getPublishTime().getNanos());
  }

  /**
   * The message of the contract, with fields of later versions.
   *
   * @return the message as it came
   */
  public io.headrace.v1.Message message() {
    return message;
  }

  /**
   * Why the delivery is no longer yours: {@code LEASE_EXPIRED}, {@code TAKEOVER}, {@code KEY_ORDER},
   * {@code SESSION_BROKEN} and so on.
   *
   * @return empty while it is yours
   */
  public Optional<String> lost() {
    return lost.isEmpty() ? Optional.empty() : Optional.of(lost);
  }

  void lose(String reason) {
    lost = reason;
    settled = true;
  }

  void end() {
    ended = true;
    if (whenEnded != null) {
      whenEnded.run();
    }
  }

  /** Done: this subscription never sees the message again. */
  public void ack() {
    settler.settle(this, Verdict.ACK, null, "", "", null);
  }

  /**
   * Acks, and tells when that is durable.
   *
   * @return fails with {@link HeadraceException.StaleDelivery} when it was no longer yours, with {@link
   *     HeadraceException.UnknownOutcome} when the session was lost before the answer
   */
  public CompletableFuture<Void> ackConfirmed() {
    CompletableFuture<Void> confirmed = new CompletableFuture<>();
    settler.settle(this, Verdict.ACK, null, "", "", confirmed);
    return confirmed;
  }

  /** Failed: counts as an attempt and comes back after the subscription's backoff. */
  public void retry() {
    settler.settle(this, Verdict.RETRY, null, "", "", null);
  }

  /**
   * Failed: counts as an attempt and comes back.
   *
   * @param delay 0 to 12 h, below 100 ms counts as 100 ms; null: the subscription's backoff
   * @param code kept with the failure, at most 255 bytes
   * @param reason kept with the failure, at most 1,024 bytes
   */
  public void retry(@Nullable Duration delay, String code, String reason) {
    settler.settle(this, Verdict.RETRY, delay, code, reason, null);
  }

  /**
   * Hopeless: to the dead letters, at once.
   *
   * @param code kept with the failure, at most 255 bytes
   * @param reason kept with the failure, at most 1,024 bytes
   */
  public void reject(String code, String reason) {
    settler.settle(this, Verdict.REJECT, null, code, reason, null);
  }

  /** Gives it back untouched: no attempt is charged, somebody else gets it. */
  public void release() {
    settler.settle(this, Verdict.RELEASE, null, "", "", null);
  }

  /** Its place and attempt, not its payload. */
  @Override
  public String toString() {
    return "Delivery " + id() + " attempt " + attempt + (lost.isEmpty() ? "" : " lost: " + lost);
  }
}
