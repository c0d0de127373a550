package io.headrace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The thread of a client. */
@Timeout(120)
class LoopTest {
  private final Loop loop = new Loop();

  @AfterEach
  void close() {
    loop.close();
  }

  private void awaitLoop() {
    CompletableFuture<Void> done = new CompletableFuture<>();
    assertTrue(loop.execute(() -> done.complete(null)));
    done.join();
  }

  @Test
  void tasksRunInOrderOnOneThreadAlone() {
    List<Integer> seen = new ArrayList<>();
    for (int n = 0; n < 1_000; n++) {
      int number = n;
      loop.execute(() -> seen.add(loop.isCurrent() ? number : -1));
    }
    awaitLoop();
    assertFalse(loop.isCurrent());
    for (int n = 0; n < 1_000; n++) {
      assertEquals(n, seen.get(n));
    }
  }

  @Test
  void noTaskOfManyThreadsIsForgotten() throws InterruptedException {
    AtomicInteger ran = new AtomicInteger();
    List<Thread> threads = new ArrayList<>();
    for (int n = 0; n < 4; n++) {
      Thread thread = new Thread(() -> {
        for (int i = 0; i < 1_000; i++) {
          CompletableFuture<Void> done = new CompletableFuture<>();
          loop.execute(() -> {
            ran.incrementAndGet();
            done.complete(null);
          });
          done.join(); // So that the loop sleeps between.
        }
      });
      threads.add(thread);
      thread.start();
    }
    for (Thread thread : threads) {
      thread.join();
    }
    assertEquals(4_000, ran.get());
  }

  @Test
  void timersRunWhenTheyAreDueAndNotWhenTheyAreCancelled() throws InterruptedException {
    List<String> seen = new ArrayList<>();
    CountDownLatch done = new CountDownLatch(1);
    loop.execute(() -> {
      loop.after(30_000_000, done::countDown);
      loop.after(20_000_000, () -> seen.add("cancelled")).cancel();
      loop.after(10_000_000, () -> seen.add("second"));
      loop.after(0, () -> seen.add("first"));
    });
    done.await();
    assertEquals(List.of("first", "second"), seen);
  }

  @Test
  void timersRunThoughTasksNeverEnd() throws InterruptedException {
    CountDownLatch done = new CountDownLatch(1);
    Runnable again =
        new Runnable() {
          @Override
          public void run() {
            loop.execute(this);
          }
        };
    loop.execute(again);
    loop.execute(() -> loop.after(0, done::countDown));
    done.await();
  }

  @Test
  void aFaultEndsItsTaskAlone() {
    loop.execute(() -> {
      throw new IllegalStateException("a fault");
    });
    awaitLoop();
  }

  @Test
  void whatWasGivenBeforeTheEndRunsAndNothingAfterIt() throws InterruptedException {
    CountDownLatch closed = new CountDownLatch(1);
    AtomicInteger ran = new AtomicInteger();
    loop.execute(() -> {
      try {
        closed.await();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    });
    assertTrue(loop.execute(ran::incrementAndGet));
    CompletableFuture<Void> last = new CompletableFuture<>();
    assertTrue(loop.execute(() -> last.complete(null)));
    loop.close();
    assertFalse(loop.execute(ran::incrementAndGet));
    closed.countDown();
    last.join();
    assertEquals(1, ran.get());
  }

  /** Who is told that a task runs must not wait for it in vain. */
  @Test
  void aTaskThatMeetsTheEndRunsOrIsRefused() throws InterruptedException {
    for (int n = 0; n < 200; n++) {
      Loop ending = new Loop();
      AtomicInteger accepted = new AtomicInteger();
      AtomicInteger ran = new AtomicInteger();
      Thread giver = new Thread(() -> {
        while (ending.execute(ran::incrementAndGet)) {
          accepted.incrementAndGet();
        }
      });
      giver.start();
      ending.close();
      giver.join();
      ending.thread.join();
      assertEquals(accepted.get(), ran.get());
    }
  }
}
