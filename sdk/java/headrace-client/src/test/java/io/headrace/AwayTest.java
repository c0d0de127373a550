package io.headrace;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.headrace.v1.GoAwayReason;
import io.headrace.v1.OrderedBy;
import io.headrace.v1.SubscribeResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What waits in the client while the stream is away: nobody begins it before the session goes on (rule 13). */
@Timeout(120)
class AwayTest {
  private ScriptedServer server;
  private HeadraceClient client;

  private final BlockingQueue<String> events = new LinkedBlockingQueue<>();
  private final List<String> lost = new ArrayList<>();

  /** Handlers that the client has begun; the test runs them. */
  private final BlockingQueue<Runnable> handlers = new LinkedBlockingQueue<>();

  private final BlockingQueue<String> handled = new LinkedBlockingQueue<>();

  @BeforeEach
  void start() throws Exception {
    server = new ScriptedServer();
    client = server.client().events(e -> events.add(e.kind() + " " + e.count() + " " + e.detail())).build();
  }

  @AfterEach
  void stop() {
    server.refuse(); // Nothing is waited for then.
    client.close();
    server.close();
  }

  private static String textOf(Delivery<byte[]> d) {
    return new String(d.data(), UTF_8);
  }

  private void subscribe() {
    client.subscribe("billing", d -> handled.add(textOf(d))).executor(handlers::add).concurrency(2).start();
  }

  private void awaitEvent(Event.Kind kind) throws InterruptedException {
    String event = events.take();
    while (!event.startsWith(kind.name())) {
      if (event.startsWith("DELIVERIES_LOST")) {
        lost.add(event);
      }
      event = events.take();
    }
  }

  /** The client has done what it has to do by now. */
  private void awaitClient() {
    client.flush().join();
  }

  private static void inOrder(SubscribeResponse.Builder opened) {
    opened.getOpenedBuilder().setOrderedBy(OrderedBy.ORDERED_BY_PARTITION);
  }

  /** Two of four deliveries have begun when the stream breaks, and end while it is away. */
  private void breakAndEnd(ScriptedServer.Stream stream) throws InterruptedException {
    stream.batch(1, 4);
    Runnable first = handlers.take();
    Runnable second = handlers.take();
    stream.cut();
    awaitEvent(Event.Kind.SESSION_BROKEN);
    first.run();
    second.run();
    awaitClient();
  }

  @Test
  void handlersBeginWhatWasKeptWhenItIsBack() throws InterruptedException {
    subscribe();
    breakAndEnd(server.opened("first"));
    ScriptedServer.Stream second = server.stream();
    assertEquals("1-4", ScriptedServer.Stream.ranges(second.next().getOpen().getResume().getHoldingList()));
    assertTrue(handlers.isEmpty());
    second.resumed("first", 5, 40, 1, 3); // The last one is somebody else's.
    handlers.take().run();
    awaitClient();
    assertTrue(handlers.isEmpty());
    assertEquals(List.of("1", "2", "3"), List.copyOf(handled));
    second.batch(5, 1);
    handlers.take().run();
    assertEquals("5", List.copyOf(handled).get(3));
  }

  @Test
  void handlersBeginWhatWaitsBehindOthersOfItsLaneWhenItIsBack() throws InterruptedException {
    subscribe();
    ScriptedServer.Stream stream = server.stream();
    stream.next();
    SubscribeResponse.Builder opened = stream.opened("first");
    inOrder(opened);
    stream.say(opened);
    stream.batch(1, 2);
    Runnable first = handlers.take();
    stream.cut();
    awaitEvent(Event.Kind.SESSION_BROKEN);
    first.run();
    awaitClient();
    assertTrue(handlers.isEmpty());
    ScriptedServer.Stream second = server.stream();
    second.next();
    second.resumed("first", 3, 20, 1, 2);
    handlers.take().run();
    assertEquals(List.of("1", "2"), List.copyOf(handled));
  }

  @Test
  void handlersNeverBeginWhatIsOfASessionThatIsOver() throws InterruptedException {
    subscribe();
    breakAndEnd(server.opened("first"));
    server.opened("second").batch(7, 1);
    handlers.take().run();
    awaitClient();
    assertTrue(handlers.isEmpty());
    assertEquals(List.of("1", "2", "7"), List.copyOf(handled));
  }

  @Test
  void whatNoServerTakesUpIsDroppedAtOnce() throws InterruptedException {
    subscribe();
    ScriptedServer.Stream stream = server.stream();
    stream.next();
    SubscribeResponse.Builder opened = stream.opened("first");
    opened.getOpenedBuilder().getLimitsBuilder().clearResumeWindow();
    stream.say(opened);
    breakAndEnd(stream);
    assertEquals(List.of("DELIVERIES_LOST 4 SESSION_BROKEN"), lost); // Told before the break is.
    assertFalse(server.stream().next().getOpen().hasResume());
  }

