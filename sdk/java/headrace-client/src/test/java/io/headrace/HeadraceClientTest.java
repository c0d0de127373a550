package io.headrace;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.headrace.v1.DeadLetter;
import io.headrace.v1.DeadLetterFilter;
import io.headrace.v1.DeliveryOrder;
import io.headrace.v1.StartPosition;
import io.headrace.v1.Subscription;
import io.headrace.v1.SubscriptionMode;
import io.headrace.v1.SubscriptionStats;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The client against the real server. */
@Timeout(120)
class HeadraceClientTest {
  private static final String ODD = "\0 'quoted' \u2603 \uD83E\uDD80\n\t\"/\\";

  @TempDir Path directory;
  private Server server;
  private HeadraceClient client;
  private Topic orders;

  @BeforeEach
  void start() {
    server = new Server(directory);
    client = HeadraceClient.connect(server.address());
    client.topics().create("orders");
    subscribe("billing", DeliveryOrder.DELIVERY_ORDER_NONE, SubscriptionMode.SUBSCRIPTION_MODE_SHARED);
    orders = client.topic("orders");
  }

  @AfterEach
  void stop() throws InterruptedException {
    client.close();
    server.close();
  }

  private void subscribe(String name, DeliveryOrder order, SubscriptionMode mode) {
    Subscription subscription =
        Subscription.newBuilder().setName(name).setTopic("orders").setOrder(order).setMode(mode).build();
    client.subscriptions().create(subscription, StartPosition.getDefaultInstance());
  }

  private void publish(String... payloads) {
    for (String payload : payloads) {
      orders.publish(payload.getBytes(UTF_8)).join();
    }
  }

  private List<Delivery<byte[]>> receive(int count) throws InterruptedException {
    List<Delivery<byte[]>> got = new ArrayList<>();
    try (Deliveries<byte[]> deliveries = client.deliveries("billing", SubscribeSettings.defaults())) {
      while (got.size() < count) {
        Delivery<byte[]> d = deliveries.take().orElseThrow();
        d.ack();
        got.add(d);
      }
    }
    return got;
  }

  private static String text(Delivery<byte[]> d) {
    return new String(d.payload(), UTF_8);
  }

  private SubscriptionStats stats() {
    return client.subscriptions().stats("billing");
  }

  private static HeadraceException failure(CompletableFuture<?> future) {
    return assertInstanceOf(HeadraceException.class, assertThrows(CompletionException.class, future::join).getCause());
  }

  @Test
  void whatIsPublishedIsReceivedWhole() throws InterruptedException {
    Message sent =
        Message.builder().data(new byte[] {0, -1}).attribute(ODD, ODD).orderingKey(ODD).contentType("text/plain").build();
    MessageId id = orders.publish(sent).join();
    Delivery<byte[]> d = receive(1).get(0);
    assertArrayEquals(new byte[] {0, -1}, d.payload());
    assertEquals(Map.of(ODD, ODD), d.attributes());
    assertEquals(List.of(ODD, "text/plain", id.toString(), 1), List.of(d.orderingKey(), d.contentType(), d.id(), d.attempt()));
    assertTrue(d.publishTime().isAfter(Instant.now().minusSeconds(120)));
    assertEquals(0, stats().getBacklog().getMessages());
  }

  @Test
  void typedPayloadsAreParsed() throws InterruptedException {
    io.headrace.v1.Position sent = io.headrace.v1.Position.newBuilder().setPartition(3).setOffset(4).build();
    client.topic("orders", io.headrace.v1.Position.parser()).publish("key", sent).join();
    CompletableFuture<io.headrace.v1.Position> got = new CompletableFuture<>();
    try (Subscriber s =
        client.subscribe("billing", io.headrace.v1.Position.parser(), d -> got.complete(d.payload())).start()) {
      assertEquals(sent, got.join());
    }
    publish("no position");
    try (Deliveries<io.headrace.v1.Position> deliveries =
        client.deliveries("billing", io.headrace.v1.Position.parser(), SubscribeSettings.defaults())) {
      Delivery<io.headrace.v1.Position> d = deliveries.take().orElseThrow();
      assertThrows(IllegalArgumentException.class, d::payload);
      d.ack();
    }
  }

