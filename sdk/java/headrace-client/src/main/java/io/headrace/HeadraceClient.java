package io.headrace;

import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import io.grpc.ManagedChannel;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A connection to a server. It connects when it is first used, and again by itself. Safe for use by
 * several threads.
 */
public final class HeadraceClient implements AutoCloseable {
  private static final int LARGEST_FRAME_BYTES = 64 << 20;
  private static final int PING_SECONDS = 30;
  private static final String DEFAULT_TARGET = "localhost:7070";

  private final ManagedChannel channel;
  private final Loop loop = new Loop();
  private final PublishLoop publisher;
  private final String clientId;
  private final Duration connectTimeout;
  private final Duration closeTimeout;
  private final Topics topics;
  private final Subscriptions subscriptions;
  private final Set<SubscriberLoop<?>> subscribers = ConcurrentHashMap.newKeySet();

  private HeadraceClient(Builder builder) {
    channel =
        NettyChannelBuilder.forTarget(builder.target)
            .usePlaintext()
            .maxInboundMessageSize(LARGEST_FRAME_BYTES)
            .keepAliveTime(PING_SECONDS, TimeUnit.SECONDS)
            .build();
    clientId = builder.clientId;
    connectTimeout = builder.connectTimeout;
    closeTimeout = builder.closeTimeout;
    publisher = new PublishLoop(loop, channel, builder.publish, clientId, connectTimeout);
    topics = new Topics(channel, connectTimeout);
    subscriptions = new Subscriptions(channel, connectTimeout);
  }

  /**
   * A client with the defaults.
   *
   * @param target host and port
   * @return the client
   */
  public static HeadraceClient connect(String target) {
    return builder(target).build();
  }

  /**
   * A client with the defaults, of the server that the environment variable {@code HEADRACE_ADDR} names.
   *
   * @return the client; of {@code localhost:7070} when it is not set
   */
  public static HeadraceClient connectEnv() {
    String target = System.getenv("HEADRACE_ADDR");
    return connect(target == null || target.isEmpty() ? DEFAULT_TARGET : target);
  }

  /**
   * Begins a client.
   *
   * @param target host and port
   * @return a builder with the defaults
   */
  public static Builder builder(String target) {
    return new Builder(target);
  }

  /** Prepares a client. */
  public static final class Builder {
    private final String target;
    private String clientId = "";
    private PublishSettings publish = PublishSettings.defaults();
    private Duration connectTimeout = Duration.ofSeconds(10);
    private Duration closeTimeout = Duration.ofSeconds(30);

    private Builder(String target) {
      this.target = target;
    }

    /**
     * Sets a name for statistics and logs; an exclusive subscription's session takes the place of one with
     * the same id.
     *
     * @param id at most 255 bytes; default: a random one for each subscriber
     * @return this builder
     */
    public Builder clientId(String id) {
      clientId = id;
      return this;
    }

    /**
     * Sets how the client publishes.
     *
     * @param settings default {@link PublishSettings#defaults}
     * @return this builder
     */
    public Builder publish(PublishSettings settings) {
      publish = settings;
      return this;
    }

    /**
     * Sets how long the first use may take to reach the server.
     *
     * @param timeout default 10 s
     * @return this builder
     */
    public Builder connectTimeout(Duration timeout) {
      connectTimeout = timeout;
      return this;
    }

    /**
     * Sets how long {@link HeadraceClient#close} waits for results.
     *
     * @param timeout default 30 s
     * @return this builder
     */
    public Builder closeTimeout(Duration timeout) {
      closeTimeout = timeout;
      return this;
    }

    /**
     * Makes the client.
     *
     * @return the client
     */
    public HeadraceClient build() {
      return new HeadraceClient(this);
    }
  }

  /**
   * A topic to publish to.
   *
   * @param name {@code name} or {@code namespace/name}
   * @return the topic
   */
  public Topic topic(String name) {
    return new Topic(publisher, name);
  }

  /**
   * A topic of Protobuf messages of one type.
   *
   * @param <T> the type
   * @param name {@code name} or {@code namespace/name}
   * @param parser says which type; nothing is parsed
   * @return the topic
   */
  public <T extends MessageLite> TypedTopic<T> topic(String name, Parser<T> parser) {
    return new TypedTopic<>(topic(name));
  }

