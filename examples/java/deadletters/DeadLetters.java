package deadletters;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.protobuf.Duration;
import io.headrace.Deliveries;
import io.headrace.Delivery;
import io.headrace.HeadraceClient;
import io.headrace.HeadraceException;
import io.headrace.SubscribeSettings;
import io.headrace.v1.DeadLetter;
import io.headrace.v1.DeadLetterFilter;
import io.headrace.v1.DeliveryOrder;
import io.headrace.v1.RetryPolicy;
import io.headrace.v1.Subscription;
import java.util.List;

/**
 * Has a message that fails every time. After its second attempt the subscription gives it up and keeps it
 * as a dead letter; when the cause is mended it is redriven, and handled like any other.
 */
public final class DeadLetters {
  public static void main(String[] args) throws Exception {
    try (HeadraceClient client = HeadraceClient.fromEnv()) {
      unlessThere(() -> client.topics().create("parcels"));
      unlessThere(() -> client.subscriptions().create(courier()));
      for (String parcel : List.of("bread", "piano", "milk")) {
        client.topic("parcels").publish(parcel.getBytes(UTF_8));
      }
      client.flush().join();
      deliver(client, "bicycle", 4); // bread, milk, and the piano twice
      redrive(client);
      deliver(client, "lorry", 1);
    }
  }

  /** A subscription that gives up after two attempts. */
  private static Subscription courier() {
    return Subscription.newBuilder()
        .setName("courier")
        .setTopic("parcels")
        .setOrder(DeliveryOrder.DELIVERY_ORDER_NONE)
        .setRetry(
            RetryPolicy.newBuilder().setMinBackoff(Duration.newBuilder().setNanos(100_000_000)).setMaxAttempts(2))
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

  /** Makes a number of attempts. The reason of a retry is kept with the failure. */
  private static void deliver(HeadraceClient client, String vehicle, int attempts) throws InterruptedException {
    try (Deliveries<byte[]> deliveries = client.deliveries("courier", SubscribeSettings.defaults())) {
      for (int i = 0; i < attempts; i++) {
        Delivery<byte[]> d = deliveries.take().orElseThrow();
        String parcel = new String(d.data(), UTF_8);
        if (parcel.equals("piano") && vehicle.equals("bicycle")) {
          System.out.printf("failed with the %s, attempt %d: %s%n", vehicle, d.attempt(), parcel);
          d.retry(null, "", "too heavy for a " + vehicle);
        } else {
          System.out.printf("delivered with the %s: %s%n", vehicle, parcel);
          d.ack();
        }
      }
    }
  }

  /** Shows every dead letter of the subscription and has it delivered again. */
  private static void redrive(HeadraceClient client) {
    for (DeadLetter letter : client.subscriptions().deadLetters("courier", DeadLetterFilter.getDefaultInstance())) {
      String last = letter.getFailures(letter.getFailuresCount() - 1).getReason();
      System.out.printf("dead letter: %s, %s: %s%n", letter.getMessage().getData().toStringUtf8(), letter.getReason(), last);
      client.subscriptions().redriveDeadLetters("courier", List.of(letter.getSequence()));
    }
  }
}
