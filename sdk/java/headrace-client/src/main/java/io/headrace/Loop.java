package io.headrace;

import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** The one thread of a client that owns the state of its streams. Nothing on it blocks. */
final class Loop {
  private final ScheduledThreadPoolExecutor executor;

  Loop() {
    executor =
        new ScheduledThreadPoolExecutor(
            1,
            task -> {
              Thread thread = new Thread(task, "headrace");
              thread.setDaemon(true);
              return thread;
            });
    executor.setRemoveOnCancelPolicy(true);
    executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
  }

  /** Runs a task soon and in order; nothing when the client is closed. */
  void execute(Runnable task) {
    try {
      executor.execute(task);
    } catch (RejectedExecutionException closed) {
      return; // What it would have changed is gone.
    }
  }

  /** Runs a task and waits for what it gives. */
  <T> T call(Callable<T> task) {
    try {
      return executor.submit(task).get();
    } catch (RejectedExecutionException closed) {
      throw new HeadraceException.Closed("the client is closed");
    } catch (ExecutionException failed) {
      throw Errors.of(failed.getCause());
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new HeadraceException.Interrupted("interrupted");
    }
  }

  ScheduledFuture<?> after(long nanos, Runnable task) {
    return executor.schedule(task, nanos, TimeUnit.NANOSECONDS);
  }

  void close() {
    executor.shutdownNow();
  }
}