  /**
   * Prepares a subscriber that gives deliveries to a handler.
   *
   * @param subscription {@code name} or {@code namespace/name}
   * @param handler works on each delivery
   * @return to be started
   */
  public SubscriberBuilder<byte[]> subscribe(String subscription, Handler<byte[]> handler) {
    return new SubscriberBuilder<>(how -> start(subscription, null, how), handler);
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
    return new SubscriberBuilder<>(how -> start(subscription, parser, how), handler);
  }

  private <T> Subscriber start(String subscription, @Nullable Parser<?> parser, SubscriberBuilder<T> how) {
    SubscriberLoop<T> session = session(subscription, how.settings, parser, false);
    ExecutorService own = how.executor == null ? Executors.newFixedThreadPool(how.concurrency, HeadraceClient::thread) : null;
    Executor executor = own == null ? how.executor : own;
    CompletableFuture<Void> ended = new CompletableFuture<>();
    Runnable whenEnded = () -> {
      subscribers.remove(session);
      if (own != null) {
        own.shutdown();
      }
    };
    session.begin(new Workers<>(session, how.handler, executor, how.concurrency, ended, whenEnded));
    return new Subscriber() {
      @Override
      public List<String> blockedBy() {
        return session.blockedBy();
      }

      @Override
      public CompletableFuture<Void> ended() {
        return ended.copy();
      }

      @Override
      public void close() {
        Closing.await(session, connectTimeout.toNanos());
      }
    };
  }

  private static Thread thread(Runnable task) {
    Thread thread = new Thread(task, "headrace-handler");
    thread.setDaemon(true);
    return thread;
  }

  private <T> SubscriberLoop<T> session(
      String subscription, SubscribeSettings settings, @Nullable Parser<?> parser, boolean manual) {
    String id = clientId.isEmpty() ? UUID.randomUUID().toString() : clientId;
    SubscriberLoop<T> session =
        new SubscriberLoop<>(loop, channel, subscription, settings, id, connectTimeout, parser, manual);
    subscribers.add(session);
    return session;
  }

  /**
   * Deliveries to be taken one by one.
   *
   * @param subscription {@code name} or {@code namespace/name}
   * @param settings how to receive
   * @return deliveries, to be closed
   */
  public Deliveries<byte[]> deliveries(String subscription, SubscribeSettings settings) {
    SubscriberLoop<byte[]> session = session(subscription, settings, null, false);
    return new Deliveries<>(session, () -> subscribers.remove(session));
  }

  /**
   * Deliveries of Protobuf messages of one type, to be taken one by one.
   *
   * @param <T> the type
   * @param subscription {@code name} or {@code namespace/name}
   * @param parser of the payloads
   * @param settings how to receive
   * @return deliveries, to be closed
   */
  public <T extends MessageLite> Deliveries<T> deliveries(String subscription, Parser<T> parser, SubscribeSettings settings) {
    SubscriberLoop<T> session = session(subscription, settings, parser, false);
    return new Deliveries<>(session, () -> subscribers.remove(session));
  }

  /**
   * A subscription as a publisher of deliveries: {@code request(n)} is credit. Its subscribers are called
   * on the client's own thread and must not block.
   *
   * @param subscription {@code name} or {@code namespace/name}
   * @param settings how to receive; the bound in messages is what is requested
   * @return a publisher, each of whose subscribers has a session of its own
   */
  public Flow.Publisher<Delivery<byte[]>> publisher(String subscription, SubscribeSettings settings) {
    return new FlowFace<>(() -> session(subscription, settings, null, true));
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
   * @return done when all of it has its result
   */
  public CompletableFuture<Void> flush() {
    return publisher.flush();
  }

  /** Drains the subscribers, flushes what was published, and disconnects. */
  @Override
  public void close() {
    for (SubscriberLoop<?> subscriber : subscribers) {
      Closing.await(subscriber, connectTimeout.toNanos());
    }
    if (!Closing.endsWithin(publisher.close(), closeTimeout.toNanos())) {
      loop.call(() -> {
        publisher.abandonAll();
        return true;
      });
    }
    channel.shutdownNow();
    loop.close();
  }
}
