package io.headrace.tests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.headrace.Deliveries;
import io.headrace.HeadraceClient;
import io.headrace.HeadraceException;
import io.headrace.PublishSettings;
import io.headrace.SeekTargets;
import io.headrace.SubscribeSettings;
import io.headrace.Subscriber;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What ends work and waiting: revocations, stops, interrupts, closed clients; against the real server. */
class CancellingTest extends ServerTest {
  /** Every kind of executor that this Java has; virtual threads from 21 on. */
  static Stream<Named<Executor>> executors() throws ReflectiveOperationException {
    Stream<Named<Executor>> all =
        Stream.of(
            Named.of("a pool", Executors.newFixedThreadPool(4)),
            Named.of("a thread each", task -> new Thread(task).start()));
    return Runtime.version().feature() < 21
        ? all
        : Stream.concat(
            all,
            Stream.of(
                Named.of(
                    "virtual threads",
                    (Executor) Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null))));
  }

  @ParameterizedTest
  @MethodSource("executors")
  void aRevokedDeliveryInterruptsItsHandlerAndNoOther(Executor executor) throws InterruptedException {
    publish("revoked", "later");
    CountDownLatch begun = new CountDownLatch(1);
    BlockingQueue<String> told = new LinkedBlockingQueue<>();
    try (Subscriber s =
        client()
            .subscribe(
                "billing",
                d -> {
                  if (d.position().offset() == 0 && begun.getCount() > 0) {
                    begun.countDown();
                    try {
                      new CountDownLatch(1).await();
                    } catch (InterruptedException cancelled) {
                      told.add("interrupted, " + d.lost().orElse("not lost"));
                      throw cancelled;
                    }
                  } else {
                    told.add(text(d) + " " + Thread.currentThread().isInterrupted());
                  }
                })
            .executor(executor)
            .start()) {
      assertTrue(begun.await(60, TimeUnit.SECONDS));
      client().subscriptions().seek("billing", SeekTargets.end());
      assertEquals("interrupted, SEEK", told.take());
      publish("next");
      assertEquals("next false", told.take());
    }
    assertEquals(0, stats().getBacklog().getMessages());
  }

  @Test
  void aStopInterruptsHandlersThatHadTheirTimeAndChargesNothing() throws InterruptedException {
    assertStops(SubscribeSettings.defaults().drainTimeout(Duration.ofMillis(50)));
    assertStops(SubscribeSettings.defaults().releasingOnStop());
  }

  private void assertStops(SubscribeSettings settings) throws InterruptedException {
    publish("held");
    CountDownLatch begun = new CountDownLatch(1);
    CompletableFuture<String> lost = new CompletableFuture<>();
    Subscriber subscriber =
        client()
            .subscribe(
                "billing",
                d -> {
                  begun.countDown();
                  try {
                    new CountDownLatch(1).await();
                  } finally {
                    lost.complete(d.lost().orElse(""));
                  }
                })
            .settings(s -> settings)
            .start();
    assertTrue(begun.await(60, TimeUnit.SECONDS));
    subscriber.close();
    assertEquals("STOPPED", lost.join());
    subscriber.ended().join();
    assertEquals(1, receive(1).get(0).attempt());
  }

  @Test
  void aStopLetsHandlersFinish() throws InterruptedException {
    publish("held");
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch finish = new CountDownLatch(1);
    Subscriber subscriber =
        client()
            .subscribe(
                "billing",
                d -> {
                  begun.countDown();
                  finish.await();
                })
            .start();
    assertTrue(begun.await(60, TimeUnit.SECONDS));
    CompletableFuture<Void> closed = CompletableFuture.runAsync(subscriber::close);
    finish.countDown();
    closed.join();
    assertEquals(List.of(0L, 1L), List.of(stats().getBacklog().getMessages(), stats().getAcked()));
  }

  @Test
  void anExecutorThatIsShutDownEndsItsSubscriberAndChargesNothing() throws InterruptedException {
    ExecutorService executor = Executors.newSingleThreadExecutor();
    executor.shutdown();
    publish("a");
    Subscriber subscriber = client().subscribe("billing", d -> {}).executor(executor).start();
    HeadraceException e = failure(subscriber.ended());
    assertTrue(e.getMessage().contains("the executor takes no more handlers"), e.getMessage());
    assertEquals(1, receive(1).get(0).attempt());
  }

  @Test
  void anErrorInAHandlerIsAFailureAsWell() throws InterruptedException {
    publish("a");
    CompletableFuture<Integer> attempt = new CompletableFuture<>();
    try (Subscriber s =
        client()
            .subscribe(
                "billing",
                d -> {
                  if (d.attempt() == 1) {
                    throw new AssertionError("an assertion in a handler");
                  }
                  attempt.complete(d.attempt());
                })
            .start()) {
      while (stats().getRetried() == 0) {
        Thread.onSpinWait();
      }
      headrace.faults().advanceClock(Duration.ofMinutes(1));
      assertEquals(2, attempt.join());
    }
  }

  @Test
  void anInterruptEndsATake() throws InterruptedException {
    try (Deliveries<byte[]> deliveries = client().deliveries("billing", SubscribeSettings.defaults())) {
      assertInterrupted(() -> assertThrows(InterruptedException.class, deliveries::take));
    }
  }

  @Test
  void anInterruptEndsAPublishThatWaitsForRoom() throws InterruptedException {
    headrace.faults().delay("PublisherService", Duration.ofMinutes(30), 0);
    PublishSettings tight = PublishSettings.defaults().maxPending(1, 1 << 20);
    HeadraceClient full =
        server().builder().publish(tight).closeTimeout(Duration.ofMillis(100)).build();
    full.topic("orders").publish(new byte[1]);
    assertInterrupted(
        () -> assertThrows(HeadraceException.Interrupted.class, () -> full.topic("orders").publish(new byte[1])));
    assertInterrupted(
        () -> assertThrows(HeadraceException.Interrupted.class, () -> full.topic("orders").publishOneWay(io.headrace.Message.of(new byte[1]))));
    full.close();
  }

  private static void assertInterrupted(Runnable waiting) throws InterruptedException {
    CompletableFuture<Void> ended = new CompletableFuture<>();
    Thread thread =
        new Thread(
            () -> {
              try {
                waiting.run();
                ended.complete(null);
              } catch (Throwable failed) {
                ended.completeExceptionally(failed);
              }
            });
    thread.start();
    while (thread.getState() != Thread.State.WAITING) {
      Thread.onSpinWait();
    }
    thread.interrupt();
    ended.join();
  }

  @Test
  void aClosedClientRefusesAndLeavesNobodyWaiting() throws InterruptedException {
    headrace.faults().delay("PublisherService", Duration.ofMinutes(30), 0);
    PublishSettings tight = PublishSettings.defaults().maxPending(1, 1 << 20);
    HeadraceClient full =
        server().builder().publish(tight).closeTimeout(Duration.ofMillis(100)).build();
    CompletableFuture<?> pending = full.topic("orders").publish(new byte[1]);
    CompletableFuture<Void> flushed = full.topic("orders").flush();
    CompletableFuture<HeadraceException> waiting =
        CompletableFuture.supplyAsync(
            () -> assertThrows(HeadraceException.class, () -> full.topic("orders").publish(new byte[1])));
    Deliveries<byte[]> deliveries = full.deliveries("billing", SubscribeSettings.defaults());
    assertFalse(flushed.isDone());
    full.close();
    assertEquals("CLOSED", waiting.join().reason());
    assertEquals("CLOSED", failure(pending).reason());
    flushed.join();
    assertTrue(deliveries.take().isEmpty());
    assertThrows(HeadraceException.Closed.class, () -> full.topic("orders").publish(new byte[1]));
    assertThrows(HeadraceException.Closed.class, () -> full.subscribe("billing", d -> {}).start());
    assertThrows(HeadraceException.Closed.class, () -> full.subscriptions().get("billing"));
    full.flush().join();
    full.close();
  }

  @Test
  void aClientCanBeClosedWhereItsResultsCome() {
    HeadraceClient other = server().connect();
    other.topic("orders").publish(new byte[1]).thenRun(other::close).join();
    assertThrows(
        HeadraceException.Closed.class,
        () -> {
          while (true) {
            other.topic("orders").publish(new byte[1]);
          }
        });
  }
}
