package io.headrace;

import java.util.PriorityQueue;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The one thread of a client that owns the state of its streams. Nothing on it blocks. A task costs no lock,
 * and wakes the thread only when that sleeps: two for each delivery would cost more than all else.
 */
final class Loop {
  /** How many tasks run before timers are looked at. */
  private static final int TURN_TASKS = 100;

  private static final Runnable END = () -> {};

  /** A task for later. The loop's. */
  final class Timer implements Comparable<Timer> {
    private final long due;
    private final Runnable task;

    private Timer(long due, Runnable task) {
      this.due = due;
      this.task = task;
    }

    /** It is not run, if it has not begun. */
    void cancel() {
      timers.remove(this);
    }

    @Override
    public int compareTo(Timer other) {
      return Long.signum(due - other.due);
    }
  }

  private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
  private final PriorityQueue<Timer> timers = new PriorityQueue<>();
  private final AtomicBoolean begun = new AtomicBoolean();
  final Thread thread = new Thread(this::run, "headrace");

  /** The thread sleeps, or is about to: who has a task for it wakes it. */
  private final AtomicBoolean asleep = new AtomicBoolean();

  private volatile boolean closed;

  Loop() {
    thread.setDaemon(true);
  }

  /** Runs a task soon and in order; false when the client is closed. */
  boolean execute(Runnable task) {
    if (closed) {
      return false;
    }
    add(task);
    return !closed || !tasks.remove(task); // Closed meanwhile: what is still there may be behind the end.
  }

  private void add(Runnable task) {
    tasks.add(task);
    if (asleep.get() && asleep.compareAndSet(true, false)) {
      LockSupport.unpark(thread);
    } else if (!begun.get() && begun.compareAndSet(false, true)) {
      thread.start();
    }
  }

  /** Whether the caller is on the loop, and must not wait for it. */
  boolean isCurrent() {
    return Thread.currentThread() == thread;
  }

  /** Runs a task later, unless the client is closed by then. For the loop's own thread. */
  Timer after(long nanos, Runnable task) {
    Timer timer = new Timer(System.nanoTime() + nanos, task);
    timers.add(timer);
    return timer;
  }

  /** Runs what was given before, and nothing more. */
  void close() {
    if (!closed) {
      closed = true;
      add(END);
    }
  }

  private void run() {
    while (turn()) {
      runTimers();
      if (tasks.isEmpty()) {
        rest();
      }
    }
  }

  /** Runs tasks; false when it is over. */
  private boolean turn() {
    for (int n = 0; n < TURN_TASKS; n++) {
      Runnable task = tasks.poll();
      if (task == null) {
        return true;
      }
      if (task == END) {
        return false;
      }
      run(task);
    }
    return true;
  }

  /** Runs those that are due by now; what they set anew comes after the tasks. */
  private void runTimers() {
    if (timers.isEmpty()) {
      return;
    }
    long now = System.nanoTime();
    while (!timers.isEmpty() && timers.peek().due - now <= 0) {
      run(timers.poll().task);
    }
  }

  /** A fault ends a task alone: whoever gave it has told what there is to tell. */
  private static void run(Runnable task) {
    try {
      task.run();
    } catch (RuntimeException | Error fault) {
      return;
    }
  }

  /** Sleeps until there is a task, or the first timer is due. */
  private void rest() {
    asleep.set(true);
    if (tasks.isEmpty()) { // Else whoever added it may have seen it awake.
      Timer first = timers.peek();
      if (first == null) {
        LockSupport.park(this);
      } else {
        LockSupport.parkNanos(this, first.due - System.nanoTime());
      }
    }
    asleep.set(false);
    Thread.interrupted(); // Nobody's business, and it would not sleep again.
  }
}
