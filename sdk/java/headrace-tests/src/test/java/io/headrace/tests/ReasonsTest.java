package io.headrace.tests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.headrace.Deliveries;
import io.headrace.HeadraceClient;
import io.headrace.HeadraceException;
import io.headrace.Message;
import io.headrace.Position;
import io.headrace.PublishSettings;
import io.headrace.SeekTargets;
import io.headrace.SubscribeSettings;
import io.headrace.v1.Amount;
import io.headrace.v1.BacklogCap;
import io.headrace.v1.ErrorReason;
import io.headrace.v1.Retention;
import io.headrace.v1.Subscription;
import io.headrace.v1.SubscriptionMode;
import io.headrace.v1.Topic;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Each reason as the real server gives it: as a status, and most of them for what one really does wrong. */
class ReasonsTest extends ServerTest {
  private static final Map<String, Class<? extends HeadraceException>> KINDS =
      Map.ofEntries(
          Map.entry("INVALID_ARGUMENT", HeadraceException.InvalidArgument.class),
          Map.entry("NOT_FOUND", HeadraceException.NotFound.class),
          Map.entry("ALREADY_EXISTS", HeadraceException.AlreadyExists.class),
          Map.entry("FAILED_PRECONDITION", HeadraceException.FailedPrecondition.class),
          Map.entry("OUT_OF_RANGE", HeadraceException.OutOfRange.class),
          Map.entry("RESOURCE_EXHAUSTED", HeadraceException.ResourceExhausted.class),
          Map.entry("UNAVAILABLE", HeadraceException.Unavailable.class),
          Map.entry("ABORTED", HeadraceException.Aborted.class),
          Map.entry("UNKNOWN", HeadraceException.UnknownOutcome.class),
          Map.entry("DATA_LOSS", HeadraceException.DataLoss.class),
          Map.entry("INTERNAL", HeadraceException.Internal.class));

  private static final List<String> RETRYABLE = List.of("UNAVAILABLE", "ABORTED", "RESOURCE_EXHAUSTED");

  /** Those that end no call: they are told of single deliveries; PullingTest and SessionTest have them. */
  private static final List<ErrorReason> OF_ITEMS =
      List.of(
          ErrorReason.ERROR_REASON_UNKNOWN_SEQUENCE,
          ErrorReason.ERROR_REASON_STALE_DELIVERY,
          ErrorReason.ERROR_REASON_LEASE_CAPPED,
          ErrorReason.ERROR_REASON_INVALID_TOKEN);

  @Test
  void everyReasonThatEndsACallHasItsClassCodeAndWhetherToTryAgain() {
    for (ErrorReason reason : ErrorReason.values()) {
      if (reason == ErrorReason.UNRECOGNIZED || reason == ErrorReason.ERROR_REASON_UNSPECIFIED) {
        continue;
      }
      if (OF_ITEMS.contains(reason)) {
        assertThrows(IllegalArgumentException.class, () -> headrace.faults().refuse("TopicService", reason, 1));
        continue;
      }
      headrace.faults().refuse("TopicService", reason, 1);
      HeadraceException e = assertThrows(HeadraceException.class, () -> client().topics().get("orders"));
      assertEquals(reason.name(), "ERROR_REASON_" + e.reason());
      assertEquals(KINDS.get(e.code()), e.getClass(), e.reason());
      assertEquals(RETRYABLE.contains(e.code()), e.retryable(), e.reason());
    }
  }

  private interface Wrong {
    void run() throws Exception;
  }

  private DynamicTest row(String reason, Wrong wrong) {
    return DynamicTest.dynamicTest(reason, () -> {
      Throwable thrown = assertThrows(Exception.class, wrong::run);
      HeadraceException e =
          (HeadraceException) (thrown instanceof CompletionException ? thrown.getCause() : thrown);
      assertEquals(reason, e.reason());
    });
  }

  private void create(Subscription.Builder subscription) {
    client().subscriptions().create(subscription.build());
  }

