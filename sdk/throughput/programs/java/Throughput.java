import io.headrace.Deliveries;
import io.headrace.HeadraceClient;
import io.headrace.MessageId;
import io.headrace.SubscribeSettings;
import io.headrace.Topic;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;

/**
 * Publishes or receives messages with the Java SDK, for the runner two folders up; see the program in Go
 * for its arguments and what it prints.
 */
public final class Throughput {
  public static void main(String[] args) throws Exception {
    int count = Integer.parseInt(args[2]);
    int warmup = Integer.parseInt(args[3]);
    int inFlight = Integer.parseInt(args[5]);
    try (HeadraceClient client = HeadraceClient.fromEnv()) {
      if (args[0].equals("publish")) {
        publish(client.topic(args[1]), count, warmup, new byte[Integer.parseInt(args[4])], inFlight);
      } else {
        receive(client, args[1], count, warmup, inFlight);
      }
      System.out.println("end");
    }
  }

  /** Has messages in flight, and waits for the oldest before it sends the next. */
  private static void publish(Topic topic, int count, int warmup, byte[] body, int inFlight) {
    Deque<CompletableFuture<MessageId>> results = new ArrayDeque<>(inFlight);
    for (int i = 0; i < count; i++) {
      if (i == warmup) {
        System.out.println("begin");
      }
      if (results.size() == inFlight) {
        results.remove().join();
      }
      results.add(topic.publish(body));
    }
    results.forEach(CompletableFuture::join);
  }

  /** Acks messages as they come; it ends when the acks are stored. */
  private static void receive(HeadraceClient client, String subscription, int count, int warmup, int window)
      throws InterruptedException {
    try (Deliveries<byte[]> deliveries =
        client.deliveries(subscription, SubscribeSettings.defaults().maxOutstandingMessages(window))) {
      for (int i = 1; i <= count; i++) {
        deliveries.take().orElseThrow().ack();
        if (i == warmup) {
          System.out.println("begin");
        }
      }
    }
  }
}
