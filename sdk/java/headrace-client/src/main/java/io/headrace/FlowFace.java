package io.headrace;

import java.util.List;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicBoolean;
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
    SubscriberLoop<T> session = sessions.get();
    AtomicBoolean over = new AtomicBoolean();
    to.onSubscribe(
        new Flow.Subscription() {
          @Override
          public void request(long more) {
            if (more > 0) {
              session.request(more);
            } else if (over.compareAndSet(false, true)) {
              session.close();
              to.onError(new IllegalArgumentException("request: at least 1"));
            }
          }

          @Override
          public void cancel() {
            over.set(true);
            session.close();
          }
        });
    session.begin(new Downstream<>(session, to, over));
  }

  private static final class Downstream<T> implements SubscriberLoop.Sink<T> {
    private final SubscriberLoop<T> session;
    private final Flow.Subscriber<? super Delivery<T>> to;
    private final AtomicBoolean over;

    Downstream(SubscriberLoop<T> session, Flow.Subscriber<? super Delivery<T>> to, AtomicBoolean over) {
      this.session = session;
      this.to = to;
      this.over = over;
    }

    @Override
    public void deliver(List<Delivery<T>> deliveries) {
      for (Delivery<T> delivery : deliveries) {
        if (over.get()) {
          delivery.release();
          continue;
        }
        session.start(delivery);
        to.onNext(delivery);
      }
    }

    @Override
    public void giveBack() {}

    @Override
    public void ended(@Nullable HeadraceException cause) {
      if (!over.compareAndSet(false, true)) {
        return;
      }
      if (cause == null) {
        to.onComplete();
      } else {
        to.onError(cause);
      }
    }
  }
}
