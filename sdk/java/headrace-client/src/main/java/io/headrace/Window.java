package io.headrace;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * How much a subscriber may hold unsettled, to be resized while it runs: given to {@link
 * SubscribeSettings#window}. Each subscriber that has it gets a window of that size; it is no sum that they
 * share. Safe from any thread, also in a handler.
 *
 * <p>Nothing is taken back when a window shrinks: less comes until as much is settled. The server knows of a
 * new size as soon as the client has sent it, which is at once; of several in a row it may see the last alone.
 */
public final class Window {
  /** Both bounds, which change together. */
  static final class Size {
    final int messages;
    final long bytes;

    Size(int messages, long bytes) {
      if (messages < 1 || bytes < 1) {
        throw new IllegalArgumentException("a window is of at least 1 message and 1 byte, not of " + messages + " and " + bytes);
      }
      this.messages = messages;
      this.bytes = bytes;
    }

    boolean is(Size other) {
      return messages == other.messages && bytes == other.bytes;
    }
  }

  /** Those who must know of a new size. */
  private final Set<Runnable> users = ConcurrentHashMap.newKeySet();

  private volatile Size size;

  private Window(Size size) {
    this.size = size;
  }

  /**
   * A window of a size.
   *
   * @param messages at least 1
   * @param bytes of encoded messages, at least 1; a larger message comes alone
   * @return a window of its own
   * @throws IllegalArgumentException one of them is less than 1
   */
  public static Window of(int messages, long bytes) {
    return new Window(new Size(messages, bytes));
  }

  /**
   * Gives it another size, for every subscriber that has it, from now on and when they connect again.
   *
   * @param messages at least 1
   * @param bytes of encoded messages, at least 1
   * @throws IllegalArgumentException one of them is less than 1; the size stays
   */
  public void resize(int messages, long bytes) {
    size = new Size(messages, bytes);
    users.forEach(Runnable::run);
  }

  /**
   * Its size in messages.
   *
   * @return at least 1
   */
  public int messages() {
    return size.messages;
  }

  /**
   * Its size in bytes of encoded messages.
   *
   * @return at least 1
   */
  public long bytes() {
    return size.bytes;
  }

  /** Both at one moment. */
  Size size() {
    return size;
  }

  /** Has this run after each resize, by the thread that resizes. */
  void use(Runnable resized) {
    users.add(resized);
  }

  void leave(Runnable resized) {
    users.remove(resized);
  }

  /** Its size. */
  @Override
  public String toString() {
    Size now = size;
    return "Window of " + now.messages + " messages, " + now.bytes + " bytes";
  }
}
