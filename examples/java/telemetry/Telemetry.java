package telemetry;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.headrace.Deliveries;
import io.headrace.Delivery;
import io.headrace.HeadraceClient;
import io.headrace.HeadraceException;
import io.headrace.Message;
import io.headrace.SubscribeSettings;
import io.headrace.v1.DeliveryOrder;
import io.headrace.v1.Durability;
import io.headrace.v1.Subscription;
import io.headrace.v1.Topic;
import java.util.Map;
import java.util.TreeMap;

/**
 * Has many small programs that report without waiting: readings and log lines go one way, to a topic that
 * is BUFFERED, and a collector adds them up. Nobody hears of what gets lost, and nobody is held up.
 */
public final class Telemetry {
  private static final int SENSORS = 3;
  /** Of each sensor, every tenth with a log line. */
  private static final int READINGS = 100;

  public static void main(String[] args) throws Exception {
    try (HeadraceClient client = HeadraceClient.fromEnv()) {
      unlessThere(() -> client.topics().create(topic()));
      unlessThere(() -> client.subscriptions().create(collector()));
      int sent = report(client.topic("telemetry"));
      System.out.println("sent " + sent + " and waited for none");
      // A program that ends sees to it that all of it has left.
      client.flush().join();
      collect(client, sent);
    }
  }

  /** A topic whose messages are synced some milliseconds after they were accepted. */
  private static Topic topic() {
    return Topic.newBuilder().setName("telemetry").setDurability(Durability.DURABILITY_BUFFERED).build();
  }

  /** A subscription that keeps no order. */
  private static Subscription collector() {
    return Subscription.newBuilder()
        .setName("collector")
        .setTopic("telemetry")
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

  /** Sends what the sensors read, and what they log, and tells how much. */
  private static int report(io.headrace.Topic telemetry) {
    int sent = 0;
    for (int n = 0; n < READINGS; n++) {
      for (int sensor = 1; sensor <= SENSORS; sensor++) {
        telemetry.publishOneWay(message("reading", sensor, String.valueOf(10 * sensor + n % 10)));
        sent++;
        if (n % 10 == 9) {
          telemetry.publishOneWay(message("log", sensor, "the battery is low"));
          sent++;
        }
      }
    }
    return sent;
  }

  private static Message message(String kind, int sensor, String text) {
    return Message.builder()
        .data(text.getBytes(UTF_8))
        .attribute("kind", kind)
        .attribute("source", "sensor-" + sensor)
        .build();
  }

  /** Adds up what came. */
  private static void collect(HeadraceClient client, int count) throws InterruptedException {
    Map<String, Integer> totals = new TreeMap<>();
    Map<String, Integer> logs = new TreeMap<>();
    try (Deliveries<byte[]> deliveries = client.deliveries("collector", SubscribeSettings.defaults())) {
      for (int i = 0; i < count; i++) {
        Delivery<byte[]> d = deliveries.take().orElseThrow();
        String source = d.attributes().get("source");
        if (d.attributes().get("kind").equals("log")) {
          logs.merge(source, 1, Integer::sum);
        } else {
          totals.merge(source, Integer.valueOf(new String(d.data(), UTF_8)), Integer::sum);
        }
        d.ack();
      }
    }
    totals.forEach(
        (source, total) ->
            System.out.println(source + ": readings of " + total + " in all, " + logs.get(source) + " log lines"));
  }
}
