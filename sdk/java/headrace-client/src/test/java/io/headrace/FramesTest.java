package io.headrace;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.headrace.v1.BlockedBy;
import io.headrace.v1.SubscribeResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What many deliveries that come, begin and end together cost in frames to the server: a few, however many they are. */
@Timeout(120)
class FramesTest {
  private static final int MANY = 1_000;

  private final Window window = Window.of(MANY, 1 << 20);

  /** The client's thread waits for the test between these two. */
  private final CompletableFuture<Void> held = new CompletableFuture<>();

  private final CountDownLatch goOn = new CountDownLatch(1);
  private ScriptedServer server;
  private HeadraceClient client;

  @BeforeEach
  void start() throws Exception {
    server = new ScriptedServer();
    client = server.client().events(this::hold).build();
  }

  @AfterEach
  void stop() {
    server.refuse(); // Nothing is waited for then.
    client.close();
    server.close();
  }

  private void hold(Event event) {
    if (event.kind() != Event.Kind.FLOW_CHANGED) {
      return;
    }
    held.complete(null);
    try {
      goOn.await();
    } catch (InterruptedException interrupted) {
      throw new IllegalStateException(interrupted);
    }
  }

  /** All that was said until the last one was acked. */
  private List<String> said(ScriptedServer.Stream stream) throws InterruptedException {
    List<String> said = new ArrayList<>();
    String frame = ScriptedServer.Stream.describe(stream.next());
    while (!frame.startsWith("ACK") || !frame.endsWith("-" + MANY)) {
      said.add(frame);
      frame = ScriptedServer.Stream.describe(stream.next());
    }
    said.add(frame);
    return said;
  }

  @Test
  void ofHandlers() throws InterruptedException {
    client.subscribe("billing", d -> {}).concurrency(MANY).executor(Runnable::run).window(window).start();
    ScriptedServer.Stream stream = server.opened("first");
    stream.batch(1, MANY);
    assertEquals(List.of("ACK 1-1000"), said(stream));
    window.resize(5, 5);
    assertEquals("WINDOW 5 5", ScriptedServer.Stream.describe(stream.next())); // Nothing else was said before it.
  }

  @Test
  void ofDeliveriesThatAreTakenOneByOne() throws InterruptedException {
    Deliveries<byte[]> deliveries = client.deliveries("billing", SubscribeSettings.defaults().window(window));
    ScriptedServer.Stream stream = server.opened("first");
    stream.batch(1, MANY);
    stream.say(blocked());
    held.join();
    for (int n = 0; n < MANY; n++) {
      deliveries.take().orElseThrow().ack();
    }
    goOn.countDown();
    assertEquals(List.of("ACK 1-1000"), said(stream));
    window.resize(5, 5);
    assertEquals("WINDOW 5 5", ScriptedServer.Stream.describe(stream.next()));
  }

  /** Those that are worked on for longer are told to have begun together. */
  @Test
  void ofDeliveriesThatAreHeld() throws InterruptedException {
    Deliveries<byte[]> deliveries = client.deliveries("billing", SubscribeSettings.defaults().window(window));
    ScriptedServer.Stream stream = server.opened("first");
    stream.batch(1, MANY);
    stream.say(blocked());
    held.join();
    for (int n = 0; n < MANY; n++) {
      deliveries.take();
    }
    goOn.countDown();
    assertEquals("STARTED 1-1000", ScriptedServer.Stream.describe(stream.next()));
  }

  /** Each asks for one more. */
  @Test
  void ofAFlow() throws InterruptedException {
    FlowNotes flow =
        new FlowNotes() {
          @Override
          public void onNext(Delivery<byte[]> d) {
            d.ack();
            request(1);
          }
        };
    client.publisher("billing", SubscribeSettings.defaults()).subscribe(flow);
    flow.request(MANY);
    ScriptedServer.Stream stream = server.opened("first");
    assertEquals("GRANT 1000 67108864", ScriptedServer.Stream.describe(stream.next()));
    stream.batch(1, MANY);
    assertEquals(List.of("GRANT 2000 67118864", "ACK 1-1000"), said(stream));
  }

  private static SubscribeResponse.Builder blocked() {
    SubscribeResponse.Builder frame = SubscribeResponse.newBuilder();
    frame.getFlowStateBuilder().addBlockedBy(BlockedBy.BLOCKED_BY_NO_MESSAGES);
    return frame;
  }
}
