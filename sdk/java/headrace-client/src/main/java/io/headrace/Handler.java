package io.headrace;

/**
 * Works on deliveries. One that returns acks, one that throws retries, one that settled by itself has its
 * way.
 *
 * @param <T> the type of the payload
 */
@FunctionalInterface
public interface Handler<T> {
  /**
   * Works on one delivery. Its thread is interrupted when the delivery is lost.
   *
   * @param delivery the delivery
   * @throws Exception the work failed: the message comes again
   */
  void handle(Delivery<T> delivery) throws Exception;
}
