package io.headrace;

import com.google.protobuf.Parser;
import io.headrace.v1.Feature;
import io.headrace.v1.PositionRun;
import io.headrace.v1.RevokeReason;
import io.headrace.v1.SequenceRange;
import io.headrace.v1.SessionLimits;
import io.headrace.v1.SubscribeRequest;
import io.headrace.v1.SubscribeResponse;
import io.headrace.v1.Verdict;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What one session holds: deliveries, settles that are not confirmed, leases. A state machine without
 * I/O, threads or clocks: time is an argument, in nanoseconds. It outlasts its stream: after a break it
 * is resumed, with what it holds, or begins anew. Its subscriber's loop owns it.
 *
 * @param <T> the type of payloads
 */
final class Session<T> {
  /** How long a settle waits for company. */
  static final long SETTLE_NANOS = Duration.ofMillis(10).toNanos();

  /** How many settles are sent at once at the latest; or half a window, if that is less. */
  private static final int SETTLE_MESSAGES = 1_000;

  /** A lease is extended when this part of it is over. */
  private static final int EXTEND_PART = 3;

  private static final int DEFAULT_MAX_UNCONFIRMED = 1_024;
  private static final Duration DEFAULT_LEASE = Duration.ofSeconds(30);
  private static final Duration DEFAULT_MAX_LEASE = Duration.ofHours(1);

  /** What settles have in common that go out together. */
  private static final class Kind {
    final Delivery.Verdict verdict;
    final @Nullable Duration delay;
    final String code;
    final String reason;

    Kind(Delivery.Verdict verdict, @Nullable Duration delay, String code, String reason) {
      this.verdict = verdict;
      this.delay = delay;
      this.code = code;
      this.reason = reason;
    }

    @Override
    public boolean equals(Object other) {
      if (!(other instanceof Kind)) {
        return false;
      }
      Kind kind = (Kind) other;
      return verdict == kind.verdict && Objects.equals(delay, kind.delay) && code.equals(kind.code) && reason.equals(kind.reason);
    }

    @Override
    public int hashCode() {
      return Objects.hash(verdict, delay, code, reason);
    }
  }

  /** A settle or extend that is not confirmed. */
  private static final class Sent<T> {
    final SubscribeRequest frame;
    final List<Delivery<T>> settles;

    Sent(SubscribeRequest frame, List<Delivery<T>> settles) {
      this.frame = frame;
      this.settles = settles;
    }
  }

  private final Delivery.Settler settler;
  private final @Nullable Parser<?> parser;
  private final int flushAt;
  private final @Nullable Duration maxExtension;
  private String sessionId = "";
  private SessionLimits limits = SessionLimits.getDefaultInstance();
  private final Set<Feature> features = EnumSet.noneOf(Feature.class);

  /** Everything received whose settle is not confirmed. */
  private final Map<Long, Delivery<T>> held = new LinkedHashMap<>();

  private long receivedThrough;
  private long chargedBytes;
  private long number;
  private final Map<Kind, List<Delivery<T>>> groups = new LinkedHashMap<>();
  private int grouped;
  private long groupedAt;
  private final List<Long> started = new ArrayList<>();
  private final Map<Long, Sent<T>> unconfirmed = new LinkedHashMap<>();
  private final Deque<SubscribeRequest> ready = new ArrayDeque<>();

  Session(Delivery.Settler settler, @Nullable Parser<?> parser, int window, @Nullable Duration maxExtension) {
    this.settler = settler;
    this.parser = parser;
    this.flushAt = Math.max(1, Math.min(SETTLE_MESSAGES, window / 2));
    this.maxExtension = maxExtension;
  }

  /** What to say of an earlier stream; null: there is nothing to take up. */
  SubscribeRequest.@Nullable Resume resume() {
    if (sessionId.isEmpty() || !features.contains(Feature.FEATURE_RESUME)) {
      return null;
    }
    SubscribeRequest.Resume.Builder resume =
        SubscribeRequest.Resume.newBuilder().setSessionId(sessionId).setReceivedThrough(receivedThrough);
    for (List<SequenceRange> ranges : Ranges.frames(sequences(held.values()))) {
      resume.addAllHolding(ranges);
    }
    return resume.build();
  }

