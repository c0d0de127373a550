import com.google.gson.Gson;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.headrace.Deliveries;
import io.headrace.Delivery;
import io.headrace.Event;
import io.headrace.HeadraceClient;
import io.headrace.HeadraceException;
import io.headrace.Message;
import io.headrace.SubscribeSettings;
import io.headrace.Subscriber;
import io.headrace.Window;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Drives the Java SDK for the conformance suite: it does what it is told on its standard input and tells
 * what happened on its standard output, a line of JSON each; {@code go doc ./sdk/conformance/driver} has
 * the words.
 */
public final class Driver {
  /** How often a loop looks whether a delivery was lost. */
  private static final long LOOK_MILLIS = 20;

  private static final Gson JSON = new Gson();
  private static final PrintStream OUT = new PrintStream(System.out, false, StandardCharsets.UTF_8);

  private final Map<String, HeadraceClient> clients = new ConcurrentHashMap<>();
  private final Map<String, Receiving> receiving = new ConcurrentHashMap<>();
  private final Map<Integer, CompletableFuture<JsonObject>> waiting = new ConcurrentHashMap<>();
  private final AtomicInteger deliveries = new AtomicInteger();
  private final ExecutorService threads =
      Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task);
        thread.setDaemon(true);
        return thread;
      });

  /** A handler was told to fail. */
  private static final class Failure extends Exception {
    private static final long serialVersionUID = 1L;

    Failure() {
      super("told to fail");
    }
  }

  private Driver() {}

  public static void main(String[] args) throws IOException {
    Driver driver = new Driver();
    JsonObject ready = event("ready");
    ready.addProperty("language", "java");
    tell(ready);
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      JsonObject command = JSON.fromJson(line, JsonObject.class);
      try {
        driver.obey(command);
      } catch (RuntimeException failed) {
        driver.failed(command, failed);
      }
    }
  }

  private static JsonObject event(String what) {
    JsonObject event = new JsonObject();
    event.addProperty("event", what);
    return event;
  }

  private static void tell(JsonObject event) {
    synchronized (OUT) {
      OUT.println(JSON.toJson(event));
      OUT.flush();
    }
  }

  private void failed(JsonObject command, Throwable failed) {
    JsonObject event = event("failed");
    event.addProperty("detail", text(command, "do") + ": " + failed);
    tell(event);
  }

  /** Tells an event with why something failed. */
  private static void tell(JsonObject event, Throwable failed) {
    Throwable cause = failed instanceof CompletionException || failed instanceof ExecutionException ? failed.getCause() : failed;
    if (cause instanceof HeadraceException) {
      HeadraceException known = (HeadraceException) cause;
      event.addProperty("reason", known.reason());
      event.addProperty("field", known.field());
      event.addProperty("limit", known.limit());
    }
    if (cause != null) {
      event.addProperty("detail", cause.toString());
    }
    tell(event);
  }

  private static String text(JsonObject object, String name) {
    JsonElement value = object.get(name);
    return value == null || value.isJsonNull() ? "" : value.getAsString();
  }

  private static long number(JsonObject object, String name) {
    JsonElement value = object.get(name);
    return value == null || value.isJsonNull() ? 0 : value.getAsLong();
  }

  private void obey(JsonObject command) {
    String name = text(command, "client");
    switch (text(command, "do")) {
      case "connect":
        clients.put(name, HeadraceClient.builder(text(command, "address")).events(e -> broken(command, e)).build());
        tell(of("connected", command));
        break;
      case "publish":
        threads.execute(() -> publish(command));
        break;
      case "subscribe":
        Receiving begun = new Receiving(command);
        receiving.put(text(command, "subscriber"), begun);
        tell(of("subscribed", command));
        threads.execute(begun::begin);
        break;
      case "window":
        receiving.get(text(command, "subscriber")).resize(command);
        break;
      case "settle":
        CompletableFuture<JsonObject> verdict = waiting.get((int) number(command, "delivery"));
        if (verdict != null) {
          verdict.complete(command);
        }
        break;
      case "stop":
        threads.execute(receiving.get(text(command, "subscriber"))::stop);
        break;
      case "close":
        threads.execute(() -> {
          clients.get(name).close();
          tell(of("closed", command));
        });
        break;
      default:
        throw new IllegalArgumentException("nobody knows how to do this");
    }
  }

  /** An event about the client and the subscriber of a command. */
  private static JsonObject of(String what, JsonObject command) {
    JsonObject event = event(what);
    event.addProperty("client", text(command, "client"));
    event.addProperty("subscriber", text(command, "subscriber"));
    return event;
  }

  /** What the SDK tells of a client's streams; it is told of those of subscribers that broke. */
  private static void broken(JsonObject command, Event event) {
    if (event.kind() == Event.Kind.SESSION_BROKEN) {
      tell(of("broken", command), event.error().orElse(null));
    }
  }

  private void publish(JsonObject command) {
    for (JsonElement each : command.getAsJsonArray("messages")) {
      JsonObject m = each.getAsJsonObject();
      Message.Builder message =
          Message.builder()
              .data(Base64.getDecoder().decode(text(m, "data")))
              .orderingKey(text(m, "key"))
              .contentType(text(m, "content_type"))
              .dedupeId(text(m, "dedupe_id"));
      m.getAsJsonObject("attributes").entrySet().forEach(a -> message.attribute(a.getKey(), a.getValue().getAsString()));
      JsonObject published = of("published", command);
      published.add("name", m.get("name"));
      JsonObject refused = of("refused", command);
      refused.add("name", m.get("name"));
      try {
        clients.get(text(command, "client")).topic(text(command, "topic")).publish(message.build())
            .whenComplete((id, failed) -> {
              if (failed != null) {
                tell(refused, failed);
                return;
              }
              published.addProperty("id", id.toString());
              tell(published);
            });
      } catch (HeadraceException failed) {
        tell(refused, failed);
      }
    }
  }

  /** One subscriber. */
  private final class Receiving implements Flow.Subscriber<Delivery<byte[]>> {
    private final JsonObject command;
    private final CompletableFuture<Flow.Subscription> requests = new CompletableFuture<>();
    private final CompletableFuture<AutoCloseable> opened = new CompletableFuture<>();
    private final boolean handler;
    private final boolean manual;

    /** Where the window can be resized; else null. */
    private final Window window;

    Receiving(JsonObject command) {
      this.command = command;
      manual = command.get("manual").getAsBoolean();
      handler = !manual && text(command, "face").equals("handler");
      window = command.get("resizable").getAsBoolean() ? window(command) : null;
    }

    /** A window of the size that a command says, or of what is the default. */
    private Window window(JsonObject size) {
      long messages = number(size, "window_messages");
      long bytes = number(size, "window_bytes");
      return Window.of(messages == 0 ? 1_000 : (int) messages, bytes == 0 ? 64L << 20 : bytes);
    }

    void resize(JsonObject size) {
      Window to = window(size);
      window.resize(to.messages(), to.bytes());
      tell(of("windowed", command));
    }

    private SubscribeSettings settings() {
      SubscribeSettings s = SubscribeSettings.defaults();
      s = number(command, "window_messages") == 0 ? s : s.maxOutstandingMessages((int) number(command, "window_messages"));
      s = number(command, "window_bytes") == 0 ? s : s.maxOutstandingBytes(number(command, "window_bytes"));
      s = window == null ? s : s.window(window);
      s = number(command, "lease_ms") == 0 ? s : s.lease(Duration.ofMillis(number(command, "lease_ms")));
      s = number(command, "max_extension_ms") == 0 ? s : s.maxExtension(Duration.ofMillis(number(command, "max_extension_ms")));
      return number(command, "drain_ms") == 0 ? s : s.drainTimeout(Duration.ofMillis(number(command, "drain_ms")));
    }

    void begin() {
      HeadraceClient client = clients.get(text(command, "client"));
      String subscription = text(command, "subscription");
      if (manual) {
        opened.complete(() -> requests.join().cancel());
        client.publisher(subscription, settings()).subscribe(this);
      } else if (handler) {
        Subscriber subscriber =
            client.subscribe(subscription, this::handle)
                .settings(s -> settings()).concurrency((int) number(command, "concurrency")).start();
        opened.complete(subscriber);
        subscriber.ended().whenComplete((nothing, failed) -> tell(of(failed == null ? "stopped" : "ended", command), failed));
      } else {
        Deliveries<byte[]> taken = client.deliveries(subscription, settings());
        opened.complete(taken);
        take(taken);
      }
    }

    /** Takes one delivery after the other; each waits for its verdict by itself. */
    private void take(Deliveries<byte[]> taken) {
      try {
        for (Optional<Delivery<byte[]>> next = taken.take(); next.isPresent(); next = taken.take()) {
          onNext(next.get());
        }
      } catch (InterruptedException | HeadraceException failed) {
        tell(of("ended", command), failed);
      }
    }

    void stop() {
      try {
        opened.join().close();
        if (!handler) {
          tell(of("stopped", command));
        }
      } catch (Exception failed) {
        failed(command, failed);
      }
    }

    /** With credit by hand a program asks for what its handlers and its buffer have room for. */
    @Override
    public void onSubscribe(Flow.Subscription subscription) {
      requests.complete(subscription);
      subscription.request(number(command, "concurrency") + number(command, "ahead"));
    }

    @Override
    public void onNext(Delivery<byte[]> delivery) {
      int number = start(delivery);
      threads.execute(() -> watch(delivery, number));
    }

    @Override
    public void onError(Throwable failed) {
      tell(of("ended", command), failed);
    }

    @Override
    public void onComplete() {
      tell(of("ended", command));
    }

    /** Tells of a delivery, and makes where its verdict comes. */
    private int start(Delivery<byte[]> delivery) {
      int number = deliveries.incrementAndGet();
      waiting.put(number, new CompletableFuture<>());
      JsonObject message = new JsonObject();
      message.addProperty("data", Base64.getEncoder().encodeToString(delivery.data()));
      message.addProperty("key", delivery.orderingKey());
      message.add("attributes", JSON.toJsonTree(delivery.attributes()));
      message.addProperty("content_type", delivery.contentType());
      JsonObject started = of("started", command);
      started.addProperty("delivery", number);
      started.addProperty("attempt", delivery.attempt());
      started.addProperty("id", delivery.id());
      started.add("message", message);
      tell(started);
      return number;
    }

    /** What the SDK calls. */
    private void handle(Delivery<byte[]> delivery) throws Exception {
      int number = start(delivery);
      JsonObject verdict;
      try {
        verdict = waiting.get(number).get();
      } catch (InterruptedException lost) {
        JsonObject event = of("lost", command);
        event.addProperty("delivery", number);
        event.addProperty("reason", delivery.lost().orElse("STOPPED"));
        tell(event);
        throw lost;
      }
      settle(delivery, number, verdict);
    }

    /** Settles a delivery of a loop when it is told, unless it is lost before. */
    private void watch(Delivery<byte[]> delivery, int number) {
      CompletableFuture<JsonObject> verdict = waiting.get(number);
      try {
        while (true) {
          try {
            settle(delivery, number, verdict.get(LOOK_MILLIS, TimeUnit.MILLISECONDS));
            delivery.ack();
            if (manual) {
              requests.join().request(1);
            }
            return;
          } catch (TimeoutException goOn) {
            if (delivery.lost().isPresent()) {
              JsonObject lost = of("lost", command);
              lost.addProperty("delivery", number);
              lost.addProperty("reason", delivery.lost().get());
              tell(lost);
              return;
            }
          }
        }
      } catch (Failure told) {
        delivery.retry();
      } catch (InterruptedException | ExecutionException failed) {
        failed(command, failed);
      }
    }

    /** Does what a verdict says; an ack is left to what returns. */
    private void settle(Delivery<byte[]> delivery, int number, JsonObject told) throws Failure, InterruptedException {
      long delay = number(told, "delay_ms");
      boolean fails = false;
      switch (text(told, "verdict")) {
        case "confirm":
          confirm(delivery, number);
          return;
        case "retry":
          delivery.retry(delay < 0 ? null : Duration.ofMillis(delay), "", "");
          break;
        case "reject":
          delivery.reject("told", "to reject");
          break;
        case "release":
          delivery.release();
          break;
        case "fail":
          fails = true;
          break;
        default:
          break;
      }
      JsonObject settled = of("settled", command);
      settled.addProperty("delivery", number);
      tell(settled);
      if (fails) {
        throw new Failure();
      }
    }

    private void confirm(Delivery<byte[]> delivery, int number) throws InterruptedException {
      JsonObject event = of("confirmed", command);
      Throwable cause = null;
      try {
        delivery.ackConfirmed().get();
      } catch (ExecutionException failed) {
        event = of("unconfirmed", command);
        cause = failed;
      }
      event.addProperty("delivery", number);
      tell(event, cause);
    }
  }
}
