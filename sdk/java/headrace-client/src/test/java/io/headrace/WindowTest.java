package io.headrace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.headrace.v1.SubscribeRequest;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Flow;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Windows that are resized while sessions live: rule 1. */
@Timeout(120)
class WindowTest {
  private final Window window = Window.of(10, 1_000);
  private ScriptedServer server;
  private HeadraceClient client;

  @BeforeEach
  void start() throws Exception {
    server = new ScriptedServer();
    client = server.client().build();
  }

  @AfterEach
  void stop() {
    server.refuse(); // Nothing is waited for then.
    client.close();
    server.close();
  }

  private Deliveries<byte[]> deliveries() {
    return client.deliveries("billing", SubscribeSettings.defaults().window(window));
  }

  private FlowNotes flow(SubscribeSettings settings) {
    FlowNotes notes = new FlowNotes();
    client.publisher("billing", settings).subscribe(notes);
    return notes;
  }

  private static String opens(ScriptedServer.Stream stream) throws InterruptedException {
    SubscribeRequest.Window asked = stream.next().getOpen().getWindow();
    return asked.getMessages() + " " + asked.getBytes();
  }

  @Test
  void itGrowsAndShrinksWhileTheSessionLives() throws InterruptedException {
    deliveries();
    ScriptedServer.Stream stream = server.stream();
    assertEquals("10 1000", opens(stream));
    stream.say(stream.opened("first"));
    window.resize(20, 1_000);
    assertEquals("WINDOW 20 1000", stream.told());
    window.resize(20, 1_000);
    window.resize(1, 1);
    assertEquals("WINDOW 1 1", stream.told());
    assertEquals(List.of(1, 1L), List.of(window.messages(), window.bytes()));
  }

  @Test
  void ofSeveralAtOnceTheNewestIsSent() throws Exception {
    CountDownLatch resized = new CountDownLatch(1);
    CompletableFuture<Void> held = new CompletableFuture<>();
    client.close();
    client =
        server
            .client()
            .events(
                e -> {
                  if (e.kind() == Event.Kind.FLOW_CHANGED) {
                    held.complete(null);
                    uninterruptibly(resized); // The client's thread: it sends nothing meanwhile.
                  }
                })
            .build();
    deliveries();
    ScriptedServer.Stream stream = server.opened("first");
    io.headrace.v1.SubscribeResponse.Builder paused = io.headrace.v1.SubscribeResponse.newBuilder();
    paused.getFlowStateBuilder().addBlockedBy(io.headrace.v1.BlockedBy.BLOCKED_BY_PAUSED);
    stream.say(paused);
    held.join();
    for (int n = 11; n <= 20; n++) {
      window.resize(n, 1_000);
    }
    resized.countDown();
    assertEquals("WINDOW 20 1000", stream.told());
    window.resize(30, 1_000);
    assertEquals("WINDOW 30 1000", stream.told());
  }

  private static void uninterruptibly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void aHandlerMayResizeIt() throws InterruptedException {
    client.subscribe("billing", d -> window.resize(5, 500)).window(window).start();
    ScriptedServer.Stream stream = server.opened("first");
    stream.batch(1, 1);
    assertEquals("WINDOW 5 500", stream.told());
    assertEquals("ACK 1-1", stream.told());
  }

  @Test
  void eachSubscriberHasAWindowOfThatSize() throws InterruptedException {
    deliveries();
    ScriptedServer.Stream first = server.opened("first");
    deliveries();
    ScriptedServer.Stream second = server.opened("second");
    window.resize(7, 70);
    assertEquals("WINDOW 7 70", first.told());
    assertEquals("WINDOW 7 70", second.told());
  }

  @Test
  void itIsLeftAloneDuringADrain() throws InterruptedException {
    Deliveries<byte[]> deliveries = deliveries();
    ScriptedServer.Stream stream = server.opened("first");
    stream.batch(1, 2);
    Delivery<byte[]> d = deliveries.take().orElseThrow();
    CompletableFuture<Void> closed = CompletableFuture.runAsync(deliveries::close);
    assertEquals("DRAIN", stream.told());
    window.resize(100, 1_000);
    d.ack();
    stream.drained();
    assertEquals("RELEASE 2-2", stream.told());
    assertEquals("ACK 1-1", stream.told());
    stream.confirm(2);
    assertEquals("END", stream.told());
    stream.end();
    closed.join();
    window.resize(200, 2_000); // Nobody's any more.
  }

  @Test
  void aNewStreamAsksForTheSizeOfNow() throws InterruptedException {
    deliveries();
    ScriptedServer.Stream stream = server.opened("first");
    stream.batch(1, 2);
    window.resize(20, 2_000);
    assertEquals("WINDOW 20 2000", stream.told());
    stream.cut();
    window.resize(30, 3_000);
    ScriptedServer.Stream second = server.stream();
    assertEquals("30 3000", opens(second));
    second.resumed("first", 3, 20, 1, 2);
    window.resize(40, 3_000);
    assertEquals("WINDOW 40 3000", second.told());
  }

