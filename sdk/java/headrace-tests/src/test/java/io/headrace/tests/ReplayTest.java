package io.headrace.tests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.headrace.HeadraceException;
import io.headrace.Position;
import io.headrace.SeekTargets;
import io.headrace.StartPositions;
import io.headrace.v1.PeekedMessage;
import io.headrace.v1.SeekSubscriptionResponse;
import io.headrace.v1.Subscription;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Seeks, snapshots, start positions and peeks, against the real server. */
class ReplayTest extends ServerTest {
  private List<String> received(int count) throws InterruptedException {
    return receive(count).stream().map(ServerTest::text).collect(Collectors.toList());
  }

  @Test
  void aSeekMovesBackAndForward() throws InterruptedException {
    publish("a", "b", "c");
    receive(3);
    SeekSubscriptionResponse would = client().subscriptions().seekDryRun("billing", SeekTargets.start());
    assertEquals(List.of(3L, 0L, 1L), List.of(would.getUnacked(), would.getAcked(), would.getGeneration()));
    assertEquals(0, stats().getBacklog().getMessages());
    assertEquals(2, client().subscriptions().seek("billing", SeekTargets.start()).getGeneration());
    assertEquals(List.of("a", "b", "c"), received(3));
    client().subscriptions().seek("billing", SeekTargets.positions(new Position(0, 2)));
    assertEquals(List.of("c"), received(1));
    client().subscriptions().seek("billing", SeekTargets.time(Instant.EPOCH));
    assertEquals(3, client().subscriptions().seek("billing", SeekTargets.end()).getAcked());
    assertEquals(0, stats().getBacklog().getMessages());
  }

  @Test
  void aSnapshotIsGoneBackTo() throws InterruptedException {
    publish("a", "b");
    receive(1);
    assertEquals(1, client().subscriptions().createSnapshot("before", "billing", Duration.ofHours(1)).getUnacked());
    receive(1);
    assertEquals("default/billing", client().subscriptions().snapshot("before").getSubscription());
    assertEquals(1, client().subscriptions().snapshots("").toList().size());
    assertEquals(1, client().subscriptions().snapshotsOfTopic("orders").toList().size());
    client().subscriptions().seek("billing", SeekTargets.snapshot("before"));
    assertEquals(List.of("b"), received(1));
    client().subscriptions().deleteSnapshot("before");
    assertThrows(HeadraceException.NotFound.class, () -> client().subscriptions().snapshot("before"));
  }

  @Test
  void aSubscriptionBeginsWhereItIsTold() throws InterruptedException {
    publish("a", "b", "c");
    create("all", StartPositions.earliest());
    create("some", StartPositions.positions(new Position(0, 1)));
    create("since", StartPositions.time(Instant.EPOCH));
    create("none", StartPositions.latest());
    assertEquals(List.of(3L, 2L, 3L, 0L), List.of(backlog("all"), backlog("some"), backlog("since"), backlog("none")));
    assertEquals("b", text(receive("some", 1).get(0)));
  }

  private void create(String name, io.headrace.v1.StartPosition start) {
    client().subscriptions().create(Subscription.newBuilder().setName(name).setTopic("orders").build(), start);
  }

  private long backlog(String name) {
    return client().subscriptions().stats(name).getBacklog().getMessages();
  }

  @Test
  void aPeekShowsAndTakesNothing() throws InterruptedException {
    publish("a", "b", "c");
    receive(1);
    assertEquals(List.of("b", "c"), peeked(new Position(0, 0), false));
    assertEquals(List.of("a", "b", "c"), peeked(new Position(0, 0), true));
    assertEquals(List.of("c"), peeked(new Position(0, 2), false));
    assertTrue(receive(2).stream().allMatch(d -> d.attempt() == 1));
    HeadraceException e = assertThrows(HeadraceException.NotFound.class, () -> peeked(new Position(7, 0), false));
    assertEquals("PARTITION_NOT_FOUND", e.reason());
  }

  @Test
  void aPeekGoesOnOverPages() {
    for (int n = 0; n < 250; n++) {
      orders().publish(new byte[1]);
    }
    client().flush().join();
    assertEquals(250, peeked(new Position(0, 0), false).size());
  }

  private List<String> peeked(Position from, boolean includeAcked) {
    return client().subscriptions().peek("billing", from, includeAcked).stream()
        .map(PeekedMessage::getMessage)
        .map(m -> m.getData().toStringUtf8())
        .collect(Collectors.toList());
  }
}
