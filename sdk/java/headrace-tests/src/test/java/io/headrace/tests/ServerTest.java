package io.headrace.tests;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.headrace.Deliveries;
import io.headrace.Delivery;
import io.headrace.HeadraceClient;
import io.headrace.HeadraceException;
import io.headrace.Received;
import io.headrace.SubscribeSettings;
import io.headrace.Topic;
import io.headrace.testing.HeadraceExtension;
import io.headrace.testing.HeadraceServer;
import io.headrace.v1.DeliveryOrder;
import io.headrace.v1.Subscription;
import io.headrace.v1.SubscriptionMode;
import io.headrace.v1.SubscriptionStats;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A server with the topic orders and its subscription billing, and what most tests need of it. */
@Timeout(120)
abstract class ServerTest {
  @RegisterExtension final HeadraceExtension headrace = new HeadraceExtension().topic("orders").subscription(unordered("billing"));

  private static Subscription unordered(String name) {
    return Subscription.newBuilder()
        .setName(name)
        .setTopic("orders")
        .setOrder(DeliveryOrder.DELIVERY_ORDER_NONE)
        .build();
  }

  HeadraceServer server() {
    return headrace.server();
  }

  HeadraceClient client() {
    return headrace.client();
  }

  Topic orders() {
    return client().topic("orders");
  }

  void subscribe(String name, DeliveryOrder order, SubscriptionMode mode) {
    client().subscriptions().create(Subscription.newBuilder().setName(name).setTopic("orders").setOrder(order).setMode(mode).build());
  }

  void publish(String... payloads) {
    for (String payload : payloads) {
      orders().publish(payload.getBytes(UTF_8)).join();
    }
  }

  List<Delivery<byte[]>> receive(int count) throws InterruptedException {
    return receive("billing", count);
  }

  /** Receives and acks so many. */
  List<Delivery<byte[]>> receive(String subscription, int count) throws InterruptedException {
    List<Delivery<byte[]>> got = new ArrayList<>();
    try (Deliveries<byte[]> deliveries = client().deliveries(subscription, SubscribeSettings.defaults())) {
      while (got.size() < count) {
        Delivery<byte[]> d = deliveries.take().orElseThrow();
        d.ack();
        got.add(d);
      }
    }
    return got;
  }

  static String text(Received<byte[]> d) {
    return new String(d.payload(), UTF_8);
  }

  SubscriptionStats stats() {
    return client().subscriptions().stats("billing");
  }

  static HeadraceException failure(CompletableFuture<?> future) {
    return assertInstanceOf(HeadraceException.class, assertThrows(CompletionException.class, future::join).getCause());
  }
}
