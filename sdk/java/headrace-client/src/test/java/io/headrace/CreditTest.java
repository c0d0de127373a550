package io.headrace;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.headrace.v1.Replenish;
import io.headrace.v1.SubscribeRequest;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What the server is told of credit: rule 1, without a server. */
class CreditTest {
  private static final int MESSAGE_BYTES = 10;

  private Window.Size window = new Window.Size(10, 1_000);
  private long received;
  private long charged;

  /** Credit of a stream that is open. */
  private Credit opened(boolean manual, boolean boundsRequests) {
    Credit credit = new Credit(window, manual, boundsRequests);
    credit.open(SubscribeRequest.Open.newBuilder(), window);
    credit.opened(received);
    return credit;
  }

  private Credit byHand() {
    return opened(true, true);
  }

  private void come(Credit credit, int count) {
    received += count;
    charged += (long) count * MESSAGE_BYTES;
    credit.came(count);
  }

  /** All that is due by now. */
  private List<String> told(Credit credit) {
    List<String> all = new ArrayList<>();
    SubscribeRequest frame = credit.nextFrame(window, received, charged);
    while (frame != null) {
      all.add(ScriptedServer.Stream.describe(frame));
      frame = credit.nextFrame(window, received, charged);
    }
    return all;
  }

  private List<String> resized(Credit credit, int messages, long bytes) {
    window = new Window.Size(messages, bytes);
    return told(credit);
  }

  @Test
  void theServerIsToldOfAnotherSizeOnce() {
    Credit credit = opened(false, true);
    assertEquals(List.of(), told(credit));
    assertEquals(List.of("WINDOW 20 1000"), resized(credit, 20, 1_000));
    assertEquals(List.of("WINDOW 20 3000"), resized(credit, 20, 3_000));
    assertEquals(List.of("WINDOW 1 1"), resized(credit, 1, 1));
    assertEquals(List.of(), resized(credit, 1, 1));
    come(credit, 1);
    credit.request(5);
    assertEquals(List.of(), told(credit)); // The server sees to it by itself.
  }

  @Test
  void aNewStreamSaysTheSizeOfNow() {
    Credit credit = opened(false, true);
    window = new Window.Size(20, 2_000);
    SubscribeRequest.Open.Builder open = SubscribeRequest.Open.newBuilder();
    credit.open(open, window);
    credit.opened(0);
    assertEquals(SubscribeRequest.Window.newBuilder().setMessages(20).setBytes(2_000).build(), open.getWindow());
    assertEquals(Replenish.REPLENISH_UNSPECIFIED, open.getReplenish());
    assertEquals(List.of(), told(credit));
  }

  @Test
  void aNewStreamSaysThatCreditIsGivenByHand() {
    SubscribeRequest.Open.Builder open = SubscribeRequest.Open.newBuilder();
    new Credit(window, true, true).open(open, window);
    assertEquals(SubscribeRequest.Open.newBuilder().setReplenish(Replenish.REPLENISH_MANUAL).build(), open.build());
  }

  @Test
  void nothingIsGrantedThatWasNotAskedFor() {
    Credit credit = byHand();
    assertEquals(List.of(), told(credit));
    assertEquals(List.of(), resized(credit, 20, 2_000));
    credit.request(2);
    assertEquals(List.of("GRANT 2 2000"), told(credit));
    come(credit, 2);
    assertEquals(List.of(), told(credit));
  }

  @Test
  void byHandTheWindowBoundsWhatIsAskedFor() {
    Credit credit = byHand();
    credit.request(25);
    assertEquals(List.of("GRANT 10 1000"), told(credit));
    come(credit, 4);
    assertEquals(List.of("GRANT 14 1040"), told(credit));
    assertEquals(List.of("GRANT 7 540"), resized(credit, 3, 500));
    come(credit, 10); // Was on its way.
    assertEquals(List.of("GRANT 17 640"), told(credit));
    assertEquals(List.of("GRANT 25 640"), resized(credit, 100, 500));
  }

  @Test
  void byHandADefaultWindowBoundsBytesAlone() {
    Credit credit = opened(true, false);
    credit.request(2_000);
    assertEquals(List.of("GRANT 2000 1000"), told(credit));
    assertEquals(List.of("GRANT 2000 3000"), resized(credit, 5, 3_000));
  }

  @Test
  void whenTheWindowShrinksByWhatWasChargedALargeMessageCanComeAllTheSame() {
    Credit credit = byHand();
    credit.request(1);
    assertEquals(List.of("GRANT 1 1000"), told(credit));
    come(credit, 1);
    credit.request(1);
    assertEquals(List.of("GRANT 2 999", "GRANT 2 1000"), resized(credit, 10, 990));
  }

  @Test
  void whenTheWindowShrinksByMoreALargeMessageCanComeAllTheSame() {
    Credit credit = byHand();
    credit.request(1);
    assertEquals(List.of("GRANT 1 1000"), told(credit));
    come(credit, 1);
    credit.request(1);
    assertEquals(List.of("GRANT 2 509", "GRANT 2 510"), resized(credit, 10, 500));
  }

  @Test
  void noByteIsLeftWhereNothingWasChargedSinceTheBytesWereRaised() {
    Credit credit = byHand();
    credit.request(1);
    assertEquals(List.of("GRANT 1 1000"), told(credit));
    assertEquals(List.of("GRANT 1 500"), resized(credit, 10, 500));
  }

  @Test
  void aLittleMoreIsNotWorthAFrame() {
    window = new Window.Size(1_000, 1_000);
    Credit credit = byHand();
    credit.request(100);
    assertEquals(List.of("GRANT 100 1000"), told(credit));
    for (int n = 0; n < 25; n++) {
      credit.request(1);
      assertEquals(List.of(), told(credit));
    }
    credit.request(1);
    assertEquals(List.of("GRANT 126 1000"), told(credit));
  }

  @Test
  void onANewStreamItIsGrantedAnew() {
    Credit credit = byHand();
    credit.request(6);
    assertEquals(List.of("GRANT 6 1000"), told(credit));
    come(credit, 1);
    received = 3; // Two were sent that nobody read.
    window = new Window.Size(4, 400);
    credit.open(SubscribeRequest.Open.newBuilder(), window);
    credit.opened(received);
    assertEquals(List.of("GRANT 7 410"), told(credit));
    assertEquals(List.of(), told(credit));
  }

  @Test
  void theBytesMayBeWithoutABound() {
    window = new Window.Size(10, Long.MAX_VALUE);
    Credit credit = byHand();
    credit.request(25);
    assertEquals(List.of("GRANT 10 " + Long.MAX_VALUE), told(credit));
    come(credit, 4);
    assertEquals(List.of("GRANT 14 " + (Long.MAX_VALUE + 40)), told(credit)); // The contract's bytes have no sign.
  }

  @Test
  void everythingCanBeAskedFor() {
    Credit credit = opened(true, false);
    credit.request(1);
    come(credit, 1);
    credit.request(Long.MAX_VALUE);
    credit.request(Long.MAX_VALUE);
    assertEquals(List.of("GRANT " + Long.MAX_VALUE + " 1010"), told(credit));
  }
}
