package io.headrace;

import com.google.protobuf.Parser;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A topic to publish to, by name. Safe for use by several threads. */
public final class Topic {
  private final HeadraceClient client;
  private final String name;

  Topic(HeadraceClient client, String name) {
    this.client = client;
    this.name = name;
  }

  /**
   * The topic's name, as it was given.
   *
   * @return the name
   */
  public String name() {
    return name;
  }

  /**
   * Publishes. Waits while the publish buffer is full, unless {@link PublishSettings#failWhenFull} is set.
   *
   * @param message the message
   * @return done when the message is stored as the topic's durability says, with its id. Fails with {@link
   *     HeadraceException}: NotFound (TOPIC_NOT_FOUND), InvalidArgument (MESSAGE_TOO_LARGE,
   *     INVALID_FIELD), ResourceExhausted (DISK_FULL, BACKLOG_FULL), UnknownOutcome when it may be stored.
   *     What is chained to it without an executor runs on the client's own thread and must not block.
   * @throws HeadraceException CLOSED, BUFFER_FULL, INTERRUPTED while it waits for room: nothing is accepted
   */
  public CompletableFuture<MessageId> publish(Message message) {
    return client.publisher().publish(name, message);
  }

  /**
   * Publishes a payload alone.
   *
   * @param data is copied
   * @return as {@link #publish(Message)}
   */
  public CompletableFuture<MessageId> publish(byte[] data) {
    return publish(Message.of(data));
  }

  /**
   * Publishes, and nobody hears of a failure: of the server, of the connection, of a topic that does not
   * exist. Waits while the publish buffer is full, as {@link #publish(Message)}, and throws as it does.
   *
   * @param message the message
   */
  public void publishOneWay(Message message) {
    client.publisher().publishOneWay(name, message);
  }

  /**
   * Sends everything that was accepted for this topic without waiting for company.
   *
   * @return done when all of it has its result, good or bad, and what is one-way is sent
   */
  public CompletableFuture<Void> flush() {
    return client.publisher().flush(name);
  }

  /**
   * Prepares a subscriber that gets every message published to the topic from its start on, whoever else
   * receives it: each instance of a program that does so gets them all. It has an ephemeral subscription of
   * its own, which is removed when it is closed.
   *
   * <p>A broken connection is bridged for 60 s. After that {@link Subscriber#ended} fails with {@code
   * SUBSCRIPTION_DELETED} or {@code SUBSCRIPTION_NOT_FOUND}: messages were missed, so begin with a fresh view
   * of whatever they change, and start again.
   *
   * @param handler works on each delivery
   * @return to be started, which waits for the subscription
   */
  public SubscriberBuilder<byte[]> broadcast(Handler<byte[]> handler) {
    return broadcast(null, handler);
  }

  <T> SubscriberBuilder<T> broadcast(@Nullable Parser<?> parser, Handler<T> handler) {
    return new SubscriberBuilder<>(how -> new Broadcast(client, name).start(parser, how), handler);
  }
}
