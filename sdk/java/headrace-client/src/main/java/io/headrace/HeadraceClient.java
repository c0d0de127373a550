package io.headrace;

import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import io.grpc.ManagedChannel;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A connection to a server. It connects when it is first used, and again by itself. Safe for use by
 * several threads; make one per process, and close it at the end.
 */
public final class HeadraceClient implements AutoCloseable {
  private final ManagedChannel channel;
  private final Loop loop = new Loop();
  private final Calls calls;
  private final PublishLoop publisher;
  private final Receivers receivers;
  private final String clientId;
  private final Duration closeTimeout;
  private final Topics topics;
  private final Subscriptions subscriptions;
  private final AtomicBoolean closing = new AtomicBoolean();

  HeadraceClient(HeadraceClientBuilder how) {
    channel = Connection.open(how.target, how.tls, how.token);
    clientId = how.clientId;
    closeTimeout = how.closeTimeout;
    calls = new Calls(channel, how.connectTimeout, how.callTimeout);
    publisher = new PublishLoop(loop, channel, how);
    receivers = new Receivers(loop, channel, how);
    topics = new Topics(calls);
    subscriptions = new Subscriptions(calls);
  }

  /**
   * A client with the defaults.
   *
   * @param target host and port
   * @return the client
   * @throws HeadraceException.InvalidArgument the target is no address
   */
  public static HeadraceClient connect(String target) {
    return builder(target).build();
  }

  /**
   * A client with the defaults, of the server that the environment names; see {@link #builderFromEnv}.
   *
   * @return the client
   * @throws HeadraceException.InvalidArgument a variable has no legal value, or as {@link
   *     HeadraceClientBuilder#build}
   */
  public static HeadraceClient fromEnv() {
    return builderFromEnv().build();
  }

  /**
   * Begins a client.
   *
   * @param target host and port
   * @return a builder with the defaults
   */
  public static HeadraceClientBuilder builder(String target) {
    return new HeadraceClientBuilder(target);
  }

  /**
   * Begins a client of the server that the environment names: {@code HEADRACE_ADDR}, by default
   * {@code localhost:7070}; {@code HEADRACE_TOKEN}; and, each of which asks for TLS, {@code HEADRACE_TLS}
   * (true or false), the files {@code HEADRACE_TLS_CA}, {@code HEADRACE_TLS_CERT} and {@code HEADRACE_TLS_KEY},
   * and {@code HEADRACE_TLS_SERVER_NAME}.
   *
   * @return a builder with the defaults
   * @throws HeadraceException.InvalidArgument a variable has no legal value
   */
  public static HeadraceClientBuilder builderFromEnv() {
    return new Environment(System.getenv()).builder();
  }

  /**
   * A topic to publish to. Whether it exists shows when it is used.
   *
   * @param name {@code name} or {@code namespace/name}
   * @return the topic
   */
  public Topic topic(String name) {
    return new Topic(this, name);
  }

  /**
   * A topic of Protobuf messages of one type.
   *
   * @param <T> the type
   * @param name {@code name} or {@code namespace/name}
   * @param parser of the payloads of a broadcast
   * @return the topic
   */
  public <T extends MessageLite> TypedTopic<T> topic(String name, Parser<T> parser) {
    return new TypedTopic<>(topic(name), parser);
  }

  /**
   * A subscription to pull from. Whether it exists shows when it is used.
   *
   * @param name {@code name} or {@code namespace/name}
   * @return the subscription
   */
  public Subscription subscription(String name) {
    return new Subscription(calls, name, clientId);
  }

  /**
   * Prepares a subscriber that gives deliveries to a handler.
   *
   * @param subscription {@code name} or {@code namespace/name}
   * @param handler works on each delivery
   * @return to be started
   */
  public SubscriberBuilder<byte[]> subscribe(String subscription, Handler<byte[]> handler) {
    return new SubscriberBuilder<>(how -> receivers.start(subscription, null, how, () -> {}), handler);
  }

