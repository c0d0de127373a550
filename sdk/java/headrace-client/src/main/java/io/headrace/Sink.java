package io.headrace;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where a subscriber's deliveries go. Called on its loop; must not block.
 *
 * @param <T> the type of payloads
 */
interface Sink<T> {
  void deliver(List<Delivery<T>> deliveries);

  /** Begin nothing from now on, for nobody knows whether the session goes on; or go on. */
  void hold(boolean held);

  /** Give back everything that was not begun. */
  void giveBack();

  /** Nothing comes any more; null: it was closed. */
  void ended(@Nullable HeadraceException cause);
}
