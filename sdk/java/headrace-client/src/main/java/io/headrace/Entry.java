package io.headrace;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** One message accepted for publishing to a topic. */
final class Entry {
  final String topic;
  final Message message;

  /** What it takes in a batch. */
  final int bytes;

  private final @Nullable CompletableFuture<MessageId> result;

  /** Makes one; without a result it is sent one-way. */
  Entry(String topic, Message message, @Nullable CompletableFuture<MessageId> result) {
    this.topic = topic;
    this.message = message;
    this.bytes = message.wire().length;
    this.result = result;
  }

  boolean oneWay() {
    return result == null;
  }

  /** It is stored; a second result changes nothing. */
  void complete(MessageId id) {
    if (result != null) {
      result.complete(id);
    }
  }

  /** It is not stored, or nobody knows; a second result changes nothing. */
  void fail(HeadraceException e) {
    if (result != null && !result.isDone()) {
      result.completeExceptionally(e);
    }
  }
}
