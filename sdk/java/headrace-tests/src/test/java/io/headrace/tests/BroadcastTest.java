package io.headrace.tests;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.headrace.HeadraceException;
import io.headrace.Subscriber;
import io.headrace.v1.Position;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Broadcast to live instances, against the real server. */
class BroadcastTest extends ServerTest {
  @Test
  void eachInstanceGetsEveryMessageAndLeavesNothingBehind() {
    publish("before");
    CompletableFuture<String> here = new CompletableFuture<>();
    CompletableFuture<Position> there = new CompletableFuture<>();
    Position sent = Position.newBuilder().setPartition(3).build();
    try (Subscriber one = orders().broadcast(d -> here.complete(new String(d.data(), UTF_8))).start();
        Subscriber other =
            client().topic("orders", Position.parser()).broadcast(d -> there.complete(d.payload())).start()) {
      assertEquals(3, client().subscriptions().listOfTopic("orders").toList().size());
      client().topic("orders", Position.parser()).publish(sent).join();
      assertEquals(sent.toByteString().toStringUtf8(), here.join());
      assertEquals(sent, there.join());
    }
    assertEquals(1, client().subscriptions().listOfTopic("orders").toList().size());
  }

  @Test
  void aTopicThatDoesNotExistIsToldAtTheStart() {
    HeadraceException e =
        assertThrows(HeadraceException.NotFound.class, () -> client().topic("nothing").broadcast(d -> {}).start());
    assertEquals("TOPIC_NOT_FOUND", e.reason());
  }
}