  @Test
  void tenThousandMessagesInOrder() throws InterruptedException {
    List<CompletableFuture<MessageId>> ids =
        IntStream.range(0, 10_000).mapToObj(n -> orders.publish(("" + n).getBytes(UTF_8))).collect(Collectors.toList());
    for (int n = 0; n < ids.size(); n++) {
      assertEquals("0-" + n, ids.get(n).join().toString());
    }
    List<Delivery<byte[]>> got = receive(10_000);
    for (int n = 0; n < got.size(); n++) {
      assertEquals("" + n, text(got.get(n)));
    }
    assertEquals(0, stats().getBacklog().getMessages());
  }

  @Test
  void oneWayMessagesArrive() throws InterruptedException {
    orders.publishOneWay(Message.of("nobody asks".getBytes(UTF_8)));
    client.flush().join();
    assertEquals("nobody asks", text(receive(1).get(0)));
  }

  @Test
  void aDuplicateIsTold() {
    Message message = Message.builder().data(new byte[] {1}).dedupeId("a").build();
    MessageId first = orders.publish(message).join();
    MessageId second = orders.publish(message).join();
    assertEquals(first.position(), second.position());
    assertFalse(first.duplicate());
    assertTrue(second.duplicate());
    HeadraceException e = failure(orders.publish(Message.builder().data(new byte[] {2}).dedupeId("a").build()));
    assertInstanceOf(HeadraceException.AlreadyExists.class, e);
    assertEquals("DEDUPE_CONFLICT", e.reason());
  }

  @Test
  void aMessageOneByteTooLargeFailsAlone() {
    client.topics().create(io.headrace.v1.Topic.newBuilder().setName("small").setMaxMessageBytes(1_000).build());
    Topic small = client.topic("small");
    CompletableFuture<MessageId> fits = small.publish(new byte[997]);
    CompletableFuture<MessageId> tooLarge = small.publish(new byte[998]);
    CompletableFuture<MessageId> next = small.publish(new byte[1]);
    assertEquals("0-0", fits.join().toString());
    HeadraceException e = failure(tooLarge);
    assertEquals(List.of("MESSAGE_TOO_LARGE", 1_000L), List.of(e.reason(), e.limit()));
    assertEquals("0-1", next.join().toString());
  }

  @Test
  void errorsHaveTheirClassReasonAndField() {
    assertReason(HeadraceException.NotFound.class, "TOPIC_NOT_FOUND", () -> client.topics().get("nothing"));
    assertReason(
        HeadraceException.AlreadyExists.class, "TOPIC_EXISTS", () -> client.topics().create("orders"));
    assertReason(
        HeadraceException.AlreadyExists.class,
        "SUBSCRIPTION_EXISTS",
        () -> client.subscriptions().create("billing", "orders"));
    assertReason(
        HeadraceException.FailedPrecondition.class, "TOPIC_HAS_SUBSCRIPTIONS", () -> client.topics().delete("orders"));
    HeadraceException e =
        assertReason(HeadraceException.InvalidArgument.class, "INVALID_NAME", () -> client.topics().create("a b"));
    assertEquals(List.of("name", "INVALID_ARGUMENT", false), List.of(e.field(), e.code(), e.retryable()));
    assertEquals("TOPIC_NOT_FOUND", failure(client.topic("nothing").publish(new byte[0])).reason());
    Subscriber nowhere = client.subscribe("nothing", d -> {}).start();
    assertEquals("SUBSCRIPTION_NOT_FOUND", failure(nowhere.ended()).reason());
  }

  private static HeadraceException assertReason(Class<? extends HeadraceException> kind, String reason, Runnable call) {
    HeadraceException e = assertThrows(kind, call::run);
    assertEquals(reason, e.reason());
    return e;
  }

