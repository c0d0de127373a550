package io.headrace;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Deliveries to be taken one by one, by any number of threads. Closing drains: what was not taken is
 * given back uncharged, what was may be settled, and every settle is confirmed.
 *
 * @param <T> the type of the payload
 */
public final class Deliveries<T> implements AutoCloseable {
  private final SubscriberLoop<T> subscriber;
  private final CompletableFuture<Void> closing;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final Deque<Delivery<T>> queue = new ArrayDeque<>();
  private boolean ended;
  private @Nullable HeadraceException cause;

  Deliveries(SubscriberLoop<T> subscriber, Runnable whenEnded) {
    this.subscriber = subscriber;
    this.closing = new CompletableFuture<>();
    subscriber.begin(
        new SubscriberLoop.Sink<T>() {
          @Override
          public void deliver(List<Delivery<T>> deliveries) {
            change(() -> queue.addAll(deliveries));
          }

          @Override
          public void giveBack() {
            change(() -> {
              queue.forEach(Delivery::release);
              queue.clear();
            });
          }

          @Override
          public void ended(@Nullable HeadraceException why) {
            change(() -> {
              queue.clear();
              ended = true;
              cause = why;
            });
            closing.complete(null);
            whenEnded.run();
          }
        });
  }

  private void change(Runnable how) {
    lock.lock();
    try {
      how.run();
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Waits for a delivery.
   *
   * @return empty when this was closed
   * @throws InterruptedException the thread was interrupted
   * @throws HeadraceException somebody has to act: the subscription does not exist, another session took
   *     this one's place, the server cannot be reached
   */
  public Optional<Delivery<T>> take() throws InterruptedException {
    return poll(Long.MAX_VALUE);
  }

  /**
   * Waits for a delivery, but not longer than that.
   *
   * @param timeout how long
   * @return empty when none came in time, or this was closed
   * @throws InterruptedException the thread was interrupted
   * @throws HeadraceException as {@link #take}
   */
  public Optional<Delivery<T>> poll(Duration timeout) throws InterruptedException {
    return poll(timeout.toNanos());
  }

  private Optional<Delivery<T>> poll(long nanos) throws InterruptedException {
    Delivery<T> delivery;
    lock.lockInterruptibly();
    try {
      long left = nanos;
      while (queue.isEmpty() && !ended && left > 0) {
        left = nanos == Long.MAX_VALUE ? await() : changed.awaitNanos(left);
      }
      if (cause != null) {
        throw cause;
      }
      delivery = queue.poll();
    } finally {
      lock.unlock();
    }
    if (delivery != null) {
      subscriber.start(delivery);
    }
    return Optional.ofNullable(delivery);
  }

  private long await() throws InterruptedException {
    changed.await();
    return Long.MAX_VALUE;
  }

  /**
   * Why nothing comes, as the server last said.
   *
   * @return empty while deliveries can flow
   */
  public List<String> blockedBy() {
    return subscriber.blockedBy();
  }

  /** Drains, within the drain timeout, and ends; who waits in {@link #take} gets nothing. */
  @Override
  public void close() {
    Closing.await(subscriber, TimeUnit.SECONDS.toNanos(10));
  }
}
