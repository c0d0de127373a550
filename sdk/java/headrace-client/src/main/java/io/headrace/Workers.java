package io.headrace;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * Runs a handler for each delivery, several at once, but one of a lane at a time: of an ordering key, or
 * of a partition, where the subscription keeps that order. Its state is the loop's.
 *
 * @param <T> the type of payloads
 */
final class Workers<T> implements Sink<T> {
  /** The code with which a payload is rejected that is none of the type that was asked for. */
  private static final String UNDECODABLE = "UNDECODABLE";

  private final SubscriberLoop<T> subscriber;
  private final Handler<T> handler;
  private final Executor executor;
  private final int concurrency;
  private final @Nullable Tracing tracing;
  private final Runnable whenEnded;
  private final CompletableFuture<Void> ended;
  private final Deque<Delivery<T>> queue = new ArrayDeque<>();

  /** What waits behind a delivery of a lane. */
  private final Map<Object, Deque<Delivery<T>>> lanes = new HashMap<>();

  /** Lanes in which nothing runs: their next one goes before the queue. */
  private final Deque<Object> free = new ArrayDeque<>();

  private boolean held;
  private int running;
  private @Nullable HeadraceException refused;

  Workers(
      SubscriberLoop<T> subscriber,
      Handler<T> handler,
      Executor executor,
      int concurrency,
      @Nullable Tracing tracing,
      CompletableFuture<Void> ended,
      Runnable whenEnded) {
    this.subscriber = subscriber;
    this.handler = handler;
    this.executor = executor;
    this.concurrency = concurrency;
    this.tracing = tracing;
    this.ended = ended;
    this.whenEnded = whenEnded;
  }

  @Override
  public void deliver(List<Delivery<T>> deliveries) {
    queue.addAll(deliveries);
    run();
  }

  private void run() {
    while (!held && running < concurrency && !(free.isEmpty() && queue.isEmpty())) {
      if (free.isEmpty()) {
        enter(queue.poll());
      } else {
        next(free.poll());
      }
    }
  }

  /** Starts a delivery, or puts it behind those of its lane. */
  private void enter(Delivery<T> delivery) {
    if (delivery.settled) {
      return;
    }
    Object name = laneOf(delivery);
    Deque<Delivery<T>> lane = name == null ? null : lanes.get(name);
    if (lane != null) {
      lane.add(delivery);
      return;
    }
    if (name != null) {
      lanes.put(name, new ArrayDeque<>());
    }
    start(delivery);
  }

  private @Nullable Object laneOf(Delivery<T> delivery) {
    switch (subscriber.orderedBy()) {
      case ORDERED_BY_KEY:
        return delivery.orderingKey().isEmpty() ? null : delivery.orderingKey();
      case ORDERED_BY_PARTITION:
        return delivery.position().partition();
      default:
        return null;
    }
  }

  private void start(Delivery<T> delivery) {
    FutureTask<Void> task = new FutureTask<>(() -> work(delivery), null);
    delivery.handler = task;
    delivery.claim();
    try {
      executor.execute(() -> {
        task.run();
        if (task.isCancelled()) {
          Thread.interrupted(); // The interrupt was for this delivery, not for the next.
        }
        subscriber.soon(() -> left(delivery));
      });
    } catch (RejectedExecutionException shutDown) {
      refuse(delivery, shutDown);
      return;
    }
    running++;
    subscriber.start(delivery);
  }

  /** Nothing can be worked on any more: it is given back, and the subscriber ends. */
  private void refuse(Delivery<T> delivery, RejectedExecutionException shutDown) {
    delivery.release();
    if (refused == null) {
      refused = Errors.fault("the executor takes no more handlers", shutDown);
      subscriber.close();
    }
  }

  private void work(Delivery<T> delivery) {
    try {
      if (rejects(delivery)) {
        return;
      }
      handle(delivery);
      delivery.ack();
    } catch (InterruptedException stopped) {
      delivery.release();
    } catch (Throwable failed) { // Errors too: else the message would be held for hours, and nobody told.
      delivery.retry(null, failed.getClass().getSimpleName(), failed.getMessage() == null ? "" : failed.getMessage());
    }
  }

  /**
   * Rejects what is no payload of the type that was asked for: no handler can do anything with it, now or at a
   * later attempt.
   */
  private boolean rejects(Delivery<T> delivery) {
    try {
      delivery.parse();
      return false;
    } catch (IllegalArgumentException malformed) {
      delivery.reject(UNDECODABLE, malformed.getMessage());
      return true;
    }
  }

  private void handle(Delivery<T> delivery) throws Exception {
    if (tracing == null) {
      handler.handle(delivery);
      return;
    }
    Tracing.Processing processing = tracing.processing(subscriber.subscription(), delivery);
    try {
      handler.handle(delivery);
    } catch (Throwable failed) {
      processing.done(failed);
      throw failed;
    }
    processing.done(null);
  }

  /**
   * Lets the next one of a lane go; behind one that failed, when that is confirmed: by then the server has
   * taken back what came behind it.
   */
  private void left(Delivery<T> delivery) {
    running--;
    Object name = laneOf(delivery);
    if (name != null) {
      if (delivery.acked || delivery.ended) {
        free.add(name);
      } else {
        delivery.whenEnded = () -> {
          free.add(name);
          run();
        };
      }
    }
    run();
  }

  private void next(Object name) {
    Deque<Delivery<T>> lane = lanes.get(name);
    while (lane != null && !lane.isEmpty()) {
      Delivery<T> delivery = lane.poll();
      if (!delivery.settled) {
        start(delivery);
        return;
      }
    }
    lanes.remove(name);
  }

  @Override
  public void hold(boolean hold) {
    held = hold;
    run();
  }

  @Override
  public void giveBack() {
    queue.forEach(Delivery::release);
    queue.clear();
    for (Deque<Delivery<T>> lane : lanes.values()) {
      lane.forEach(Delivery::release);
      lane.clear();
    }
  }

  @Override
  public void ended(@Nullable HeadraceException cause) {
    queue.clear();
    HeadraceException why = cause == null ? refused : cause;
    if (why == null) {
      ended.complete(null);
    } else {
      ended.completeExceptionally(why);
    }
    whenEnded.run();
  }
}
