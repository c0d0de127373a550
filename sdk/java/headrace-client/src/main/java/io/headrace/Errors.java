package io.headrace;

import com.google.protobuf.Any;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.rpc.ErrorInfo;
import com.google.rpc.RetryInfo;
import io.grpc.Status;
import io.grpc.protobuf.StatusProto;
import io.headrace.v1.ErrorReason;
import java.time.Duration;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Makes exceptions of statuses and of the reasons of single items: the one place that knows both. */
final class Errors {
  private static final String DOMAIN = "headrace";
  private static final String PREFIX = "ERROR_REASON_";
  private static final Set<Status.Code> RETRYABLE =
      EnumSet.of(Status.Code.UNAVAILABLE, Status.Code.ABORTED, Status.Code.RESOURCE_EXHAUSTED);
  private static final Set<Status.Code> FINAL_WITHOUT_REASON =
      EnumSet.of(
          Status.Code.INVALID_ARGUMENT,
          Status.Code.NOT_FOUND,
          Status.Code.PERMISSION_DENIED,
          Status.Code.UNAUTHENTICATED,
          Status.Code.UNIMPLEMENTED);

  private Errors() {}

  @FunctionalInterface
  private interface Maker {
    HeadraceException make(
        String text, String reason, String code, boolean retryable, HeadraceException.Detail detail, Throwable cause);
  }

  private static final Map<Status.Code, Maker> CLASSES = new EnumMap<>(Status.Code.class);

  static {
    CLASSES.put(Status.Code.INVALID_ARGUMENT, HeadraceException.InvalidArgument::new);
    CLASSES.put(Status.Code.NOT_FOUND, HeadraceException.NotFound::new);
    CLASSES.put(Status.Code.ALREADY_EXISTS, HeadraceException.AlreadyExists::new);
    CLASSES.put(Status.Code.FAILED_PRECONDITION, HeadraceException.FailedPrecondition::new);
    CLASSES.put(Status.Code.RESOURCE_EXHAUSTED, HeadraceException.ResourceExhausted::new);
    CLASSES.put(Status.Code.UNAVAILABLE, HeadraceException.Unavailable::new);
    CLASSES.put(Status.Code.UNKNOWN, HeadraceException.UnknownOutcome::new);
    CLASSES.put(Status.Code.DATA_LOSS, HeadraceException.DataLoss::new);
  }

  /** The status code of a reason that comes as an item of a frame, where there is no status. */
  private static Status.Code codeOf(ErrorReason reason) {
    switch (reason) {
      case ERROR_REASON_TOPIC_NOT_FOUND:
      case ERROR_REASON_SUBSCRIPTION_NOT_FOUND:
        return Status.Code.NOT_FOUND;
      case ERROR_REASON_DEDUPE_CONFLICT:
        return Status.Code.ALREADY_EXISTS;
      case ERROR_REASON_TOPIC_DELETED:
      case ERROR_REASON_STALE_PRODUCER:
        return Status.Code.FAILED_PRECONDITION;
      case ERROR_REASON_DISK_FULL:
      case ERROR_REASON_LIMIT_REACHED:
        return Status.Code.RESOURCE_EXHAUSTED;
      case ERROR_REASON_DRAINING:
      case ERROR_REASON_STORE_UNAVAILABLE:
      case ERROR_REASON_NOT_OWNER:
        return Status.Code.UNAVAILABLE;
      case ERROR_REASON_FENCED:
        return Status.Code.ABORTED;
      case ERROR_REASON_UNKNOWN_OUTCOME:
      case ERROR_REASON_OUTCOME_FORGOTTEN:
        return Status.Code.UNKNOWN;
      case ERROR_REASON_DATA_LOSS:
        return Status.Code.DATA_LOSS;
      default:
        return Status.Code.INVALID_ARGUMENT;
    }
  }

  static String nameOf(ErrorReason reason, int number) {
    return reason == ErrorReason.UNRECOGNIZED ? "REASON_" + number : reason.name().substring(PREFIX.length());
  }

