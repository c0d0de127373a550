package quickstart;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.headrace.Deliveries;
import io.headrace.Delivery;
import io.headrace.HeadraceClient;
import io.headrace.HeadraceException;
import io.headrace.SubscribeSettings;
import io.headrace.Topic;

/**
 * Publishes three messages and receives them: the least that a program needs. Start a server with
 * {@code headrace dev} first.
 */
public final class Quickstart {
  public static void main(String[] args) throws Exception {
    try (HeadraceClient client = HeadraceClient.fromEnv()) { // of HEADRACE_ADDR, else localhost:7070
      unlessThere(() -> client.topics().create("orders"));
      unlessThere(() -> client.subscriptions().create("billing", "orders"));
      publish(client.topic("orders"));
      receive(client, 3);
    }
  }

  /** Does without what is there already, from the last time. */
  private static void unlessThere(Runnable create) {
    try {
      create.run();
    } catch (HeadraceException.AlreadyExists e) {
      // As it should be.
    }
  }

  /** Sends three messages. When the future is done, the message is on disk. */
  private static void publish(Topic orders) {
    for (String text : new String[] {"first", "second", "third"}) {
      orders.publish(text.getBytes(UTF_8)).join();
      System.out.println("published " + text);
    }
  }

  /** Acks messages until it has seen a number of them. Closing drains. */
  private static void receive(HeadraceClient client, int count) throws InterruptedException {
    try (Deliveries<byte[]> deliveries = client.deliveries("billing", SubscribeSettings.defaults())) {
      for (int i = 0; i < count; i++) {
        Delivery<byte[]> d = deliveries.take().orElseThrow();
        System.out.println("received " + new String(d.data(), UTF_8));
        d.ack();
      }
    }
  }
}
