package io.headrace.testing;

import io.headrace.HeadraceClient;
import io.headrace.v1.Subscription;
import io.headrace.v1.Topic;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Gives tests a real server and a client of it.
 *
 * <pre>{@code
 * class OrdersTest {
 *   @RegisterExtension
 *   final HeadraceExtension headrace = new HeadraceExtension().topic("orders").subscription("billing", "orders");
 *
 *   @Test
 *   void anOrderIsBilled() {
 *     headrace.client().topic("orders").publish("two loaves".getBytes(UTF_8)).join();
 *     // …
 *   }
 * }
 * }</pre>
 *
 * <p>In a field that is not static each test has a server of its own; in a static field, and with {@code
 * ExtendWith}, the tests of a class share one. Tests may have it and the client as parameters, too: {@link
 * HeadraceServer}, {@link HeadraceClient}.
 */
public final class HeadraceExtension
    implements BeforeAllCallback, AfterAllCallback, BeforeEachCallback, AfterEachCallback, ParameterResolver {
  private final List<Consumer<HeadraceClient>> preparations = new ArrayList<>();
  private final List<String> arguments = new ArrayList<>();
  private boolean shared;
  private @Nullable HeadraceServer server;
  private @Nullable HeadraceClient client;

  /** A server with nothing in it. */
  public HeadraceExtension() {}

  /**
   * Has the server begin with a topic.
   *
   * @param name its name
   * @return this extension
   */
  public HeadraceExtension topic(String name) {
    preparations.add(c -> c.topics().create(name));
    return this;
  }

  /**
   * Has the server begin with a topic.
   *
   * @param topic its name, and what is not to be the default
   * @return this extension
   */
  public HeadraceExtension topic(Topic topic) {
    preparations.add(c -> c.topics().create(topic));
    return this;
  }

  /**
   * Has the server begin with a subscription.
   *
   * @param name its name
   * @param topic the name of its topic, which was named before
   * @return this extension
   */
  public HeadraceExtension subscription(String name, String topic) {
    preparations.add(c -> c.subscriptions().create(name, topic));
    return this;
  }

  /**
   * Has the server begin with a subscription.
   *
   * @param subscription its name, its topic, which was named before, and what is not to be the default
   * @return this extension
   */
  public HeadraceExtension subscription(Subscription subscription) {
    preparations.add(c -> c.subscriptions().create(subscription));
    return this;
  }

  /**
   * Starts the server with more arguments of {@code headrace serve}.
   *
   * @param more such as {@code --config}, {@code FILE}
   * @return this extension
   */
  public HeadraceExtension arguments(String... more) {
    arguments.addAll(List.of(more));
    return this;
  }

  /**
   * The server.
   *
   * @return the server, which runs while a test does
   * @throws IllegalStateException no test runs
   */
  public HeadraceServer server() {
    return running(server);
  }

  /**
   * What a test may do to the server.
   *
   * @return the server's fault hooks
   * @throws IllegalStateException no test runs
   */
  public Faults faults() {
    return server().faults();
  }

  /**
   * The client, which is closed by itself.
   *
   * @return a client of the server
   * @throws IllegalStateException no test runs
   */
  public HeadraceClient client() {
    return running(client);
  }

  private static <T> T running(@Nullable T what) {
    if (what == null) {
      throw new IllegalStateException("the server runs while a test does: register the extension, and ask in a test");
    }
    return what;
  }

  @Override
  public void beforeAll(ExtensionContext context) {
    shared = true;
    start();
  }

  @Override
  public void beforeEach(ExtensionContext context) {
    if (!shared) {
      start();
    }
  }

  @Override
  public void afterEach(ExtensionContext context) {
    if (!shared) {
      stop();
    }
  }

  @Override
  public void afterAll(ExtensionContext context) {
    shared = false;
    stop();
  }

  private void start() {
    HeadraceServer started = HeadraceServer.start(arguments.toArray(String[]::new));
    server = started;
    HeadraceClient connected = started.connect();
    client = connected;
    preparations.forEach(preparation -> preparation.accept(connected));
  }

  private void stop() {
    HeadraceClient connected = client;
    HeadraceServer started = server;
    client = null;
    server = null;
    if (connected != null) {
      connected.close();
    }
    if (started != null) {
      started.close();
    }
  }

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    Class<?> type = parameter.getParameter().getType();
    return type == HeadraceServer.class || type == HeadraceClient.class;
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    return parameter.getParameter().getType() == HeadraceServer.class ? server() : client();
  }
}
