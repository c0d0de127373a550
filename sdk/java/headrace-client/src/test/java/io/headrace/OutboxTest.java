package io.headrace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.headrace.v1.ErrorReason;
import io.headrace.v1.PublishFailure;
import io.headrace.v1.PublishLimits;
import io.headrace.v1.PublishStreamRequest;
import io.headrace.v1.PublishStreamResponse;
import io.headrace.v1.PublishedRun;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What was accepted for publishing: batches, windows, and rule 17, without a server. */
class OutboxTest {
  private static final PublishSettings ONE_A_BATCH = PublishSettings.defaults().batch(1, 1 << 20, Duration.ofMillis(1));

  private final Room room = new Room(1 << 20, 1 << 30);
  private final List<CompletableFuture<MessageId>> results = new ArrayList<>();
  private Outbox outbox = opened(PublishSettings.defaults(), false);
  private long now;

  private Outbox opened(PublishSettings settings, boolean lasting) {
    Outbox outbox = new Outbox(room, settings, lasting);
    outbox.begin(PublishLimits.getDefaultInstance());
    return outbox;
  }

  private void accept() {
    accept(1);
  }

  private void accept(int bytes) {
    CompletableFuture<MessageId> result = new CompletableFuture<>();
    results.add(result);
    outbox.accept(new Entry("orders", message(bytes), result), now);
  }

  private static Message message(int bytes) {
    return Message.of(new byte[bytes]);
  }

  /** Takes a batch: its first sequence and its messages; null: none. */
  private List<Long> take() {
    PublishFrame frame = outbox.take(now);
    if (frame == null) {
      return null;
    }
    PublishStreamRequest.PublishBatch batch = PublishFrameTest.parsed(frame).getPublishBatch();
    return List.of(batch.getFirstSequence(), (long) batch.getMessagesCount());
  }

  private void stored(long through, long first, long offset, int count) {
    outbox.resolve(
        PublishStreamResponse.PublishResult.newBuilder()
            .setTopic("orders")
            .setThroughSequence(through)
            .addRuns(PublishedRun.newBuilder().setFirstSequence(first).setFirstOffset(offset).setCount(count))
            .build());
  }

  private void failed(long sequence, ErrorReason reason) {
    outbox.resolve(
        PublishStreamResponse.PublishResult.newBuilder()
            .setTopic("orders")
            .setThroughSequence(sequence)
            .addFailures(PublishFailure.newBuilder().setFirstSequence(sequence).setCount(1).setReason(reason))
            .build());
  }

  private void lookedUp(long next) {
    outbox.lookedUp(PublishStreamResponse.LookedUp.newBuilder().setTopic("orders").setNextSequence(next).build());
  }

  private String result(int n) {
    return results.get(n).handle((id, e) -> e == null ? id.toString() : ((HeadraceException) e).reason()).getNow("");
  }

  @Test
  void aLoneMessageNeverWaitsAndCompanyWaitsForTheDelay() {
    accept();
    assertEquals(List.of(1L, 1L), take());
    accept();
    accept();
    assertNull(take());
    assertEquals(1_000_000, outbox.waitNanos());
    now = 1_000_000;
    assertEquals(List.of(2L, 2L), take());
  }

  @Test
  void resultsReachTheirMessages() {
    accept();
    accept();
    take();
    stored(2, 1, 10, 2);
    assertEquals(List.of("0-10", "0-11"), List.of(result(0), result(1)));
    assertTrue(outbox.isEmpty());
  }

  @Test
  void aMessageLeavesItsRoomOnceWhateverBecomesOfItsFuture() {
    Room one = new Room(1, 1 << 20);
    outbox = new Outbox(one, PublishSettings.defaults(), false);
    outbox.begin(PublishLimits.getDefaultInstance());
    assertTrue(one.enter(5, false));
    assertFalse(one.enter(5, false));
    accept();
    results.get(0).cancel(false); // The message goes its way.
    assertEquals(List.of(1L, 1L), take());
    stored(1, 1, 0, 1);
    assertTrue(one.enter(5, false));
    assertFalse(one.enter(5, false));
  }

  @Test
  void aBatchThatWaitsSaysHowMuchItMisses() {
    outbox = opened(PublishSettings.defaults().batch(10, 1_000, Duration.ofMillis(1)), false);
    accept();
    take();
    accept(500); // With tags and lengths 506 bytes.
    assertNull(take());
    assertEquals(494, outbox.missing());
    for (int n = 0; n < 7; n++) {
      accept(1);
    }
    assertNull(take());
    assertEquals(200, outbox.missing()); // Two messages of a tenth.
  }

