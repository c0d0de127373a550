package io.headrace;

import io.headrace.v1.ErrorReason;
import io.headrace.v1.PublishFailure;
import io.headrace.v1.PublishLimits;
import io.headrace.v1.PublishStreamRequest;
import io.headrace.v1.PublishStreamResponse;
import io.headrace.v1.PublishedRun;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedList;
import java.util.List;
import java.util.ListIterator;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What was accepted for publishing and has no result: batches, sequences, the window. A state machine
 * without I/O, threads or clocks: time is an argument, in nanoseconds. Its publisher's loop owns it.
 *
 * <p>Every client is a producer (rule 17 of docs/protocol.md): what was sent when a stream breaks is
 * kept; the next stream asks the server what of it is stored, and sends the rest again under the same
 * sequences, so that nothing is stored twice.
 */
final class Outbox {
  static final long FIRST_WINDOW_MESSAGES = 1_000;
  static final long FIRST_WINDOW_BYTES = 4L << 20;

  /** The batches to one topic without a result: the server remembers a producer's last 4,096. */
  private static final int MAX_DOUBTED_BATCHES = 1_000;

  /** Failures that say that the server does not stand where it was taken to. */
  private static final Set<ErrorReason> LOST_REASONS =
      EnumSet.of(
          ErrorReason.ERROR_REASON_OUTCOME_FORGOTTEN,
          ErrorReason.ERROR_REASON_PUBLISH_SEQUENCE_GAP,
          ErrorReason.ERROR_REASON_PUBLISH_BATCH_CHANGED);

  /** What was sent to one topic. */
  private static final class Flight {
    /** The server's next sequence is known; until then nothing is sent. */
    boolean known;

    boolean asked;
    long sequence;

    /** The highest sequence that is surely done with. */
    long confirmed;

    /** Where a batch failed as a whole, which used up no sequence; 0: none did. */
    long failedAt;

    final Deque<Batch> batches = new ArrayDeque<>();

    boolean maySend() {
      return known && batches.size() < MAX_DOUBTED_BATCHES && (failedAt == 0 || batches.isEmpty());
    }

    void launch(Batch batch) {
      if (failedAt > 0) {
        sequence = failedAt - 1;
        failedAt = 0;
      }
      batch.first = sequence + 1;
      sequence += batch.entries.size();
    }
  }

  private final Room room;
  private final PublishSettings settings;
  private final boolean lasting;
  private final LinkedList<Batch> queue = new LinkedList<>();
  private final Map<String, Batch> filling = new HashMap<>();
  private final Map<String, Flight> flights = new LinkedHashMap<>();
  private final Deque<String> questions = new ArrayDeque<>();
  private int unresolved;
  private PublishLimits limits = PublishLimits.getDefaultInstance();
  private long throughMessages;
  private long throughBytes;
  private long sentMessages;
  private long sentBytes;
  private long wait;
  private long missing;

  /**
   * Makes an empty one.
   *
   * @param room which messages leave when they have their results
   * @param lasting the producer existed before, so the server may know of it
   */
  Outbox(Room room, PublishSettings settings, boolean lasting) {
    this.room = room;
    this.settings = settings;
    this.lasting = lasting;
  }

  void accept(Entry entry, long now) {
    String topic = entry.topic;
    boolean oneWay = entry.oneWay();
    Batch batch = filling.get(topic);
    if (batch == null || batch.sealed || batch.oneWay != oneWay || batch.bytes + entry.bytes > settings.batchBytes()) {
      if (batch != null) {
        batch.sealed = true;
      }
      batch = new Batch(room, topic, oneWay, now);
      filling.put(topic, batch);
      queue.add(batch);
    }
    batch.add(entry);
    batch.sealed = batch.entries.size() >= settings.batchMessages() || batch.bytes >= settings.batchBytes();
  }

  /** Nothing waits to be sent and everything sent has its result. */
  boolean isEmpty() {
    return queue.isEmpty() && unresolved == 0;
  }

