package io.headrace.tests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.headrace.HeadraceException;
import io.headrace.Subscriber;
import io.headrace.Topic;
import io.headrace.v1.Subscription;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Managing topics and subscriptions, against the real server. */
class ManagingTest extends ServerTest {
  @Test
  void errorsHaveTheirClassReasonAndField() {
    assertReason(HeadraceException.NotFound.class, "TOPIC_NOT_FOUND", () -> client().topics().get("nothing"));
    assertReason(
        HeadraceException.AlreadyExists.class, "TOPIC_EXISTS", () -> client().topics().create("orders"));
    assertReason(
        HeadraceException.AlreadyExists.class,
        "SUBSCRIPTION_EXISTS",
        () -> client().subscriptions().create("billing", "orders"));
    assertReason(
        HeadraceException.FailedPrecondition.class, "TOPIC_HAS_SUBSCRIPTIONS", () -> client().topics().delete("orders"));
    HeadraceException e =
        assertReason(HeadraceException.InvalidArgument.class, "INVALID_NAME", () -> client().topics().create("a b"));
    assertEquals(List.of("name", "INVALID_ARGUMENT", false), List.of(e.field(), e.code(), e.retryable()));
    assertEquals("TOPIC_NOT_FOUND", failure(client().topic("nothing").publish(new byte[0])).reason());
    Subscriber nowhere = client().subscribe("nothing", d -> {}).start();
    assertEquals("SUBSCRIPTION_NOT_FOUND", failure(nowhere.ended()).reason());
  }

  @Test
  void topicsAndSubscriptionsAreManaged() {
    io.headrace.v1.Topic labelled = io.headrace.v1.Topic.newBuilder().setName("orders").putLabels("team", "a").build();
    assertEquals(Map.of("team", "a"), client().topics().update(labelled, "labels").getLabelsMap());
    assertEquals(1, client().topics().stats("orders").getSubscriptions());
    Subscription.Builder retry = Subscription.newBuilder().setName("billing");
    retry.getRetryBuilder().setMaxAttempts(3);
    assertEquals(3, client().subscriptions().update(retry.build(), "retry.max_attempts").getRetry().getMaxAttempts());
    assertEquals("default/billing", client().subscriptions().list().iterator().next().getName());
    client().subscriptions().delete("billing");
    client().topics().delete("orders");
    assertTrue(client().topics().list("-").toList().isEmpty());
  }

  private static HeadraceException assertReason(Class<? extends HeadraceException> kind, String reason, Runnable call) {
    HeadraceException e = assertThrows(kind, call::run);
    assertEquals(reason, e.reason());
    return e;
  }
}
