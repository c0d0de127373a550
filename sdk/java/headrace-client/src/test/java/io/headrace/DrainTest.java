package io.headrace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.headrace.v1.Message;
import io.headrace.v1.PositionRun;
import io.headrace.v1.SubscribeRequest;
import io.headrace.v1.SubscribeResponse;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** How a session comes to its end, without a server. */
class DrainTest {
  private final Session<byte[]> session = new Session<>((d, settlement, confirmed) -> {}, null, 1_000, null);
  private final Drain drain = new Drain(session, SubscribeSettings.defaults());

  private Delivery<byte[]> deliver() {
    return session
        .batch(
            SubscribeResponse.Batch.newBuilder()
                .setFirstSequence(1)
                .addMessages(Message.getDefaultInstance())
                .addRuns(PositionRun.newBuilder().setPartition(1).setCount(1))
                .build(),
            0)
        .get(0);
  }

  private void settle(Delivery<byte[]> delivery) {
    session.settle(delivery, Settlement.ACK, null, 0);
    session.nextFrame(0, true);
  }

  private void confirm() {
    session.result(SubscribeResponse.SettleResult.newBuilder().setConfirmedThrough(1).build());
  }

  /** The grace of the next frame. */
  private static Duration grace(Drain drain) {
    SubscribeRequest frame = drain.nextFrame();
    return frame == null ? null : Durations.of(frame.getDrain().getGrace(), Duration.ZERO);
  }

  private static Drain stopped(SubscribeSettings settings) {
    Drain drain = new Drain(new Session<>((d, settlement, confirmed) -> {}, null, 1, null), settings);
    drain.stop();
    return drain;
  }

  @Test
  void untilAStopASessionGoesOn() {
    assertFalse(drain.stopped());
    assertFalse(drain.worksOff());
    assertFalse(drain.hurries());
    assertNull(drain.nextFrame());
    assertFalse(drain.done());
    assertFalse(drain.leaves());
  }

  @Test
  void aStopIsToldOnceOnEachStream() {
    assertTrue(drain.stop());
    assertFalse(drain.stop());
    assertEquals(Duration.ofSeconds(31), grace(drain));
    assertNull(grace(drain));
    drain.opened();
    assertEquals(Duration.ofSeconds(31), grace(drain));
    assertNull(grace(drain));
  }

  @Test
  void theServerWaitsALittleLongerThanTheClient() {
    SubscribeSettings settings = SubscribeSettings.defaults();
    assertEquals(Duration.ofSeconds(1), grace(stopped(settings.releasingOnStop())));
    assertEquals(Duration.ofSeconds(1), grace(stopped(settings.drainTimeout(Duration.ZERO))));
    assertEquals(Duration.ofHours(12), grace(stopped(settings.drainTimeout(Duration.ofHours(12)))));
    assertEquals(0, stopped(settings.releasingOnStop()).nanos());
  }

  @Test
  void afterAStopNothingIsAskedForOnAnyStream() {
    drain.stop();
    assertTrue(drain.worksOff());
    drain.opened();
    assertTrue(drain.worksOff());
  }

  @Test
  void ofAServerThatLeavesNothingIsAskedForOnThatStream() {
    drain.serverLeaves();
    assertTrue(drain.worksOff());
    assertTrue(drain.hurries());
    assertNull(drain.nextFrame());
    drain.opened();
    assertFalse(drain.worksOff());
    assertFalse(drain.hurries());
  }

  @Test
  void aStoppedStreamIsLeftWhenEverythingCameAndIsConfirmed() {
    Delivery<byte[]> delivery = deliver();
    drain.stop();
    assertFalse(drain.done());
    assertFalse(drain.hurries());
    settle(delivery);
    drain.drained();
    assertTrue(drain.hurries());
    assertFalse(drain.done());
    assertFalse(drain.leaves());
    confirm();
    assertTrue(drain.done());
    assertTrue(drain.leaves());
  }

  @Test
  void whoHoldsNothingIsDoneBeforeTheServerSaysThatNothingMoreComes() {
    drain.stop();
    assertTrue(drain.done());
    assertFalse(drain.leaves());
  }

  @Test
  void theStreamOfAServerThatLeavesIsLeftWhenNothingIsHeld() {
    Delivery<byte[]> delivery = deliver();
    drain.serverLeaves();
    assertFalse(drain.leaves());
    settle(delivery);
    assertFalse(drain.leaves());
    confirm();
    assertTrue(drain.leaves());
    assertFalse(drain.done());
  }
}