  /** Everything that was sent has its result. */
  boolean landed() {
    return unresolved == 0;
  }

  /** Lets nothing that is there wait for company any more, and has a flush wait for it; null: of all topics. */
  void flush(@Nullable String topic, Flush flush) {
    for (Batch batch : queue) {
      if (topic == null || topic.equals(batch.topic)) {
        batch.sealed = true;
        batch.awaitedBy(flush);
      }
    }
    flights.forEach((name, flight) -> {
      if (topic == null || topic.equals(name)) {
        flight.batches.forEach(batch -> batch.awaitedBy(flush));
      }
    });
    flush.settle();
  }

  /** A new stream is open: where the server stands is asked before all else. */
  void begin(PublishLimits told) {
    limits = told;
    throughMessages = FIRST_WINDOW_MESSAGES;
    throughBytes = FIRST_WINDOW_BYTES;
    sentMessages = 0;
    sentBytes = 0;
    questions.clear();
    flights.forEach(
        (topic, flight) -> {
          flight.known = false;
          flight.asked = true;
          questions.add(topic);
        });
  }

  void raise(PublishStreamResponse.PublishWindow window) {
    throughMessages = Math.max(throughMessages, window.getThroughMessages());
    throughBytes = Math.max(throughBytes, window.getThroughBytes());
  }

  /** The next look-up to send. */
  @Nullable PublishStreamRequest question() {
    String topic = questions.poll();
    if (topic == null) {
      return null;
    }
    Batch first = flights.get(topic).batches.peek();
    return PublishStreamRequest.newBuilder()
        .setLookUp(
            PublishStreamRequest.LookUp.newBuilder().setTopic(topic).setFirstSequence(first == null ? 0 : first.first))
        .build();
  }

  /** The next batch to send now, or null; then {@link #waitNanos} says for how long. */
  @Nullable PublishFrame take(long now) {
    wait = Long.MAX_VALUE;
    missing = Long.MAX_VALUE;
    Set<String> blocked = new HashSet<>();
    for (ListIterator<Batch> i = queue.listIterator(); i.hasNext(); ) {
      Batch batch = i.next();
      if (blocked.contains(batch.topic) || !ready(batch.topic)) {
        blocked.add(batch.topic);
        continue;
      }
      if (!windowOpen()) {
        break;
      }
      long due = batch.sealed || unresolved == 0 ? now : batch.openedAt + settings.batchDelay().toNanos();
      if (due - now > 0) {
        wait = Math.min(wait, due - now);
        missing = Math.min(missing, batch.missing(settings));
        blocked.add(batch.topic);
        continue;
      }
      if (!refuseTooLarge(batch)) {
        i.remove();
        filling.remove(batch.topic, batch);
        continue;
      }
      int count = fitting(batch);
      if (count == 0) {
        break;
      }
      return launch(i, batch, count);
    }
    return null;
  }

  /** How long there is nothing to send, after {@link #take} gave none. */
  long waitNanos() {
    return wait;
  }

  /** After that: how many bytes may come before a batch that waits for company is full. */
  long missing() {
    return missing;
  }

  /** Fails what no topic takes, which would end the stream; false when nothing is left of the batch. */
  private boolean refuseTooLarge(Batch batch) {
    return batch.first > 0 || limits.getMaxMessageBytes() == 0 || batch.keepUpTo(limits.getMaxMessageBytes());
  }

  private boolean ready(String topic) {
    Flight flight = flights.get(topic);
    if (flight == null) {
      flight = new Flight();
      flight.known = !lasting;
      flights.put(topic, flight);
    }
    if (!flight.known && !flight.asked && flight.batches.isEmpty()) {
      flight.asked = true;
      questions.add(topic);
    }
    return flight.maySend();
  }

  private boolean windowOpen() {
    return throughMessages > sentMessages && throughBytes > sentBytes;
  }

