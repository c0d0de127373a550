package io.headrace;

import java.time.Duration;
import java.util.Optional;

/**
 * Every exception of this client. Its class says the kind of failure, {@link #reason} exactly why;
 * the reasons are stable, texts are not.
 */
public class HeadraceException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final String reason;
  private final String code;
  private final boolean retryable;
  private final transient Detail detail;

  HeadraceException(String text, String reason, String code, boolean retryable, Detail detail, Throwable cause) {
    super(reason.isEmpty() ? text : text + " (" + reason + ")", cause);
    this.reason = reason;
    this.code = code;
    this.retryable = retryable;
    this.detail = detail;
  }

  /** What an error may name beside its reason. */
  static final class Detail {
    static final Detail NONE = new Detail("", 0, Optional.empty());

    final String field;
    final long limit;
    final Optional<Duration> retryAfter;

    Detail(String field, long limit, Optional<Duration> retryAfter) {
      this.field = field;
      this.limit = limit;
      this.retryAfter = retryAfter;
    }
  }

  /**
   * Why: a reason of the contract without its prefix, such as {@code TOPIC_NOT_FOUND}, or one of the
   * client's own: {@code CLOSED}, {@code BUFFER_FULL}, {@code UNREACHABLE}.
   *
   * @return empty when the server, or what is between, gave none
   */
  public String reason() {
    return reason;
  }

  /**
   * The name of the gRPC status code, such as {@code NOT_FOUND}.
   *
   * @return empty for errors of the client
   */
  public String code() {
    return code;
  }

  /**
   * Whether the same call may succeed later and nothing of this one was done.
   *
   * @return true when trying again is safe and may help
   */
  public boolean retryable() {
    return retryable;
  }

  /**
   * The field at fault.
   *
   * @return empty: none
   */
  public String field() {
    return detail == null ? "" : detail.field;
  }

  /**
   * The limit that was passed, in the field's unit.
   *
   * @return 0: none
   */
  public long limit() {
    return detail == null ? 0 : detail.limit;
  }

  /**
   * How long the server asks to wait.
   *
   * @return empty: it does not say
   */
  public Optional<Duration> retryAfter() {
    return detail == null ? Optional.empty() : detail.retryAfter;
  }

  /** Bad input: a name, a field, a message that is too large. */
  public static final class InvalidArgument extends HeadraceException {
    private static final long serialVersionUID = 1L;

    InvalidArgument(String text, String reason, String code, boolean retryable, Detail detail, Throwable cause) {
      super(text, reason, code, retryable, detail, cause);
    }
  }

  /** No topic or subscription has this name. */
  public static final class NotFound extends HeadraceException {
    private static final long serialVersionUID = 1L;

    NotFound(String text, String reason, String code, boolean retryable, Detail detail, Throwable cause) {
      super(text, reason, code, retryable, detail, cause);
    }
  }

  /** The name is taken, or a message with the same dedupe id and other data is stored. */
  public static final class AlreadyExists extends HeadraceException {
    private static final long serialVersionUID = 1L;

    AlreadyExists(String text, String reason, String code, boolean retryable, Detail detail, Throwable cause) {
      super(text, reason, code, retryable, detail, cause);
    }
  }

  /** The state of things does not allow it: deleted under a stream, taken over, a stale producer. */
  public static final class FailedPrecondition extends HeadraceException {
    private static final long serialVersionUID = 1L;

    FailedPrecondition(String text, String reason, String code, boolean retryable, Detail detail, Throwable cause) {
      super(text, reason, code, retryable, detail, cause);
    }
  }

  /** A limit, a quota or the disk; most pass by themselves. */
  public static final class ResourceExhausted extends HeadraceException {
    private static final long serialVersionUID = 1L;

    ResourceExhausted(String text, String reason, String code, boolean retryable, Detail detail, Throwable cause) {
      super(text, reason, code, retryable, detail, cause);
    }
  }

  /** The server starts, stops, or cannot be reached. */
  public static final class Unavailable extends HeadraceException {
    private static final long serialVersionUID = 1L;

    Unavailable(String text, String reason, String code, boolean retryable, Detail detail, Throwable cause) {
      super(text, reason, code, retryable, detail, cause);
    }
  }

  /** It may be done or not: the stream broke before the answer, or the client was closed first. */
  public static final class UnknownOutcome extends HeadraceException {
    private static final long serialVersionUID = 1L;

    UnknownOutcome(String text, String reason, String code, boolean retryable, Detail detail, Throwable cause) {
      super(text, reason, code, retryable, detail, cause);
    }
  }

  /** Stored data is damaged or missing. */
  public static final class DataLoss extends HeadraceException {
    private static final long serialVersionUID = 1L;

    DataLoss(String text, String reason, String code, boolean retryable, Detail detail, Throwable cause) {
      super(text, reason, code, retryable, detail, cause);
    }
  }

  /** The delivery is no longer this subscriber's: settled, expired, or revoked. */
  public static final class StaleDelivery extends HeadraceException {
    private static final long serialVersionUID = 1L;

    StaleDelivery(String text, String reason, String code, boolean retryable, Detail detail, Throwable cause) {
      super(text, reason, code, retryable, detail, cause);
    }
  }

  /** The client is closed. */
  public static final class Closed extends HeadraceException {
    private static final long serialVersionUID = 1L;

    Closed(String text) {
      super(text, "CLOSED", "", false, Detail.NONE, null);
    }
  }
}
