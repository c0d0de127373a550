package io.headrace;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** One message accepted for publishing, and the room that it takes until it has its result, or is sent one-way. */
final class Entry {
  final io.headrace.v1.Message message;
  final int bytes;
  private final Room room;
  private final @Nullable CompletableFuture<MessageId> result;

  Entry(io.headrace.v1.Message message, Room room, @Nullable CompletableFuture<MessageId> result) {
    this.message = message;
    this.bytes = wireBytes(message);
    this.room = room;
    this.result = result;
  }

  boolean oneWay() {
    return result == null;
  }

  /** It is stored; a second result changes nothing. */
  void complete(MessageId id) {
    if (result != null && !result.isDone()) {
      room.leave(bytes);
      result.complete(id);
    }
  }

  /** It is not stored, or nobody knows; a second result changes nothing. */
  void fail(HeadraceException e) {
    if (result == null) {
      room.leave(bytes);
    } else if (!result.isDone()) {
      room.leave(bytes);
      result.completeExceptionally(e);
    }
  }

  /** It was sent one-way, and is forgotten. */
  void forget() {
    room.leave(bytes);
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
