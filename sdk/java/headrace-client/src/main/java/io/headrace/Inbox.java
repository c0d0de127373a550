package io.headrace;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Messages on their way from any thread to the publisher's loop. While a batch waits for company the loop need
 * not know of each that comes: it is woken when the batch can be full, and looks by itself when it is due.
 */
final class Inbox {
  private final Queue<Entry> queue = new ConcurrentLinkedQueue<>();

  /** The loop was woken and has not looked since. */
  private final AtomicBoolean woken = new AtomicBoolean();

  /** What may still come without waking the loop; negative: nothing. */
  private final AtomicLong left = new AtomicLong(-1);

  /** What a message counts at least, so that batches of many small ones are full in time. */
  private final int leastBytes;

  Inbox(int leastBytes) {
    this.leastBytes = leastBytes;
  }

  /** Takes a message from any thread; true when the caller is to wake the loop. */
  boolean add(Entry entry) {
    queue.add(entry);
    return left.addAndGet(-Math.max(leastBytes, entry.bytes)) < 0 && !woken.get() && woken.compareAndSet(false, true);
  }

  /** The loop looks because it was woken, and is to be woken again. */
  void looked() {
    woken.set(false);
  }

  /** The next message; before the first of several {@link #watch}. */
  @Nullable Entry poll() {
    return queue.poll();
  }

  /** Every message wakes the loop from now on. */
  void watch() {
    if (left.get() >= 0) {
      left.set(-1);
    }
  }

  /** So many bytes may come before the loop is woken: it looks by itself, soon. */
  void doze(long bytes) {
    left.set(bytes - 1);
  }
}
