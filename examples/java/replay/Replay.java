package replay;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.protobuf.Duration;
import io.headrace.Deliveries;
import io.headrace.Delivery;
import io.headrace.HeadraceClient;
import io.headrace.HeadraceException;
import io.headrace.MessageId;
import io.headrace.Position;
import io.headrace.SeekTargets;
import io.headrace.SubscribeSettings;
import io.headrace.Topic;
import io.headrace.v1.Retention;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntBinaryOperator;

/**
 * Handles bookings with a mistake, moves its subscription back to the first of them, and handles them again
 * without it. For that the topic keeps what is settled.
 */
public final class Replay {
  private static final List<Integer> AMOUNTS = List.of(50, 20, -30, 10);

  public static void main(String[] args) throws Exception {
    try (HeadraceClient client = HeadraceClient.fromEnv()) {
      unlessThere(() -> client.topics().create(bookings()));
      unlessThere(() -> client.subscriptions().create("balance", "bookings"));
      Position first = publish(client.topic("bookings"));
      receive(client, "with the mistake", (total, amount) -> total + Math.abs(amount));
      long again = client.subscriptions().seek("balance", SeekTargets.positions(first)).getUnacked();
      System.out.println(again + " bookings come again");
      receive(client, "without it", (total, amount) -> total + amount);
    }
  }

  /** A topic that keeps for a day what is settled. */
  private static io.headrace.v1.Topic bookings() {
    return io.headrace.v1.Topic.newBuilder()
        .setName("bookings")
        .setRetention(Retention.newBuilder().setKeepSettled(Duration.newBuilder().setSeconds(24 * 60 * 60)))
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

  /** Sends the bookings and tells where the first one stands. */
  private static Position publish(Topic bookings) {
    List<CompletableFuture<MessageId>> results = new ArrayList<>();
    for (int amount : AMOUNTS) {
      results.add(bookings.publish(String.valueOf(amount).getBytes(UTF_8)));
    }
    bookings.flush().join();
    return results.get(0).join().position();
  }

  /** Adds all bookings up. */
  private static void receive(HeadraceClient client, String how, IntBinaryOperator add) throws InterruptedException {
    int total = 0;
    try (Deliveries<byte[]> deliveries = client.deliveries("balance", SubscribeSettings.defaults())) {
      for (int i = 0; i < AMOUNTS.size(); i++) {
        Delivery<byte[]> d = deliveries.take().orElseThrow();
        total = add.applyAsInt(total, Integer.parseInt(new String(d.data(), UTF_8)));
        d.ack();
      }
    }
    System.out.println("the balance " + how + " is " + total);
  }
}
