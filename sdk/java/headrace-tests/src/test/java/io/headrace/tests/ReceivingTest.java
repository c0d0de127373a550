package io.headrace.tests;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.headrace.Deliveries;
import io.headrace.Delivery;
import io.headrace.Message;
import io.headrace.SubscribeSettings;
import io.headrace.Subscriber;
import io.headrace.v1.DeadLetter;
import io.headrace.v1.DeadLetterFilter;
import io.headrace.v1.DeliveryOrder;
import io.headrace.v1.SubscriptionMode;
import io.headrace.v1.SubscriptionStats;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Receiving with handlers and one by one, against the real server. */
class ReceivingTest extends ServerTest {
  @Test
  void typedPayloadsAreParsed() throws InterruptedException {
    io.headrace.v1.Position sent = io.headrace.v1.Position.newBuilder().setPartition(3).setOffset(4).build();
    client().topic("orders", io.headrace.v1.Position.parser()).publish("key", sent).join();
    CompletableFuture<io.headrace.v1.Position> got = new CompletableFuture<>();
    try (Subscriber s =
        client().subscribe("billing", io.headrace.v1.Position.parser(), d -> got.complete(d.payload())).start()) {
      assertEquals(sent, got.join());
    }
    publish("no position");
    try (Deliveries<io.headrace.v1.Position> deliveries =
        client().deliveries("billing", io.headrace.v1.Position.parser(), SubscribeSettings.defaults())) {
      Delivery<io.headrace.v1.Position> d = deliveries.take().orElseThrow();
      assertThrows(IllegalArgumentException.class, d::payload);
      d.ack();
    }
  }

  @Test
  void whatDoesNotParseIsRejectedAndComesToNoHandler() {
    publish("no position");
    io.headrace.v1.Position sent = io.headrace.v1.Position.newBuilder().setPartition(3).build();
    client().topic("orders", io.headrace.v1.Position.parser()).publish("key", sent).join();
    CompletableFuture<io.headrace.v1.Position> got = new CompletableFuture<>();
    try (Subscriber s =
        client().subscribe("billing", io.headrace.v1.Position.parser(), d -> got.complete(d.payload())).start()) {
      assertEquals(sent, got.join());
    }
    DeadLetter letter = client().subscriptions().deadLetters("billing").iterator().next();
    assertEquals("UNDECODABLE", letter.getFailures(0).getCode());
  }

  @Test
  void aHandlerThatThrowsRetriesAndWhatIsRejectedIsRedriven() throws InterruptedException {
    publish("bad", "good");
    Set<String> seen = ConcurrentHashMap.newKeySet();
    CountDownLatch done = new CountDownLatch(1);
    try (Subscriber s =
        client()
            .subscribe(
                "billing",
                d -> {
                  seen.add(text(d) + d.attempt());
                  if (text(d).equals("bad")) {
                    d.reject("E7", "hopeless");
                  } else if (d.attempt() == 1) {
                    throw new IllegalStateException("not yet");
                  } else {
                    done.countDown();
                  }
                })
            .concurrency(4)
            .start()) {
      assertTrue(done.await(60, TimeUnit.SECONDS));
    }
    assertEquals(Set.of("bad1", "good1", "good2"), seen);
    DeadLetter letter = client().subscriptions().deadLetters("billing", DeadLetterFilter.getDefaultInstance()).iterator().next();
    assertEquals("E7", letter.getFailures(0).getCode());
    List<Long> sequences = List.of(letter.getSequence());
    assertEquals(sequences, client().subscriptions().redriveDeadLetters("billing", sequences));
    assertEquals("bad", text(receive(1).get(0)));
  }

