package notifyfetch;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.headrace.Deliveries;
import io.headrace.Delivery;
import io.headrace.HeadraceClient;
import io.headrace.HeadraceException;
import io.headrace.Message;
import io.headrace.SubscribeSettings;
import io.headrace.Topic;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.List;

/**
 * Sends large things beside the messages: a message says what there is, where, and its digest, and who gets
 * it fetches the thing from a store. A directory stands for the store here.
 */
public final class NotifyFetch {
  private static final int REPORT_BYTES = 2 << 20; // more than a message may have
  private static final List<String> NAMES = List.of("january", "february", "march");

  public static void main(String[] args) throws Exception {
    Path store = Files.createTempDirectory("store-");
    try (HeadraceClient client = HeadraceClient.fromEnv()) {
      unlessThere(() -> client.topics().create("reports"));
      unlessThere(() -> client.subscriptions().create("readers", "reports"));
      for (String name : NAMES) {
        put(client.topic("reports"), store, name);
      }
      // What was deleted meanwhile is no failure: there is nothing to do.
      Files.delete(store.resolve("february"));
      receive(client, store, NAMES.size());
    } finally {
      for (String name : NAMES) {
        Files.deleteIfExists(store.resolve(name));
      }
      Files.delete(store);
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

  /** Stores a report, and then tells of it: who hears of it finds it. */
  private static void put(Topic reports, Path store, String name) throws Exception {
    byte[] report = (name + "\n").repeat(REPORT_BYTES / (name.length() + 1)).getBytes(UTF_8);
    Files.write(store.resolve(name), report);
    reports.publish(Message.builder().data(name.getBytes(UTF_8)).attribute("sha256", digest(report)).build()).join();
  }

  /** Fetches a number of reports. */
  private static void receive(HeadraceClient client, Path store, int count) throws Exception {
    try (Deliveries<byte[]> deliveries = client.deliveries("readers", SubscribeSettings.defaults())) {
      for (int i = 0; i < count; i++) {
        fetch(store, deliveries.take().orElseThrow());
      }
    }
  }

  /** Gets what a message tells of, and looks whether it is that. */
  private static void fetch(Path store, Delivery<byte[]> d) throws Exception {
    String name = new String(d.data(), UTF_8);
    try {
      byte[] report = Files.readAllBytes(store.resolve(name));
      if (!digest(report).equals(d.attributes().get("sha256"))) {
        d.reject("DIGEST", "it is not what was stored");
        return;
      }
      System.out.println(name + " fetched, its digest is right: " + report.length + " bytes");
      d.ack();
    } catch (NoSuchFileException gone) {
      System.out.println(name + " is gone");
      d.ack();
    } catch (IOException trouble) {
      d.retry(null, "", trouble.getMessage()); // the store has trouble: later
    }
  }

  private static String digest(byte[] data) throws GeneralSecurityException {
    return String.format("%064x", new BigInteger(1, MessageDigest.getInstance("SHA-256").digest(data)));
  }
}