  @Test
  void creditByHandStaysWithinIt() throws InterruptedException {
    FlowNotes flow = flow(SubscribeSettings.defaults().window(window));
    ScriptedServer.Stream stream = server.opened("first");
    flow.request(25);
    assertEquals("GRANT 10 1000", stream.told());
    stream.batch(1, 4);
    assertEquals("GRANT 14 1040", stream.told());
    window.resize(3, 500);
    assertEquals("GRANT 7 540", stream.told()); // Lower than before.
    stream.batch(5, 10); // Was on its way.
    assertEquals("GRANT 17 640", stream.told());
    window.resize(100, 500);
    assertEquals("GRANT 25 640", stream.told()); // As many as were requested.
    stream.batch(15, 11);
    for (int n = 1; n <= 25; n++) {
      flow.got.take();
    }
    window.resize(50, 700); // Nothing is asked for.
    flow.request(Long.MAX_VALUE);
    assertEquals("GRANT 75 950", stream.told());
  }

  @Test
  void creditByHandIsGivenAnewAfterAResumeFromWhereTheServerIs() throws InterruptedException {
    FlowNotes flow = flow(SubscribeSettings.defaults().window(window));
    ScriptedServer.Stream stream = server.opened("first");
    flow.request(6);
    assertEquals("GRANT 6 1000", stream.told());
    stream.batch(1, 1);
    assertEquals("GRANT 6 1010", stream.told());
    flow.got.take();
    stream.cut();
    window.resize(4, 400);
    ScriptedServer.Stream second = server.stream();
    second.next();
    second.resumed("first", 4, 30, 1, 1); // Two were sent that nobody read.
    assertEquals("GRANT 7 430", second.told());
  }

  @Test
  void creditByHandIsBoundInMessagesByAWindowThatIsSet() throws InterruptedException {
    flow(SubscribeSettings.defaults().maxOutstandingBytes(500)).request(2_000);
    assertEquals("GRANT 2000 500", server.opened("first").told());
    flow(SubscribeSettings.defaults().maxOutstandingMessages(5)).request(2_000);
    assertEquals("GRANT 5 67108864", server.opened("second").told());
  }

  @Test
  void aMessageLargerThanASmallerWindowCanComeAllTheSame() throws InterruptedException {
    FlowNotes flow = flow(SubscribeSettings.defaults().window(window));
    ScriptedServer.Stream stream = server.opened("first");
    flow.request(1);
    assertEquals("GRANT 1 1000", stream.told());
    stream.batch(1, 1);
    flow.got.take();
    window.resize(10, 990); // With the 10 bytes that came: nothing is raised by that.
    flow.request(1);
    assertEquals(List.of("GRANT 2 999", "GRANT 2 1000"), List.of(stream.told(), stream.told()));
    stream.batch(2, 1);
    flow.got.take();
    window.resize(10, 500);
    flow.request(1);
    assertEquals(List.of("GRANT 3 519", "GRANT 3 520"), List.of(stream.told(), stream.told()));
  }

  @Test
  void aLittleMoreCreditIsNotWorthAFrame() throws InterruptedException {
    FlowNotes flow = flow(SubscribeSettings.defaults());
    ScriptedServer.Stream stream = server.opened("first");
    flow.request(100);
    assertEquals("GRANT 100 67108864", stream.told());
    Flow.Subscription subscription = flow.subscription.join();
    for (int n = 0; n < 25; n++) {
      subscription.request(1); // Each is seen alone, or together with others: nothing is due before the next.
    }
    subscription.request(1);
    assertEquals("GRANT 126 67108864", stream.told());
  }

  @Test
  void aWindowHasRoomForSomething() {
    for (int[] size : new int[][] {{0, 1}, {1, 0}, {-1, 1}, {1, -1}}) {
      assertThrows(IllegalArgumentException.class, () -> Window.of(size[0], size[1]));
      assertThrows(IllegalArgumentException.class, () -> window.resize(size[0], size[1]));
    }
    assertThrows(IllegalArgumentException.class, () -> SubscribeSettings.defaults().maxOutstandingMessages(0));
    assertThrows(IllegalArgumentException.class, () -> SubscribeSettings.defaults().maxOutstandingBytes(0));
    assertEquals(List.of(10, 1_000L), List.of(window.messages(), window.bytes()));
  }

  @Test
  void theLatestSettingCounts() throws InterruptedException {
    client.deliveries("billing", SubscribeSettings.defaults().window(window).maxOutstandingMessages(3));
    assertEquals("3 67108864", opens(server.stream()));
    client.deliveries("billing", SubscribeSettings.defaults().maxOutstandingMessages(3).window(window));
    assertEquals("10 1000", opens(server.stream()));
  }
}