  /** One server for all rows: each leaves the others alone. */
  @TestFactory
  Stream<DynamicTest> whatOneDoesWrongHasItsReason() {
    return Stream.of(
        row("INVALID_NAME", () -> client().topics().create("a b")),
        row("INVALID_FIELD", () -> client().topics().create(Topic.newBuilder().setName("wide").setPartitions(10_000).build())),
        row("NOT_SERVED", () -> client().topics().create(Topic.newBuilder().setName("spread").setSpread(true).build())),
        row("MESSAGE_TOO_LARGE", () -> orders().publish(new byte[2 << 20]).join()),
        row("TOPIC_NOT_FOUND", () -> client().topic("nothing").publish(new byte[1]).join()),
        row("SUBSCRIPTION_NOT_FOUND", () -> client().subscription("nothing").pull()),
        row("TOPIC_EXISTS", () -> client().topics().create("orders")),
        row("SUBSCRIPTION_EXISTS", () -> client().subscriptions().create("billing", "orders")),
        row("TOPIC_HAS_SUBSCRIPTIONS", () -> client().topics().delete("orders")),
        row("SNAPSHOT_NOT_FOUND", () -> client().subscriptions().seek("billing", SeekTargets.snapshot("nothing"))),
        row("SNAPSHOT_EXISTS", this::takeTwoSnapshots),
        row("SESSION_NOT_FOUND", () -> client().subscriptions().explainSession("billing", "nobody")),
        row("PARTITION_NOT_FOUND", () -> client().subscriptions().explainMessage("billing", new Position(9, 0))),
        row("POSITION_OUT_OF_RANGE", () -> client().subscriptions().seek("billing", SeekTargets.positions(new Position(0, 1_000)))),
        row("NOTHING_KEPT", this::seekBackWhereNothingIsKept),
        row("DEDUPE_CONFLICT", this::publishOneIdTwice),
        row("STALE_PRODUCER", this::takeTheProducersPlace),
        row("BACKLOG_FULL", this::fillABacklog),
        row("SUBSCRIPTION_DELETED", this::deleteUnderASession),
        row("EXCLUSIVE_SESSION_EXISTS", this::openASecondExclusiveSession),
        row("TAKEN_OVER", this::takeASessionsPlace));
  }

  private void takeTwoSnapshots() {
    client().subscriptions().createSnapshot("twice", "billing", Duration.ZERO);
    client().subscriptions().createSnapshot("twice", "billing", Duration.ZERO);
  }

  private void seekBackWhereNothingIsKept() {
    Retention.Builder nothing = Retention.newBuilder();
    nothing.getMinAgeBuilder();
    nothing.getKeepSettledBuilder();
    client().topics().create(Topic.newBuilder().setName("fleeting").setRetention(nothing).build());
    create(Subscription.newBuilder().setName("passing").setTopic("fleeting"));
    // Its backlog keeps the message: else what is trimmed would move the start, and the seek be none.
    create(Subscription.newBuilder().setName("staying").setTopic("fleeting"));
    client().topic("fleeting").publish(new byte[1]).join();
    client().subscription("passing").ackTokens(List.of(client().subscription("passing").pull().get(0).token()));
    client().subscriptions().seek("passing", SeekTargets.positions(new Position(0, 0)));
  }

  private void publishOneIdTwice() {
    orders().publish(Message.builder().dedupeId("id").data(new byte[] {1}).build()).join();
    orders().publish(Message.builder().dedupeId("id").data(new byte[] {2}).build()).join();
  }

  private void takeTheProducersPlace() {
    PublishSettings same = PublishSettings.defaults().producerId("one");
    try (HeadraceClient first = server().builder().publish(same).build();
        HeadraceClient second = server().builder().publish(same).build()) {
      first.topic("orders").publish(new byte[1]).join();
      second.topic("orders").publish(new byte[1]).join();
      while (true) {
        first.topic("orders").publish(new byte[1]).join();
      }
    }
  }

  private void fillABacklog() {
    client().topics().create("narrow");
    BacklogCap.Builder one = BacklogCap.newBuilder().setMax(Amount.newBuilder().setMessages(1));
    create(Subscription.newBuilder().setName("full").setTopic("narrow").setBacklogCap(one));
    while (true) {
      client().topic("narrow").publish(new byte[1]).join();
    }
  }

  private void deleteUnderASession() throws InterruptedException {
    client().subscriptions().create("doomed", "orders");
    try (Deliveries<byte[]> deliveries = client().deliveries("doomed", SubscribeSettings.defaults())) {
      while (client().subscriptions().stats("doomed").getSessionsCount() == 0) {
        Thread.onSpinWait();
      }
      client().subscriptions().delete("doomed");
      deliveries.take();
    }
  }

  private void openASecondExclusiveSession() throws InterruptedException {
    create(exclusive("alone"));
    orders().publish(new byte[1]).join();
    try (Deliveries<byte[]> first = client().deliveries("alone", SubscribeSettings.defaults())) {
      first.take();
      try (Deliveries<byte[]> second = client().deliveries("alone", SubscribeSettings.defaults())) {
        second.take();
      }
    }
  }

  private void takeASessionsPlace() throws InterruptedException {
    create(exclusive("contested"));
    orders().publish(new byte[1]).join();
    try (Deliveries<byte[]> first = client().deliveries("contested", SubscribeSettings.defaults())) {
      first.take();
      try (Deliveries<byte[]> second = client().deliveries("contested", SubscribeSettings.defaults().takingOver())) {
        second.take();
        first.take();
      }
    }
  }

  private static Subscription.Builder exclusive(String name) {
    return Subscription.newBuilder()
        .setName(name)
        .setTopic("orders")
        .setMode(SubscriptionMode.SUBSCRIPTION_MODE_EXCLUSIVE);
  }
}
