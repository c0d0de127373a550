package io.headrace;

import com.google.protobuf.MessageLite;
import java.util.concurrent.CompletableFuture;

/**
 * A topic of Protobuf messages of one type. Safe for use by several threads.
 *
 * @param <T> the type
 */
public final class TypedTopic<T extends MessageLite> {
  private final Topic topic;

  TypedTopic(Topic topic) {
    this.topic = topic;
  }

  /**
   * The topic beneath.
   *
   * @return the topic
   */
  public Topic untyped() {
    return topic;
  }

  /**
   * Publishes.
   *
   * @param payload is encoded now
   * @return as {@link Topic#publish(Message)}
   */
  public CompletableFuture<MessageId> publish(T payload) {
    return topic.publish(Message.builder().data(payload).build());
  }

  /**
   * Publishes under an ordering key.
   *
   * @param orderingKey messages of one key keep their order
   * @param payload is encoded now
   * @return as {@link Topic#publish(Message)}
   */
  public CompletableFuture<MessageId> publish(String orderingKey, T payload) {
    return topic.publish(Message.builder().data(payload).orderingKey(orderingKey).build());
  }
}
