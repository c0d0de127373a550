package io.headrace;

import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * A running subscriber. Closing drains it: what no handler has begun is given back uncharged, running
 * handlers may finish, and their settles are confirmed.
 */
public interface Subscriber extends AutoCloseable {
  /**
   * Why nothing comes, as the server last said: {@code NO_MESSAGES}, {@code NO_CREDIT_MESSAGES},
   * {@code PAUSED} and so on.
   *
   * @return empty while deliveries can flow
   */
  List<String> blockedBy();

  /**
   * When it has ended.
   *
   * @return done after {@link #close}; fails when somebody has to act: the subscription does not exist,
   *     another session took this one's place, the server cannot be reached
   */
  CompletableFuture<Void> ended();

  /** Drains, within the drain timeout, and ends. */
  @Override
  void close();
}
