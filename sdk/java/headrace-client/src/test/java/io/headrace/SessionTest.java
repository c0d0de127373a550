package io.headrace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.headrace.v1.ErrorReason;
import io.headrace.v1.Feature;
import io.headrace.v1.Message;
import io.headrace.v1.PositionRun;
import io.headrace.v1.RevokeReason;
import io.headrace.v1.SequenceRange;
import io.headrace.v1.SubscribeRequest;
import io.headrace.v1.SubscribeResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** What one session holds: rules 5, 6, 8, 11 and 13, without a server. */
class SessionTest {
  private static final long SECOND = Duration.ofSeconds(1).toNanos();
  private static final Feature[] ALL = {Feature.FEATURE_STARTED, Feature.FEATURE_RESUME, Feature.FEATURE_RECALL};

  private final Session<byte[]> session =
      new Session<>((d, settlement, confirmed) -> {}, null, 1_000, null);

  private List<Delivery<byte[]>> opened(String id, List<SequenceRange> kept, Feature... features) {
    SubscribeResponse.Opened.Builder opened = SubscribeResponse.Opened.newBuilder().setSessionId(id);
    opened.addAllFeatures(List.of(features)).getLimitsBuilder().getLeaseBuilder().setSeconds(30);
    if (kept != null) {
      opened.getResumedBuilder().addAllKept(kept).setNextSequence(100);
    }
    return session.opened(opened.build());
  }

  private List<Delivery<byte[]>> deliver(long first, int count) {
    return session.batch(
        SubscribeResponse.Batch.newBuilder()
            .setFirstSequence(first)
            .addAllMessages(Collections.nCopies(count, Message.getDefaultInstance()))
            .addRuns(PositionRun.newBuilder().setPartition(1).setFirstOffset(first - 1).setCount(count))
            .build(),
        0);
  }

  private void settle(Delivery<byte[]> d, Settlement settlement) {
    session.settle(d, settlement, null, 0);
  }

  private CompletableFuture<Void> ackConfirmed(Delivery<byte[]> d) {
    CompletableFuture<Void> confirmed = new CompletableFuture<>();
    session.settle(d, Settlement.ACK, confirmed, 0);
    return confirmed;
  }

  private static Throwable failure(CompletableFuture<?> future) {
    return assertThrows(CompletionException.class, future::join).getCause();
  }

  private List<String> sent(long now) {
    List<String> all = new ArrayList<>();
    for (SubscribeRequest frame = session.nextFrame(now, true); frame != null; frame = session.nextFrame(now, true)) {
      all.add(describe(frame));
    }
    return all;
  }

  private static String describe(SubscribeRequest frame) {
    switch (frame.getFrameCase()) {
      case SETTLE:
        String verdict = frame.getSettle().getVerdict().name().substring("VERDICT_".length());
        return frame.getSettle().getNumber() + " " + verdict + " " + ranges(frame.getSettle().getRangesList());
      case EXTEND:
        return frame.getExtend().getNumber() + " EXTEND " + ranges(frame.getExtend().getRangesList());
      case STARTED:
        return "STARTED " + ranges(frame.getStarted().getRangesList());
      default:
        return frame.getFrameCase().name();
    }
  }

  private static String ranges(List<SequenceRange> ranges) {
    return ranges.stream().map(r -> r.getFirst() + "-" + r.getLast()).collect(Collectors.joining(","));
  }

  private static SequenceRange range(long first, long last) {
    return SequenceRange.newBuilder().setFirst(first).setLast(last).build();
  }

  private void confirm(long through, long staleNumber, long staleSequence) {
    SubscribeResponse.SettleResult.Builder result = SubscribeResponse.SettleResult.newBuilder().setConfirmedThrough(through);
    if (staleNumber > 0) {
      result.addFailures(
          SubscribeResponse.SettleFailure.newBuilder()
              .setNumber(staleNumber)
              .setReason(ErrorReason.ERROR_REASON_STALE_DELIVERY)
              .addRanges(range(staleSequence, staleSequence)));
    }
    session.result(result.build());
  }

