package io.headrace.tests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.headrace.Delivery;
import io.headrace.SubscribeSettings;
import io.headrace.Subscriber;
import io.headrace.v1.Subscription;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
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
}