  /**
   * Prepares a subscriber of Protobuf messages of one type.
   *
   * @param <T> the type
   * @param subscription {@code name} or {@code namespace/name}
   * @param parser of the payloads
   * @param handler works on each delivery
   * @return to be started
   */
  public <T extends MessageLite> SubscriberBuilder<T> subscribe(String subscription, Parser<T> parser, Handler<T> handler) {
    return new SubscriberBuilder<>(how -> receivers.start(subscription, parser, how, () -> {}), handler);
  }

  /**
   * Deliveries to be taken one by one.
   *
   * @param subscription {@code name} or {@code namespace/name}
   * @param settings how to receive
   * @return deliveries, to be closed
   * @throws HeadraceException.Closed the client is closed
   */
  public Deliveries<byte[]> deliveries(String subscription, SubscribeSettings settings) {
    return receivers.deliveries(subscription, null, settings);
  }

  /**
   * Deliveries of Protobuf messages of one type, to be taken one by one.
   *
   * @param <T> the type
   * @param subscription {@code name} or {@code namespace/name}
   * @param parser of the payloads
   * @param settings how to receive
   * @return deliveries, to be closed
   * @throws HeadraceException.Closed the client is closed
   */
  public <T extends MessageLite> Deliveries<T> deliveries(String subscription, Parser<T> parser, SubscribeSettings settings) {
    return receivers.deliveries(subscription, parser, settings);
  }

  /**
   * A subscription as a publisher of deliveries: {@code request(n)} is credit. What was requested is asked
   * for all at once, or no more than fits the window at a time where {@link
   * SubscribeSettings#maxOutstandingMessages} or {@link SubscribeSettings#window} sets one; of bytes never more than
   * the window's, 64 MiB by default. Its subscribers are called on the client's own thread and must not block. It
   * is the face for subscriptions that deliver at most once, which need such credit.
   *
   * @param subscription {@code name} or {@code namespace/name}
   * @param settings how to receive
   * @return a publisher, each of whose subscribers has a session of its own; its {@code subscribe} throws {@link
   *     HeadraceException.Closed} when the client is closed, and what ends a session comes to {@code onError}
   */
  public Flow.Publisher<Delivery<byte[]>> publisher(String subscription, SubscribeSettings settings) {
    return receivers.publisher(subscription, null, settings);
  }

  /**
   * A subscription as a publisher of deliveries of Protobuf messages of one type.
   *
   * @param <T> the type
   * @param subscription {@code name} or {@code namespace/name}
   * @param parser of the payloads
   * @param settings how to receive
   * @return as {@link #publisher(String, SubscribeSettings)}
   */
  public <T extends MessageLite> Flow.Publisher<Delivery<T>> publisher(
      String subscription, Parser<T> parser, SubscribeSettings settings) {
    return receivers.publisher(subscription, parser, settings);
  }

  /**
   * Managing topics.
   *
   * @return the server's topics
   */
  public Topics topics() {
    return topics;
  }

  /**
   * Managing subscriptions.
   *
   * @return the server's subscriptions
   */
  public Subscriptions subscriptions() {
    return subscriptions;
  }

  /**
   * Sends everything accepted before without waiting for company.
   *
   * @return done when all of it has its result, good or bad, and what is one-way is sent
   */
  public CompletableFuture<Void> flush() {
    return publisher.flush(null);
  }

  PublishLoop publisher() {
    return publisher;
  }

  Receivers receivers() {
    return receivers;
  }

  /**
   * Drains the subscribers, flushes what was published, and disconnects. A second call does nothing. An
   * interrupt ends the waiting: what has no result then fails, and what is held comes again.
   */
  @Override
  public void close() {
    if (!closing.compareAndSet(false, true)) {
      return;
    }
    if (loop.isCurrent()) {
      new Thread(this::disconnect, "headrace-close").start(); // Waiting here would wait for itself.
    } else {
      disconnect();
    }
  }

  private void disconnect() {
    receivers.close();
    if (!Closing.endsWithin(publisher.close(), closeTimeout.toNanos())) {
      publisher.soon(publisher::abandonAll);
    }
    calls.close();
    channel.shutdownNow();
    loop.close();
  }
}