  @Test
  void nothingIsSentBeyondTheWindow() {
    outbox = opened(PublishSettings.defaults().batch(10_000, 1 << 30, Duration.ofMillis(1)), false);
    for (int n = 0; n < Outbox.FIRST_WINDOW_MESSAGES + 5; n++) {
      accept();
    }
    assertEquals(List.of(1L, Outbox.FIRST_WINDOW_MESSAGES), take());
    assertNull(take());
    outbox.raise(
        PublishStreamResponse.PublishWindow.newBuilder()
            .setThroughMessages(Outbox.FIRST_WINDOW_MESSAGES + 2)
            .setThroughBytes(1 << 30)
            .build());
    now = 1_000_000;
    assertEquals(List.of(1_001L, 2L), take());
  }

  @Test
  void rule17WhatIsStoredIsNotSentAgain() {
    outbox = opened(ONE_A_BATCH, false);
    for (int n = 0; n < 3; n++) {
      accept();
      take();
    }
    outbox.begin(PublishLimits.getDefaultInstance());
    PublishStreamRequest question = outbox.question();
    assertNotNull(question);
    assertEquals(1, question.getLookUp().getFirstSequence());
    assertNull(take());
    stored(1, 1, 0, 1);
    lookedUp(2);
    assertEquals(List.of(2L, 1L), take());
    assertEquals(List.of(3L, 1L), take());
    stored(3, 2, 1, 2);
    assertEquals(List.of("0-0", "0-1", "0-2"), List.of(result(0), result(1), result(2)));
  }

  @Test
  void rule17WhatTheServerForgotIsTold() {
    outbox = opened(ONE_A_BATCH, false);
    accept();
    take();
    stored(1, 1, 0, 1);
    accept();
    take();
    outbox.begin(PublishLimits.getDefaultInstance());
    outbox.question();
    lookedUp(1);
    assertEquals("OUTCOME_FORGOTTEN", result(1));
    accept();
    assertEquals(List.of(1L, 1L), take());
  }

  @Test
  void rule17ABatchThatFailedAsAWholeUsesUpNoSequence() {
    outbox = opened(ONE_A_BATCH, false);
    accept();
    take();
    accept();
    take();
    accept();
    failed(1, ErrorReason.ERROR_REASON_DISK_FULL);
    assertNull(take());
    failed(2, ErrorReason.ERROR_REASON_DISK_FULL);
    assertEquals(List.of(1L, 1L), take());
    assertEquals("DISK_FULL", result(0));
  }

  @Test
  void rule17ALastingProducerAsksBeforeItSends() {
    outbox = opened(ONE_A_BATCH, true);
    accept();
    assertNull(take());
    assertNotNull(outbox.question());
    lookedUp(41);
    assertEquals(List.of(41L, 1L), take());
  }

  @Test
  void whatTheServerTakesInNoTopicFailsAloneAndBatchesKeepWithinItsLimits() {
    outbox.begin(
        PublishLimits.newBuilder().setMaxMessageBytes(100).setMaxBatchMessages(2).setMaxBatchBytes(1_000).build());
    accept(200);
    accept(10);
    accept(10);
    accept(10);
    assertEquals(List.of(1L, 2L), take());
    assertEquals("MESSAGE_TOO_LARGE", result(0));
    now = 1_000_000;
    assertEquals(List.of(3L, 1L), take());
    accept(200);
    now = 2_000_000;
    assertNull(take());
    assertEquals("MESSAGE_TOO_LARGE", result(4));
  }

  @Test
  void aFlushWaitsForWhatWasThereBeforeIt() {
    accept();
    take();
    accept();
    CompletableFuture<Void> flushed = new CompletableFuture<>();
    outbox.flush(null, new Flush(flushed));
    CompletableFuture<Void> other = new CompletableFuture<>();
    outbox.flush("another topic", new Flush(other));
    assertTrue(other.isDone());
    assertEquals(List.of(2L, 1L), take());
    accept();
    stored(1, 1, 0, 1);
    assertFalse(flushed.isDone());
    stored(2, 2, 1, 1);
    assertTrue(flushed.isDone());
  }
}