  @Test
  void rule6SettlesAreNumberedAndGroupedAsRanges() {
    opened("first", null);
    List<Delivery<byte[]>> d = deliver(1, 4);
    settle(d.get(1), Settlement.ACK);
    settle(d.get(0), Settlement.ACK);
    settle(d.get(3), Settlement.ACK);
    settle(d.get(2), Settlement.retry(null, "", ""));
    settle(d.get(2), Settlement.ACK); // Settled already.
    assertEquals(List.of("1 ACK 1-2,4-4", "2 RETRY 3-3"), sent(0));
    assertTrue(session.settling());
    confirm(2, 0, 0);
    assertFalse(session.settling());
    assertTrue(session.holdsNothing());
  }

  @Test
  void aSettleWaitsForCompanyButNotLong() {
    opened("first", null);
    Delivery<byte[]> d = deliver(1, 1).get(0);
    settle(d, Settlement.ACK);
    assertNull(session.nextFrame(1, false));
    assertEquals(Settles.COMPANY_NANOS - 1, session.waitNanos(1));
    assertNotNull(session.nextFrame(Settles.COMPANY_NANOS, false));
  }

  @Test
  void confirmationsAndFailuresReachThoseWhoWait() {
    opened("first", null);
    List<Delivery<byte[]>> d = deliver(1, 2);
    CompletableFuture<Void> first = ackConfirmed(d.get(0));
    CompletableFuture<Void> second = ackConfirmed(d.get(1));
    assertInstanceOf(HeadraceException.StaleDelivery.class, failure(ackConfirmed(d.get(0)))); // Settled already.
    sent(0);
    confirm(1, 1, 2);
    first.join();
    assertInstanceOf(HeadraceException.StaleDelivery.class, failure(second));
  }

  @Test
  void rule8StartedIsToldAndOnlyStartedLeasesAreExtended() {
    opened("first", null, ALL);
    Delivery<byte[]> a = deliver(1, 2).get(0);
    assertTrue(session.start(a, SECOND));
    assertEquals(List.of(), sent(SECOND));
    assertEquals(Session.STARTED_NANOS, session.waitNanos(SECOND));
    assertEquals(List.of("STARTED 1-1"), sent(SECOND + Session.STARTED_NANOS));
    assertEquals(List.of(), sent(11 * SECOND - 1));
    assertEquals(List.of("1 EXTEND 1-1"), sent(11 * SECOND));
  }

  @Test
  void rule8WhatIsSettledAtOnceIsNotToldToHaveBegun() {
    opened("first", null, ALL);
    List<Delivery<byte[]>> d = deliver(1, 2);
    session.start(d.get(0), 0);
    settle(d.get(0), Settlement.ACK);
    assertEquals(List.of("1 ACK 1-1"), sent(Session.STARTED_NANOS));
    session.start(d.get(1), SECOND);
    session.recall(List.of(range(2, 2)), SECOND);
    assertEquals(List.of("STARTED 2-2"), sent(SECOND)); // Who asks for it back is told at once.
  }

  @Test
  void settlesGoWhenTheyAreHalfOfTheWindowOfNow() {
    opened("first", null);
    List<Delivery<byte[]>> d = deliver(1, 3);
    settle(d.get(0), Settlement.ACK);
    settle(d.get(1), Settlement.ACK);
    assertNull(session.nextFrame(0, false));
    session.window(4);
    assertEquals("1 ACK 1-2", describe(session.nextFrame(0, false)));
    settle(d.get(2), Settlement.ACK);
    assertNull(session.nextFrame(0, false));
    session.window(1);
    assertEquals("2 ACK 3-3", describe(session.nextFrame(0, false)));
  }

