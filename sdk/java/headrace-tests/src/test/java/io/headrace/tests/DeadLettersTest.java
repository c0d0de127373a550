package io.headrace.tests;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.headrace.Delivery;
import io.headrace.Message;
import io.headrace.Position;
import io.headrace.SubscribeSettings;
import io.headrace.v1.DeadLetter;
import io.headrace.v1.DeadLetterFilter;
import io.headrace.v1.DeadLetterForward;
import io.headrace.v1.DeadLetterForwardFailure;
import io.headrace.v1.Subscription;
import io.headrace.v1.Topic;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is given up and forwarded to a topic, against the real server. */
class DeadLettersTest extends ServerTest {
  private static final DeadLetterFilter NOT_FORWARDED = DeadLetterFilter.newBuilder().setNotForwarded(true).build();

  @BeforeEach
  void forward() {
    client().topics().create(Topic.newBuilder().setName("failed").setMaxMessageBytes(2_000).build());
    client().subscriptions().create("repair", "failed");
    client()
        .subscriptions()
        .create(Subscription.newBuilder().setName("forwarding").setTopic("orders").setDeadLetterTopic("failed").build());
  }

  private void reject(int count) throws InterruptedException {
    try (var deliveries = client().deliveries("forwarding", SubscribeSettings.defaults())) {
      for (int n = 0; n < count; n++) {
        deliveries.take().orElseThrow().rejectConfirmed("E7", "hopeless").join();
      }
    }
  }

  private DeadLetter letter(DeadLetterFilter filter) {
    List<DeadLetter> letters = client().subscriptions().deadLetters("forwarding", filter).toList();
    assertEquals(1, letters.size(), letters::toString);
    return letters.get(0);
  }

  @Test
  void aLetterSaysWhereItsCopyStandsAndTheCopyWhoseItIs() throws InterruptedException {
    orders().publish(Message.builder().data("bad".getBytes(UTF_8)).attribute("colour", "red").build()).join();
    reject(1);
    Delivery<byte[]> copy = receive("repair", 1).get(0);
    DeadLetter letter = letter(DeadLetterFilter.getDefaultInstance());
    DeadLetterForward forward = letter.getForward();
    assertEquals(List.of("default/failed", DeadLetterForwardFailure.DEAD_LETTER_FORWARD_FAILURE_UNSPECIFIED), List.of(forward.getTopic(), forward.getFailure()));
    assertEquals(copy.position(), new Position(forward.getPosition().getPartition(), forward.getPosition().getOffset()));
    assertEquals("bad", text(copy));
    Map<String, String> told =
        copy.attributes().entrySet().stream()
            .filter(a -> !a.getKey().endsWith(".time"))
            .collect(Collectors.toMap(a -> a.getKey().replace("headrace.dead_letter.", ""), Map.Entry::getValue));
    assertEquals(
        Map.of(
            "colour", "red",
            "subscription", "default/forwarding",
            "topic", "default/orders",
            "message_id", letter.getPosition().getPartition() + "-" + letter.getPosition().getOffset(),
            "sequence", "1",
            "reason", "REJECTED",
            "attempts", "1",
            "failure_code", "E7",
            "failure_reason", "hopeless"),
        told);
    long sequence = Long.parseLong(told.get("sequence")); // Who is done with a copy discards its dead letter.
    assertEquals(List.of(sequence), client().subscriptions().discardDeadLetters("forwarding", List.of(sequence)));
  }

  @Test
  void aLetterThatWasNotForwardedSaysWhy() throws InterruptedException {
    publish("small", "x".repeat(3_000));
    reject(2);
    DeadLetter letter = letter(NOT_FORWARDED);
    assertEquals(
        List.of("default/failed", DeadLetterForwardFailure.DEAD_LETTER_FORWARD_FAILURE_TOO_LARGE, false),
        List.of(letter.getForward().getTopic(), letter.getForward().getFailure(), letter.getForward().hasPosition()));
    assertEquals(letter.getForward(), client().subscriptions().deadLetter("forwarding", letter.getSequence()).orElseThrow().getForward());
  }

  @Test
  void aLetterOfASubscriptionWithoutATopicForThemIsNotForwarded() throws InterruptedException {
    publish("bad");
    try (var deliveries = client().deliveries("billing", SubscribeSettings.defaults())) {
      deliveries.take().orElseThrow().rejectConfirmed("", "").join();
    }
    assertFalse(client().subscriptions().deadLetter("billing", 1).orElseThrow().hasForward());
    assertEquals(List.of(), client().subscriptions().deadLetters("billing", NOT_FORWARDED).toList());
  }
}
