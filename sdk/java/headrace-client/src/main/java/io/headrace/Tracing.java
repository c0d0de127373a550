package io.headrace;

import org.jspecify.annotations.Nullable;

/**
 * Sees messages go and come, for {@link HeadraceClientBuilder#tracing}. The module {@code
 * headrace-opentelemetry} has one that makes spans. Its methods are called on the threads that publish and
 * that run handlers; they must not block, nor throw.
 */
public interface Tracing {
  /**
   * A message is about to be published.
   *
   * @param topic the topic's name, as it was given
   * @param message the message
   * @return what is published, and hears of the result
   */
  Sending sending(String topic, Message message);

  /**
   * A handler is about to work on a delivery, in this thread.
   *
   * @param subscription the subscription's name, as it was given
   * @param delivery the delivery
   * @return hears of the end, in the same thread
   */
  Processing processing(String subscription, Delivery<?> delivery);

  /** One message on its way to the server. */
  interface Sending {
    /**
     * The message that is published, with what tracing adds.
     *
     * @return the message
     */
    Message message();

    /**
     * The result is there; of a message that is sent one-way, when it is accepted.
     *
     * @param id null: it failed, or was sent one-way
     * @param error why it failed; null: it did not
     */
    void done(@Nullable MessageId id, @Nullable Throwable error);
  }

  /** One delivery in its handler's hands. */
  interface Processing {
    /**
     * The handler has ended.
     *
     * @param error what it threw; null: nothing
     */
    void done(@Nullable Throwable error);
  }
}
