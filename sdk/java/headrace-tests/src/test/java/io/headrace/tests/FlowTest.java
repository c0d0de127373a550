package io.headrace.tests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.headrace.Delivery;
import io.headrace.HeadraceClient;
import io.headrace.HeadraceException;
import io.headrace.SubscribeSettings;
import io.headrace.Subscriber;
import io.headrace.v1.DeliveryGuarantee;
import io.headrace.v1.Position;
import io.headrace.v1.Subscription;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Flow;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Receiving as a Flow.Publisher, against the real server. */
class FlowTest extends ServerTest {
  @Test
  void aFlowSubscriberGetsWhatItRequests() throws InterruptedException {
    publish("a", "b", "c", "d", "e");
    List<String> got = Collections.synchronizedList(new ArrayList<>());
    CompletableFuture<Flow.Subscription> subscribed = new CompletableFuture<>();
    CountDownLatch two = new CountDownLatch(2);
    CountDownLatch five = new CountDownLatch(5);
    client()
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
    client()
        .publisher("billing", SubscribeSettings.defaults())
        .subscribe(
            new Flow.Subscriber<Delivery<byte[]>>() {
              @Override
              public void onSubscribe(Flow.Subscription subscription) {
                subscription.request(1);
                client().flush().join(); // The client's thread has seen the request.
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

  /** Requests one after the other, and notes what it hears. */
  private static class Noting<T> implements Flow.Subscriber<Delivery<T>> {
    final BlockingQueue<String> heard = new LinkedBlockingQueue<>();
    final CompletableFuture<Flow.Subscription> subscription = new CompletableFuture<>();
    private final Consumer<Delivery<T>> work;

    Noting(Consumer<Delivery<T>> work) {
      this.work = work;
    }

    @Override
    public void onSubscribe(Flow.Subscription subscribed) {
      subscribed.request(1);
      subscription.complete(subscribed);
    }

    @Override
    public void onNext(Delivery<T> d) {
      heard.add(d.id() + " attempt " + d.attempt());
      work.accept(d);
      subscription.join().request(1);
    }

    @Override
    public void onError(Throwable error) {
      heard.add(error instanceof HeadraceException ? ((HeadraceException) error).reason() : error.getMessage());
    }

    @Override
    public void onComplete() {
      heard.add("complete");
    }
  }

  @Test
  void atMostOnceIsReceivedWithCreditAndNeverTwice() throws InterruptedException {
    client()
        .subscriptions()
        .create(
            Subscription.newBuilder()
                .setName("once")
                .setTopic("orders")
                .setGuarantee(DeliveryGuarantee.DELIVERY_GUARANTEE_AT_MOST_ONCE)
                .build());
    HeadraceException e = failure(client().subscribe("once", d -> {}).start().ended());
    assertEquals(List.of("INVALID_FIELD", "replenish"), List.of(e.reason(), e.field()));
    publish("a", "b");
    Noting<byte[]> first = new Noting<>(Delivery::ack);
    client().publisher("once", SubscribeSettings.defaults()).subscribe(first);
    assertEquals("0-0 attempt 1", first.heard.take());
    assertEquals("0-1 attempt 1", first.heard.take());
    headrace.faults().dropStreams("SubscriberService");
    publish("c");
    assertEquals("0-2 attempt 1", first.heard.take());
    first.subscription.join().cancel();
    assertEquals(0, client().subscriptions().stats("once").getBacklog().getMessages());
  }

  @Test
  void typedDeliveriesAreParsed() throws InterruptedException {
    Position sent = Position.newBuilder().setPartition(3).build();
    client().topic("orders", Position.parser()).publish(sent).join();
    BlockingQueue<Position> got = new LinkedBlockingQueue<>();
    Noting<Position> noting =
        new Noting<>(
            d -> {
              got.add(d.payload());
              d.ack();
            });
    client().publisher("billing", Position.parser(), SubscribeSettings.defaults()).subscribe(noting);
    assertEquals(sent, got.take());
    noting.subscription.join().cancel();
  }

  @Test
  void whatIsWrongIsToldOnce() throws InterruptedException {
    Noting<byte[]> nowhere = new Noting<>(Delivery::ack);
    client().publisher("nothing", SubscribeSettings.defaults()).subscribe(nowhere);
    assertEquals("SUBSCRIPTION_NOT_FOUND", nowhere.heard.take());
    Noting<byte[]> greedy = new Noting<>(Delivery::ack);
    client().publisher("billing", SubscribeSettings.defaults()).subscribe(greedy);
    greedy.subscription.join().request(0);
    assertEquals("request(0): at least 1", greedy.heard.take());
    assertThrows(
        NullPointerException.class, () -> client().publisher("billing", SubscribeSettings.defaults()).subscribe(null));
  }

  @Test
  void aSubscriberThatThrowsHasCancelledAndItsMessageComesAgain() throws InterruptedException {
    publish("a");
    Noting<byte[]> broken =
        new Noting<>(
            d -> {
              throw new IllegalStateException("a subscriber must not throw");
            });
    client().publisher("billing", SubscribeSettings.defaults()).subscribe(broken);
    assertEquals("0-0 attempt 1", broken.heard.take());
    while (stats().getSessionsCount() > 0) {
      Thread.onSpinWait();
    }
    headrace.faults().advanceClock(Duration.ofMinutes(1));
    assertEquals(2, receive(1).get(0).attempt());
    assertTrue(broken.heard.isEmpty());
  }

  @Test
  void closingTheClientCompletes() throws InterruptedException {
    HeadraceClient other = server().connect();
    Noting<byte[]> noting = new Noting<>(Delivery::ack);
    other.publisher("billing", SubscribeSettings.defaults()).subscribe(noting);
    other.close();
    assertEquals("complete", noting.heard.take());
    assertThrows(
        HeadraceException.Closed.class,
        () -> other.publisher("billing", SubscribeSettings.defaults()).subscribe(noting));
  }
}
