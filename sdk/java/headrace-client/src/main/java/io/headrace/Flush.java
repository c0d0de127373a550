package io.headrace;

import java.util.concurrent.CompletableFuture;

/** Waits for the batches that were there when it began. The loop's. */
final class Flush {
  private final CompletableFuture<Void> done;
  private int left;

  Flush(CompletableFuture<Void> done) {
    this.done = done;
  }

  /** One more to wait for. */
  void expect() {
    left++;
  }

  /** One of them is done with. */
  void passed() {
    left--;
    settle();
  }

  /** It is done when there is nothing to wait for. */
  void settle() {
    if (left == 0) {
      done.complete(null);
    }
  }
}
