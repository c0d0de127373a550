package io.headrace;

import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import java.util.concurrent.CompletableFuture;

/**
 * A topic of Protobuf messages of one type. Safe for use by several threads.
 *
 * @param <T> the type
 */
public final class TypedTopic<T extends MessageLite> {
  private final Topic topic;
  private final Parser<T> parser;

  TypedTopic(Topic topic, Parser<T> parser) {
    this.topic = topic;
    this.parser = parser;
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

  /**
   * Publishes, and nobody hears of a failure.
   *
   * @param payload is encoded now
   */
  public void publishOneWay(T payload) {
    topic.publishOneWay(Message.builder().data(payload).build());
  }

  /**
   * Prepares a subscriber that gets every message published from its start on.
   *
   * @param handler works on each delivery
   * @return as {@link Topic#broadcast(Handler)}
   */
  public SubscriberBuilder<T> broadcast(Handler<T> handler) {
    return topic.broadcast(parser, handler);
  }
}
