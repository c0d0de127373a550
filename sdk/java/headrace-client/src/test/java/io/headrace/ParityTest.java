package io.headrace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The calls and the defaults that all SDKs share are those of this one. */
class ParityTest {
  /** The rows of a file that all SDKs share, without its head. */
  private static List<String[]> table(String file) throws IOException {
    return Files.readAllLines(Path.of("../..", file)).stream()
        .filter(line -> !line.startsWith("#"))
        .skip(1)
        .map(line -> line.split("\t"))
        .collect(Collectors.toList());
  }

  @Test
  void everyCallHasItsName() throws Exception {
    for (String[] row : table("calls.tsv")) {
      String[] name = row[2].split("\\.");
      Method[] methods = Class.forName("io.headrace." + name[0]).getMethods();
      assertTrue(Arrays.stream(methods).anyMatch(m -> m.getName().equals(name[1])), row[0] + ": there is no " + row[2]);
    }
  }

  @Test
  void defaultsAreThoseOfEverySdk() throws Exception {
    Map<String, String> want = new TreeMap<>();
    for (String[] row : table("defaults.tsv")) {
      want.put(row[0], row[2]);
    }
    assertEquals(want, defaults());
  }

  private static Map<String, String> defaults() throws ReflectiveOperationException {
    HeadraceClientBuilder client = HeadraceClient.builder("localhost:7070");
    SubscribeSettings subscribe = SubscribeSettings.defaults();
    PublishSettings publish = PublishSettings.defaults();
    Map<String, String> own = new TreeMap<>();
    own.put("concurrency", text(read(SubscriberBuilder.class, new SubscriberBuilder<>(null, null), "concurrency")));
    own.put("window_messages", text(subscribe.maxOutstandingMessages()));
    own.put("window_bytes", text(subscribe.maxOutstandingBytes()));
    own.put("drain_timeout", text(subscribe.drainTimeout()));
    own.put("connect_timeout", text(read(HeadraceClientBuilder.class, client, "connectTimeout")));
    own.put("close_timeout", text(read(HeadraceClientBuilder.class, client, "closeTimeout")));
    own.put("batch_messages", text(publish.batchMessages()));
    own.put("batch_bytes", text(publish.batchBytes()));
    own.put("batch_delay", text(publish.batchDelay()));
    own.put("buffer_messages", text(publish.maxPendingMessages()));
    own.put("buffer_bytes", text(publish.maxPendingBytes()));
    own.put("settle_messages", text(Settles.MAX_GROUPED));
    own.put("settle_delay", text(Duration.ofNanos(Settles.COMPANY_NANOS)));
    return own;
  }

  private static Object read(Class<?> of, Object in, String name) throws ReflectiveOperationException {
    Field field = of.getDeclaredField(name);
    field.setAccessible(true);
    return field.get(in);
  }

  /** A number, or a duration in milliseconds. */
  private static String text(Object value) {
    return value instanceof Duration ? String.valueOf(((Duration) value).toMillis()) : String.valueOf(value);
  }
}
