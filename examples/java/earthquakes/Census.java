package earthquakes;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.headrace.Delivery;
import io.headrace.HeadraceClient;
import io.headrace.Subscriber;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * The demo's service in Java: counts the events of each seismic network, which is their ordering key.
 * Handlers run four at a time, those of one network one after the other. The demo starts it; see
 * examples/go/earthquakes.
 */
public final class Census {
  private static final int HANDLERS = 4;

  private final OutputStream events;
  private final OutputStream latencies;
  private final Map<String, Integer> counts = new TreeMap<>();

  private Census(Path directory, String name) throws IOException {
    events = Files.newOutputStream(directory.resolve(name + ".jsonl"));
    latencies = Files.newOutputStream(directory.resolve(name + ".latencies"));
  }

  public static void main(String[] args) throws Exception {
    Map<String, String> settings = new HashMap<>();
    for (int i = 0; i + 1 < args.length; i += 2) {
      settings.put(args[i], args[i + 1]);
    }
    String name = settings.get("--name");
    Census census = new Census(Path.of(settings.get("--dir")), name);
    HeadraceClient client = HeadraceClient.builder(settings.get("--addr")).clientId(name).build();
    Subscriber subscriber =
        client.subscribe(settings.get("--subscription"), census::handle).concurrency(HANDLERS).start();
    // SIGTERM and Ctrl-C stop it gracefully: handlers finish, the rest goes back to the server.
    Runtime.getRuntime().addShutdownHook(new Thread(() -> census.stop(client)));
    subscriber.ended().join();
  }

  private void stop(HeadraceClient client) {
    client.close();
    counts.forEach((network, count) -> System.out.println(network + ": " + count + " events"));
    System.out.flush();
    Runtime.getRuntime().halt(0);
  }

  /** Counts an event. First the result, then the ack: what is killed in between makes it come again. */
  private synchronized void handle(Delivery<byte[]> d) {
    try {
      if (d.attempt() == 1) {
        // A repeated delivery says nothing of how fast the server pushes.
        long now = ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
        long sent = Long.parseLong(d.attributes().get("sent-at")) / 1_000;
        latencies.write(((now - sent) + "\n").getBytes(UTF_8));
      }
      byte[] line = new byte[d.data().length + 1];
      System.arraycopy(d.data(), 0, line, 0, d.data().length);
      line[d.data().length] = '\n';
      events.write(line);
      counts.merge(d.orderingKey(), 1, Integer::sum);
    } catch (IOException e) {
      throw new UncheckedIOException(e); // it comes again, after the subscription's backoff
    }
  }
}