  /** Takes the answer to Open, and gives the deliveries that are lost. */
  List<Delivery<T>> opened(SubscribeResponse.Opened frame) {
    sessionId = frame.getSessionId();
    limits = frame.getLimits();
    features.clear();
    frame.getFeaturesList().stream().filter(f -> f != Feature.UNRECOGNIZED).forEach(features::add);
    if (!frame.hasResumed()) {
      return beginAnew();
    }
    Set<Long> kept = new HashSet<>();
    Ranges.forEach(frame.getResumed().getKeptList(), kept::add);
    chargedBytes = frame.getResumed().getChargedBytes();
    List<Delivery<T>> lost = new ArrayList<>();
    held.forEach((sequence, delivery) -> {
      if (!kept.contains(sequence) && !delivery.settled) {
        lost.add(delivery);
      }
    });
    ready.clear();
    unconfirmed.values().forEach(sent -> ready.add(sent.frame));
    lose(lost, "SESSION_BROKEN");
    started.clear();
    held.values().stream().filter(d -> d.started && !d.settled).forEach(d -> started.add(d.sequence));
    return lost;
  }

  /** The old session is over: all it held is lost. */
  List<Delivery<T>> beginAnew() {
    List<Delivery<T>> lost = new ArrayList<>();
    held.values().stream().filter(d -> !d.settled).forEach(lost::add);
    lose(lost, "SESSION_BROKEN");
    HeadraceException unknown = Errors.unknownOutcome("the session broke before the settle was confirmed");
    List<Delivery<T>> open = new ArrayList<>();
    unconfirmed.values().forEach(sent -> open.addAll(sent.settles));
    groups.values().forEach(open::addAll);
    held.clear();
    groups.clear();
    unconfirmed.clear();
    ready.clear();
    started.clear();
    receivedThrough = 0;
    chargedBytes = 0;
    number = 0;
    grouped = 0;
    for (Delivery<T> delivery : open) {
      confirm(delivery, unknown);
      delivery.end();
    }
    return lost;
  }

  /** Takes deliveries. */
  List<Delivery<T>> batch(SubscribeResponse.Batch frame, long now) {
    List<Delivery<T>> deliveries = new ArrayList<>(frame.getMessagesCount());
    Map<Long, Integer> attempts = new LinkedHashMap<>();
    frame.getAttemptsList().forEach(run -> {
      for (int i = 0; i < run.getCount(); i++) {
        attempts.put(run.getFirstSequence() + i, run.getAttempt());
      }
    });
    long sequence = frame.getFirstSequence();
    int index = 0;
    for (PositionRun run : frame.getRunsList()) {
      for (int i = 0; i < run.getCount(); i++, sequence++, index++) {
        Position position = new Position(run.getPartition(), run.getFirstOffset() + i);
        Delivery<T> delivery =
            new Delivery<>(settler, frame.getMessages(index), parser, sequence, position, attempts.getOrDefault(sequence, 1));
        delivery.heldSince = now;
        delivery.leasedAt = now;
        held.put(sequence, delivery);
        deliveries.add(delivery);
      }
    }
    receivedThrough = Math.max(receivedThrough, sequence - 1);
    chargedBytes = frame.getChargedBytes();
    return deliveries;
  }

