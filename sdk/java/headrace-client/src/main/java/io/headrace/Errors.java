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
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Makes exceptions of statuses and of the reasons of single items: the one place that knows both. */
final class Errors {
  private static final String DOMAIN = "headrace";
  private static final Set<Status.Code> RETRYABLE =
      EnumSet.of(Status.Code.UNAVAILABLE, Status.Code.ABORTED, Status.Code.RESOURCE_EXHAUSTED);
  private static final Set<Status.Code> FINAL_WITHOUT_REASON =
      EnumSet.of(
          Status.Code.INVALID_ARGUMENT,
          Status.Code.NOT_FOUND,
          Status.Code.PERMISSION_DENIED,
          Status.Code.UNAUTHENTICATED,
          Status.Code.UNIMPLEMENTED);
  private static final Map<Status.Code, Function<Failure, HeadraceException>> KINDS = new EnumMap<>(Status.Code.class);
  private static final Map<ErrorReason, Function<Failure, HeadraceException>> ITEM_KINDS = new EnumMap<>(ErrorReason.class);

  static {
    KINDS.put(Status.Code.INVALID_ARGUMENT, HeadraceException.InvalidArgument::new);
    KINDS.put(Status.Code.NOT_FOUND, HeadraceException.NotFound::new);
    KINDS.put(Status.Code.ALREADY_EXISTS, HeadraceException.AlreadyExists::new);
    KINDS.put(Status.Code.FAILED_PRECONDITION, HeadraceException.FailedPrecondition::new);
    KINDS.put(Status.Code.OUT_OF_RANGE, HeadraceException.OutOfRange::new);
    KINDS.put(Status.Code.RESOURCE_EXHAUSTED, HeadraceException.ResourceExhausted::new);
    KINDS.put(Status.Code.UNAVAILABLE, HeadraceException.Unavailable::new);
    KINDS.put(Status.Code.ABORTED, HeadraceException.Aborted::new);
    KINDS.put(Status.Code.UNKNOWN, HeadraceException.UnknownOutcome::new);
    KINDS.put(Status.Code.DATA_LOSS, HeadraceException.DataLoss::new);
    KINDS.put(Status.Code.INTERNAL, HeadraceException.Internal::new);
    KINDS.put(Status.Code.PERMISSION_DENIED, HeadraceException.AccessDenied::new);
    KINDS.put(Status.Code.UNAUTHENTICATED, HeadraceException.AccessDenied::new);
    ITEM_KINDS.put(ErrorReason.ERROR_REASON_STALE_DELIVERY, HeadraceException.StaleDelivery::new);
    ITEM_KINDS.put(ErrorReason.ERROR_REASON_UNKNOWN_SEQUENCE, HeadraceException.StaleDelivery::new);
    ITEM_KINDS.put(ErrorReason.ERROR_REASON_LEASE_CAPPED, HeadraceException.OutOfRange::new);
    ITEM_KINDS.put(ErrorReason.ERROR_REASON_INVALID_TOKEN, HeadraceException.InvalidArgument::new);
  }

  private Errors() {}

  private static HeadraceException ofCode(Status.Code code, Failure failure) {
    return KINDS.getOrDefault(code, HeadraceException::new).apply(failure);
  }

  /** The error of one item of a frame: a message or a delivery. */
  static HeadraceException ofItem(String text, ErrorReason reason, int number, String field, long limit) {
    Failure failure = new Failure(text).reason(Reasons.nameOf(reason, number)).field(field, limit);
    Status.Code code = Reasons.codeOf(reason);
    if (code == null) {
      return ITEM_KINDS.getOrDefault(reason, HeadraceException::new).apply(failure);
    }
    return ofCode(code, failure.code(code.name(), RETRYABLE.contains(code)));
  }

  static HeadraceException unknownOutcome(String text) {
    return new HeadraceException.UnknownOutcome(new Failure(text).reason("UNKNOWN_OUTCOME"));
  }

  static HeadraceException outcomeForgotten(String topic) {
    return new HeadraceException.UnknownOutcome(
        new Failure("publish to " + topic + ": the message may be stored: the server does not remember the producer")
            .reason("OUTCOME_FORGOTTEN"));
  }

  static HeadraceException stale(String text) {
    return new HeadraceException.StaleDelivery(new Failure(text).reason("STALE_DELIVERY"));
  }

  static HeadraceException unavailable(String text) {
    return new HeadraceException.Unavailable(new Failure(text).retryable());
  }

  static HeadraceException unreachable(@Nullable Throwable cause) {
    String text = "the server cannot be reached" + (cause == null ? "" : ": " + cause.getMessage());
    return new HeadraceException.Unavailable(new Failure(text).reason("UNREACHABLE").retryable().cause(cause));
  }

  /** Something that was given to this client cannot be used; nothing was sent. */
  static HeadraceException invalid(String field, String text) {
    return new HeadraceException.InvalidArgument(new Failure(text).reason("INVALID_FIELD").field(field, 0));
  }

  static HeadraceException bufferFull() {
    return new HeadraceException.ResourceExhausted(
        new Failure("the publish buffer is full").reason("BUFFER_FULL").retryable());
  }

  /** A fault of this client, or of what it calls: an executor, a hook. */
  static HeadraceException fault(String text, Throwable cause) {
    return new HeadraceException.Internal(new Failure(text + ": " + cause).cause(cause));
  }

  /** Translates what gRPC threw; an exception of ours is returned as it is. */
  static HeadraceException of(Throwable error) {
    if (error instanceof HeadraceException) {
      return (HeadraceException) error;
    }
    Status status = Status.fromThrowable(error);
    Status.Code code = status.getCode();
    String text = status.getDescription() == null ? code.name() : status.getDescription();
    Failure failure = new Failure(text).code(code.name(), false).cause(error);
    com.google.rpc.Status details = StatusProto.fromThrowable(error);
    for (Any detail : details == null ? List.<Any>of() : details.getDetailsList()) {
      read(detail, failure);
    }
    failure.retryable = !failure.reason.isEmpty() && RETRYABLE.contains(code);
    if (failure.reason.isEmpty() && code == Status.Code.DEADLINE_EXCEEDED) {
      return new HeadraceException.UnknownOutcome(failure.reason("TIMEOUT"));
    }
    return ofCode(code, failure);
  }

  private static void read(Any detail, Failure failure) {
    try {
      if (detail.is(ErrorInfo.class) && detail.unpack(ErrorInfo.class).getDomain().equals(DOMAIN)) {
        ErrorInfo info = detail.unpack(ErrorInfo.class);
        failure
            .reason(Reasons.nameOf(info.getReason()))
            .field(info.getMetadataOrDefault("field", ""), parse(info.getMetadataOrDefault("limit", "0")));
      } else if (detail.is(RetryInfo.class)) {
        failure.retryAfter(Durations.of(detail.unpack(RetryInfo.class).getRetryDelay(), Duration.ZERO));
      }
    } catch (InvalidProtocolBufferException odd) {
      return; // A proxy may put anything there.
    }
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
    if (!e.reason().isEmpty() && !e.reason().equals("TIMEOUT")) {
      return !e.retryable() && !e.reason().equals("UNKNOWN_OUTCOME");
    }
    return FINAL_WITHOUT_REASON.contains(Status.Code.valueOf(e.code()));
  }
}
