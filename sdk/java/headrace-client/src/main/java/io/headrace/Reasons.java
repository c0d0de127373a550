package io.headrace;

import io.grpc.Status;
import io.headrace.v1.ErrorReason;
import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The contract's reasons: the status code that each stands for, and its name. */
final class Reasons {
  private static final String PREFIX = "ERROR_REASON_";
  private static final Map<ErrorReason, Status.Code> CODES = new EnumMap<>(ErrorReason.class);

  static {
    put(
        Status.Code.INVALID_ARGUMENT,
        ErrorReason.ERROR_REASON_INVALID_NAME,
        ErrorReason.ERROR_REASON_INVALID_FIELD,
        ErrorReason.ERROR_REASON_MALFORMED_MESSAGE,
        ErrorReason.ERROR_REASON_MESSAGE_TOO_LARGE,
        ErrorReason.ERROR_REASON_BATCH_SIZE,
        ErrorReason.ERROR_REASON_FRAME_ORDER,
        ErrorReason.ERROR_REASON_SETTLE_NUMBER_GAP,
        ErrorReason.ERROR_REASON_PUBLISH_SEQUENCE_GAP,
        ErrorReason.ERROR_REASON_TOO_MANY_RANGES,
        ErrorReason.ERROR_REASON_NOT_SERVED,
        ErrorReason.ERROR_REASON_MALFORMED_FRAME,
        ErrorReason.ERROR_REASON_PUBLISH_BATCH_CHANGED);
    put(
        Status.Code.NOT_FOUND,
        ErrorReason.ERROR_REASON_TOPIC_NOT_FOUND,
        ErrorReason.ERROR_REASON_SUBSCRIPTION_NOT_FOUND,
        ErrorReason.ERROR_REASON_SNAPSHOT_NOT_FOUND,
        ErrorReason.ERROR_REASON_SESSION_NOT_FOUND,
        ErrorReason.ERROR_REASON_PARTITION_NOT_FOUND);
    put(
        Status.Code.ALREADY_EXISTS,
        ErrorReason.ERROR_REASON_TOPIC_EXISTS,
        ErrorReason.ERROR_REASON_SUBSCRIPTION_EXISTS,
        ErrorReason.ERROR_REASON_DEDUPE_CONFLICT,
        ErrorReason.ERROR_REASON_SNAPSHOT_EXISTS);
    put(
        Status.Code.FAILED_PRECONDITION,
        ErrorReason.ERROR_REASON_TOPIC_DELETED,
        ErrorReason.ERROR_REASON_SUBSCRIPTION_DELETED,
        ErrorReason.ERROR_REASON_TOPIC_HAS_SUBSCRIPTIONS,
        ErrorReason.ERROR_REASON_EXCLUSIVE_SESSION_EXISTS,
        ErrorReason.ERROR_REASON_TAKEN_OVER,
        ErrorReason.ERROR_REASON_STALE_PRODUCER,
        ErrorReason.ERROR_REASON_CROSS_SHARD,
        ErrorReason.ERROR_REASON_BACKUP_RUNNING,
        ErrorReason.ERROR_REASON_NOTHING_KEPT,
        ErrorReason.ERROR_REASON_SESSION_SUPERSEDED);
    put(Status.Code.OUT_OF_RANGE, ErrorReason.ERROR_REASON_POSITION_OUT_OF_RANGE);
    put(
        Status.Code.RESOURCE_EXHAUSTED,
        ErrorReason.ERROR_REASON_DISK_FULL,
        ErrorReason.ERROR_REASON_PUBLISH_WINDOW_EXCEEDED,
        ErrorReason.ERROR_REASON_SLOW_READER,
        ErrorReason.ERROR_REASON_RESULTS_UNREAD,
        ErrorReason.ERROR_REASON_LIMIT_REACHED,
        ErrorReason.ERROR_REASON_BACKLOG_FULL);
    put(
        Status.Code.UNAVAILABLE,
        ErrorReason.ERROR_REASON_STARTING,
        ErrorReason.ERROR_REASON_DRAINING,
        ErrorReason.ERROR_REASON_STORE_UNAVAILABLE,
        ErrorReason.ERROR_REASON_NOT_OWNER,
        ErrorReason.ERROR_REASON_SESSION_SILENT);
    put(Status.Code.ABORTED, ErrorReason.ERROR_REASON_FENCED, ErrorReason.ERROR_REASON_BACKUP_TOO_SLOW);
    put(Status.Code.UNKNOWN, ErrorReason.ERROR_REASON_UNKNOWN_OUTCOME, ErrorReason.ERROR_REASON_OUTCOME_FORGOTTEN);
    put(Status.Code.DATA_LOSS, ErrorReason.ERROR_REASON_DATA_LOSS);
    put(Status.Code.INTERNAL, ErrorReason.ERROR_REASON_INTERNAL);
  }

  private Reasons() {}

  private static void put(Status.Code code, ErrorReason... reasons) {
    for (ErrorReason reason : reasons) {
      CODES.put(reason, code);
    }
  }

  /** The status code that a reason comes with; null for those of single items, and of later versions. */
  static Status.@Nullable Code codeOf(ErrorReason reason) {
    return CODES.get(reason);
  }

  /** The reason without its prefix; of one of a later version, its number. */
  static String nameOf(ErrorReason reason, int number) {
    return reason == ErrorReason.UNRECOGNIZED ? "REASON_" + number : reason.name().substring(PREFIX.length());
  }

  /** The reason of a status, which may have the prefix. */
  static String nameOf(String reason) {
    return reason.startsWith(PREFIX) ? reason.substring(PREFIX.length()) : reason;
  }
}
