package io.headrace;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Parser;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A message as a subscription hands it out: pushed as a {@link Delivery}, or {@link Pulled}.
 *
 * @param <T> the type of the payload
 */
public abstract class Received<T> {
  private final io.headrace.v1.Message message;
  private final @Nullable Parser<?> parser;
  private volatile @Nullable Object parsed;
  private final Position position;
  private final int attempt;

  Received(io.headrace.v1.Message message, @Nullable Parser<?> parser, Position position, int attempt) {
    this.message = message;
    this.parser = parser;
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
   * The payload, parsed by the parser that was given to subscribe; bytes without one.
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
      if (parsed == null) {
        parsed = parser.parseFrom(message.getData());
      }
      return (T) parsed;
    } catch (InvalidProtocolBufferException malformed) {
      throw new IllegalArgumentException("the payload of " + id() + " does not parse", malformed);
    }
  }

  /** Parses the payload, if there is a type for it; fails as {@link #payload} does. */
  final void parse() {
    if (parser != null) {
      payload();
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
    return Durations.of(message.getPublishTime());
  }

  /**
   * The message of the contract, with fields of later versions.
   *
   * @return the message as it came
   */
  public io.headrace.v1.Message message() {
    return message;
  }
}
