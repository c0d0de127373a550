package io.headrace;

import io.headrace.v1.ErrorReason;
import io.headrace.v1.PublishFailure;
import io.headrace.v1.PublishedRun;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Messages for one topic that are sent in one frame. */
final class Batch {
  /** Failures that are one message's; any other is its whole batch's. */
  private static final Set<ErrorReason> OWN_REASONS =
      EnumSet.of(
          ErrorReason.ERROR_REASON_MALFORMED_MESSAGE,
          ErrorReason.ERROR_REASON_MESSAGE_TOO_LARGE,
          ErrorReason.ERROR_REASON_INVALID_FIELD,
          ErrorReason.ERROR_REASON_NOT_SERVED,
          ErrorReason.ERROR_REASON_DEDUPE_CONFLICT);

  final String topic;
  final boolean oneWay;
  final long openedAt;
  List<Entry> entries = new ArrayList<>();
  long bytes;
  boolean sealed;
  long first;
  final List<PublishedRun> runs = new ArrayList<>();
  final List<PublishFailure> failures = new ArrayList<>();

  Batch(String topic, boolean oneWay, long openedAt) {
    this.topic = topic;
    this.oneWay = oneWay;
    this.openedAt = openedAt;
  }

  long last() {
    return first + entries.size() - 1;
  }

  void add(Entry entry) {
    entries.add(entry);
    bytes += entry.bytes;
  }

  /** Keeps the first messages and gives a batch of the rest. */
  Batch split(int count) {
    Batch rest = new Batch(topic, oneWay, openedAt);
    entries.subList(count, entries.size()).forEach(rest::add);
    rest.sealed = sealed;
    entries = new ArrayList<>(entries.subList(0, count));
    bytes -= rest.bytes;
    sealed = true;
    return rest;
  }

  @Nullable ErrorReason failedWhole() {
    for (PublishFailure failure : failures) {
      if (!OWN_REASONS.contains(failure.getReason())) {
        return failure.getReason();
      }
    }
    return null;
  }

  boolean overlaps(long from, long count) {
    return from <= last() && from + count > first;
  }

  void finish() {
    for (PublishedRun run : runs) {
      long from = Math.max(run.getFirstSequence(), first);
      long to = Math.min(run.getFirstSequence() + run.getCount() - 1, last());
      for (long sequence = from; sequence <= to; sequence++) {
        long offset = run.getFirstOffset() + sequence - run.getFirstSequence();
        complete(sequence, new MessageId(new Position(run.getPartition(), offset), run.getDuplicate()));
      }
    }
    for (PublishFailure failure : failures) {
      HeadraceException e =
          Errors.ofItem(
              "publish to " + topic, failure.getReason(), failure.getReasonValue(), failure.getField(), failure.getLimit());
      long from = Math.max(failure.getFirstSequence(), first);
      long to = Math.min(failure.getFirstSequence() + failure.getCount() - 1, last());
      for (long sequence = from; sequence <= to; sequence++) {
        fail(entries.get((int) (sequence - first)), e);
      }
    }
    fail(Errors.unknownOutcome("publish to " + topic + ": the server told no result"));
  }

  void complete(long sequence, MessageId id) {
    CompletableFuture<MessageId> result = entries.get((int) (sequence - first)).result;
    if (result != null) {
      result.complete(id);
    }
  }

  void fail(HeadraceException e) {
    entries.forEach(entry -> fail(entry, e));
  }

  private static void fail(Entry entry, HeadraceException e) {
    if (entry.result != null) {
      entry.result.completeExceptionally(e);
    }
  }
}
