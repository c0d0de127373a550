package io.headrace;

import com.google.protobuf.Parser;
import io.headrace.v1.Feature;
import io.headrace.v1.PositionRun;
import io.headrace.v1.RevokeReason;
import io.headrace.v1.SequenceRange;
import io.headrace.v1.SessionLimits;
import io.headrace.v1.SubscribeRequest;
import io.headrace.v1.SubscribeResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * What one session holds: deliveries, and their leases; its {@link Settles} are what it says of them. A
 * state machine without I/O, threads or clocks: time is an argument, in nanoseconds. It outlasts its
 * stream: after a break it is resumed, with what it holds, or begins anew. Its subscriber's loop owns it.
 *
 * @param <T> the type of payloads
 */
final class Session<T> {
  /** A lease is extended when this part of it is over. */
  private static final int EXTEND_PART = 3;

  /**
   * How long a delivery is worked on before the server is told: what is settled sooner is told by its settle,
   * so that most deliveries cost no frame.
   */
  static final long STARTED_NANOS = Duration.ofMillis(5).toNanos();

  private static final int DEFAULT_MAX_UNCONFIRMED = 1_024;
  private static final Duration DEFAULT_LEASE = Duration.ofSeconds(30);
  private static final Duration DEFAULT_MAX_LEASE = Duration.ofHours(1);

  private final Delivery.Settler settler;
  private final @Nullable Parser<?> parser;
  private final @Nullable Duration maxExtension;
  private final Settles<T> settles;
  private String sessionId = "";
  private SessionLimits limits = SessionLimits.getDefaultInstance();
  private final Set<Feature> features = EnumSet.noneOf(Feature.class);

  /** Deliveries are settled before they are sent: none is held, nothing is said of them, and none is lost. */
  private boolean settledWhenSent;

  /** Everything received whose settle is not confirmed. */
  private final Map<Long, Delivery<T>> held = new LinkedHashMap<>();

  private long receivedThrough;
  private long chargedBytes;

  /** Those that began, and the server was not told of. */
  private List<Delivery<T>> started = new ArrayList<>();

  /** When the oldest of them began, in nanoseconds. */
  private long startedAt;

  /** The server asked for one of them: it is told at once. */
  private boolean startedUrgent;

  /** There are leases, and the first is to be extended then, in nanoseconds. */
  private boolean leasing;

  private long extendAt;

  Session(Delivery.Settler settler, @Nullable Parser<?> parser, int window, @Nullable Duration maxExtension) {
    this.settler = settler;
    this.parser = parser;
    this.maxExtension = maxExtension;
    settles = new Settles<>(window);
  }

  /**
   * What to say of an earlier stream; null: there is nothing to take up. What is cut off, of more ranges than
   * a frame may have, the server gives to others.
   */
  SubscribeRequest.@Nullable Resume resume() {
    if (sessionId.isEmpty() || !features.contains(Feature.FEATURE_RESUME)) {
      return null;
    }
    SubscribeRequest.Resume.Builder resume =
        SubscribeRequest.Resume.newBuilder().setSessionId(sessionId).setReceivedThrough(receivedThrough);
    Ranges.frames(sequences(held.values())).stream().limit(1).forEach(resume::addAllHolding);
    return resume.build();
  }

  /** How long after its stream broke the session can be taken up; 0: not then. */
  long resumeNanos() {
    return resume() == null ? 0 : Durations.of(limits.getResumeWindow(), Duration.ZERO).toNanos();
  }

  /** Deliveries are settled before they are sent: they outlive the session. */
  boolean settledWhenSent() {
    return settledWhenSent;
  }

  /** Takes the answer to Open, and gives the deliveries that are lost. */
  List<Delivery<T>> opened(SubscribeResponse.Opened frame) {
    sessionId = frame.getSessionId();
    limits = frame.getLimits();
    settledWhenSent = frame.getSettledWhenSent();
    features.clear();
    frame.getFeaturesList().stream().filter(f -> f != Feature.UNRECOGNIZED).forEach(features::add);
    if (!frame.hasResumed()) {
      return beginAnew();
    }
    Set<Long> kept = new HashSet<>();
    Ranges.forEach(frame.getResumed().getKeptList(), kept::add);
    chargedBytes = frame.getResumed().getChargedBytes();
    // What a stream took along as it broke, unread, is somebody else's: the session counts on behind it.
    receivedThrough = Math.max(receivedThrough, frame.getResumed().getNextSequence() - 1);
    List<Delivery<T>> lost = new ArrayList<>();
    held.forEach((sequence, delivery) -> {
      if (!kept.contains(sequence) && !delivery.settled) {
        lost.add(delivery);
      }
    });
    settles.resend();
    lose(lost, "SESSION_BROKEN");
    started.clear();
    held.values().stream().filter(d -> d.started && !d.settled).forEach(started::add);
    startedUrgent = true;
    return lost;
  }

