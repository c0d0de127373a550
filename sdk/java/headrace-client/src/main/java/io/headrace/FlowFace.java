package io.headrace;

import java.util.List;
import java.util.Objects;
import java.util.concurrent.Flow;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A subscription as a {@link Flow.Publisher}: what is requested is the session's credit, so nothing is
 * sent that nobody asked for. Each subscriber has a session of its own.
 *
 * @param <T> the type of payloads
 */
final class FlowFace<T> implements Flow.Publisher<Delivery<T>> {
  private final Supplier<SubscriberLoop<T>> sessions;

  FlowFace(Supplier<SubscriberLoop<T>> sessions) {
    this.sessions = sessions;
  }

  @Override
  public void subscribe(Flow.Subscriber<? super Delivery<T>> to) {
    Objects.requireNonNull(to, "subscriber");
    Downstream<T> downstream = new Downstream<>(sessions.get(), to);
    to.onSubscribe(downstream);
    downstream.session.begin(downstream);
  }

  /** One subscriber and its session. It is called on the loop, and asks from any thread. */
  private static final class Downstream<T> implements Sink<T>, Flow.Subscription {
    private final SubscriberLoop<T> session;
    private final Flow.Subscriber<? super Delivery<T>> to;
    private volatile boolean over;

    Downstream(SubscriberLoop<T> session, Flow.Subscriber<? super Delivery<T>> to) {
      this.session = session;
      this.to = to;
    }

    @Override
    public void request(long more) {
      if (more > 0) {
        session.request(more);
      } else {
        session.soon(() -> fail(new IllegalArgumentException("request(" + more + "): at least 1")));
      }
    }

    @Override
    public void cancel() {
      over = true;
      session.close();
    }

    private void fail(Throwable error) {
      if (!over) {
        cancel();
        to.onError(error);
      }
    }

    @Override
    public void deliver(List<Delivery<T>> deliveries) {
      for (Delivery<T> delivery : deliveries) {
        if (over) {
          delivery.release();
        } else {
          hand(delivery);
        }
      }
    }

    /** A subscriber that throws is taken to have cancelled, and what it threw at to have failed. */
    private void hand(Delivery<T> delivery) {
      delivery.claim();
      session.start(delivery);
      try {
        to.onNext(delivery);
      } catch (RuntimeException | Error failed) {
        delivery.retry(null, failed.getClass().getSimpleName(), String.valueOf(failed.getMessage()));
        cancel();
      }
    }

    /** Nothing waits here: it is handed on as it comes. */
    @Override
    public void hold(boolean held) {}

    @Override
    public void giveBack() {}

    @Override
    public void ended(@Nullable HeadraceException cause) {
      if (over) {
        return;
      }
      over = true;
      if (cause == null) {
        to.onComplete();
      } else {
        to.onError(cause);
      }
    }
  }
}