  /** The error of one item of a frame: a message or a delivery. */
  static HeadraceException ofItem(String text, ErrorReason reason, int number, String field, long limit) {
    String name = nameOf(reason, number);
    HeadraceException.Detail detail = new HeadraceException.Detail(field, limit, Optional.empty());
    if (reason == ErrorReason.ERROR_REASON_STALE_DELIVERY || reason == ErrorReason.ERROR_REASON_UNKNOWN_SEQUENCE) {
      return new HeadraceException.StaleDelivery(text, name, "", false, detail, null);
    }
    Status.Code code = codeOf(reason);
    return CLASSES
        .getOrDefault(code, HeadraceException::new)
        .make(text, name, code.name(), RETRYABLE.contains(code), detail, null);
  }

  static HeadraceException unknownOutcome(String text) {
    return new HeadraceException.UnknownOutcome(
        text, "UNKNOWN_OUTCOME", "", false, HeadraceException.Detail.NONE, null);
  }

  static HeadraceException stale(String text) {
    return new HeadraceException.StaleDelivery(text, "STALE_DELIVERY", "", false, HeadraceException.Detail.NONE, null);
  }

  static HeadraceException unavailable(String text, String reason, Throwable cause) {
    return new HeadraceException.Unavailable(text, reason, "", true, HeadraceException.Detail.NONE, cause);
  }

  static HeadraceException bufferFull() {
    return new HeadraceException.ResourceExhausted(
        "the publish buffer is full", "BUFFER_FULL", "", true, HeadraceException.Detail.NONE, null);
  }

  /** Translates what gRPC threw; an exception of ours is returned as it is. */
  static HeadraceException of(Throwable error) {
    if (error instanceof HeadraceException) {
      return (HeadraceException) error;
    }
    Status status = Status.fromThrowable(error);
    String reason = "";
    String field = "";
    long limit = 0;
    Optional<Duration> retryAfter = Optional.empty();
    com.google.rpc.Status details = StatusProto.fromThrowable(error);
    for (Any any : details == null ? java.util.List.<Any>of() : details.getDetailsList()) {
      try {
        if (any.is(ErrorInfo.class) && any.unpack(ErrorInfo.class).getDomain().equals(DOMAIN)) {
          ErrorInfo info = any.unpack(ErrorInfo.class);
          reason = info.getReason().startsWith(PREFIX) ? info.getReason().substring(PREFIX.length()) : info.getReason();
          field = info.getMetadataOrDefault("field", "");
          limit = parse(info.getMetadataOrDefault("limit", "0"));
        } else if (any.is(RetryInfo.class)) {
          com.google.protobuf.Duration delay = any.unpack(RetryInfo.class).getRetryDelay();
          retryAfter = Optional.of(Duration.ofSeconds(delay.getSeconds(), delay.getNanos()));
        }
      } catch (InvalidProtocolBufferException ignored) {
        continue; // A proxy may put anything there.
      }
    }
    String text = status.getDescription() == null ? status.getCode().name() : status.getDescription();
    boolean retryable = !reason.isEmpty() && RETRYABLE.contains(status.getCode());
    return CLASSES
        .getOrDefault(status.getCode(), HeadraceException::new)
        .make(text, reason, status.getCode().name(), retryable, new HeadraceException.Detail(field, limit, retryAfter), error);
  }

  private static long parse(String digits) {
    try {
      return Long.parseUnsignedLong(digits);
    } catch (NumberFormatException odd) {
      return 0;
    }
  }

  /** Whether a stream that ended so must not be opened again: somebody has to act. */
  static boolean endsStream(HeadraceException e) {
    if (e.code().isEmpty()) {
      return false;
    }
    if (!e.reason().isEmpty()) {
      return !e.retryable() && !e.reason().equals("UNKNOWN_OUTCOME");
    }
    return FINAL_WITHOUT_REASON.contains(Status.Code.valueOf(e.code()));
  }
}
