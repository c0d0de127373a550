package io.headrace;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.concurrent.LinkedBlockingQueue;

/** A subscriber of a Flow that requests nothing by itself, and notes what it gets. */
class FlowNotes implements Flow.Subscriber<Delivery<byte[]>> {
  final CompletableFuture<Flow.Subscription> subscription = new CompletableFuture<>();
  final BlockingQueue<Delivery<byte[]>> got = new LinkedBlockingQueue<>();

  void request(long more) {
    subscription.join().request(more);
  }

  @Override
  public void onSubscribe(Flow.Subscription subscribed) {
    subscription.complete(subscribed);
  }

  @Override
  public void onNext(Delivery<byte[]> d) {
    got.add(d);
  }

  @Override
  public void onError(Throwable error) {}

  @Override
  public void onComplete() {}
}
