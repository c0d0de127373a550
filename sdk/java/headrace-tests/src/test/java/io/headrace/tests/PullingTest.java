package io.headrace.tests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.headrace.HeadraceClient;
import io.headrace.HeadraceException;
import io.headrace.PullSettings;
import io.headrace.Pulled;
import io.headrace.Subscription;
import io.headrace.TokenFailure;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Pulling, and settling by tokens, against the real server. */
class PullingTest extends ServerTest {
  private static final PullSettings AT_ONCE = PullSettings.defaults().maxWait(Duration.ZERO);

  private Subscription billing() {
    return client().subscription("billing");
  }

  private static List<String> tokens(List<Pulled> pulled) {
    return pulled.stream().map(Pulled::token).collect(Collectors.toList());
  }

  @Test
  void whatIsPulledIsSettledByItsToken() {
    publish("acked", "retried", "released", "rejected");
    List<Pulled> pulled = billing().pull();
    assertEquals(List.of("acked", "retried", "released", "rejected"), pulled.stream().map(ServerTest::text).collect(Collectors.toList()));
    assertEquals(List.of("0-0", 1), List.of(pulled.get(0).id(), pulled.get(0).attempt()));
    List<String> tokens = tokens(pulled);
    assertTrue(billing().ackTokens(tokens.subList(0, 1)).isEmpty());
    assertTrue(billing().retryTokens(tokens.subList(1, 2), Duration.ofHours(1), "E1", "again").isEmpty());
    assertTrue(billing().releaseTokens(tokens.subList(2, 3)).isEmpty());
    assertTrue(billing().rejectTokens(tokens.subList(3, 4), "E2", "hopeless").isEmpty());
    assertEquals(1, client().subscriptions().deadLetters("billing").toList().size());
    Pulled released = billing().pull(PullSettings.defaults().maxMessages(1)).get(0);
    assertEquals(List.of("released", 1), List.of(text(released), released.attempt()));
    headrace.faults().advanceClock(Duration.ofHours(2));
    Pulled retried = billing().pull(PullSettings.defaults().maxWait(Duration.ofSeconds(60))).get(0);
    assertEquals(List.of("retried", 2), List.of(text(retried), retried.attempt()));
  }

  @Test
  void aTokenThatReachesNothingFailsByItself() {
    publish("a", "b");
    List<String> tokens = tokens(billing().pull());
    billing().ackTokens(tokens.subList(0, 1));
    List<TokenFailure> failures = billing().ackTokens(List.of(tokens.get(0), tokens.get(1), "no token"));
    Map<String, String> reasons = failures.stream().collect(Collectors.toMap(TokenFailure::token, f -> f.error().reason()));
    assertEquals(Map.of(tokens.get(0), "STALE_DELIVERY", "no token", "INVALID_TOKEN"), reasons);
    assertEquals(0, stats().getBacklog().getMessages());
  }

  @Test
  void moreTokensThanACallTakesAreSettledTogether() {
    List<CompletableFuture<?>> sent =
        IntStream.range(0, 1_500).mapToObj(n -> orders().publish(new byte[1])).collect(Collectors.toList());
    sent.forEach(CompletableFuture::join);
    PullSettings many = PullSettings.defaults().maxMessages(1_000);
    List<String> tokens = tokens(billing().pull(many));
    while (tokens.size() < 1_500) {
      tokens.addAll(tokens(billing().pull(many)));
    }
    assertTrue(billing().ackTokens(tokens).isEmpty());
    assertEquals(0, stats().getBacklog().getMessages());
  }

  @Test
  void anExtensionBeyondTheLongestLeaseIsTold() {
    publish("a");
    List<String> tokens = tokens(billing().pull(PullSettings.defaults().lease(Duration.ofSeconds(5))));
    assertTrue(billing().extendTokens(tokens, Duration.ofMinutes(5)).isEmpty());
    assertEquals("LEASE_CAPPED", billing().extendTokens(tokens, Duration.ofHours(12)).get(0).error().reason());
  }

  @Test
  void nothingToPullIsNoError() {
    assertTrue(billing().pull(AT_ONCE).isEmpty());
  }

  @Test
  void anInterruptEndsAPullAndTakesNothing() throws InterruptedException {
    CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
    CountDownLatch begun = new CountDownLatch(1);
    Thread puller =
        new Thread(
            () -> {
              begun.countDown();
              HeadraceException e =
                  assertThrows(
                      HeadraceException.Interrupted.class,
                      () -> billing().pull(PullSettings.defaults().maxWait(Duration.ofSeconds(60))));
              interrupted.complete(e.reason().equals("INTERRUPTED") && Thread.currentThread().isInterrupted());
            });
    puller.start();
    begun.await();
    while (stats().getSessionsCount() == 0) {
      Thread.onSpinWait();
    }
    puller.interrupt();
    assertTrue(interrupted.join());
    publish("a");
    assertEquals(1, billing().pull().get(0).attempt());
  }

  @Test
  void closingTheClientEndsAPull() {
    HeadraceClient other = server().connect();
    CompletableFuture<HeadraceException> ended =
        CompletableFuture.supplyAsync(
            () -> assertThrows(
                HeadraceException.class,
                () -> other.subscription("billing").pull(PullSettings.defaults().maxWait(Duration.ofSeconds(60)))));
    while (stats().getSessionsCount() == 0) {
      Thread.onSpinWait();
    }
    other.close();
    assertEquals("CLOSED", ended.join().reason());
    assertThrows(HeadraceException.Closed.class, () -> other.topics().list().toList());
  }
}