  /** Takes the confirmation of settles and extends, and tells how many deliveries they did not reach. */
  int result(SubscribeResponse.SettleResult frame) {
    int stale = 0;
    Map<Long, Map<Long, HeadraceException>> failed = new LinkedHashMap<>();
    frame.getFailuresList().forEach(failure -> {
      HeadraceException e =
          Errors.ofItem("the settle did not apply", failure.getReason(), failure.getReasonValue(), "", 0);
      Map<Long, HeadraceException> ofNumber = failed.computeIfAbsent(failure.getNumber(), n -> new LinkedHashMap<>());
      Ranges.forEach(failure.getRangesList(), sequence -> ofNumber.put(sequence, e));
    });
    for (Iterator<Map.Entry<Long, Sent<T>>> i = unconfirmed.entrySet().iterator(); i.hasNext(); ) {
      Map.Entry<Long, Sent<T>> entry = i.next();
      if (entry.getKey() > frame.getConfirmedThrough()) {
        return stale;
      }
      i.remove();
      Map<Long, HeadraceException> failures = failed.getOrDefault(entry.getKey(), Map.of());
      stale += failures.size();
      for (Delivery<T> delivery : entry.getValue().settles) {
        held.remove(delivery.sequence);
        confirm(delivery, failures.get(delivery.sequence));
        delivery.end();
      }
    }
    return stale;
  }

  /** Gives back what nobody works on, and tells how many those are. */
  int recall(List<SequenceRange> ranges, long now) {
    int before = grouped;
    Ranges.forEach(ranges, sequence -> {
      Delivery<T> delivery = held.get(sequence);
      if (delivery != null && !delivery.settled && delivery.claim()) {
        settle(delivery, Delivery.Verdict.RELEASE, null, "", "", now);
      }
    });
    return grouped - before;
  }

  /** Takes a revocation, and gives the deliveries that are lost by it. */
  List<Delivery<T>> revoked(SubscribeResponse.Revoked frame) {
    List<Delivery<T>> lost = new ArrayList<>();
    Ranges.forEach(frame.getRangesList(), sequence -> {
      Delivery<T> delivery = held.get(sequence);
      if (delivery != null && !delivery.settled) {
        lost.add(delivery);
      }
    });
    lose(lost, nameOf(frame.getReason()));
    return lost;
  }

  static String nameOf(RevokeReason reason) {
    return reason == RevokeReason.UNRECOGNIZED ? "REVOKED" : reason.name().substring("REVOKE_REASON_".length());
  }

  private void lose(Collection<Delivery<T>> lost, String reason) {
    for (Delivery<T> delivery : lost) {
      delivery.lose(reason);
      held.remove(delivery.sequence);
    }
    lost.forEach(Delivery::end);
  }

  /** The delivery is in its handler's hands; false when it is no longer to be worked on. */
  boolean start(Delivery<T> delivery, long now) {
    if (delivery.settled) {
      return false;
    }
    delivery.claim();
    delivery.started = true;
    delivery.heldSince = now;
    delivery.leasedAt = now;
    if (features.contains(Feature.FEATURE_STARTED)) {
      started.add(delivery.sequence);
    }
    return true;
  }

  /** Ends a delivery; one that is settled or lost already stays as it is. */
  void settle(
      Delivery<T> delivery, Delivery.Verdict verdict, @Nullable Duration delay, String code, String reason, long now) {
    if (delivery.settled) {
      if (delivery.lost().isPresent()) {
        confirm(delivery, Errors.stale(delivery.toString()));
      }
      return;
    }
    delivery.settled = true;
    delivery.acked = verdict == Delivery.Verdict.ACK;
    groups.computeIfAbsent(new Kind(verdict, delay, code, reason), k -> new ArrayList<>()).add(delivery);
    if (grouped++ == 0) {
      groupedAt = now;
    }
  }

  private static void confirm(Delivery<?> delivery, @Nullable HeadraceException error) {
    if (delivery.confirmed == null) {
      return;
    }
    if (error == null) {
      delivery.confirmed.complete(null);
    } else {
      delivery.confirmed.completeExceptionally(error);
    }
  }

  /** Some settle is not confirmed. */
  boolean settling() {
    return grouped > 0 || !unconfirmed.isEmpty();
  }

  /** How many deliveries are held. */
  int holding() {
    return held.size();
  }

  boolean holdsNothing() {
    return held.isEmpty();
  }

  /** Bytes charged in this session so far. */
  long chargedBytes() {
    return chargedBytes;
  }

  /** The sequence of the last delivery received. */
  long receivedThrough() {
    return receivedThrough;
  }

