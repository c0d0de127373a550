package io.headrace;

import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** The one thread of a client that owns the state of its streams. Nothing on it blocks. */
final class Loop {
  private final ScheduledThreadPoolExecutor executor;
  private final ReentrantLock lock = new ReentrantLock();
  private boolean closed;
  private volatile @Nullable Thread current;

  Loop() {
    executor =
        new ScheduledThreadPoolExecutor(
            1,
            task -> {
              Thread thread = new Thread(task, "headrace");
              thread.setDaemon(true);
              current = thread;
              return thread;
            });
    executor.setRemoveOnCancelPolicy(true);
    executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
  }

  /** Runs a task soon and in order; false when the client is closed. */
  boolean execute(Runnable task) {
    lock.lock();
    try {
      if (closed) {
        return false;
      }
      executor.execute(task);
      return true;
    } finally {
      lock.unlock();
    }
  }

  /** Whether the caller is on the loop, and must not wait for it. */
  boolean isCurrent() {
    return Thread.currentThread() == current;
  }

  /** Runs a task later, unless the client is closed by then. */
  ScheduledFuture<?> after(long nanos, Runnable task) {
    return executor.schedule(task, nanos, TimeUnit.NANOSECONDS);
  }

  /** Runs what was given before, and nothing more. */
  void close() {
    lock.lock();
    try {
      if (!closed) {
        closed = true;
        executor.execute(executor::shutdownNow);
      }
    } finally {
      lock.unlock();
    }
  }
}