  @Test
  void theOrderOfAKeyIsKeptThroughARetry() throws InterruptedException {
    subscribe("ordered", DeliveryOrder.DELIVERY_ORDER_KEY, SubscriptionMode.SUBSCRIPTION_MODE_SHARED);
    for (int n = 0; n < 60; n++) {
      orders().publish(Message.builder().data(("" + n).getBytes(UTF_8)).orderingKey("key " + n % 3).build());
    }
    client().flush().join();
    Map<String, List<Integer>> done = new ConcurrentHashMap<>();
    CountDownLatch left = new CountDownLatch(60);
    try (Subscriber s =
        client()
            .subscribe(
                "ordered",
                d -> {
                  if (text(d).equals("6") && d.attempt() == 1) {
                    d.retry(Duration.ofMillis(100), "", "the head of its key fails once");
                    return;
                  }
                  done.computeIfAbsent(d.orderingKey(), k -> Collections.synchronizedList(new ArrayList<>()))
                      .add(Integer.parseInt(text(d)));
                  left.countDown();
                })
            .concurrency(8)
            .start()) {
      assertTrue(left.await(60, TimeUnit.SECONDS));
    }
    for (int k = 0; k < 3; k++) {
      int key = k;
      List<Integer> want = IntStream.range(0, 20).map(n -> 3 * n + key).boxed().collect(Collectors.toList());
      assertEquals(want, done.get("key " + k));
    }
  }

  @Test
  void closingGivesBackWhatWasNotBegun() throws InterruptedException {
    for (int n = 0; n < 100; n++) {
      orders().publish(new byte[] {1});
    }
    client().flush().join();
    receive(1);
    SubscriptionStats stats = stats();
    assertEquals(List.of(99L, 0L, 0L), List.of(stats.getBacklog().getMessages(), stats.getOutstanding().getMessages(), stats.getExpired()));
    assertTrue(receive(99).stream().allMatch(d -> d.attempt() == 1));
  }

  @Test
  void closingEndsAWaitingTake() throws InterruptedException {
    Deliveries<byte[]> deliveries = client().deliveries("billing", SubscribeSettings.defaults());
    CompletableFuture<Boolean> waiting =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                return deliveries.take().isPresent();
              } catch (InterruptedException e) {
                throw new IllegalStateException(e);
              }
            });
    deliveries.close();
    assertFalse(waiting.join());
  }

  @Test
  void aSecondSessionOfAnExclusiveSubscriptionIsRefusedOrTakesOver() throws InterruptedException {
    subscribe("alone", DeliveryOrder.DELIVERY_ORDER_NONE, SubscriptionMode.SUBSCRIPTION_MODE_EXCLUSIVE);
    publish("x");
    CountDownLatch begun = new CountDownLatch(1);
    CompletableFuture<String> lost = new CompletableFuture<>();
    Subscriber first =
        client()
            .subscribe(
                "alone",
                d -> {
                  begun.countDown();
                  try {
                    new CountDownLatch(1).await();
                  } finally {
                    lost.complete(d.lost().orElse(""));
                  }
                })
            .start();
    assertTrue(begun.await(60, TimeUnit.SECONDS));
    Subscriber refused = client().subscribe("alone", d -> {}).start();
    assertEquals("EXCLUSIVE_SESSION_EXISTS", failure(refused.ended()).reason());
    try (Deliveries<byte[]> second = client().deliveries("alone", SubscribeSettings.defaults().takingOver())) {
      second.take().orElseThrow().ackConfirmed().join();
    }
    assertEquals("TAKEOVER", lost.join());
    assertEquals("TAKEN_OVER", failure(first.ended()).reason());
  }

  @Test
  void aDrainingServerChargesNoAttempt() throws InterruptedException {
    for (int n = 0; n < 200; n++) {
      orders().publish(new byte[] {1});
    }
    client().flush().join();
    Set<String> ids = ConcurrentHashMap.newKeySet();
    Set<Integer> attempts = ConcurrentHashMap.newKeySet();
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch left = new CountDownLatch(200);
    try (Subscriber s =
        client()
            .subscribe(
                "billing",
                d -> {
                  begun.countDown();
                  attempts.add(d.attempt());
                  if (ids.add(d.id())) {
                    left.countDown();
                  }
                })
            .concurrency(4)
            .start()) {
      assertTrue(begun.await(60, TimeUnit.SECONDS));
      assertEquals(0, server().terminate());
      server().restart();
      assertTrue(left.await(60, TimeUnit.SECONDS));
    }
    assertEquals(Set.of(1), attempts);
    assertEquals(List.of(0L, 0L), List.of(stats().getBacklog().getMessages(), stats().getExpired()));
  }
}