  /** Nobody can take the session up any more: all it held is lost, and the next stream begins another. */
  List<Delivery<T>> end() {
    sessionId = "";
    return beginAnew();
  }

  /** The old session is over: all it held is lost. */
  List<Delivery<T>> beginAnew() {
    List<Delivery<T>> lost = new ArrayList<>();
    held.values().stream().filter(d -> !d.settled).forEach(lost::add);
    lose(lost, "SESSION_BROKEN");
    held.clear();
    started.clear();
    startedUrgent = false;
    receivedThrough = 0;
    chargedBytes = 0;
    leasing = false;
    List<Delivery<T>> open = settles.forget();
    HeadraceException unknown = Errors.unknownOutcome("the session broke before the settle was confirmed");
    for (Delivery<T> delivery : open) {
      delivery.confirm(unknown);
      delivery.end();
    }
    return lost;
  }

  /** Takes deliveries. */
  List<Delivery<T>> batch(SubscribeResponse.Batch frame, long now) {
    List<Delivery<T>> deliveries = new ArrayList<>(frame.getMessagesCount());
    Map<Long, Integer> attempts = attempts(frame);
    long sequence = frame.getFirstSequence();
    int index = 0;
    for (PositionRun run : frame.getRunsList()) {
      for (int i = 0; i < run.getCount(); i++, sequence++, index++) {
        int attempt = attempts.isEmpty() ? 1 : attempts.getOrDefault(sequence, 1);
        Position position = new Position(run.getPartition(), run.getFirstOffset() + i);
        Delivery<T> delivery =
            new Delivery<>(settler, frame.getMessages(index), parser, sequence, position, attempt);
        hold(delivery, now);
        deliveries.add(delivery);
      }
    }
    receivedThrough = Math.max(receivedThrough, sequence - 1);
    chargedBytes = frame.getChargedBytes();
    return deliveries;
  }

  private static Map<Long, Integer> attempts(SubscribeResponse.Batch frame) {
    if (frame.getAttemptsCount() == 0) {
      return Map.of();
    }
    Map<Long, Integer> attempts = new HashMap<>();
    frame.getAttemptsList().forEach(run -> {
      for (int i = 0; i < run.getCount(); i++) {
        attempts.put(run.getFirstSequence() + i, run.getAttempt());
      }
    });
    return attempts;
  }

  private void hold(Delivery<T> delivery, long now) {
    if (settledWhenSent) {
      return;
    }
    held.put(delivery.sequence, delivery);
    lease(delivery, now);
  }

  private void lease(Delivery<T> delivery, long now) {
    delivery.heldSince = now;
    delivery.leasedAt = now;
    if (leased(delivery)) {
      extendBy(now + extendAfter());
    }
  }

  private void extendBy(long due) {
    if (!leasing || due - extendAt < 0) {
      leasing = true;
      extendAt = due;
    }
  }

  /** Takes the confirmation of settles and extends, and tells how many deliveries they did not reach. */
  int result(SubscribeResponse.SettleResult frame) {
    return settles.confirm(frame, delivery -> {
      held.remove(delivery.sequence);
      delivery.end();
    });
  }

  /** Gives back what nobody works on, and tells how many those are. */
  int recall(List<SequenceRange> ranges, long now) {
    int before = settles.waiting();
    Ranges.forEach(ranges, sequence -> {
      Delivery<T> delivery = held.get(sequence);
      if (delivery == null || delivery.settled) {
        return;
      }
      if (delivery.claim()) {
        settle(delivery, Settlement.RELEASE, null, now);
      } else {
        startedUrgent = true;
      }
    });
    return settles.waiting() - before;
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
    if (settledWhenSent) {
      return true;
    }
    delivery.started = true;
    lease(delivery, now);
    if (features.contains(Feature.FEATURE_STARTED)) {
      if (started.isEmpty()) {
        startedAt = now;
      }
      started.add(delivery);
    }
    return true;
  }

