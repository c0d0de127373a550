package io.headrace.tests;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.headrace.Delivery;
import io.headrace.HeadraceClient;
import io.headrace.HeadraceException;
import io.headrace.Message;
import io.headrace.MessageId;
import io.headrace.PublishSettings;
import io.headrace.Topic;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Publishing against the real server. */
class PublishingTest extends ServerTest {
  private static final String ODD = "\0 'quoted' \u2603 \uD83E\uDD80\n\t\"/\\";

  @Test
  void whatIsPublishedIsReceivedWhole() throws InterruptedException {
    Message sent =
        Message.builder().data(new byte[] {0, -1}).attribute(ODD, ODD).orderingKey(ODD).contentType("text/plain").build();
    MessageId id = orders().publish(sent).join();
    Delivery<byte[]> d = receive(1).get(0);
    assertArrayEquals(new byte[] {0, -1}, d.payload());
    assertEquals(Map.of(ODD, ODD), d.attributes());
    assertEquals(List.of(ODD, "text/plain", id.toString(), 1), List.of(d.orderingKey(), d.contentType(), d.id(), d.attempt()));
    assertTrue(d.publishTime().isAfter(Instant.now().minusSeconds(120)));
    assertEquals(0, stats().getBacklog().getMessages());
  }

  @Test
  void tenThousandMessagesInOrder() throws InterruptedException {
    List<CompletableFuture<MessageId>> ids =
        IntStream.range(0, 10_000).mapToObj(n -> orders().publish(("" + n).getBytes(UTF_8))).collect(Collectors.toList());
    for (int n = 0; n < ids.size(); n++) {
      assertEquals("0-" + n, ids.get(n).join().toString());
    }
    List<Delivery<byte[]>> got = receive(10_000);
    for (int n = 0; n < got.size(); n++) {
      assertEquals("" + n, text(got.get(n)));
    }
    assertEquals(0, stats().getBacklog().getMessages());
  }

  @Test
  void oneWayMessagesArrive() throws InterruptedException {
    orders().publishOneWay(Message.of("nobody asks".getBytes(UTF_8)));
    client().flush().join();
    assertEquals("nobody asks", text(receive(1).get(0)));
  }

  @Test
  void aDuplicateIsTold() {
    Message message = Message.builder().data(new byte[] {1}).dedupeId("a").build();
    MessageId first = orders().publish(message).join();
    MessageId second = orders().publish(message).join();
    assertEquals(first.position(), second.position());
    assertFalse(first.duplicate());
    assertTrue(second.duplicate());
    HeadraceException e = failure(orders().publish(Message.builder().data(new byte[] {2}).dedupeId("a").build()));
    assertInstanceOf(HeadraceException.AlreadyExists.class, e);
    assertEquals("DEDUPE_CONFLICT", e.reason());
  }

  @Test
  void aMessageOneByteTooLargeFailsAlone() {
    client().topics().create(io.headrace.v1.Topic.newBuilder().setName("small").setMaxMessageBytes(1_000).build());
    Topic small = client().topic("small");
    CompletableFuture<MessageId> fits = small.publish(new byte[997]);
    CompletableFuture<MessageId> tooLarge = small.publish(new byte[998]);
    CompletableFuture<MessageId> next = small.publish(new byte[1]);
    assertEquals("0-0", fits.join().toString());
    HeadraceException e = failure(tooLarge);
    assertEquals(List.of("MESSAGE_TOO_LARGE", 1_000L), List.of(e.reason(), e.limit()));
    assertEquals("0-1", next.join().toString());
  }

  @Test
  void killingTheServerLosesAndRepeatsNothingPublished() throws InterruptedException {
    List<CompletableFuture<MessageId>> ids = new ArrayList<>();
    for (int n = 0; n < 3_000; n++) {
      ids.add(orders().publish(("" + n).getBytes(UTF_8)));
      if (n == 1_000 || n == 2_000) {
        server().kill();
        server().restart();
      }
    }
    for (int n = 0; n < ids.size(); n++) {
      assertEquals("0-" + n, ids.get(n).join().toString());
    }
    assertEquals(3_000, receive(3_000).stream().map(Delivery::id).distinct().count());
  }

  @Test
  void aServerThatCannotBeReachedIsTold() {
    try (HeadraceClient nowhere =
        HeadraceClient.builder("127.0.0.1:1").connectTimeout(Duration.ofMillis(200)).build()) {
      HeadraceException e = failure(nowhere.topic("orders").publish(new byte[0]));
      assertEquals(List.of("UNREACHABLE", true), List.of(e.reason(), e.retryable()));
      assertEquals("UNREACHABLE", failure(nowhere.subscribe("billing", d -> {}).start().ended()).reason());
    }
  }

  @Test
  void aFullBufferIsAnErrorWhenAskedFor() {
    PublishSettings tight = PublishSettings.defaults().maxPending(1, 1 << 20).failWhenFull();
    try (HeadraceClient small = server().builder().publish(tight).build()) {
      Topic topic = small.topic("orders");
      CompletableFuture<MessageId> accepted = topic.publish(new byte[1]);
      HeadraceException e =
          assertThrows(
              HeadraceException.class,
              () -> {
                while (true) {
                  topic.publish(new byte[1]);
                }
              });
      assertEquals("BUFFER_FULL", e.reason());
      accepted.join();
    }
  }
}
