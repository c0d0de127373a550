package io.headrace;

import io.headrace.v1.ErrorReason;
import io.headrace.v1.SequenceRange;
import io.headrace.v1.SubscribeRequest;
import io.headrace.v1.SubscribeResponse;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The settles and extends of a session that are not confirmed: they wait for company, are numbered, and
 * sent again after a resume. Without I/O, threads or clocks, as its session.
 */
final class Settles<T> {
  /** How long a settle waits for company. */
  static final long COMPANY_NANOS = Duration.ofMillis(10).toNanos();

  /** How many settles are sent at once at the latest; or half a window, if that is less. */
  static final int MAX_GROUPED = 1_000;

  /** A settle or extend that was sent. */
  private static final class Sent<T> {
    final SubscribeRequest frame;
    final List<Delivery<T>> settled;

    Sent(SubscribeRequest frame, List<Delivery<T>> settled) {
      this.frame = frame;
      this.settled = settled;
    }
  }

  /** How many settles that wait are enough company. */
  private int flushAt;

  private final Map<Settlement, List<Delivery<T>>> groups = new LinkedHashMap<>();
  private int grouped;
  private long groupedAt;
  private long number;
  private final Map<Long, Sent<T>> unconfirmed = new LinkedHashMap<>();
  private final Deque<SubscribeRequest> ready = new ArrayDeque<>();

  Settles(int window) {
    window(window);
  }

  /** The window has that many messages from now on: settles go when they are half of it. */
  final void window(int messages) {
    flushAt = Math.max(1, Math.min(MAX_GROUPED, messages / 2));
  }

  void add(Delivery<T> delivery, Settlement settlement, long now) {
    groups.computeIfAbsent(settlement, s -> new ArrayList<>()).add(delivery);
    if (grouped++ == 0) {
      groupedAt = now;
    }
  }

  /** How many wait for company. */
  int waiting() {
    return grouped;
  }

  /** Nothing waits, nor for its confirmation. */
  boolean isEmpty() {
    return grouped == 0 && unconfirmed.isEmpty();
  }

  /** The next frame that is to be sent now. */
  @Nullable SubscribeRequest poll() {
    return ready.poll();
  }

  /** How long those that wait may go on waiting. */
  long waitNanos(long now, int maxUnconfirmed) {
    if (!ready.isEmpty()) {
      return 0;
    }
    if (grouped == 0 || unconfirmed.size() >= maxUnconfirmed) {
      return Long.MAX_VALUE;
    }
    return grouped >= flushAt ? 0 : Math.max(0, groupedAt + COMPANY_NANOS - now);
  }

  /** Makes frames of those that wait, if it is time for that. */
  void group(long now, boolean flush, int maxUnconfirmed) {
    if (grouped == 0 || unconfirmed.size() >= maxUnconfirmed || !flush && waitNanos(now, maxUnconfirmed) > 0) {
      return;
    }
    groups.forEach(this::send);
    groups.clear();
    grouped = 0;
  }

  private void send(Settlement settlement, List<Delivery<T>> group) {
    List<List<SequenceRange>> frames = Ranges.frames(group.stream().mapToLong(d -> d.sequence).toArray());
    for (List<SequenceRange> ranges : frames) {
      List<Delivery<T>> those = frames.size() == 1 ? group : named(group, ranges);
      number++;
      SubscribeRequest.Settle.Builder settle = settlement.frame().setNumber(number).addAllRanges(ranges);
      send(SubscribeRequest.newBuilder().setSettle(settle).build(), those);
    }
  }

  private static <T> List<Delivery<T>> named(List<Delivery<T>> group, List<SequenceRange> ranges) {
    Set<Long> named = new HashSet<>();
    Ranges.forEach(ranges, named::add);
    return group.stream().filter(d -> named.contains(d.sequence)).collect(Collectors.toList());
  }

  /** Has leases extended, if the server takes more. */
  void extend(long[] sequences) {
    for (List<SequenceRange> ranges : Ranges.frames(sequences)) {
      SubscribeRequest.Extend.Builder extend =
          SubscribeRequest.Extend.newBuilder().setNumber(++number).addAllRanges(ranges);
      send(SubscribeRequest.newBuilder().setExtend(extend).build(), List.of());
    }
  }

  boolean full(int maxUnconfirmed) {
    return unconfirmed.size() >= maxUnconfirmed;
  }

  private void send(SubscribeRequest frame, List<Delivery<T>> settled) {
    unconfirmed.put(number, new Sent<>(frame, settled));
    ready.add(frame);
  }

  /** Sends everything again that is not confirmed, under the same numbers. */
  void resend() {
    ready.clear();
    unconfirmed.values().forEach(sent -> ready.add(sent.frame));
  }

  /** Takes a confirmation: gives what is settled to {@code end}, and tells how many deliveries were stale. */
  int confirm(SubscribeResponse.SettleResult frame, Consumer<Delivery<T>> end) {
    Map<Long, Map<Long, HeadraceException>> failed = failures(frame);
    int stale = 0;
    for (Iterator<Map.Entry<Long, Sent<T>>> i = unconfirmed.entrySet().iterator(); i.hasNext(); ) {
      Map.Entry<Long, Sent<T>> entry = i.next();
      if (entry.getKey() > frame.getConfirmedThrough()) {
        break;
      }
      i.remove();
      Map<Long, HeadraceException> failures = failed.getOrDefault(entry.getKey(), Map.of());
      stale += failures.size();
      for (Delivery<T> delivery : entry.getValue().settled) {
        delivery.confirm(failures.get(delivery.sequence));
        end.accept(delivery);
      }
    }
    return stale;
  }

  private static Map<Long, Map<Long, HeadraceException>> failures(SubscribeResponse.SettleResult frame) {
    Map<Long, Map<Long, HeadraceException>> failed = new LinkedHashMap<>();
    for (SubscribeResponse.SettleFailure failure : frame.getFailuresList()) {
      if (failure.getReason() == ErrorReason.ERROR_REASON_LEASE_CAPPED) {
        continue; // It was extended, as far as it goes.
      }
      HeadraceException e =
          Errors.ofItem("the settle did not apply", failure.getReason(), failure.getReasonValue(), "", 0);
      Map<Long, HeadraceException> ofNumber = failed.computeIfAbsent(failure.getNumber(), n -> new LinkedHashMap<>());
      Ranges.forEach(failure.getRangesList(), sequence -> ofNumber.put(sequence, e));
    }
    return failed;
  }

  /** Begins anew, and gives the deliveries of which nobody knows whether they are settled. */
  List<Delivery<T>> forget() {
    List<Delivery<T>> open = new ArrayList<>();
    unconfirmed.values().forEach(sent -> open.addAll(sent.settled));
    groups.values().forEach(open::addAll);
    groups.clear();
    unconfirmed.clear();
    ready.clear();
    number = 0;
    grouped = 0;
    return open;
  }
}
