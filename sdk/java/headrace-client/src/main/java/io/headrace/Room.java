package io.headrace;

/** Bounds what is accepted for publishing and has no result. */
final class Room {
  private final int maxMessages;
  private final long maxBytes;
  private int messages;
  private long bytes;
  private boolean closed;

  /** Those who wait for room. */
  private int waiting;

  Room(int maxMessages, long maxBytes) {
    this.maxMessages = maxMessages;
    this.maxBytes = maxBytes;
  }

  /** Lets a message in; false when there is no room and the caller does not want to wait. */
  synchronized boolean enter(int size, boolean mayWait) {
    while (!closed && messages > 0 && (messages >= maxMessages || bytes + size > maxBytes)) {
      if (!mayWait) {
        return false;
      }
      waiting++;
      try {
        wait();
      } catch (InterruptedException interrupted) {
        Thread.currentThread().interrupt();
        throw new HeadraceException.Interrupted("interrupted while the publish buffer was full; nothing was accepted");
      } finally {
        waiting--;
      }
    }
    if (closed) {
      throw new HeadraceException.Closed("the client is closed");
    }
    messages++;
    bytes += size;
    return true;
  }

  /** Messages have their results, all at once. */
  synchronized void leave(int count, long size) {
    messages -= count;
    bytes -= size;
    if (waiting > 0) {
      notifyAll();
    }
  }

  /** Lets nobody in any more, who waits included. */
  synchronized void close() {
    closed = true;
    notifyAll();
  }
}
