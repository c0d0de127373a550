package io.headrace;

import java.time.Duration;
import java.util.Optional;

/**
 * Every exception of this client. Its class says the kind of failure, {@link #reason} exactly why;
 * the reasons are stable, texts are not. Where a gRPC status was the cause it is the {@link #getCause}.
 */
public class HeadraceException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final String reason;
  private final String code;
  private final boolean retryable;
  private final String field;
  private final long limit;
  private final transient Optional<Duration> retryAfter;

  HeadraceException(Failure failure) {
    super(failure.reason.isEmpty() ? failure.text : failure.text + " (" + failure.reason + ")", failure.cause);
    reason = failure.reason;
    code = failure.code;
    retryable = failure.retryable;
    field = failure.field;
    limit = failure.limit;
    retryAfter = failure.retryAfter;
  }

  /**
   * Why: a reason of the contract without its prefix, such as {@code TOPIC_NOT_FOUND}, or one of the
   * client's own: {@code CLOSED}, {@code BUFFER_FULL}, {@code UNREACHABLE}, {@code TIMEOUT},
   * {@code INTERRUPTED}.
   *
   * @return empty when the server, or what is between, gave none
   */
  public String reason() {
    return reason;
  }

  /**
   * The name of the gRPC status code, such as {@code NOT_FOUND}; of one message or delivery among several
   * the code that its reason stands for.
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
    return field;
  }

  /**
   * The limit that was passed, in the field's unit.
   *
   * @return 0: none
   */
  public long limit() {
    return limit;
  }

  /**
   * How long the server asks to wait.
   *
   * @return empty: it does not say
   */
  public Optional<Duration> retryAfter() {
    return retryAfter == null ? Optional.empty() : retryAfter;
  }

  /** Bad input: a name, a field, a message that is too large. */
  public static final class InvalidArgument extends HeadraceException {
    private static final long serialVersionUID = 1L;

    InvalidArgument(Failure failure) {
      super(failure);
    }
  }

  /** No topic, subscription, snapshot, session or partition has this name. */
  public static final class NotFound extends HeadraceException {
    private static final long serialVersionUID = 1L;

    NotFound(Failure failure) {
      super(failure);
    }
  }

  /** The name is taken, or a message with the same dedupe id and other data is stored. */
  public static final class AlreadyExists extends HeadraceException {
    private static final long serialVersionUID = 1L;

    AlreadyExists(Failure failure) {
      super(failure);
    }
  }

  /** The state of things does not allow it: deleted under a stream, taken over, a stale producer. */
  public static final class FailedPrecondition extends HeadraceException {
    private static final long serialVersionUID = 1L;

    FailedPrecondition(Failure failure) {
      super(failure);
    }
  }

  /** A position that is not retained, or a lease that was cut at the longest one. */
  public static final class OutOfRange extends HeadraceException {
    private static final long serialVersionUID = 1L;

    OutOfRange(Failure failure) {
      super(failure);
    }
  }

  /** A limit, a quota or the disk; most pass by themselves. */
  public static final class ResourceExhausted extends HeadraceException {
    private static final long serialVersionUID = 1L;

    ResourceExhausted(Failure failure) {
      super(failure);
    }
  }

  /** The server starts, stops, or cannot be reached. */
  public static final class Unavailable extends HeadraceException {
    private static final long serialVersionUID = 1L;

    Unavailable(Failure failure) {
      super(failure);
    }
  }

  /** Somebody newer exists, or somebody was too slow: what was begun is given up. */
  public static final class Aborted extends HeadraceException {
    private static final long serialVersionUID = 1L;

    Aborted(Failure failure) {
      super(failure);
    }
  }

  /** It may be done or not: no answer came in time, or the stream broke or the client was closed first. */
  public static final class UnknownOutcome extends HeadraceException {
    private static final long serialVersionUID = 1L;

    UnknownOutcome(Failure failure) {
      super(failure);
    }
  }

  /** Stored data is damaged or missing. */
  public static final class DataLoss extends HeadraceException {
    private static final long serialVersionUID = 1L;

    DataLoss(Failure failure) {
      super(failure);
    }
  }

  /** A failure of the server that has no reason of its own. */
  public static final class Internal extends HeadraceException {
    private static final long serialVersionUID = 1L;

    Internal(Failure failure) {
      super(failure);
    }
  }

  /** The caller is not known, or may not do this. */
  public static final class AccessDenied extends HeadraceException {
    private static final long serialVersionUID = 1L;

    AccessDenied(Failure failure) {
      super(failure);
    }
  }

  /** The delivery is no longer this subscriber's: settled, expired, or revoked. */
  public static final class StaleDelivery extends HeadraceException {
    private static final long serialVersionUID = 1L;

    StaleDelivery(Failure failure) {
      super(failure);
    }
  }

  /** The client is closed. */
  public static final class Closed extends HeadraceException {
    private static final long serialVersionUID = 1L;

    Closed(String text) {
      super(new Failure(text).reason("CLOSED"));
    }
  }

  /** The thread was interrupted while it waited; it is interrupted still. */
  public static final class Interrupted extends HeadraceException {
    private static final long serialVersionUID = 1L;

    Interrupted(String text) {
      super(new Failure(text).reason("INTERRUPTED"));
    }
  }
}
