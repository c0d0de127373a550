package io.headrace;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Waits for what is closed, and ends at once what does not end by itself. */
final class Closing {
  private Closing() {}

  static void await(SubscriberLoop<?> subscriber, long beyondDrainNanos) {
    CompletableFuture<Void> ended = subscriber.close();
    if (subscriber.loop.isCurrent()) {
      return; // Waiting here would wait for itself.
    }
    if (!endsWithin(ended, subscriber.drainNanos() + beyondDrainNanos)) {
      subscriber.soon(subscriber::abandonAll);
    }
  }

  static boolean endsWithin(CompletableFuture<Void> ended, long nanos) {
    try {
      ended.get(nanos, TimeUnit.NANOSECONDS);
      return true;
    } catch (ExecutionException failed) {
      return true;
    } catch (TimeoutException late) {
      return false;
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
