package io.headrace;

import io.headrace.v1.ErrorReason;
import io.headrace.v1.PublishFailure;
import io.headrace.v1.PublishedRun;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
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

  private final Room room;
  final String topic;
  final boolean oneWay;
  final long openedAt;
  List<Entry> entries = new ArrayList<>();
  long bytes;

  /** No message is larger. */
  private int largest;

  boolean sealed;
  long first;
  final List<PublishedRun> runs = new ArrayList<>();
  final List<PublishFailure> failures = new ArrayList<>();
  private final List<Flush> flushes = new ArrayList<>();

  /** An empty one, whose messages take room until they have their results, or are sent one-way. */
  Batch(Room room, String topic, boolean oneWay, long openedAt) {
    this.room = room;
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
    largest = Math.max(largest, entry.message.bytes());
  }

  /** How many bytes more it takes, where the messages that it still takes have so many at least. */
  long missing(PublishSettings settings) {
    return Math.min(settings.batchBytes() - bytes, (settings.batchMessages() - (long) entries.size()) * settings.leastBytes());
  }

  /** Keeps the first messages and gives a batch of the rest. */
  Batch split(int count) {
    Batch rest = new Batch(room, topic, oneWay, openedAt);
    entries.subList(count, entries.size()).forEach(rest::add);
    rest.sealed = sealed;
    flushes.forEach(rest::awaitedBy);
    entries = new ArrayList<>(entries.subList(0, count));
    bytes -= rest.bytes;
    sealed = true;
    return rest;
  }

  /** Fails the messages that are larger; false when none is left. */
  boolean keepUpTo(long maxMessageBytes) {
    if (largest <= maxMessageBytes) {
      return true;
    }
    for (Entry entry : List.copyOf(entries)) {
      if (entry.message.bytes() > maxMessageBytes) {
        entries.remove(entry);
        bytes -= entry.bytes;
        room.leave(1, entry.bytes);
        entry.fail(Errors.ofItem("publish to " + topic, ErrorReason.ERROR_REASON_MESSAGE_TOO_LARGE, 0, "messages", maxMessageBytes));
      }
    }
    largest = (int) maxMessageBytes;
    if (entries.isEmpty()) {
      passed();
    }
    return !entries.isEmpty();
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

  /** Has a flush wait for this batch. */
  void awaitedBy(Flush flush) {
    flush.expect();
    flushes.add(flush);
  }

  private void passed() {
    flushes.forEach(Flush::passed);
    flushes.clear();
  }

  /** Gives each message its result. */
  void finish() {
    leaveRoom();
    for (PublishedRun run : runs) {
      long from = Math.max(run.getFirstSequence(), first);
      long to = Math.min(run.getFirstSequence() + run.getCount() - 1, last());
      for (long sequence = from; sequence <= to; sequence++) {
        long offset = run.getFirstOffset() + sequence - run.getFirstSequence();
        entry(sequence).complete(new MessageId(new Position(run.getPartition(), offset), run.getDuplicate()));
      }
    }
    for (PublishFailure failure : failures) {
      HeadraceException e =
          Errors.ofItem(
              "publish to " + topic, failure.getReason(), failure.getReasonValue(), failure.getField(), failure.getLimit());
      long from = Math.max(failure.getFirstSequence(), first);
      long to = Math.min(failure.getFirstSequence() + failure.getCount() - 1, last());
      for (long sequence = from; sequence <= to; sequence++) {
        entry(sequence).fail(e);
      }
    }
    failAll(Errors.unknownOutcome("publish to " + topic + ": the server told no result"));
  }

  /** First of all: what is chained to a result may publish. */
  private void leaveRoom() {
    room.leave(entries.size(), bytes);
  }

  private Entry entry(long sequence) {
    return entries.get((int) (sequence - first));
  }

  /** Fails each message that has no result. */
  void fail(HeadraceException e) {
    leaveRoom();
    failAll(e);
  }

  private void failAll(HeadraceException e) {
    entries.forEach(entry -> entry.fail(e));
    passed();
  }

  /** It was sent one-way, and is forgotten. */
  void forget() {
    leaveRoom();
    passed();
  }
}
