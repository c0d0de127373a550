package io.headrace;

import com.google.protobuf.Parser;
import io.grpc.Channel;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/** Makes the faces of a client that receive, and knows which of them run. */
final class Receivers {
  private final Loop loop;
  private final Channel channel;
  private final HeadraceClientBuilder how;
  private final Set<SubscriberLoop<?>> running = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  Receivers(Loop loop, Channel channel, HeadraceClientBuilder how) {
    this.loop = loop;
    this.channel = channel;
    this.how = how;
  }

  /** Starts what a builder has prepared; {@code afterwards} is called when it has ended. */
  <T> Subscriber start(String subscription, @Nullable Parser<?> parser, SubscriberBuilder<T> prepared, Runnable afterwards) {
    SubscriberLoop<T> session = session(subscription, prepared.settings, parser, false);
    ExecutorService own =
        prepared.executor == null ? Executors.newFixedThreadPool(prepared.concurrency, Receivers::thread) : null;
    Executor executor = own == null ? prepared.executor : own;
    CompletableFuture<Void> ended = new CompletableFuture<>();
    Runnable whenEnded = () -> {
      if (own != null) {
        own.shutdown();
      }
    };
    session.begin(
        new Workers<>(session, prepared.handler, executor, prepared.concurrency, how.tracing, ended, whenEnded));
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
        Closing.await(session, how.connectTimeout.toNanos());
        afterwards.run();
      }
    };
  }

  private static Thread thread(Runnable task) {
    Thread thread = new Thread(task, "headrace-handler");
    thread.setDaemon(true);
    return thread;
  }

  <T> Deliveries<T> deliveries(String subscription, @Nullable Parser<?> parser, SubscribeSettings settings) {
    return new Deliveries<>(session(subscription, settings, parser, false));
  }

  <T> Flow.Publisher<Delivery<T>> publisher(String subscription, @Nullable Parser<?> parser, SubscribeSettings settings) {
    return new FlowFace<>(() -> session(subscription, settings, parser, true));
  }

  private <T> SubscriberLoop<T> session(
      String subscription, SubscribeSettings settings, @Nullable Parser<?> parser, boolean manual) {
    if (closed) {
      throw new HeadraceException.Closed("the client is closed");
    }
    String id = how.clientId.isEmpty() ? UUID.randomUUID().toString() : how.clientId;
    SubscriberLoop<T> session =
        new SubscriberLoop<>(loop, channel, subscription, settings, id, how, parser, manual);
    running.add(session);
    session.whenFinished(() -> running.remove(session));
    return session;
  }

  /** Drains all of them, at the same time. */
  void close() {
    closed = true;
    running.forEach(SubscriberLoop::close);
    for (SubscriberLoop<?> session : running) {
      Closing.await(session, how.connectTimeout.toNanos());
    }
  }
}