  /** Ends a delivery; one that is settled or lost already stays as it is. */
  void settle(Delivery<T> delivery, Settlement settlement, @Nullable CompletableFuture<Void> confirmed, long now) {
    if (delivery.settled) {
      if (confirmed != null) {
        confirmed.completeExceptionally(Errors.stale(delivery.toString()));
      }
      return;
    }
    delivery.settled = true;
    delivery.acked = settlement.verdict == Delivery.Verdict.ACK;
    delivery.confirmed = confirmed;
    if (settledWhenSent) {
      delivery.confirm(delivery.acked ? null : Errors.stale(delivery + " was settled when it was sent"));
      delivery.end();
      return;
    }
    settles.add(delivery, settlement, now);
  }

  /** Gives back everything that is not settled, and gives it to be cancelled. */
  List<Delivery<T>> releaseAll(long now) {
    List<Delivery<T>> all = new ArrayList<>();
    held.values().stream().filter(d -> !d.settled).forEach(all::add);
    for (Delivery<T> delivery : all) {
      settle(delivery, Settlement.RELEASE, null, now);
      delivery.lose("STOPPED");
    }
    return all;
  }

  /** Some settle is not confirmed. */
  boolean settling() {
    return !settles.isEmpty();
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
    long wait = Math.min(startedWaitNanos(now), settles.waitNanos(now, maxUnconfirmed()));
    return leasing && !settles.full(maxUnconfirmed()) ? Math.min(wait, Math.max(0, extendAt - now)) : wait;
  }

  private long startedWaitNanos(long now) {
    if (started.isEmpty()) {
      return Long.MAX_VALUE;
    }
    return startedUrgent ? 0 : Math.max(0, startedAt + STARTED_NANOS - now);
  }

  /** The window has that many messages from now on. */
  void window(int messages) {
    settles.window(messages);
  }

  /** The next frame to send now, or null; with {@code flush} settles wait for no company. */
  @Nullable SubscribeRequest nextFrame(long now, boolean flush) {
    SubscribeRequest frame = settles.poll();
    if (frame == null && startedWaitNanos(now) == 0) {
      frame = startedFrame();
    }
    if (frame == null) {
      settles.group(now, flush, maxUnconfirmed());
      extendLeases(now);
      frame = settles.poll();
    }
    return frame;
  }

  private @Nullable SubscribeRequest startedFrame() {
    List<Delivery<T>> working = started;
    working.removeIf(d -> d.settled);
    started = new ArrayList<>();
    List<List<SequenceRange>> frames = Ranges.frames(sequences(working));
    for (List<SequenceRange> left : frames.subList(Math.min(1, frames.size()), frames.size())) {
      Ranges.forEach(left, sequence -> started.add(held.get(sequence)));
    }
    startedUrgent = !started.isEmpty();
    return frames.isEmpty()
        ? null
        : SubscribeRequest.newBuilder()
            .setStarted(SubscribeRequest.Started.newBuilder().addAllRanges(frames.get(0)))
            .build();
  }

  private void extendLeases(long now) {
    if (!leasing || now - extendAt < 0 || settles.full(maxUnconfirmed())) {
      return;
    }
    long cap = (maxExtension != null ? maxExtension : Durations.of(limits.getMaxLease(), DEFAULT_MAX_LEASE)).toNanos();
    long part = extendAfter();
    leasing = false;
    List<Delivery<T>> due = new ArrayList<>();
    for (Delivery<T> d : held.values()) {
      if (d.settled || !leased(d) || now - d.heldSince >= cap) {
        continue;
      }
      if (now - d.leasedAt >= part) {
        d.leasedAt = now;
        due.add(d);
      }
      extendBy(d.leasedAt + part);
    }
    settles.extend(sequences(due));
  }

  /** The work lease runs from the start, or for a server that is not told of starts, from the delivery. */
  private boolean leased(Delivery<T> d) {
    return d.started || !features.contains(Feature.FEATURE_STARTED);
  }

  private long extendAfter() {
    return Durations.of(limits.getLease(), DEFAULT_LEASE).toNanos() / EXTEND_PART;
  }

  private int maxUnconfirmed() {
    return limits.getMaxUnconfirmedSettles() > 0 ? limits.getMaxUnconfirmedSettles() : DEFAULT_MAX_UNCONFIRMED;
  }

  private static <T> long[] sequences(Collection<Delivery<T>> deliveries) {
    return deliveries.stream().mapToLong(d -> d.sequence).toArray();
  }
}
