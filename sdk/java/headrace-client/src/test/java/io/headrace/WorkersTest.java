package io.headrace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.headrace.v1.BlockedBy;
import io.headrace.v1.Message;
import io.headrace.v1.OrderedBy;
import io.headrace.v1.PositionRun;
import io.headrace.v1.SubscribeResponse;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How many handlers run at once where keys are kept in order. */
@Timeout(120)
class WorkersTest {
  private ScriptedServer server;
  private HeadraceClient client;

  private final BlockingQueue<Event.Kind> events = new LinkedBlockingQueue<>();
  private final BlockingQueue<Runnable> handlers = new LinkedBlockingQueue<>();
  private final BlockingQueue<String> handled = new LinkedBlockingQueue<>();

  @BeforeEach
  void start() throws Exception {
    server = new ScriptedServer();
    client = server.client().events(e -> events.add(e.kind())).build();
  }

  @AfterEach
  void stop() {
    server.refuse(); // Nothing is waited for then.
    client.close();
    server.close();
  }

  private static SubscribeResponse.Builder batch(String... keys) {
    SubscribeResponse.Builder frame = SubscribeResponse.newBuilder();
    frame.getBatchBuilder().setFirstSequence(1).addRuns(PositionRun.newBuilder().setCount(keys.length));
    for (String key : keys) {
      frame.getBatchBuilder().addMessages(Message.newBuilder().setOrderingKey(key));
    }
    return frame;
  }

  private void work(Delivery<byte[]> d) {
    handled.add(d.orderingKey());
    if (handled.size() == 1) {
      throw new IllegalStateException("the first one fails");
    }
  }

  @Test
  void whatWaitedForAFailureWaitsForAHandlerToo() throws InterruptedException {
    client.subscribe("billing", this::work).executor(handlers::add).start();
    ScriptedServer.Stream stream = server.stream();
    stream.next();
    SubscribeResponse.Builder opened = stream.opened("first");
    opened.getOpenedBuilder().setOrderedBy(OrderedBy.ORDERED_BY_KEY);
    stream.say(opened);
    stream.say(batch("a", "a", "b"));
    handlers.take().run();
    assertEquals("RETRY 1-1", stream.told());
    Runnable other = handlers.take();
    stream.confirm(1);
    SubscribeResponse.Builder after = SubscribeResponse.newBuilder();
    after.getFlowStateBuilder().addBlockedBy(BlockedBy.BLOCKED_BY_NO_MESSAGES);
    stream.say(after);
    while (events.take() != Event.Kind.FLOW_CHANGED) {
      continue;
    }
    assertTrue(handlers.isEmpty());
    other.run();
    handlers.take().run();
    assertEquals(List.of("a", "b", "a"), List.copyOf(handled));
  }
}
