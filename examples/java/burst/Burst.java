package burst;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.headrace.HeadraceClient;
import io.headrace.HeadraceException;
import io.headrace.Subscriber;
import io.headrace.Topic;
import io.headrace.v1.DeliveryOrder;
import io.headrace.v1.Subscription;
import io.headrace.v1.SubscriptionStats;
import java.util.concurrent.locks.LockSupport;

/**
 * Publishes in a moment what its consumer needs ten times as long for. The server keeps what the consumer
 * has no room for: the publisher is not held up, the consumer holds no more than its window and works at its
 * own pace.
 */
public final class Burst {
  private static final int REQUESTS = 300;
  private static final int WINDOW = 10;
  /** How long the consumer takes for a request; one comes ten times as often. */
  private static final long WORK_MILLIS = 5;

  public static void main(String[] args) throws Exception {
    try (HeadraceClient client = HeadraceClient.fromEnv()) {
      unlessThere(() -> client.topics().create("requests"));
      unlessThere(() -> client.subscriptions().create(consumer()));
      try (Subscriber s =
          client.subscribe("consumer", d -> Thread.sleep(WORK_MILLIS)).maxOutstandingMessages(WINDOW).start()) {
        publish(client.topic("requests"));
        client.flush().join();
        System.out.println("published " + REQUESTS + " requests, all of them stored");
        watch(client, s);
      }
    }
  }

  private static Subscription consumer() {
    return Subscription.newBuilder()
        .setName("consumer")
        .setTopic("requests")
        .setOrder(DeliveryOrder.DELIVERY_ORDER_NONE)
        .build();
  }

  /** Does without what is there already, from the last time. */
  private static void unlessThere(Runnable create) {
    try {
      create.run();
    } catch (HeadraceException.AlreadyExists e) {
      // As it should be.
    }
  }

  /** Sends the burst. */
  private static void publish(Topic requests) {
    for (int i = 0; i < REQUESTS; i++) {
      requests.publish("request".getBytes(UTF_8));
      LockSupport.parkNanos(WORK_MILLIS * 1_000_000 / 10);
    }
  }

  /** Looks at the subscription until its backlog is gone. */
  private static void watch(HeadraceClient client, Subscriber consumer) throws InterruptedException {
    long held = 0;
    SubscriptionStats stats = client.subscriptions().stats("consumer");
    while (stats.getBacklog().getMessages() > 0) {
      if (consumer.ended().isDone()) {
        consumer.ended().join(); // throws: why it ended by itself
      }
      held = Math.max(held, stats.getOutstanding().getMessages());
      Thread.sleep(10);
      stats = client.subscriptions().stats("consumer");
    }
    System.out.println("the backlog is gone; the consumer never held more than its window: " + (held <= WINDOW));
  }
}
