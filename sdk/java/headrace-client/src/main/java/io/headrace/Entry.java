package io.headrace;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** One message accepted for publishing. */
final class Entry {
  final io.headrace.v1.Message message;
  final int bytes;
  final @Nullable CompletableFuture<MessageId> result;

  Entry(io.headrace.v1.Message message, @Nullable CompletableFuture<MessageId> result) {
    this.message = message;
    this.bytes = wireBytes(message);
    this.result = result;
  }

  /** What a message takes in the field {@code messages}: its size, the tag, and the length before it. */
  static int wireBytes(io.headrace.v1.Message message) {
    int size = message.getSerializedSize();
    int length = 1;
    for (int rest = size >>> 7; rest != 0; rest >>>= 7) {
      length++;
    }
    return 1 + length + size;
  }
}
