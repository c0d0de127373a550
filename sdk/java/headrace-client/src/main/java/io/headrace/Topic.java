package io.headrace;

import java.util.concurrent.CompletableFuture;

/** A topic to publish to, by name. Safe for use by several threads. */
public final class Topic {
  private final PublishLoop publisher;
  private final String name;

  Topic(PublishLoop publisher, String name) {
    this.publisher = publisher;
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
   *     INVALID_FIELD), ResourceExhausted (DISK_FULL), UnknownOutcome when it may be stored. What is
   *     chained to it without an executor runs on the client's own thread and must not block.
   */
  public CompletableFuture<MessageId> publish(Message message) {
    return publisher.publish(name, message);
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
   * Publishes, and nobody hears of a failure.
   *
   * @param message the message
   */
  public void publishOneWay(Message message) {
    publisher.publishOneWay(name, message);
  }
}
