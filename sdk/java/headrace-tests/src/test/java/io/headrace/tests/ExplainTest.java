package io.headrace.tests;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.headrace.Deliveries;
import io.headrace.Delivery;
import io.headrace.Message;
import io.headrace.Position;
import io.headrace.SubscribeSettings;
import io.headrace.v1.BlockedBy;
import io.headrace.v1.DispatchCap;
import io.headrace.v1.ExplainSubscriptionResponse;
import io.headrace.v1.KeyFailurePolicy;
import io.headrace.v1.MessageExplanation;
import io.headrace.v1.MessageStanding;
import io.headrace.v1.ParkedKey;
import io.headrace.v1.Subscription;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Why messages wait, and what makes them wait: pauses, caps, parked keys, moves; against the real server. */
class ExplainTest extends ServerTest {
  private void publishKeyed(String subscription, String... payloads) {
    client()
        .subscriptions()
        .create(
            Subscription.newBuilder()
                .setName(subscription)
                .setTopic("orders")
                .setKeyFailurePolicy(KeyFailurePolicy.KEY_FAILURE_POLICY_PARK_KEY)
                .build());
    for (String payload : payloads) {
      orders().publish(Message.builder().data(payload.getBytes(UTF_8)).orderingKey("k").build()).join();
    }
  }

  @Test
  void whoHoldsAMessageIsTold() throws InterruptedException {
    publishKeyed("keyed", "a", "b");
    try (Deliveries<byte[]> deliveries = client().deliveries("keyed", SubscribeSettings.defaults())) {
      Delivery<byte[]> held = deliveries.take().orElseThrow();
      MessageExplanation explanation = client().subscriptions().explainMessage("keyed", held.position());
      assertEquals(MessageStanding.MESSAGE_STANDING_OUTSTANDING, explanation.getStanding());
      String session = explanation.getHolder().getSession();
      assertEquals(session, client().subscriptions().explainMessageId("keyed", held.id()).getHolder().getSession());
      assertEquals(held.position().offset(), client().subscriptions().explainSession("keyed", session).getHolding(0).getPosition().getOffset());
      assertEquals(session, client().subscriptions().explainKey("keyed", "k").get(0).getSession());
      assertEquals(1, client().subscriptions().explain("keyed").getSessionsCount());
      held.ack();
    }
    assertEquals(
        MessageStanding.MESSAGE_STANDING_SETTLED,
        client().subscriptions().explainMessage("keyed", new Position(0, 0)).getStanding());
  }

  @Test
  void aPausedSubscriptionDeliversNothing() throws InterruptedException {
    assertTrue(client().subscriptions().pause("billing").getPaused());
    publish("a");
    try (Deliveries<byte[]> deliveries = client().deliveries("billing", SubscribeSettings.defaults())) {
      while (!deliveries.blockedBy().contains("PAUSED")) {
        Thread.onSpinWait();
      }
      assertTrue(client().subscriptions().explain("billing").getPaused());
      client().subscriptions().resume("billing");
      deliveries.take().orElseThrow().ack();
    }
  }

  @Test
  void aDispatchCapIsInForceAtOnce() throws InterruptedException {
    Subscription capped =
        Subscription.newBuilder()
            .setName("billing")
            .setDispatchCap(DispatchCap.newBuilder().setMessagesPerSecond(0.001).setConcurrency(1))
            .build();
    assertEquals(1, client().subscriptions().update(capped, "dispatch_cap").getDispatchCap().getConcurrency());
    publish("a", "b");
    try (Deliveries<byte[]> deliveries = client().deliveries("billing", SubscribeSettings.defaults())) {
      deliveries.take().orElseThrow().ackConfirmed().join();
      while (!deliveries.blockedBy().contains("RATE_LIMITED")) {
        Thread.onSpinWait();
      }
      ExplainSubscriptionResponse why = client().subscriptions().explain("billing");
      assertTrue(why.hasRateLimitedUntil());
      assertEquals(BlockedBy.BLOCKED_BY_RATE_LIMITED, why.getSessions(0).getBlockedBy(0));
      client().subscriptions().update(Subscription.newBuilder().setName("billing").build(), "dispatch_cap");
      deliveries.take().orElseThrow().ack();
    }
  }

  @Test
  void aParkedKeyGoesOnWhenItIsReleased() throws InterruptedException {
    publishKeyed("parking", "bad", "good");
    try (Deliveries<byte[]> deliveries = client().deliveries("parking", SubscribeSettings.defaults())) {
      deliveries.take().orElseThrow().rejectConfirmed("E7", "hopeless").join();
      List<ParkedKey> parked = client().subscriptions().parkedKeys("parking").toList();
      assertEquals(List.of("k"), parked.stream().map(ParkedKey::getOrderingKey).collect(Collectors.toList()));
      assertEquals(0, client().subscriptions().releaseParkedKeys("parking", "another"));
      assertEquals(1, client().subscriptions().releaseParkedKeys("parking", "k"));
      Delivery<byte[]> next = deliveries.take().orElseThrow();
      assertEquals("good", text(next));
      next.rejectConfirmed("", "").join();
    }
    assertEquals(1, client().subscriptions().releaseParkedPartitions("parking", 0));
    assertEquals(0, client().subscriptions().releaseAllParkedKeys("parking"));
    assertEquals("E7", client().subscriptions().deadLetter("parking", 1).orElseThrow().getFailures(0).getCode());
    assertEquals(List.of(1L), client().subscriptions().discardDeadLetters("parking", List.of(1L)));
    assertTrue(client().subscriptions().deadLetter("parking", 1).isEmpty());
  }

  @Test
  void aSessionThatIsMovedKeepsWhatItHolds() throws InterruptedException {
    publish("a", "b");
    try (Deliveries<byte[]> deliveries =
        client().deliveries("billing", SubscribeSettings.defaults().maxOutstandingMessages(1))) {
      Delivery<byte[]> held = deliveries.take().orElseThrow();
      assertEquals(1, client().subscriptions().moveSessions("billing", "", Duration.ofMinutes(10)));
      held.ackConfirmed().join();
      deliveries.take().orElseThrow().ackConfirmed().join();
    }
    assertEquals(List.of(0L, 0L), List.of(stats().getReleased(), stats().getExpired()));
  }
}
