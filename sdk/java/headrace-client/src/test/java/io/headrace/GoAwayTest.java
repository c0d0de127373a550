package io.headrace;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.headrace.v1.GoAwayReason;
import io.headrace.v1.RevokeReason;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A server that goes away, and nothing takes its place: rule 14. */
@Timeout(120)
class GoAwayTest {
  private ScriptedServer server;
  private HeadraceClient client;

  private final BlockingQueue<String> begun = new LinkedBlockingQueue<>();
  private final BlockingQueue<String> lost = new LinkedBlockingQueue<>();
  private final BlockingQueue<String> events = new LinkedBlockingQueue<>();

  /** How many handlers may return. */
  private final Semaphore done = new Semaphore(0);

  @BeforeEach
  void start() throws Exception {
    server = new ScriptedServer();
    client = server.client().events(e -> events.add(e.kind() + " " + e.detail())).build();
  }

  @AfterEach
  void stop() {
    server.refuse(); // Nothing is waited for then.
    client.close();
    server.close();
  }

  private void work(Delivery<byte[]> d) throws InterruptedException {
    begun.add(new String(d.data(), UTF_8));
    try {
      done.acquire();
    } catch (InterruptedException interrupted) {
      lost.add(new String(d.data(), UTF_8) + " " + d.lost().orElse(""));
      throw interrupted;
    }
  }

  private Subscriber subscribe() {
    return client.subscribe("billing", this::work).settings(SubscribeSettings::releasingOnStop).start();
  }

  private void awaitEvent(String event) throws InterruptedException {
    while (!events.take().equals(event)) {
      continue;
    }
  }

  /** Three deliveries came, one of which was begun, when the server said that it goes. */
  private ScriptedServer.Stream leaving() throws InterruptedException {
    ScriptedServer.Stream stream = server.opened("first");
    stream.batch(1, 3);
    assertEquals("1", begun.take());
    stream.goAway(GoAwayReason.GO_AWAY_REASON_SHUTDOWN);
    awaitEvent("GO_AWAY_RECEIVED SHUTDOWN");
    return stream;
  }

  @Test
  void whatWasDeliveredIsWorkedOff() throws InterruptedException {
    subscribe();
    ScriptedServer.Stream stream = leaving();
    for (int n = 1; n <= 3; n++) {
      done.release();
      assertEquals("ACK " + n + "-" + n, stream.told());
    }
    stream.confirm(3);
    assertEquals("END", stream.told());
    stream.end();
    server.opened("second").batch(1, 1);
    assertEquals(List.of("2", "3", "1"), List.of(begun.take(), begun.take(), begun.take()));
    assertTrue(lost.isEmpty());
    assertFalse(events.stream().anyMatch(e -> e.startsWith("DELIVERIES_LOST")), events::toString);
  }

  @Test
  void aStreamThatCannotBeResumedIsWorkedOffWhateverTheReason() throws InterruptedException {
    subscribe();
    ScriptedServer.Stream stream = server.stream();
    stream.next();
    io.headrace.v1.SubscribeResponse.Builder opened = stream.opened("first");
    opened.getOpenedBuilder().clearFeatures();
    stream.say(opened);
    stream.batch(1, 2);
    stream.goAway(GoAwayReason.GO_AWAY_REASON_STREAM);
    awaitEvent("GO_AWAY_RECEIVED STREAM");
    done.release(2);
    List<String> told = new ArrayList<>();
    while (told.stream().noneMatch(t -> t.endsWith("2"))) {
      told.add(stream.told());
    }
    assertTrue(told.stream().allMatch(t -> t.startsWith("ACK")), told::toString);
    stream.confirm(told.size());
    assertEquals("END", stream.told());
  }

  @Test
  void whatTheGraceLeavesIsNotBegun() throws InterruptedException {
    subscribe();
    ScriptedServer.Stream stream = leaving();
    stream.revoke(RevokeReason.REVOKE_REASON_GRACE_OVER, 1, 3);
    assertEquals("1 GRACE_OVER", lost.take());
    assertEquals("END", stream.told());
    stream.end();
    ScriptedServer.Stream second = server.opened("second");
    second.batch(1, 1);
    done.release();
    assertEquals("ACK 1-1", second.told());
    assertEquals(List.of("1"), List.copyOf(begun)); // The second session's.
  }

  @Test
  void whatTheServerKeepsIsWorkedOnWhenItIsBack() throws InterruptedException {
    subscribe();
    leaving().end();
    ScriptedServer.Stream second = server.stream();
    assertEquals("1-3", ScriptedServer.Stream.ranges(second.next().getOpen().getResume().getHoldingList()));
    second.resumed("first", 4, 30, 1, 3);
    awaitEvent("SESSION_RESUMED ");
    done.release();
    assertEquals("ACK 1-1", second.told());
    assertTrue(lost.isEmpty());
  }

  @Test
  void aStopOfTheClientsOwnGivesBack() throws InterruptedException {
    Subscriber subscriber = client.subscribe("billing", this::work).start();
    ScriptedServer.Stream stream = leaving();
    CompletableFuture<Void> closed = CompletableFuture.runAsync(subscriber::close);
    assertEquals("DRAIN", stream.told());
    assertEquals("RELEASE 2-3", stream.told());
    done.release();
    assertEquals("ACK 1-1", stream.told());
    stream.confirm(2);
    stream.drained();
    assertEquals("END", stream.told());
    stream.end();
    closed.join();
    assertEquals(0, begun.size() + lost.size());
  }

  @Test
  void creditByHandIsGivenToTheNextServerAlone() throws InterruptedException {
    FlowNotes to = new FlowNotes();
    client.publisher("billing", SubscribeSettings.defaults().maxOutstandingBytes(1_000)).subscribe(to);
    ScriptedServer.Stream stream = server.opened("first");
    to.request(2);
    assertEquals("GRANT 2 1000", stream.told());
    stream.batch(1, 1);
    Delivery<byte[]> first = to.got.take();
    assertEquals("GRANT 2 1010", stream.told());
    stream.goAway(GoAwayReason.GO_AWAY_REASON_SHUTDOWN);
    awaitEvent("GO_AWAY_RECEIVED SHUTDOWN");
    stream.batch(2, 1); // Was on its way.
    Delivery<byte[]> second = to.got.take();
    to.request(5);
    first.ackConfirmed();
    assertEquals("ACK 1-1", stream.told());
    second.ackConfirmed();
    assertEquals("ACK 2-2", stream.told());
    stream.confirm(2);
    assertEquals("END", stream.told());
    stream.end();
    assertEquals("GRANT 5 1000", server.opened("second").told());
  }
}