  /** How long there is nothing to send. */
  long waitNanos(long now) {
    long look = lease().toNanos() / (2 * EXTEND_PART);
    if (!ready.isEmpty() || !started.isEmpty()) {
      return 0;
    }
    if (grouped == 0 || unconfirmed.size() >= maxUnconfirmed()) {
      return look;
    }
    return grouped >= flushAt ? 0 : Math.min(look, Math.max(0, groupedAt + SETTLE_NANOS - now));
  }

  /** The next frame to send now, or null; with {@code flush} settles wait for no company. */
  @Nullable SubscribeRequest nextFrame(long now, boolean flush) {
    if (ready.isEmpty()) {
      tellStarted();
      if (grouped > 0
          && (flush || grouped >= flushAt || now - groupedAt >= SETTLE_NANOS)
          && unconfirmed.size() < maxUnconfirmed()) {
        sendSettles();
      }
      extendLeases(now);
    }
    return ready.poll();
  }

  private void tellStarted() {
    long[] alive = started.stream().mapToLong(s -> s).filter(held::containsKey).toArray();
    started.clear();
    for (List<SequenceRange> ranges : Ranges.frames(alive)) {
      ready.add(
          SubscribeRequest.newBuilder().setStarted(SubscribeRequest.Started.newBuilder().addAllRanges(ranges)).build());
    }
  }

  private void sendSettles() {
    groups.forEach((kind, group) -> {
      for (List<SequenceRange> ranges : Ranges.frames(sequences(group))) {
        SubscribeRequest.Settle.Builder settle =
            SubscribeRequest.Settle.newBuilder()
                .setNumber(++number)
                .addAllRanges(ranges)
                .setVerdict(Verdict.valueOf("VERDICT_" + kind.verdict.name()))
                .setCode(kind.code)
                .setReason(kind.reason);
        if (kind.delay != null) {
          settle.setDelay(Durations.of(kind.delay));
        }
        Set<Long> named = new HashSet<>();
        Ranges.forEach(ranges, named::add);
        List<Delivery<T>> those = new ArrayList<>();
        group.stream().filter(d -> named.contains(d.sequence)).forEach(those::add);
        send(SubscribeRequest.newBuilder().setSettle(settle).build(), those);
      }
    });
    groups.clear();
    grouped = 0;
  }

  private void send(SubscribeRequest frame, List<Delivery<T>> settles) {
    unconfirmed.put(number, new Sent<>(frame, settles));
    ready.add(frame);
  }

  private void extendLeases(long now) {
    if (unconfirmed.size() >= maxUnconfirmed()) {
      return;
    }
    long part = lease().toNanos() / EXTEND_PART;
    long cap = (maxExtension != null ? maxExtension : Durations.of(limits.getMaxLease(), DEFAULT_MAX_LEASE)).toNanos();
    List<Delivery<T>> due = new ArrayList<>();
    for (Delivery<T> d : held.values()) {
      if (!d.settled && leased(d) && now - d.leasedAt >= part && now - d.heldSince < cap) {
        d.leasedAt = now;
        due.add(d);
      }
    }
    for (List<SequenceRange> ranges : Ranges.frames(sequences(due))) {
      SubscribeRequest.Extend extend =
          SubscribeRequest.Extend.newBuilder().setNumber(++number).addAllRanges(ranges).build();
      send(SubscribeRequest.newBuilder().setExtend(extend).build(), List.of());
    }
  }

  /** The work lease runs from the start, or for a server that is not told of starts, from the delivery. */
  private boolean leased(Delivery<T> d) {
    return d.started || !features.contains(Feature.FEATURE_STARTED);
  }

  private Duration lease() {
    return Durations.of(limits.getLease(), DEFAULT_LEASE);
  }

  private int maxUnconfirmed() {
    return limits.getMaxUnconfirmedSettles() > 0 ? limits.getMaxUnconfirmedSettles() : DEFAULT_MAX_UNCONFIRMED;
  }

  private static <T> long[] sequences(Collection<Delivery<T>> deliveries) {
    return deliveries.stream().mapToLong(d -> d.sequence).toArray();
  }
}
