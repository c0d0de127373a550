package io.headrace.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.headrace.Deliveries;
import io.headrace.Delivery;
import io.headrace.HeadraceClient;
import io.headrace.HeadraceException;
import io.headrace.SubscribeSettings;
import io.headrace.v1.ErrorReason;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Each hook, seen through a client. */
@Timeout(120)
class FaultsTest {
  @RegisterExtension
  final HeadraceExtension headrace = new HeadraceExtension().topic("orders").subscription("billing", "orders");

  private HeadraceClient client() {
    return headrace.client();
  }

  @Test
  void aRetryOfHoursComesAtOnceWhenTheClockMoves() throws InterruptedException {
    client().topic("orders").publish(new byte[1]).join();
    try (Deliveries<byte[]> deliveries = client().deliveries("billing", SubscribeSettings.defaults())) {
      deliveries.take().orElseThrow().retryConfirmed(Duration.ofHours(2), "", "").join();
      assertEquals(Duration.ofHours(3), headrace.faults().advanceClock(Duration.ofHours(3)));
      Delivery<byte[]> again = deliveries.take().orElseThrow();
      assertEquals(2, again.attempt());
      again.ack();
    }
  }

  @Test
  void callsAreRefusedAsOftenAsAskedFor() {
    headrace.faults().refuse("TopicService/GetTopic", ErrorReason.ERROR_REASON_FENCED, 1);
    HeadraceException e = assertThrows(HeadraceException.Aborted.class, () -> client().topics().get("orders"));
    assertEquals(List.of("FENCED", "ABORTED", true), List.of(e.reason(), e.code(), e.retryable()));
    assertEquals("default/orders", client().topics().get("orders").getName());
  }

  @Test
  void callsAreLateUntilTheFaultsAreCleared() {
    headrace.faults().delay("TopicService", Duration.ofMinutes(10), 0);
    try (HeadraceClient hasty =
        headrace.server().builder().callTimeout(Duration.ofMillis(200)).build()) {
      HeadraceException e = assertThrows(HeadraceException.UnknownOutcome.class, () -> hasty.topics().get("orders"));
      assertEquals(List.of("TIMEOUT", "DEADLINE_EXCEEDED"), List.of(e.reason(), e.code()));
    }
    headrace.faults().clear();
    assertEquals("default/orders", client().topics().get("orders").getName());
  }

  @Test
  void aDroppedStreamIsOpenedAgainAndLosesNothing() throws InterruptedException {
    client().topic("orders").publish(new byte[1]).join();
    try (Deliveries<byte[]> deliveries = client().deliveries("billing", SubscribeSettings.defaults())) {
      Delivery<byte[]> held = deliveries.take().orElseThrow();
      assertEquals(2, headrace.faults().dropStreams(""));
      client().topic("orders").publish(new byte[1]).join();
      held.ackConfirmed().join();
      assertTrue(held.lost().isEmpty());
      deliveries.take().orElseThrow().ackConfirmed().join();
    }
    assertEquals(0, client().subscriptions().stats("billing").getRedelivered());
  }

  @Test
  void lateFramesStayInOrder() throws InterruptedException {
    try (Deliveries<byte[]> deliveries = client().deliveries("billing", SubscribeSettings.defaults())) {
      headrace.faults().delayFrames("SubscriberService/Subscribe", Duration.ofMillis(20), 3);
      for (int n = 0; n < 5; n++) {
        client().topic("orders").publish(new byte[] {(byte) n}).join();
      }
      for (int n = 0; n < 5; n++) {
        Delivery<byte[]> d = deliveries.take().orElseThrow();
        assertEquals(n, d.data()[0]);
        d.ack();
      }
    }
  }

  @Test
  void whatMakesNoSenseIsRefused() {
    Faults faults = headrace.faults();
    assertThrows(IllegalArgumentException.class, () -> faults.advanceClock(Duration.ofDays(31)));
    assertThrows(IllegalArgumentException.class, () -> faults.refuse("", ErrorReason.ERROR_REASON_STALE_DELIVERY, 1));
  }
}
