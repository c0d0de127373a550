package keyorder;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.protobuf.Duration;
import io.headrace.Delivery;
import io.headrace.HeadraceClient;
import io.headrace.HeadraceException;
import io.headrace.Message;
import io.headrace.Subscriber;
import io.headrace.v1.RetryPolicy;
import io.headrace.v1.Subscription;
import io.headrace.v1.Topic;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Publishes what happens to four accounts, with the account as the ordering key. Handlers run four at a
 * time; those of one account run one after the other, in the order in which its messages were published,
 * also when one of them fails and comes again.
 */
public final class KeyOrder {
  private static final List<String> ACCOUNTS = List.of("ash", "birch", "cedar", "elm");
  private static final List<String> STEPS = List.of("open", "deposit", "withdraw", "close");

  public static void main(String[] args) throws Exception {
    try (HeadraceClient client = HeadraceClient.fromEnv()) {
      unlessThere(() -> client.topics().create(Topic.newBuilder().setName("accounts").setPartitions(4).build()));
      unlessThere(() -> client.subscriptions().create(ledger()));
      for (String step : STEPS) {
        for (String account : ACCOUNTS) {
          client.topic("accounts").publish(Message.builder().orderingKey(account).data(step.getBytes(UTF_8)).build());
        }
      }
      client.flush().join();
      Map<String, String> history = receive(client, STEPS.size() * ACCOUNTS.size());
      ACCOUNTS.forEach(account -> System.out.println(account + ": " + history.get(account)));
    }
  }

  /** A subscription keeps the order of keys unless it says otherwise. */
  private static Subscription ledger() {
    return Subscription.newBuilder()
        .setName("ledger")
        .setTopic("accounts")
        .setRetry(RetryPolicy.newBuilder().setMinBackoff(Duration.newBuilder().setNanos(100_000_000)))
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

  /**
   * Writes down what happened to each account. Elm's deposit fails at first: what is behind it waits for
   * it, and the other accounts go on.
   */
  private static Map<String, String> receive(HeadraceClient client, int count) {
    Map<String, String> history = new ConcurrentHashMap<>();
    AtomicInteger left = new AtomicInteger(count);
    CompletableFuture<Void> done = new CompletableFuture<>();
    try (Subscriber s =
        client
            .subscribe(
                "ledger",
                d -> {
                  handle(d, history);
                  if (left.decrementAndGet() == 0) {
                    done.complete(null);
                  }
                })
            .concurrency(4)
            .start()) {
      CompletableFuture.anyOf(done, s.ended()).join(); // that it ended by itself is a failure
    }
    return history;
  }

  private static void handle(Delivery<byte[]> d, Map<String, String> history) throws IOException {
    String step = new String(d.data(), UTF_8);
    if (d.orderingKey().equals("elm") && step.equals("deposit") && d.attempt() == 1) {
      history.merge("elm", "(failed)", (before, now) -> before + ", " + now);
      throw new IOException("no connection");
    }
    history.merge(d.orderingKey(), step, (before, now) -> before + ", " + now);
  }
}