  @Test
  void rule13TheSessionCountsOnBehindWhatABrokenStreamTookAlong() {
    opened("first", null, ALL);
    deliver(1, 3);
    opened("first", List.of(range(1, 3)), ALL);
    assertEquals(99, session.receivedThrough());
  }

  @Test
  void rule8WithoutStartedTheLeaseRunsFromTheDelivery() {
    opened("first", null);
    deliver(1, 2);
    assertEquals(List.of("1 EXTEND 1-2"), sent(10 * SECOND));
  }

  @Test
  void rule11ARecallTakesWhatIsNotStarted() {
    opened("first", null, ALL);
    List<Delivery<byte[]>> d = deliver(1, 3);
    session.start(d.get(0), 0);
    settle(d.get(1), Settlement.ACK);
    session.recall(List.of(range(1, 3)), 0);
    assertEquals(List.of("STARTED 1-1", "1 ACK 2-2", "2 RELEASE 3-3"), sent(0));
  }

  @Test
  void rule11WhatIsRevokedIsLostAndSettlesNothing() {
    opened("first", null, ALL);
    List<Delivery<byte[]>> d = deliver(1, 2);
    List<Delivery<byte[]>> lost =
        session.revoked(
            SubscribeResponse.Revoked.newBuilder()
                .setReason(RevokeReason.REVOKE_REASON_TAKEOVER)
                .addRanges(range(1, 1))
                .build());
    assertEquals(List.of(d.get(0)), lost);
    assertEquals("TAKEOVER", d.get(0).lost().orElseThrow());
    d.forEach(x -> settle(x, Settlement.ACK));
    assertEquals(List.of("1 ACK 2-2"), sent(0));
  }

  @Test
  void rule13AResumeNamesWhatIsNotConfirmedAndCountsOn() {
    opened("first", null, ALL);
    List<Delivery<byte[]>> d = deliver(1, 3);
    settle(d.get(0), Settlement.ACK);
    sent(0);
    confirm(1, 0, 0);
    settle(d.get(1), Settlement.ACK);
    sent(0);
    SubscribeRequest.Resume resume = session.resume();
    assertNotNull(resume);
    assertEquals(3, resume.getReceivedThrough());
    assertEquals("2-3", ranges(resume.getHoldingList()));
    assertEquals(List.of(d.get(2)), opened("first", List.of(range(2, 2)), ALL));
    assertEquals(List.of("2 ACK 2-2"), sent(0)); // The same frame again.
    settle(deliver(100, 1).get(0), Settlement.ACK);
    assertEquals(List.of("3 ACK 100-100"), sent(0));
  }

  @Test
  void rule13AResumeNamesNoMoreThanAFrameMay() {
    opened("first", null, ALL);
    List<Delivery<byte[]>> d = deliver(1, 30_000);
    for (int i = 1; i < d.size(); i += 2) {
      settle(d.get(i), Settlement.ACK);
    }
    sent(0);
    confirm(2, 0, 0);
    SubscribeRequest.Resume resume = session.resume();
    assertNotNull(resume);
    assertEquals(10_000, resume.getHoldingCount());
    assertEquals(range(19_999, 19_999), resume.getHolding(9_999));
  }

  @Test
  void rule13WithoutResumedItIsANewSession() {
    opened("first", null, ALL);
    List<Delivery<byte[]>> d = deliver(1, 2);
    CompletableFuture<Void> acked = ackConfirmed(d.get(0));
    sent(0);
    assertEquals(List.of(d.get(1)), opened("second", null, ALL));
    assertInstanceOf(HeadraceException.UnknownOutcome.class, failure(acked));
    settle(deliver(1, 1).get(0), Settlement.ACK);
    assertEquals(List.of("1 ACK 1-1"), sent(0));
  }

  @Test
  void rule13AServerThatDoesNotResumeIsNotAsked() {
    opened("first", null);
    deliver(1, 1);
    assertNull(session.resume());
  }
}