  @Test
  void whatIsNotTakenUpInTimeIsDropped() throws InterruptedException {
    subscribe();
    ScriptedServer.Stream stream = server.stream();
    stream.next();
    SubscribeResponse.Builder opened = stream.opened("first");
    opened.getOpenedBuilder().getLimitsBuilder().getResumeWindowBuilder().setSeconds(0).setNanos(300_000_000);
    stream.say(opened);
    stream.batch(1, 4);
    handlers.take();
    stream.cut();
    awaitEvent(Event.Kind.DELIVERIES_LOST);
    ScriptedServer.Stream next = server.stream();
    while (next.next().getOpen().hasResume()) { // It is not answered.
      next = server.stream();
    }
    next.say(next.opened("second"));
    awaitEvent(Event.Kind.SESSION_OPENED);
  }

  @Test
  void handlersBeginNothingBeforeAnotherStreamTookThePlaceOfTheirs() throws InterruptedException {
    subscribe();
    ScriptedServer.Stream stream = server.opened("first");
    stream.batch(1, 3);
    Runnable first = handlers.take();
    handlers.take();
    stream.goAway(GoAwayReason.GO_AWAY_REASON_STREAM);
    ScriptedServer.Stream second = server.stream();
    second.next();
    first.run();
    awaitClient();
    assertTrue(handlers.isEmpty());
    second.resumed("first", 4, 30, 1, 3);
    handlers.take().run();
    assertEquals(List.of("1", "3"), List.copyOf(handled));
  }

  @Test
  void nothingIsTakenUntilItIsBack() throws InterruptedException {
    Deliveries<byte[]> deliveries = client.deliveries("billing", SubscribeSettings.defaults());
    ScriptedServer.Stream stream = server.opened("first");
    stream.batch(1, 3);
    assertEquals("1", textOf(deliveries.take().orElseThrow()));
    stream.cut();
    awaitEvent(Event.Kind.SESSION_BROKEN);
    assertTrue(deliveries.poll(Duration.ZERO).isEmpty());
    ScriptedServer.Stream second = server.stream();
    second.next();
    second.resumed("first", 4, 30, 1, 2);
    assertEquals("2", textOf(deliveries.take().orElseThrow()));
    assertTrue(deliveries.poll(Duration.ZERO).isEmpty());
    second.cut();
    awaitEvent(Event.Kind.SESSION_BROKEN);
    server.opened("second").batch(7, 1);
    assertEquals("7", textOf(deliveries.take().orElseThrow()));
  }

  @Test
  void aFlowGetsNothingUntilItIsBack() throws InterruptedException {
    FlowNotes to = new FlowNotes();
    client.publisher("billing", SubscribeSettings.defaults()).subscribe(to);
    ScriptedServer.Stream stream = server.opened("first");
    to.request(10);
    assertEquals("GRANT 10 67108864", stream.told());
    stream.batch(1, 2);
    assertEquals("1", textOf(to.got.take()));
    assertEquals("2", textOf(to.got.take()));
    stream.cut();
    awaitEvent(Event.Kind.SESSION_BROKEN);
    to.request(1);
    awaitClient();
    assertTrue(to.got.isEmpty());
    ScriptedServer.Stream second = server.stream();
    assertEquals("1-2", ScriptedServer.Stream.ranges(second.next().getOpen().getResume().getHoldingList()));
    second.resumed("first", 3, 20, 1, 2);
    assertEquals("GRANT 11 67108884", second.told());
    second.batch(3, 1);
    assertEquals("3", textOf(to.got.take()));
  }

  private ScriptedServer.Stream openedSettledWhenSent() throws InterruptedException {
    ScriptedServer.Stream stream = server.stream();
    stream.next();
    SubscribeResponse.Builder opened = stream.opened("first");
    opened.getOpenedBuilder().setSettledWhenSent(true).clearFeatures();
    stream.say(opened);
    return stream;
  }

  @Test
  void handlersWorkOffWhatIsDeliveredAtMostOnce() throws InterruptedException {
    subscribe();
    breakAndEnd(openedSettledWhenSent());
    handlers.take().run();
    handlers.take().run();
    assertEquals(List.of("1", "2", "3", "4"), List.copyOf(handled));
    server.opened("second");
    awaitEvent(Event.Kind.SESSION_OPENED);
    assertEquals(List.of(), lost);
  }

  @Test
  void whatIsDeliveredAtMostOnceIsTakenAfterABreak() throws InterruptedException {
    Deliveries<byte[]> deliveries = client.deliveries("billing", SubscribeSettings.defaults());
    ScriptedServer.Stream stream = openedSettledWhenSent();
    stream.batch(1, 3);
    assertEquals("1", textOf(deliveries.take().orElseThrow()));
    stream.cut();
    awaitEvent(Event.Kind.SESSION_BROKEN);
    assertEquals("2", textOf(deliveries.take().orElseThrow()));
    server.opened("second").batch(1, 1);
    assertEquals("3", textOf(deliveries.take().orElseThrow()));
    assertEquals("1", textOf(deliveries.take().orElseThrow()));
    assertEquals(List.of(), lost);
  }
}