  @Test
  void topicsAndSubscriptionsAreManaged() {
    io.headrace.v1.Topic labelled = io.headrace.v1.Topic.newBuilder().setName("orders").putLabels("team", "a").build();
    assertEquals(Map.of("team", "a"), client.topics().update(labelled, "labels").getLabelsMap());
    assertEquals(1, client.topics().stats("orders").getSubscriptions());
    Subscription.Builder retry = Subscription.newBuilder().setName("billing");
    retry.getRetryBuilder().setMaxAttempts(3);
    assertEquals(3, client.subscriptions().update(retry.build(), "retry.max_attempts").getRetry().getMaxAttempts());
    assertEquals("default/billing", client.subscriptions().list("").get(0).getName());
    client.subscriptions().delete("billing");
    client.topics().delete("orders");
    assertTrue(client.topics().list("-").isEmpty());
  }

  @Test
  void aHandlerThatThrowsRetriesAndWhatIsRejectedIsRedriven() throws InterruptedException {
    publish("bad", "good");
    Set<String> seen = ConcurrentHashMap.newKeySet();
    CountDownLatch done = new CountDownLatch(1);
    try (Subscriber s =
        client
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
    DeadLetter letter = client.subscriptions().deadLetters("billing", DeadLetterFilter.getDefaultInstance()).get(0);
    assertEquals("E7", letter.getFailures(0).getCode());
    List<Long> sequences = List.of(letter.getSequence());
    assertEquals(sequences, client.subscriptions().redriveDeadLetters("billing", sequences));
    assertEquals("bad", text(receive(1).get(0)));
  }

  @Test
  void theOrderOfAKeyIsKeptThroughARetry() throws InterruptedException {
    subscribe("ordered", DeliveryOrder.DELIVERY_ORDER_KEY, SubscriptionMode.SUBSCRIPTION_MODE_SHARED);
    for (int n = 0; n < 60; n++) {
      orders.publish(Message.builder().data(("" + n).getBytes(UTF_8)).orderingKey("key " + n % 3).build());
    }
    client.flush().join();
    Map<String, List<Integer>> done = new ConcurrentHashMap<>();
    CountDownLatch left = new CountDownLatch(60);
    try (Subscriber s =
        client
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
      orders.publish(new byte[] {1});
    }
    client.flush().join();
    receive(1);
    SubscriptionStats stats = stats();
    assertEquals(List.of(99L, 0L, 0L), List.of(stats.getBacklog().getMessages(), stats.getOutstanding().getMessages(), stats.getExpired()));
    assertTrue(receive(99).stream().allMatch(d -> d.attempt() == 1));
  }

  @Test
  void closingEndsAWaitingTake() throws InterruptedException {
    Deliveries<byte[]> deliveries = client.deliveries("billing", SubscribeSettings.defaults());
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
        client
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
    Subscriber refused = client.subscribe("alone", d -> {}).start();
    assertEquals("EXCLUSIVE_SESSION_EXISTS", failure(refused.ended()).reason());
    try (Deliveries<byte[]> second = client.deliveries("alone", SubscribeSettings.defaults().takingOver())) {
      second.take().orElseThrow().ackConfirmed().join();
    }
    assertEquals("TAKEOVER", lost.join());
    assertEquals("TAKEN_OVER", failure(first.ended()).reason());
  }

  @Test
  void killingTheServerLosesAndRepeatsNothingPublished() throws InterruptedException {
    List<CompletableFuture<MessageId>> ids = new ArrayList<>();
    for (int n = 0; n < 3_000; n++) {
      ids.add(orders.publish(("" + n).getBytes(UTF_8)));
      if (n == 1_000 || n == 2_000) {
        server.kill();
        server.start();
      }
    }
    for (int n = 0; n < ids.size(); n++) {
      assertEquals("0-" + n, ids.get(n).join().toString());
    }
    assertEquals(3_000, receive(3_000).stream().map(Delivery::id).distinct().count());
  }

  @Test
  void aDrainingServerChargesNoAttempt() throws InterruptedException {
    for (int n = 0; n < 200; n++) {
      orders.publish(new byte[] {1});
    }
    client.flush().join();
    Set<String> ids = ConcurrentHashMap.newKeySet();
    Set<Integer> attempts = ConcurrentHashMap.newKeySet();
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch left = new CountDownLatch(200);
    try (Subscriber s =
        client
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
      assertEquals(0, server.terminate());
      server.start();
      assertTrue(left.await(60, TimeUnit.SECONDS));
    }
    assertEquals(Set.of(1), attempts);
    assertEquals(List.of(0L, 0L), List.of(stats().getBacklog().getMessages(), stats().getExpired()));
  }

  @Test
  void aFlowSubscriberGetsWhatItRequests() throws InterruptedException {
    publish("a", "b", "c", "d", "e");
    List<String> got = Collections.synchronizedList(new ArrayList<>());
    CompletableFuture<Flow.Subscription> subscribed = new CompletableFuture<>();
    CountDownLatch two = new CountDownLatch(2);
    CountDownLatch five = new CountDownLatch(5);
    client
        .publisher("billing", SubscribeSettings.defaults())
        .subscribe(
            new Flow.Subscriber<Delivery<byte[]>>() {
              @Override
              public void onSubscribe(Flow.Subscription subscription) {
                subscription.request(2);
                subscribed.complete(subscription);
              }

              @Override
              public void onNext(Delivery<byte[]> d) {
                got.add(text(d));
                d.ack();
                two.countDown();
                five.countDown();
              }

              @Override
              public void onError(Throwable error) {
                got.add(error.toString());
              }

              @Override
              public void onComplete() {
                got.add("complete");
              }
            });
    assertTrue(two.await(20, TimeUnit.SECONDS), () -> got + " " + stats());
    while (stats().getSessions(0).getBlockedByCount() == 0) {
      Thread.onSpinWait();
    }
    assertEquals(List.of("a", "b"), got);
    subscribed.join().request(3);
    assertTrue(five.await(60, TimeUnit.SECONDS));
    assertEquals(List.of("a", "b", "c", "d", "e"), got);
    subscribed.join().cancel();
  }

  @Test
  void whatIsRequestedBeforeThereIsASubscriberWaits() throws InterruptedException {
    publish("a");
    CountDownLatch got = new CountDownLatch(1);
    client
        .publisher("billing", SubscribeSettings.defaults())
        .subscribe(
            new Flow.Subscriber<Delivery<byte[]>>() {
              @Override
              public void onSubscribe(Flow.Subscription subscription) {
                subscription.request(1);
                client.flush().join(); // The client's thread has seen the request.
                stats();
                stats();
              }

              @Override
              public void onNext(Delivery<byte[]> d) {
                d.ack();
                got.countDown();
              }

              @Override
              public void onError(Throwable error) {}

              @Override
              public void onComplete() {}
            });
    assertTrue(got.await(60, TimeUnit.SECONDS));
    assertEquals(0, stats().getReleased());
  }

  @Test
  void aServerThatCannotBeReachedIsTold() {
    try (HeadraceClient nowhere =
        HeadraceClient.builder("127.0.0.1:1").connectTimeout(Duration.ofMillis(200)).build()) {
      HeadraceException e = failure(nowhere.topic("orders").publish(new byte[0]));
      assertEquals(List.of("UNREACHABLE", true), List.of(e.reason(), e.retryable()));
      assertEquals("UNREACHABLE", failure(nowhere.subscribe("billing", d -> {}).start().ended()).reason());
    }
  }

  @Test
  void aFullBufferIsAnErrorWhenAskedFor() {
    PublishSettings tight = PublishSettings.defaults().maxPending(1, 1 << 20).failWhenFull();
    try (HeadraceClient small = HeadraceClient.builder(server.address()).publish(tight).build()) {
      Topic topic = small.topic("orders");
      CompletableFuture<MessageId> accepted = topic.publish(new byte[1]);
      HeadraceException e =
          assertThrows(
              HeadraceException.class,
              () -> {
                while (true) {
                  topic.publish(new byte[1]);
                }
              });
      assertEquals("BUFFER_FULL", e.reason());
      accepted.join();
    }
  }
}
