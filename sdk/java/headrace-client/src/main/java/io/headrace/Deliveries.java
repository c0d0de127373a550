package io.headrace;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
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
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final Deque<Delivery<T>> queue = new ArrayDeque<>();
  private boolean held;
  private boolean over;
  private @Nullable HeadraceException cause;

  Deliveries(SubscriberLoop<T> subscriber) {
    this.subscriber = subscriber;
    subscriber.begin(
        new Sink<T>() {
          @Override
          public void deliver(List<Delivery<T>> deliveries) {
            change(() -> queue.addAll(deliveries));
          }

          @Override
          public void hold(boolean hold) {
            change(() -> held = hold);
          }

          @Override
          public void giveBack() {
            change(() -> {
              queue.stream().filter(Delivery::claim).forEach(Delivery::release);
              queue.clear();
            });
          }

          @Override
          public void ended(@Nullable HeadraceException why) {
            change(() -> {
              queue.clear();
              over = true;
              cause = why;
            });
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
   * Waits for a delivery. While the stream is away there is none: what waits here is begun when the server
   * goes on with the session.
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
    lock.lockInterruptibly();
    try {
      long left = nanos;
      while (!over) {
        Delivery<T> delivery = next();
        if (delivery != null) {
          subscriber.start(delivery);
          return Optional.of(delivery);
        }
        if (left <= 0) {
          return Optional.empty();
        }
        left = nanos == Long.MAX_VALUE ? await() : changed.awaitNanos(left);
      }
      if (cause != null) {
        throw cause;
      }
      return Optional.empty();
    } finally {
      lock.unlock();
    }
  }

  /** The next one that is still this subscriber's: not lost, nor given back; none while the stream is away. */
  private @Nullable Delivery<T> next() {
    if (held) {
      return null;
    }
    Delivery<T> delivery = queue.poll();
    while (delivery != null && (delivery.lost().isPresent() || !delivery.claim())) {
      delivery = queue.poll();
    }
    return delivery;
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
    change(() -> over = true);
    Closing.await(subscriber, TimeUnit.SECONDS.toNanos(10));
  }
}
