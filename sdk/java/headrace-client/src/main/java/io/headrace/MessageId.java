package io.headrace;

/** What a published message is known by. */
public final class MessageId {
  private final Position position;
  private final boolean duplicate;

  MessageId(Position position, boolean duplicate) {
    this.position = position;
    this.duplicate = duplicate;
  }

  /**
   * Where the message stands in the log.
   *
   * @return its position
   */
  public Position position() {
    return position;
  }

  /**
   * Whether it was stored before, under the same dedupe id.
   *
   * @return true when this publish stored nothing
   */
  public boolean duplicate() {
    return duplicate;
  }

  /** The id, as subscribers see it: {@code partition-offset}. */
  @Override
  public String toString() {
    return position.toString();
  }
}