  /** How many messages the window lets through, where it is open; the first may be larger than what is left of the bytes. */
  private int fitting(Batch batch) {
    long messages = throughMessages - sentMessages;
    long left = throughBytes - sentBytes;
    if (batch.first == 0 && limits.getMaxBatchBytes() > 0) {
      messages = Math.min(messages, limits.getMaxBatchMessages());
      left = Math.min(left, limits.getMaxBatchBytes());
    }
    int count = 0;
    for (Entry entry : batch.entries) {
      if (count == messages || count > 0 && entry.bytes > left) {
        break;
      }
      left -= entry.bytes;
      count++;
    }
    return count;
  }

  private PublishFrame launch(ListIterator<Batch> place, Batch batch, int count) {
    if (count < batch.entries.size()) {
      Batch rest = batch.split(count);
      place.set(rest);
      filling.replace(batch.topic, batch, rest);
    } else {
      place.remove();
      batch.sealed = true;
    }
    Flight flight = flights.get(batch.topic);
    flight.launch(batch);
    sentMessages += count;
    sentBytes += batch.bytes;
    PublishFrame frame = PublishFrame.of(batch);
    if (batch.oneWay) {
      batch.forget();
    } else {
      flight.batches.add(batch);
      unresolved++;
    }
    return frame;
  }

  void resolve(PublishStreamResponse.PublishResult result) {
    Flight flight = flights.get(result.getTopic());
    if (flight == null) {
      return;
    }
    for (Batch batch : flight.batches) {
      for (PublishedRun run : result.getRunsList()) {
        if (batch.overlaps(run.getFirstSequence(), run.getCount())) {
          batch.runs.add(run);
        }
      }
      for (PublishFailure failure : result.getFailuresList()) {
        if (batch.overlaps(failure.getFirstSequence(), failure.getCount())) {
          batch.failures.add(failure);
        }
      }
    }
    while (!flight.batches.isEmpty() && flight.batches.peek().last() <= result.getThroughSequence()) {
      Batch batch = flight.batches.poll();
      judge(flight, batch);
      unresolved--;
      batch.finish();
    }
  }

  /** Notes what a result means for the batches behind. */
  private static void judge(Flight flight, Batch batch) {
    ErrorReason reason = batch.failedWhole();
    if (reason == null) {
      flight.confirmed = batch.last();
      return;
    }
    if (flight.failedAt == 0) {
      flight.failedAt = batch.first;
    }
    if (LOST_REASONS.contains(reason)) {
      flight.known = false;
      flight.asked = false;
    }
  }

  /** Takes the answer to a question: what is stored has its result by now, what is not is sent again. */
  void lookedUp(PublishStreamResponse.LookedUp answer) {
    Flight flight = flights.get(answer.getTopic());
    if (flight == null || flight.known) {
      return;
    }
    boolean forgotten = answer.getNextSequence() <= flight.confirmed;
    List<Batch> again = new ArrayList<>();
    for (Batch batch : flight.batches) {
      unresolved--;
      if (forgotten || batch.first < answer.getNextSequence()) {
        batch.fail(Errors.outcomeForgotten(batch.topic));
        continue;
      }
      batch.sealed = true;
      batch.runs.clear();
      batch.failures.clear();
      again.add(batch);
    }
    flight.batches.clear();
    queue.addAll(0, again);
    flight.known = true;
    flight.failedAt = 0;
    flight.sequence = answer.getNextSequence() - 1;
    flight.confirmed = flight.sequence;
  }

  /** Ends everything: what was sent and what was not. */
  void failAll(HeadraceException unsent, HeadraceException sent) {
    for (Flight flight : flights.values()) {
      List<Batch> doubted = new ArrayList<>(flight.batches);
      flight.batches.clear();
      flight.known = false;
      flight.asked = false;
      doubted.forEach(batch -> batch.fail(sent));
    }
    List<Batch> waiting = new ArrayList<>(queue);
    queue.clear();
    filling.clear();
    unresolved = 0;
    waiting.forEach(batch -> batch.fail(batch.first > 0 ? sent : unsent));
  }
}
