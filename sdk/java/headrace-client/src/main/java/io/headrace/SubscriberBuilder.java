package io.headrace;

import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Prepares a subscriber with a handler.
 *
 * @param <T> the type of the payload
 */
public final class SubscriberBuilder<T> {
  /** Starts what was prepared. */
  interface Starter<T> {
    Subscriber start(SubscriberBuilder<T> how);
  }

  private final Starter<T> starter;
  final Handler<T> handler;
  SubscribeSettings settings = SubscribeSettings.defaults();
  int concurrency = 1;
  @Nullable Executor executor;

  SubscriberBuilder(Starter<T> starter, Handler<T> handler) {
    this.starter = starter;
    this.handler = handler;
  }

  /**
   * Sets how many handlers run at once, in the order that the subscription keeps: those of one ordering
   * key one after the other.
   *
   * @param handlers at least 1, the default
   * @return this builder
   * @throws IllegalArgumentException it is less than 1
   */
  public SubscriberBuilder<T> concurrency(int handlers) {
    if (handlers < 1) {
      throw new IllegalArgumentException("concurrency is at least 1");
    }
    concurrency = handlers;
    return this;
  }

  /**
   * Sets where handlers run, for instance on virtual threads; it is not shut down.
   *
   * @param where default: threads of the subscriber's own, as many as run at once
   * @return this builder
   */
  public SubscriberBuilder<T> executor(Executor where) {
    executor = where;
    return this;
  }

  /**
   * Sets what may be held unsettled, in messages.
   *
   * @param messages at least 1; default 1,000
   * @return this builder
   * @throws IllegalArgumentException it is less than 1
   */
  public SubscriberBuilder<T> maxOutstandingMessages(int messages) {
    return settings(s -> s.maxOutstandingMessages(messages));
  }

  /**
   * Sets what may be held unsettled, in bytes of encoded messages.
   *
   * @param bytes at least 1; a larger message comes alone; default 64 MiB
   * @return this builder
   * @throws IllegalArgumentException it is less than 1
   */
  public SubscriberBuilder<T> maxOutstandingBytes(long bytes) {
    return settings(s -> s.maxOutstandingBytes(bytes));
  }

  /**
   * Sets what may be held unsettled by a window that can be resized while the subscriber runs.
   *
   * @param resizable instead of a fixed size
   * @return this builder
   */
  public SubscriberBuilder<T> window(Window resizable) {
    return settings(s -> s.window(resizable));
  }

  /**
   * Sets the work lease: how soon a dead handler is noticed.
   *
   * @param lease 1 s to 12 h; default: the subscription's, 30 s unless it says otherwise
   * @return this builder
   */
  public SubscriberBuilder<T> lease(Duration lease) {
    return settings(s -> s.lease(lease));
  }

  /**
   * Changes other settings.
   *
   * @param change gives the changed settings of those so far; default {@link SubscribeSettings#defaults}
   * @return this builder
   */
  public SubscriberBuilder<T> settings(UnaryOperator<SubscribeSettings> change) {
    settings = change.apply(settings);
    return this;
  }

  /**
   * Begins to receive. Whether there is such a subscription, and a server, shows in {@link Subscriber#ended}.
   *
   * @return the running subscriber
   * @throws HeadraceException CLOSED: the client is closed; of a broadcast, as {@link Subscriptions#create}
   */
  public Subscriber start() {
    return starter.start(this);
  }
}
