package io.headrace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** How often messages wake the publisher's loop. */
class InboxTest {
  private final Inbox inbox = new Inbox(10);

  /** How many of so many messages wake the loop. */
  private int wakes(int messages, int bytes) {
    int wakes = 0;
    for (int n = 0; n < messages; n++) {
      Entry entry = new Entry("orders", Message.of(new byte[bytes]), new CompletableFuture<>());
      wakes += inbox.add(entry) ? 1 : 0;
    }
    return wakes;
  }

  private int look() {
    inbox.looked();
    inbox.watch();
    int found = 0;
    while (inbox.poll() != null) {
      found++;
    }
    return found;
  }

  @Test
  void theFirstMessageWakesTheLoopAndOthersDoNotBeforeItLooks() {
    assertEquals(1, wakes(100, 20));
    assertEquals(100, look());
    assertEquals(1, wakes(1, 20));
    assertNotNull(inbox.poll());
    assertNull(inbox.poll());
    assertEquals(0, wakes(1, 20)); // It was woken for the one before, and looks yet.
  }

  @Test
  void whileABatchWaitsForCompanyOnlyWhatFillsItWakesTheLoop() {
    int bytes = new Entry("orders", Message.of(new byte[96]), null).bytes;
    assertEquals(100, bytes);
    inbox.doze(1_000);
    assertEquals(0, wakes(9, 96));
    assertEquals(1, wakes(1, 96));
    assertEquals(0, wakes(100, 96));
    assertEquals(110, look());
  }

  @Test
  void smallMessagesFillABatchByTheirNumber() {
    inbox.doze(1_000);
    assertEquals(0, wakes(99, 0));
    assertEquals(1, wakes(1, 0));
  }

  @Test
  void whenTheBatchIsSentEachMessageCountsAgain() {
    inbox.doze(1_000_000);
    assertEquals(0, wakes(1, 20));
    assertEquals(1, look());
    assertEquals(1, wakes(1, 20));
  }
}
