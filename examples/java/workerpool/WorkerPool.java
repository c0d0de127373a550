package workerpool;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.protobuf.Duration;
import io.headrace.Delivery;
import io.headrace.HeadraceClient;
import io.headrace.HeadraceException;
import io.headrace.Subscriber;
import io.headrace.v1.DeliveryOrder;
import io.headrace.v1.RetryPolicy;
import io.headrace.v1.Subscription;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/**
 * Gives 20 jobs to three workers that compete for them. Start as many as you like, in as many processes: a
 * subscription is SHARED unless it says otherwise, and each job goes to one of them.
 */
public final class WorkerPool {
  private static final int JOBS = 20;
  private static final int WORKERS = 3;

  public static void main(String[] args) throws Exception {
    try (HeadraceClient client = HeadraceClient.fromEnv()) {
      unlessThere(() -> client.topics().create("jobs"));
      unlessThere(() -> client.subscriptions().create(pool()));
      for (int n = 1; n <= JOBS; n++) {
        client.topic("jobs").publish(String.valueOf(n).getBytes(UTF_8));
      }
      client.flush().join();
      System.out.println(JOBS + " jobs for " + WORKERS + " workers");
      Map<Integer, Integer> results = work(client);
      for (int n = 1; n <= JOBS; n++) {
        System.out.println(n + " squared is " + results.get(n));
      }
    }
  }

  /** Jobs have no order, and one that fails comes again after a tenth of a second. */
  private static Subscription pool() {
    return Subscription.newBuilder()
        .setName("pool")
        .setTopic("jobs")
        .setOrder(DeliveryOrder.DELIVERY_ORDER_NONE)
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

  /** Runs the workers until every job is done. */
  private static Map<Integer, Integer> work(HeadraceClient client) {
    Map<Integer, Integer> results = new ConcurrentHashMap<>();
    CompletableFuture<Void> done = new CompletableFuture<>();
    List<Subscriber> workers = new ArrayList<>();
    for (int i = 0; i < WORKERS; i++) {
      // A small window: a worker that is busy leaves the rest to the others.
      workers.add(client.subscribe("pool", d -> handle(d, results, done)).maxOutstandingMessages(2).start());
    }
    // Until then; that a worker ended by itself is a failure.
    Stream<CompletableFuture<Void>> ends = Stream.concat(Stream.of(done), workers.stream().map(Subscriber::ended));
    CompletableFuture.anyOf(ends.toArray(CompletableFuture<?>[]::new)).join();
    workers.forEach(Subscriber::close);
    return results;
  }

  /** Does one job. One that throws comes again, perhaps to another worker. */
  private static void handle(Delivery<byte[]> d, Map<Integer, Integer> results, CompletableFuture<Void> done) {
    int n = Integer.parseInt(new String(d.data(), UTF_8));
    if (n % 10 == 0 && d.attempt() == 1) {
      throw new IllegalStateException("out of luck");
    }
    results.put(n, n * n);
    if (results.size() == JOBS) {
      done.complete(null);
    }
  }
}
